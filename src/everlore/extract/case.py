"""A closed cell of an agent's work becomes a case: the task, the way, the lesson and how well it went.

Pure functions without a language model: everything a case says stands in the messages. Each step of the
approach is one line, so nothing that a tool printed can look like structure of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from everlore.extract.trajectory import Call, Said, Step, one_line, steps
from everlore.kinds.case import Case
from everlore.types import Cell, Message, Owner

INTENT = 200
SAID = 200
ANSWER = 400
APPROACH = 4000
WHOLE = 100_000
"""Where no user spoke, no episode has the words: the approach keeps all of them, so far."""
REPEATED = 4
"""A longer run of calls to one tool with the same outcome is told by its first and its last."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'“(]?[A-Z0-9])|(?<=[。！？])|\n+")
_MARKUP = re.compile(r"^(?:[#>*•\s-]|\d+[.)]\s)+")
_TO_ME = re.compile(r"^(\w+) (?:me|us) (?=(?:an?|the|some|all|any)\b)", re.I)
_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: (?:there|all|team|[A-Z]\w+))?[\s,.!:–-]+)+", re.I
)
_POLITE = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|now|then|well|great|thanks?|please|also|just)[,:]?\s+)*"
    r"(?:(?:can|could|would|will) you(?: please| kindly)?\s+|(?:i|we)(?:'d| would)? (?:need|want|like) you to\s+|"
    r"(?:please|kindly)[,:]?\s+|help (?:me|us)(?: to)?\s+|let'?s\s+|"
    r"(?:i'll|i will|i'm going to|i am going to|let me|now i'll)\s+)+",
    re.I,
)
_REQUEST = re.compile(
    r"^(?:can|could|would|will) you\b|\bplease\b|\b(?:i|we)(?:'d| would)? (?:need|want|like)\b|\bhelp me\b|\?$", re.I
)
_EMPTY_TALK = re.compile(
    r"^(?:yes|yep|yeah|sure|ok(?:ay)?|go(?: ahead)?|do it|please do|sounds good|great|thanks?(?: you)?|hi|hello|hey|"
    r"you'?re welcome|you are welcome|glad (?:i|to|it)|happy to|any ?time|no problem|perfect|continue)\b.{0,40}$",
    re.I,
)
_IDENTIFIER = re.compile(r"[a-z]+(?:[A-Z_/.-]\w|\d)")
"""`test_signup`, `config.py`, `getUser`: a name that a capital would change."""
_VAGUE = re.compile(r"^\w+(?: \w+)? (?:it|this|that|these|those|them)\b(?:\W|$)", re.I)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our|i'm|i've)\b", re.I)
_LESSON = re.compile(
    r"\bthe (?:key|trick|fix|solution|problem|issue|cause|reason) (?:was|is|here)\b|"
    r"\bturn(?:s|ed) out\b|\broot cause\b|"
    r"\bfixed (?:it )?by\b|\bcaused by\b|\blessons? (?:learned|learnt)\b|\bnext time\b|\blearn(?:ed|t) that\b|"
    r"\bfail(?:ed|ing|s) because\b|\bonly works? (?:if|when|with)\b|\bmake sure to\b",
    re.I,
)
_CORRECTION = re.compile(
    r"^(?:no\b(?! (?:problem|worries|thanks?|need|rush|hurry|issues?))|nope\b|wrong\b|not (?:that|quite|like)\b|stop\b|"
    r"actually\b(?!.*\balso\b)|don'?t\b(?! worry)|do not\b|that'?s (?:wrong|not)\b|instead\b|you should\b|"
    r"use\b.*\binstead\b|i (?:said|meant|asked)\b)",
    re.I,
)
_LOOKING = re.compile(
    r"(?:read|get|list|search|view|grep|find|cat|ls|show|open|fetch|check|status|look)(?![a-z])", re.I
)
_PLEASED = re.compile(
    r"\b(?:thanks?|thank you|thx|perfect|great|awesome|excellent|brilliant|works|worked|exactly|lgtm|solved|nice|"
    r"well done|good job|looks good|love it|amazing)\b",
    re.I,
)
_DISPLEASED = re.compile(
    r"\bwrong\b|\bincorrect\b|\bstill (?:broken|not|fail\w*|doesn'?t|the same|wrong|get\w*|see\w*|crash\w*)\b|"
    r"\b(?:doesn'?t|didn'?t|does not|did not|isn'?t|not) work(?:ing|s)?\b|\bnot (?:right|correct|great|good|what)\b|"
    r"\bthat'?s not\b|\b(?:it|that|this)(?:'s| is)? (?:broken?|useless|worse|fails|failed|crashes|crashed)\b|"
    r"\bfail(?:s|ed) again\b",
    re.I,
)
_ADMISSION = re.compile(
    r"\b(?:unable to|not able to|wasn'?t able|couldn'?t|could not|cannot|can'?t|failed to|"
    r"did(?:n'?t| not) (?:work|succeed)|unfortunately|no luck|gave up|giving up|i'?m stuck)\b",
    re.I,
)
_SUCCESS = re.compile(
    r"\b(?:fixed|done|works now|now works?|succeeded|completed|resolved|solved|booked|passes|passing|deployed)\b", re.I
)


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


