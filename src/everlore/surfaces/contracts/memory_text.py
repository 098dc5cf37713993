"""A memory of any kind as one text, for contracts that show all kinds alike."""

from __future__ import annotations

from everlore.types import IndexedMemory


def memory_text(row: IndexedMemory) -> str:
    data = row.data
    match row.key.kind:
        case "episode":
            return str(data["episode"])
        case "case":
            told = [data["task_intent"], data["approach"], data["key_insight"]]
            return "\n\n".join(str(part) for part in told if part)
        case "skill":
            return f"{data['name']}: {data['description']}\n\n{data['content']}"
        case "profile":
            return "\n".join([str(data["summary"]), *(str(info["description"]) for info in data["explicit_info"])])
        case _:
            return str(data["content"])
