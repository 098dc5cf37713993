"""How well a run went, by what was proven, and what can be learned from it: one sentence, or nothing.

Proof is a check that passed or failed after the last change, an exit status, or what the user says of the result. A
lesson needs the same call to have failed and then worked with a difference that can be seen, or a cause that the agent
states and that what it saw supports. A user's answer, next wish, thanks or anger is neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from everlore.extract.agent.action import COMMAND
from everlore.extract.agent.mask import introduced, is_personal, mask
from everlore.extract.agent.outcome import one_line
from everlore.extract.agent.run import Call, Said, Step, calls_in, said_by_user
from everlore.extract.sentences import content_words, is_question, split
from everlore.extract.vocabulary import Vocabulary

UNPROVEN = 0.5
CHECKED, RAN, FAILED = 0.9, 0.8, 0.2
"""A check passed; a program said that it went well; the last thing that was tried failed."""
CONFIRMED, BOTH, REJECTED = 0.9, 1.0, 0.1
"""The user says that it is right; a check says so too; the user says that it is wrong or wants it undone."""
HEARD, SENTENCE = 10_000, 400
"""Characters of what is said that are looked at, and of each sentence of it."""
INSIGHT = 300
REASON, SHOWN = 110, 80
"""Characters of an error and of a value that are told."""
ALIKE = 0.6
"""Of two texts that are one call with a slip mended, so much is the same."""

Verdict: TypeAlias = Literal["confirms", "rejects", "undo", ""]
_KNOWN = Vocabulary("agent/judge")


def quality(run: Sequence[Step]) -> float:
    said, proof = verdict_of(run), evidence(run)
    if said in ("rejects", "undo"):
        return REJECTED
    if said == "confirms":
        return BOTH if proof > UNPROVEN else CONFIRMED
    return proof


def evidence(run: Sequence[Step]) -> float:
    """What the calls alone prove. A change makes what was checked before it unproven again."""
    answered = [call for call in calls_in(run) if call.outcome.state != "unknown" and not call.looks]
    if not answered:
        return UNPROVEN
    if answered[-1].outcome.state == "error":
        return FAILED
    changes = [at for at, call in enumerate(answered) if not (call.action.checks or call.action.keeps)]
    since = answered[changes[-1] + 1 if changes else 0 :]
    last = {call.action.kind: call for call in since if call.action.checks and (call.action.command or changes)}
    if any(check.outcome.state == "error" for check in last.values()):
        return FAILED
    if any(check.outcome.proven or check.action.command for check in last.values()):
        return CHECKED
    ended = answered[-1]
    return RAN if ended.action.command and ended.outcome.proven else UNPROVEN


def verdict_of(run: Sequence[Step]) -> Verdict:
    """What the user says of the result after the last work; a wish to have it undone holds while it is undone."""
    worked = max((at for at, step in enumerate(run) if isinstance(step, Call) or step.acting), default=-1)
    spoke = (at for at, step in enumerate(run) if isinstance(step, Said) and step.role == "assistant")
    answered = next(spoke, len(run))
    found: Verdict = ""
    for at, step in enumerate(run):
        if not isinstance(step, Said) or step.role != "user" or at < answered:
            continue
        judged = judgement(step.text)
        if at > worked or judged == "undo":
            found = judged or found
        elif judged:
            found = ""
    return found


def sentences(text: str) -> Iterator[str]:
    """Each as far as it is looked at: somebody may paste a book."""
    return (sentence[:SENTENCE] for sentence in split(text[:HEARD]))


def judgement(text: str) -> Verdict:
    """The last judgement in a user's words, each sentence for itself; a complaint outweighs praise beside it."""
    found: Verdict = ""
    for sentence in sentences(text):
        if _KNOWN["unsaid"].match(sentence):
            continue
        if _KNOWN["undo"].search(sentence):
            return "undo"
        if _KNOWN["rejects"].search(sentence):
            found = "rejects"
        elif found != "rejects" and not is_question(sentence) and _KNOWN["confirms"].search(sentence):
            found = found if _KNOWN["negated"].search(sentence) else "confirms"
    return found


def key_insight(run: Sequence[Step], people: Iterable[str] = ()) -> str | None:
    """`people` are the names and ids of those who took part, which a lesson does not tell."""
    if verdict_of(run) in ("rejects", "undo"):
        return None
    known = people_of(run, people)
    lesson = _stated(run) or _recovery(run, known)
    return one_line(mask(lesson, known), INSIGHT) if lesson else None


def people_of(run: Sequence[Step], people: Iterable[str] = ()) -> set[str]:
    """Whom the run is about: who took part, how they call themselves, and what stands in arguments for a person."""
    values = [value for call in calls_in(run) for name, value in call.values.items() if is_personal(name)]
    named = {*people, *introduced(said_by_user(run)), *(value for value in values if len(value) <= SHOWN)}
    words = {word for name in named if " " in name for word in name.split()}
    return {one for one in named | words if len(one) > 2 and not one.isspace() and one.lower() not in ("user", "you")}