def write_case(cell: Cell, owner: Owner, entry: str) -> Case | None:
    """The case of one agent, or None where the cell has no trajectory."""
    if not has_trajectory(cell):
        return None
    run = steps(cell.messages)
    return Case(
        owner=owner,
        entry=entry,
        session_id=cell.session_id,
        timestamp=cell.timestamp,
        parent_id=cell.id,
        task_intent=task_intent(run, {message.sender_id: message.speaker for message in cell.messages}),
        approach=approach(run, owner.id),
        quality_score=quality(run),
        key_insight=key_insight(run),
    )


def task_intent(run: Sequence[Step], speakers: dict[str, str]) -> str:
    """One sentence: the last real request before the first tool call, else what the agent said or did first."""
    first_call = next((at for at, step in enumerate(run) if isinstance(step, Call)), len(run))
    asked = [(at, step) for at, step in enumerate(run) if isinstance(step, Said) and step.role == "user"]
    before = [(at, step) for at, step in asked if at < first_call] or asked
    telling = [(at, step) for at, step in before if not _EMPTY_TALK.match(step.text)] or before
    if telling:
        at, request = telling[-1]
        return _request(request, run[:at], speakers.get(request.by, ""))
    spoken = [step.text for step in run if isinstance(step, Said)]
    calls = [step for step in run if isinstance(step, Call)]
    real = [text for text in spoken if not _EMPTY_TALK.match(text)] or ([] if calls else spoken)
    if real:
        return _imperative(_sentences(real[0])[0], INTENT)
    used = f"Use {', '.join(dict.fromkeys(call.name for call in calls))}"
    outputs = "; ".join(call.result for call in calls if not call.told and call.result)
    return one_line(f"{used} ({outputs})" if outputs else used, INTENT)


def _request(request: Said, earlier: Sequence[Step], speaker: str) -> str:
    sentences = _sentences(_GREETING.sub("", request.text) or request.text)
    chosen = next((sentence for sentence in sentences if _REQUEST.search(sentence)), sentences[0])
    intent = _imperative(chosen, INTENT)
    if _VAGUE.match(intent):
        # "fix it" says nothing by itself: what was said just before tells what "it" is
        rest = [sentence for sentence in sentences if sentence != chosen]
        heard = [step.text for step in earlier if isinstance(step, Said) and not _EMPTY_TALK.match(step.text)]
        context = rest[0] if rest else _sentences(heard[-1])[0] if heard else ""
        return f"{one_line(intent.rstrip('.'), 90)} ({one_line(context, 90)})" if context else intent
    if _FIRST_PERSON.search(intent) and speaker.replace(" ", "").isalpha():
        return f"{one_line(intent.rstrip('.'), INTENT - 45)} (asked by {one_line(speaker, 30)})"
    return intent


def _imperative(sentence: str, limit: int) -> str:
    bare = _POLITE.sub("", sentence).strip() or sentence
    if bare != sentence:
        bare = bare.rstrip("?").rstrip()
    bare = _TO_ME.sub(r"\1 ", re.sub(r",? (?:please|pls|plz)(?=\W*$)", "", bare, flags=re.I))
    named = _IDENTIFIER.match(bare)
    return one_line(bare if named else bare[:1].upper() + bare[1:], limit)


