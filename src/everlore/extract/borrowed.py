"""Words in a message that are not the speaker's own: quotations, and texts they want to have worked on.

Whoever says "I" in them is somebody else, so they are kept and found, but say nothing of the speaker.
"""

from __future__ import annotations

import re

LEAD = 80
"""Characters in which the words before a colon are looked for."""

_WORK = (
    r"(?:translat(?:e|ion)|proof-?read|re-?(?:write|word|phrase)|paraphrase|summari[sz]e|summary of|shorten|simplify"
    r"|polish|revise|(?:correct|fix|check|improve) (?:the |my )?(?:grammar|spelling|english|wording|text|sentence"
    r"|e-?mail|letter|essay|paragraph))"
)
_THIS = r"\b(?:this|these|following|below)\b"
_HANDED_OVER = re.compile(
    rf"^(?:[^.!?:\n]{{0,40}}\b)?{_WORK}\b"
    rf"(?:[^.!?:\n]{{0,80}}:|(?=[^\n]*{_THIS})[^.!?:\n]{{0,80}}[.?!]?[ \t]*\n)\s*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_BEFORE_COLON = re.compile(r"^(?P<lead>(?:\[[^\]]{1,30}\] ?)?(?:[^:(]|\([^)]{1,30}\)){2,80}):\s")
_CLOCK = re.compile(r"\[[^\]]*\]|\([^)]*\)")
"""When it was said, as logs of a chat have it."""
_SPEECH = re.compile(
    r"\b(?:says?|said|saying|wrote|writes|texted|tells|told|asks|asked|replied|answered|shouted|yelled|sang|sings"
    r"|(?:was|is|were|are) like)\b",
    re.IGNORECASE,
)
_BY_COMMA = re.compile(
    r"^(?:(?:as|like) [^,:]{2,40}\b(?:says?|said|puts? it)|[^,:]{2,40}\b(?:said|(?:was|is|were|are) like)), ",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"\b(?:lyrics?|quot(?:e|ation)s?|sign|song|novel|story|poem|role-?play|character|caption|headline|example|e\.g|joke"
    r"|dialogue|script|scene|motto|proverb|saying|sentence|translat\w+|proof-?read|rewrite|paraphrase|summari[sz]e)\b",
    re.IGNORECASE,
)
_OF_SELF = re.compile(r"\b(?:I|i|me|myself|I['’]\w+)\b")
_SOMEBODY = re.compile(
    r"^(?:my|his|her|the|our) (?:[a-z]+ )?(?:mom|mum|mother|dad|father|wife|husband|partner|girlfriend|boyfriend|son"
    r"|daughter|kid|brother|sister|grandma|grandmother|grandpa|grandfather|aunt|uncle|cousin|friend|boss|manager|doctor"
    r"|teacher|colleague|coworker|neighbou?r|roommate|ex)$",
    re.IGNORECASE,
)
_NAME = re.compile(r"^[A-Z][\w'-]*(?: [A-Z][\w'-]*)?$")
_LABELS = re.compile(
    r"\b(?:address|allerg(?:y|ies)|answer|background|bio|btw|clarification|confession|context|correction|diet|disclaimer"
    r"|edit|extra|facts?|family|fyi|health|heads-up|hobbies|home|important|info|introduction|job|news|notes?|one|personal"
    r"|plans?|preferences|problem|ps|question|remember|reminder|result|side|situation|status|summary|thing|tldr|update"
    r"|warning|work|yes|no|reason|and|also|but|so|well|ok|okay|please)\b",
    re.IGNORECASE,
)
"""Words before a colon that name no speaker: "Update: I moved"."""


def apart(text: str) -> tuple[str, str]:
    """What was said, and what was only passed on: lines marked as quotations, and all that follows a request to
    translate or rework it."""
    own, passed_on = text, ""
    if handed := _HANDED_OVER.search(text):
        own, passed_on = text[: handed.start()], text[handed.end() :]
    if ">" not in own:
        return own, passed_on
    lines = own.split("\n")
    quoted = [line.lstrip()[1:] for line in lines if line.lstrip().startswith(">")]
    kept = "\n".join(line for line in lines if not line.lstrip().startswith(">"))
    return kept, "\n".join(filter(None, ("\n".join(quoted), passed_on)))


def in_other_voice(sentence: str, name: str) -> bool:
    """ "Mia says: I am allergic to nuts", "Mom: I hate broccoli": the "I" is not who wrote this."""
    if _BY_COMMA.match(sentence, 0, LEAD) and not _OF_SELF.search(sentence.partition(",")[0]):
        return True
    found = _BEFORE_COLON.match(sentence)
    if not found:
        return False
    lead = _CLOCK.sub("", found["lead"]).strip()
    if _OF_SELF.search(lead):  # "I told them: I am vegan"
        return bool(_PIECE.search(lead)) and not _SPEECH.search(lead)
    if _SPEECH.search(lead) or _PIECE.search(lead) or _SOMEBODY.match(lead):
        return True
    named = _NAME.match(lead) and lead.casefold() not in (name.casefold(), "me")
    return bool(named) and not _LABELS.search(lead)
