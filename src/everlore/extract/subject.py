"""One line that says who talked and about what, made of phrases from the most telling statements."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from everlore.extract.facts import FactDraft
from everlore.extract.lexicon import ADVERBS, SAME_IN_THIRD
from everlore.extract.sentences import clip, content_words, split
from everlore.extract.turns import Spoken
from everlore.extract.voice import verb_forms
from everlore.extract.when import show

LONGEST = 100
TOPICS = 3
PHRASE = 44

_FRAME = re.compile(r'^(?:Asked ".*?", )?(?P<who>.+?) (?:said|listed|asked): "(?P<words>.*)"$', re.DOTALL)
_BRACKET = re.compile(r"\s*(?:\([^)]*\)|\[[^\]]*\])")
_BE = frozenset({"is", "has", "does", "doesn't", "hasn't", "isn't", "would"})
_MODAL = frozenset({"would", "will", "can", "could", "should", "might", "doesn't", "didn't", "can't", "to"})
_DOING = re.compile(
    r"^(?:(?:about|to|on|at|with|for|of|in|off|up|into|from|by|and|not|been|be|being|going|a|an|the|their"
    r"|some|this|that"
    r"|keen|able|able to|interested|excited|happy|glad|trying|looking|thinking|planning|hoping|hope|love"
    r"|using|getting|having)\s+)+",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"[,;:.!?…]|\s(?:and|but|because|so|which|who|when|while|that|is|was|are|were|has|have|every|since|until"
    r"|as|after|before|if|it|they"
    r"|last|this|next|yesterday|today|most|-|–|—)(?:\s|$)",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"^(?:it|them|this|that|him|her|these|those|they|there|so|such|you|your|we|he|she|here|what|how|if|when|like|no|just|out|one|me|nothing|something|gonna)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:\s(?:a|an|the|of|in|on|at|to|for|with|from|my|their|some|or|by|about|into|really|just))+$", re.I
)


def subject_line(turns: list[Spoken], drafts: list[FactDraft], timestamp: int) -> str:
    names = list(dict.fromkeys(turn.name for turn in turns if turn.message.role == "user"))
    names = names or list(dict.fromkeys(turn.name for turn in turns))
    date = f" ({show(datetime.fromtimestamp(timestamp / 1000, UTC).date())})"
    who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    who = clip(who, 40)
    room = LONGEST - len(date) - len(who) - 2
    topics = _topics([d for d in drafts if d.by_user] or drafts, names, room)
    if not topics:
        first = next((turn.message.text for turn in turns if turn.message.text.strip()), "")
        topics = [clip((split(first[:1000]) or ["tool work"])[0], max(room, 20))]
    return f"{who}: {_joined(topics)}{date}"


def _topics(drafts: list[FactDraft], names: list[str], room: int) -> list[str]:
    """Statements in the speaker's own voice first: they have a thing in them, quotes often only a remark."""
    ranked = sorted(range(len(drafts)), key=lambda at: (not _named(drafts[at].text, names), -drafts[at].weight, at))
    chosen: list[tuple[int, str]] = []
    for at in ranked:
        named = _named(drafts[at].text, names)
        if chosen and not named:
            break
        phrase = _phrase(drafts[at].text, names) if drafts[at].weight else ""
        used = sum(len(text) + 5 for _, text in chosen)
        known = any(phrase.lower() in text.lower() or text.lower() in phrase.lower() for _, text in chosen)
        if " " in phrase and content_words(phrase) and used + len(phrase) <= room and not known:
            chosen.append((at, phrase))
        if len(chosen) == TOPICS:
            break
    return [text for _, text in sorted(chosen)]


def _named(text: str, names: list[str]) -> bool:
    return not text.endswith('"') and any(text.startswith((f"{name} ", f"{name}'s ")) for name in names)


def _phrase(text: str, names: list[str]) -> str:
    """The middle of a statement: what is loved, bought or gone to."""
    framed = _FRAME.match(text)
    plain = _BRACKET.sub("", framed["words"] if framed else text).strip()
    for name in names:
        if plain.startswith(f"{name}'s "):
            plain = plain[len(name) + 3 :]
        elif plain.startswith(f"{name} "):
            whole = plain[len(name) + 1 :]
            thing = _cut(_DOING.sub("", _after_verb(whole)))
            longer = "" if " " in thing else _cut(whole)
            return longer if longer.count(" ") >= 2 else thing
    return _cut(plain)


def _cut(plain: str) -> str:
    """The head of a phrase, before anything that narrows or continues it."""
    if _VAGUE.match(plain):
        return ""
    stop = _STOP.search(plain, min(3, len(plain)))
    cut = plain[: stop.start()] if stop else plain
    return _DANGLING.sub("", clip(cut, PHRASE).rstrip("…").strip(" .!,"))


def _after_verb(text: str) -> str:
    """What follows the first verbs and adverbs, unless they are all there is."""
    words = text.split(" ")
    at = 0
    while at < len(words) - 1 and (_leads(words[at].lower()) or (at and words[at - 1] in _MODAL)):
        at += 1
    return " ".join(words[at:])


def _leads(word: str) -> bool:
    return word in ADVERBS or word in SAME_IN_THIRD or word in _BE or bool(verb_forms(word) & {"VBZ", "VBD"})


def _joined(topics: list[str]) -> str:
    return topics[0] if len(topics) == 1 else f"{', '.join(topics[:-1])} and {topics[-1]}"