def approach(run: Sequence[Step], owner_id: str) -> str:
    """Numbered steps, retries merged, the middle of a very long run left out."""
    final = _final_answer(run)
    alone = not any(isinstance(step, Said) and step.role == "user" for step in run)
    lines: list[str] = []
    opened = False
    for at, step in _merged(run):
        if isinstance(step, str):
            lines.append(step)
        elif isinstance(step, Call):
            lines.append(_by(step.by, owner_id) + _told(step))
        elif step.role == "user":
            # the request itself is the task; what the user says later steers the work
            if opened:
                lines.append(f"User: {_shortly(step.text, SAID)}")
            opened = True
        elif alone or not _EMPTY_TALK.match(step.text):
            limit = ANSWER if at == final else SAID
            text = one_line(step.text, WHOLE) if alone else _shortly(step.text, limit)
            lines.append(f"{_by(step.by, owner_id)}{'Result' if at == final and len(run) > 1 else 'Said'}: {text}")
    numbered = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
    told = "\n".join(numbered) if alone else _bounded(numbered)
    return told or "1. Nothing was recorded."


def _merged(run: Sequence[Step]) -> list[tuple[int, Step | str]]:
    """Equal calls in a row become one line with the number of tries; long rows of one tool are shortened."""
    told: list[tuple[int, Step | str]] = []
    for label, group in groupby(
        enumerate(run), key=lambda pair: pair[1].label if isinstance(pair[1], Call) and pair[1].told else pair[0]
    ):
        tries = list(group)
        last = tries[-1][1]
        if isinstance(label, str) and len(tries) > 1 and isinstance(last, Call):
            errors = list(dict.fromkeys(s.result for _, s in tries if isinstance(s, Call) and s.outcome == "error"))
            failed = f", failed with {one_line('; '.join(errors), 120)}" if errors and last.outcome != "error" else ""
            told.append((tries[-1][0], f"{_told(last)} ({len(tries)} tries{failed})"))
        else:
            told.extend(tries)
    shortened: list[tuple[int, Step | str]] = []
    for key, row in groupby(
        told,
        key=lambda p: (p[1].name, p[1].outcome) if isinstance(p[1], Call) and p[1].told else (str(p[0]), ""),
    ):
        items = list(row)
        if len(items) > REPEATED:
            left_out = f"… {len(items) - 2} more calls of {key[0]} ({key[1]})"
            items = [items[0], (items[1][0], left_out), items[-1]]
        shortened.extend(items)
    return shortened


def _told(call: Call) -> str:
    ending = {"ok": "ok", "error": "error", "unknown": "no result"}[call.outcome]
    return f"`{call.label.replace('`', chr(39))}`: {ending}{': ' if call.result else ''}{call.result}"


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


def key_insight(run: Sequence[Step]) -> str | None:
    """A lesson the agent stated, else a correction by the user, else how an error was overcome."""
    for step in reversed(run):
        if isinstance(step, Said) and step.role == "assistant":
            for sentence in _sentences(step.text):
                if _LESSON.search(sentence):
                    return one_line(sentence, SAID)
    agent_spoke = False
    for step in run:
        if isinstance(step, Call) or step.role == "assistant":
            agent_spoke = True
        elif agent_spoke and _CORRECTION.match(step.text) and not _only_pleased(step.text):
            return f"The user corrected: {_shortly(step.text, SAID - 20)}"
    return _recovery([step for step in run if isinstance(step, Call)])


def _recovery(calls: Sequence[Call]) -> str | None:
    for at, failed in enumerate(calls):
        later = [call for call in calls[at + 1 :] if call.outcome == "ok"]
        if failed.outcome != "error" or not later:
            continue
        again = next((call for call in later if call.label == failed.label), None)
        worked = (
            again
            or next((call for call in later if call.name == failed.name), None)
            or _other_way(failed, calls[at + 1])
        )
        if worked is None:
            continue
        if again:
            between = _changes(later[: later.index(again)])
            how = f"{between} fixed it" if between else "trying again worked"
        else:
            how = f"{one_line(worked.label, 80)} worked"
        reason = one_line(failed.result, 100) or "an error"
        return f"{one_line(failed.label, 80)} failed with {reason.rstrip('.')}; {how}"
    return None


