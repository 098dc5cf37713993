"""The parts of a soak that start programs: MCP processes of hosts, commands, and hooks. Some of them are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from crash_driver import Journal
from soaking import PLACES, THINGS, Direct, Gateway, Hands, Http, Job, Worker
from talking import Talk

from everlore.surfaces.mcp.relay import LOST


class Mcp(Worker):
    """An agent's host with one MCP process, which it sometimes kills in the middle of a call."""

    toolset = ""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._talk: Talk | None = None
        self._lives = 0

    def talk(self) -> Talk:
        if self._talk is None:
            self._lives += 1
            log = self.job.folder / f"mcp{self._lives}.log"
            with log.open("wb") as errors:
                process = subprocess.Popen(
                    [sys.executable, "-m", "everlore", "mcp", "--toolset", self.toolset],
                    env=dict(self.job.env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                )  # fmt: skip
            self._talk = Talk(process, log)
            self._talk.shake()
        return self._talk

    def call(self, tool: str, **arguments: Any) -> str | None:
        """The text of a result; None where nobody knows what came of it."""
        talk = self.talk()
        if self.chance(0.02):
            talk.say(
                {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
            )
            time.sleep(0.02 * self.rng.random())
            self._end(signal.SIGKILL)
            self.asked("killed")
            return None
        answer = talk.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result", {})
        told = answer["error"]["message"] if "error" in answer else str(result["content"][0]["text"])
        failed = "error" in answer or bool(result.get("isError"))
        self.asked("cut" if LOST in told else "failed" if failed else 200)
        if failed and LOST not in told and "not found" not in told.lower():
            self.wrong(tool, told)
        return None if failed else told

    def save(self, tool: str, said: tuple[str, str], **arguments: Any) -> str | None:
        self.journal.write("maybe", said[0])
        found = self.call(tool, **arguments)
        if found is not None:
            self.journal.write("add", "default", said[0])
        return found

    def _end(self, how: int = 0) -> None:
        if self._talk is not None:
            if how:
                self._talk.process.send_signal(how)
                self._talk.process.wait()
            elif self._talk.end():
                self.wrong("an MCP process did not end well:", self._talk.log())
            if "Traceback" in self._talk.log():
                self.wrong(self._talk.log())
            for stream in (self._talk.process.stdin, self._talk.process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()
        self._talk = None

    def close(self) -> None:
        self._end()


class Knowledge(Mcp):
    toolset = "knowledge"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._mine: list[tuple[str, str]] = []

    def step(self) -> None:
        chance = self.rng.random()
        if chance < 0.5:
            said = self.told("default")
            if stored := self.save("store_memory", said, content=said[1]):
                self._mine.append((said[0], json.loads(stored)["id"]))
        elif chance < 0.8:
            self.call("search", query=self.rng.choice(THINGS))
        elif chance < 0.9:
            self.call("list_memories")
        elif self._mine:
            word, id_ = self._mine.pop(self.rng.randrange(len(self._mine)))
            self.journal.write("taking", word)
            if self.call("delete_memory", id=id_) is not None:
                self.journal.write("took", word)


class Records(Mcp):
    toolset = "records"

    def step(self) -> None:
        chance = self.rng.random()
        if chance < 0.5:
            said = self.told("default")
            content = {"text": said[1]}
            self.save("memory_create", said, type="note", content=content, source="soak", tags=["soak"], confidence=0.5)
        elif chance < 0.8:
            self.call("memory_search", query=self.rng.choice(THINGS))
        else:
            self.call("memory_list")


class Everme(Mcp):
    toolset = "everme"

    def step(self) -> None:
        chance = self.rng.random()
        if chance < 0.3:
            said = self.told("default")
            turn = {"role": "user", "content": said[1], "timestamp": self.at()}
            self.save("mem_save_turn", said, messages=[turn], sessionKey=self.job.tag)
        elif chance < 0.5:
            said = self.told("default")
            self.save("mem_save_fact", said, fact=said[1])
        elif chance < 0.8:
            self.call("mem_search", query=self.rng.choice(THINGS))
        else:
            self.call("mem_context", query=self.rng.choice(PLACES))


class Commands(Worker):
    """A person at a terminal, and the hooks of a host; some of the processes are killed."""

    def step(self) -> None:
        chance = self.rng.random()
        if chance < 0.35:
            word, text = self.told("default")
            self.journal.write("maybe", word)
            if self._run("everlore", "add", text):
                self.journal.write("add", "default", word)
        elif chance < 0.55:
            self._run("everlore", "search", self.rng.choice(THINGS))
        elif chance < 0.6:
            self._run("everlore", "index", "rebuild")
        elif chance < 0.65:
            self._run("everlore", "backup", str(self.job.folder / "backup"))
        else:
            self._turn()

    def _turn(self) -> None:
        """A host saves the turns that it has seen; the hook knows how far it came."""
        word, text = self.told("default")
        path = self.job.folder / "transcript.jsonl"
        turn = {"type": "user", "timestamp": "2026-05-01T10:00:00.000Z", "message": {"content": text}}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(turn) + "\n")
        self.journal.write("maybe", word)
        said = {"session_id": self.job.tag, "transcript_path": str(path), "hook_event_name": "Stop"}
        self._run("everlore.surfaces.cli.evercli", "hook", "stop", said=json.dumps(said))

    def _run(self, module: str, *words: str, said: str = "") -> bool:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *words], env={**self.job.env, "HOME": str(self.job.folder)},
            cwd=self.job.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        if self.chance(0.1):
            time.sleep(0.3 * self.rng.random())
            process.kill()
        try:
            shown, complained = (part.decode() for part in process.communicate(said.encode(), timeout=240))
        except subprocess.TimeoutExpired:
            process.kill()
            shown, complained = (part.decode() for part in process.communicate())
            self.wrong(*words, "never ends", shown, complained)
        self.asked(process.returncode)
        if "Traceback" in complained or "locked" in complained or process.returncode not in (0, 1, -signal.SIGKILL):
            self.wrong(*words, complained)
        elif process.returncode == 1:
            self.busy(*words[:2], complained)
        return process.returncode == 0


SURFACES: Mapping[str, type[Worker]] = {
    "HTTP": Http,
    "gateway": Gateway,
    "files by hand": Hands,
    "engine": Direct,
    "MCP knowledge": Knowledge,
    "MCP records": Records,
    "MCP everme": Everme,
    "commands and hooks": Commands,
}


def work(job: Job) -> None:
    """The body of a process."""
    job.folder.mkdir(parents=True, exist_ok=True)
    with (job.folder / "log").open("ab") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    journal = Journal(job.journal)
    try:
        worker = SURFACES[job.surface](job)
        for _ in range(job.steps):
            worker.step()
        worker.close()
        journal.write("finished")
    except BaseException:
        journal.write("error", job.surface, traceback.format_exc().replace("\n", " | "))
