"""A closed cell of an agent's work becomes cases, one for each task: what, how, what was learned, how well.

Pure functions without a language model: everything a case says stands in the messages. Each step of the
approach is one line, so nothing that a tool printed can look like structure of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from everlore.extract.agent.judge import key_insight, quality
from everlore.extract.agent.outcome import one_line
from everlore.extract.agent.run import Call, Said, Step, said_by_user, steps
from everlore.extract.agent.task import courtesy, task_intent, tasks
from everlore.extract.sentences import clip, split, stopped
from everlore.kinds.case import Case
from everlore.types import Cell, Message, Owner

SAID, STEERED, ANSWER = 200, 300, 400
"""Characters of what an agent says on its way, of what the user says in the middle of the work, of the last answer."""
APPROACH = 4000
WHOLE = 100_000
"""Where no user spoke, no episode has the words: the approach keeps all of them, so far."""
REPEATED = 4
"""A longer run of calls to one tool with the same outcome is told by its first and its last."""
_ENDINGS = {"ok": "ok", "error": "error", "unknown": "no result"}


def agents_of(messages: Sequence[Message]) -> list[str]:
    """Whose cases these messages make: the assistants, else those who sent tool results."""
    for role in ("assistant", "tool"):
        senders = list(dict.fromkeys(message.sender_id for message in messages if message.role == role))
        if senders:
            return senders
    return []


def has_trajectory(cell: Cell) -> bool:
    """True where there is work to tell of: tools were used, or an agent spoke with no user at all."""
    if any(message.tool_calls or message.role == "tool" for message in cell.messages):
        return True
    heard = [message for message in cell.messages if not message.blank]
    return bool(heard) and all(message.role != "user" for message in heard)


def tasks_of(cell: Cell, owner: Owner) -> list[list[Step]]:
    """The tasks of a cell that an agent had a part in. None without a trajectory, and at least one with it."""
    if not has_trajectory(cell):
        return []
    found = tasks(steps(cell.messages))
    return [task for task in found if any(step.by == owner.id for step in task)] or found


def write_case(task: Sequence[Step], cell: Cell, owner: Owner, entry: str) -> Case:
    users = [message for message in cell.messages if message.role == "user"]
    return Case(
        owner=owner,
        local_id=entry,
        session_id=cell.session_id,
        timestamp=cell.timestamp,
        parent_id=cell.id,
        task_intent=task_intent(task),
        approach=approach(task, owner.id),
        quality_score=quality(task),
        key_insight=key_insight(task, {name for user in users for name in (user.sender_id, user.speaker)}),
        sender_ids=tuple(dict.fromkeys(message.sender_id for message in cell.messages if not message.blank)),
        project=cell.project,
    )


def approach(run: Sequence[Step], owner_id: str) -> str:
    """Numbered steps, retries merged, the middle of a very long run left out."""
    final = _final_answer(run)
    alone = not said_by_user(run)
    kept = [(at, step) for at, step in enumerate(run) if isinstance(step, Call) or _words(step, alone, at == final)]
    lines: list[str] = []
    opened = False
    for at, step in _merged(kept):
        if isinstance(step, str):
            lines.append(step)
        elif isinstance(step, Call):
            lines.append(_by(step.by, owner_id) + _told(step))
        elif step.role == "user":
            # the request itself is the task; what the user says later steers the work
            if opened:
                lines.append(f"User: {_words(step, alone, final=False)}")
            opened = True
        else:
            said = "Result" if at == final and len(run) > 1 else "Said"
            lines.append(f"{_by(step.by, owner_id)}{said}: {_words(step, alone, at == final)}")
    numbered = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
    told = "\n".join(numbered) if alone else _bounded(numbered)
    return told or "1. Nothing was recorded."


def _final_answer(run: Sequence[Step]) -> int | None:
    """Where the agent's last telling words stand, if no call came after them."""
    for at in range(len(run) - 1, -1, -1):
        step = run[at]
        if isinstance(step, Call):
            return None
        if step.role == "assistant" and not step.acting and not courtesy(step.text):
            return at
    return None


def _words(said: Said, alone: bool, final: bool) -> str:
    """What words add to what was done: of an agent's, not that it will do it, and no courtesy."""
    if said.role == "assistant" and alone:
        return one_line(said.text, WHOLE)
    if said.role == "user" or final:
        return _shortly(split(said.text), STEERED if said.role == "user" else ANSWER)
    ahead = ("let me ", "let's ", "i'll ", "i will ", "i'm going to ", "now i", "next, i")
    telling = [part for part in split(said.text) if not courtesy(part)]
    return _shortly([part for part in telling if not (said.acting and part.lower().startswith(ahead))], SAID)


def _shortly(parts: Sequence[str], limit: int) -> str:
    """The first sentences, as many as there is room for."""
    told = ""
    for part in parts:
        longer = f"{stopped(told)} {part}" if told else part
        if told and len(longer) > limit:
            break
        told = longer
    return clip(told, limit)


def _merged(run: Sequence[tuple[int, Step]]) -> list[tuple[int, Step | str]]:
    """Equal calls in a row become one line with the number of tries; long rows of one tool are shortened."""
    told: list[tuple[int, Step | str]] = []
    for label, group in groupby(
        run, key=lambda pair: pair[1].label if isinstance(pair[1], Call) and pair[1].told else pair[0]
    ):
        tries = list(group)
        last = tries[-1][1]
        if isinstance(label, str) and len(tries) > 1 and isinstance(last, Call):
            calls = [step.outcome for _, step in tries if isinstance(step, Call)]
            errors = list(dict.fromkeys(outcome.told for outcome in calls if outcome.state == "error"))
            solved = errors and last.outcome.state != "error"
            failed = f", failed with {one_line('; '.join(errors), 120)}" if solved else ""
            told.append((tries[-1][0], f"{_told(last)} ({len(tries)} tries{failed})"))
        else:
            told.extend(tries)
    shortened: list[tuple[int, Step | str]] = []
    for key, row in groupby(told, key=_row):
        items = list(row)
        if len(items) > REPEATED:
            left_out = f"… {len(items) - 2} more calls of {key[0]} ({key[1]})"
            items = [items[0], (items[1][0], left_out), items[-1]]
        shortened.extend(items)
    return shortened


def _row(told: tuple[int, Step | str]) -> tuple[str, str]:
    at, step = told
    return (step.action.kind, step.outcome.state) if isinstance(step, Call) and step.told else (str(at), "")


def _told(call: Call) -> str:
    told = call.outcome.told
    return f"`{call.label.replace('`', chr(39))}`: {_ENDINGS[call.outcome.state]}{': ' if told else ''}{told}"


def _by(sender: str, owner_id: str) -> str:
    return f"({one_line(sender, 40)}) " if sender and sender != owner_id else ""


def _bounded(lines: list[str]) -> str:
    if sum(len(line) + 1 for line in lines) <= APPROACH:
        return "\n".join(lines)
    head: list[str] = []
    tail: list[str] = []
    room = APPROACH - 60
    # the end tells how it went: it gets its place first, then both sides grow in turn
    while len(head) + len(tail) < len(lines):
        back = len(tail) <= len(head)
        line = lines[len(lines) - 1 - len(tail)] if back else lines[len(head)]
        room -= len(line) + 1
        if room < 0:
            break
        tail.insert(0, line) if back else head.append(line)
    return "\n".join([*head, f"… {len(lines) - len(head) - len(tail)} steps left out", *tail])
