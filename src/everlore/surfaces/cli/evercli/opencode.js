// everme-memory, written by evercli: memory comes into a session, and what is said is saved.
import { spawn } from "node:child_process"

const PROGRAM = "{program}"

function run(word, said) {
  return new Promise((resolve) => {
    const [command, ...first] = PROGRAM
    const child = spawn(command, [...first, "hook", word, "--host", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    let out = ""
    child.stdout.on("data", (chunk) => (out += chunk))
    child.on("error", () => resolve(""))
    child.on("close", () => {
      try {
        resolve(JSON.parse(out).additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(said))
  })
}

export const EverMeMemory = async ({ client, directory }) => {
  const begun = new Set()
  return {
    "chat.message": async (input, output) => {
      const told = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!told.length) return
      const said = { session_id: input.sessionID, cwd: directory, prompt: told.map((part) => part.text).join("\n") }
      const asked = [run("prompt", said), ...(begun.has(input.sessionID) ? [] : [run("session-start", said)])]
      begun.add(input.sessionID)
      const found = (await Promise.all(asked)).reverse().filter(Boolean)
      if (found.length) {
        const last = told[told.length - 1]
        output.parts.push({ ...last, id: `${last.id}m`, synthetic: true, text: found.join("\n\n") })
      }
    },
    event: async ({ event }) => {
      if (event.type === "session.compacted") begun.delete(event.properties.sessionID)
      if (event.type !== "session.idle") return
      const id = event.properties.sessionID
      const messages = (await client.session.messages({ path: { id } })).data ?? []
      await run("stop", { session_id: id, cwd: directory, messages })
    },
  }
}