def _other_way(failed: Call, following: Call) -> Call | None:
    """The next call, if it can be another way to the same end: reading a file after failed tests is not."""
    alike = bool(_LOOKING.match(failed.name)) == bool(_LOOKING.match(following.name))
    return following if following.outcome == "ok" and following.told and alike else None


def _changes(calls: Sequence[Call]) -> str:
    """The calls between a failure and its success, those that only look at something left out if others are there."""
    acting = [call for call in calls if not _LOOKING.match(call.name)] or calls
    labels = list(dict.fromkeys(one_line(call.label, 80) for call in acting))[-3:]
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}" if labels else ""


def quality(run: Sequence[Step]) -> float:
    """How well the run went, by what can be seen of it, in [0, 1].

    0.40  for a run that can be told at all
    +0.20 if the agent gave a final answer after its last call
    +0.20 x (1 - unrecovered - recovered / 2), shares of the answered calls that ended in an error; an error is
          recovered if the same tool, or the call right after it, worked later; +0.10 if no call was answered
    -0.15 if the last call failed
    +0.20 if the user's last word is pleased, -0.40 if it is displeased
    -0.30 if the final answer admits failure and names no success
    """
    answered = [step for step in run if isinstance(step, Call) and step.outcome != "unknown"]
    score = 0.40
    final = _final_answer(run)
    if final is not None:
        score += 0.20
        text = _said(run, final)
        score -= 0.30 if _ADMISSION.search(text) and not _SUCCESS.search(text) else 0
    if answered:
        recovered, lost = _errors(answered)
        score += 0.20 * (1 - (lost + recovered / 2) / len(answered))
        score -= 0.15 if answered[-1].outcome == "error" else 0
    else:
        score += 0.10
    score += {"pleased": 0.20, "displeased": -0.40, "": 0.0}[_reaction(run)]
    return round(min(1.0, max(0.0, score)), 2)


def _errors(answered: Sequence[Call]) -> tuple[int, int]:
    """How many calls failed and were made good later, and how many were not."""
    recovered = lost = 0
    for at, call in enumerate(answered):
        if call.outcome != "error":
            continue
        later = answered[at + 1 :]
        good = any(c.outcome == "ok" and c.name == call.name for c in later) or (later and later[0].outcome == "ok")
        recovered, lost = (recovered + 1, lost) if good else (recovered, lost + 1)
    return recovered, lost


def _reaction(run: Sequence[Step]) -> str:
    """What the user's last word says of the work. A word that was followed by more work is no verdict."""
    users = [at for at, step in enumerate(run) if isinstance(step, Said) and step.role == "user"]
    worked = [at for at, step in enumerate(run) if isinstance(step, Call) or step.role == "assistant"]
    calls = [at for at, step in enumerate(run) if isinstance(step, Call)]
    if not users or not worked or users[-1] < worked[0] or (calls and users[-1] < calls[-1]):
        return ""
    text = _said(run, users[-1])
    if _DISPLEASED.search(text):
        return "displeased"
    return "pleased" if _PLEASED.search(text) else ""


def _only_pleased(text: str) -> bool:
    return bool(_PLEASED.search(text)) and not _DISPLEASED.search(text)


def _final_answer(run: Sequence[Step]) -> int | None:
    """Where the agent's last telling words stand, if no call came after them."""
    for at in range(len(run) - 1, -1, -1):
        step = run[at]
        if isinstance(step, Call):
            return None
        if step.role == "assistant" and not step.acting and not _EMPTY_TALK.match(step.text):
            return at
    return None


def _said(run: Sequence[Step], at: int) -> str:
    step = run[at]
    return step.text if isinstance(step, Said) else ""


def _shortly(text: str, limit: int) -> str:
    """One or two sentences."""
    return one_line(" ".join(_sentences(text)[:2]), limit)


def _sentences(text: str) -> list[str]:
    """Never empty. Without list and heading marks, which would mean something in our own file."""
    parts = [_MARKUP.sub("", part).strip() for part in _SENTENCE.split(text)]
    return [part for part in parts if any(map(str.isalnum, part))] or [_MARKUP.sub("", text).strip() or "…"]