def _stated(run: Sequence[Step]) -> str:
    """The cause of a trouble as the agent told it last, if it is no guess. Where the work failed, it must speak of the
    failure that was seen: a cause that helped nothing may be wrong."""
    failed = evidence(run) < UNPROVEN
    for at in range(len(run) - 1, -1, -1):
        step = run[at]
        if not isinstance(step, Said) or step.role != "assistant" or step.acting:
            continue
        errors = [call.outcome.told for call in calls_in(run[:at]) if call.outcome.state == "error"]
        seen = {word for told in errors for word in content_words(told)}
        if not calls_in(run[:at]) or not (errors or _had_trouble(run[:at])):
            continue
        for sentence in sentences(step.text):
            if not _KNOWN["cause"].search(sentence) or _KNOWN["guess"].search(sentence):
                continue
            if len(words := content_words(sentence)) > 2 and (not failed or seen & set(words)):
                return sentence
    return ""


def _had_trouble(run: Sequence[Step]) -> bool:
    """Whether the user told of something that is not as it should be, or asked why."""
    said = (sentence for text in said_by_user(run) for sentence in sentences(text))
    return any(_KNOWN["rejects"].search(sentence) or _KNOWN["trouble"].search(sentence) for sentence in said)


def _recovery(run: Sequence[Step], people: Iterable[str]) -> str:
    """How a call that failed came to work, if it did for good: what was changed about it, or what was done between."""
    calls = [call for call in calls_in(run) if call.told and call.outcome.state != "unknown"]
    known = set(people)
    for at, failed in enumerate(calls):
        if failed.outcome.state != "error" or not failed.outcome.told or (failed.looks and failed.action.command):
            continue
        later = [call for call in calls[at + 1 :] if _same_call(failed, call)]
        if not later or later[0].outcome.state != "ok" or later[-1].outcome.state != "ok":
            continue
        between = calls[at + 1 : calls.index(later[0], at + 1)]
        how = _difference(failed, later[0], known) if _shown(failed) != _shown(later[0]) else _helped(between)
        if how:
            told = f"`{_shown(failed)}` failed with {one_line(failed.outcome.told, REASON).rstrip('.')}"
            return f"{told}; it worked {how}"
    return ""


def _same_call(failed: Call, other: Call) -> bool:
    """Whether the second call tries the same: of the same kind, about the same things.

    A check is the same only with the same words, as fewer tests pass easily; what stands before it may differ. Other
    commands may have more words, or one in place of another that the error named.
    """
    if failed.action.kind != other.action.kind or failed.name != other.name:
        return False
    one, two = failed.action.command, other.action.command
    if one or two:
        before, after = one.split(), two.split()
        if failed.action.checks:
            return after[-len(before) :] == before
        kept = [word for word in before if word in after or not word.startswith("-")]
        swapped = [word for word in before if word not in after]
        named = all(word.strip("'\"") in failed.outcome.told for word in swapped)
        return (bool(before) and set(kept) <= set(after)) or (named and len(swapped) == 1)
    changed = [name for name in failed.values if name in other.values and failed.values[name] != other.values[name]]
    same = [name for name in failed.values if failed.values[name] == other.values.get(name)]
    if not changed:
        return bool(same) or not failed.values
    alike = all(_alike(failed.values[name], other.values[name]) for name in changed)
    named = all(name in failed.outcome.told.lower() for name in changed)
    return (bool(same) or len(failed.values) == 1) and len(changed) == 1 and (alike or named)


def _alike(one: str, two: str) -> bool:
    if " " not in one.strip():  # another path or id is another thing
        return False
    return SequenceMatcher(None, one.split(), two.split(), autojunk=False).ratio() >= ALIKE


def _difference(failed: Call, worked: Call, people: set[str]) -> str:
    """How the second call differs, as it goes on from "it worked"; empty if nothing is left to see without names."""
    one, two = failed.action.command, worked.action.command
    if one and two:
        return f"with `{_quoted(two)}`" if one.split() != two.split() else ""
    told = []
    for name, value in worked.values.items():
        old = failed.values.get(name)
        if old == value:
            continue
        shown = mask("<name>" if is_personal(name) else value, people)
        if old is None or mask(old, people) != shown:
            text = f"{name}={shown}" if len(shown) <= SHOWN else _changed_words(old or "", shown)
            told.append(f"`{_quoted(text)}`")
    told += [f"no `{name}`" for name in failed.values if name not in worked.values]
    return f"with {', '.join(told)}" if told else ""


def _changed_words(old: str, new: str) -> str:
    before, after = old.split(), new.split()
    moves = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return " … ".join(" ".join(after[k:end]) for kind, _, _, k, end in moves if kind in ("replace", "insert"))


def _helped(between: Sequence[Call]) -> str:
    """The one thing that was done between two equal calls and was no edit: `git pull` before `git push` worked."""
    done = [call for call in between if not call.looks and call.outcome.state == "ok"]
    if len(done) != 1 or not done[0].action.command:
        return ""
    return f"after `{_quoted(done[0].action.command)}`"


def _shown(call: Call) -> str:
    """As people would name it: a command line without the tool that ran it."""
    plain = {name: "<name>" if is_personal(name) else value for name, value in call.values.items()}
    told = ", ".join(f"{name}={one_line(value, 30)}" for name, value in plain.items() if name not in COMMAND)
    return _quoted(call.action.command or f"{call.name}({told or call.arguments})")


def _quoted(text: str) -> str:
    """A text of one line, safe between backticks."""
    return one_line(text, SHOWN).replace("`", "'")
