"""What people say of themselves and others: "We're vegetarian", "Tom and Alice live in Ghent".

The words stay as they are, since who "we" are is not known. They are read as if the speaker said them of themselves
alone, which is true as well.
"""

from __future__ import annotations

import re

from everlore.extract.completion import straightened
from everlore.extract.lexicon import ADVERBS
from everlore.extract.third_person import third_form, third_person, verb_forms
from everlore.extract.vocabulary import Vocabulary

QUOTED = ' said: "'
_KNOWN = Vocabulary("plural_subject")
_SINGLE = _KNOWN.table("single")
OF_ALL = _KNOWN["of_all"]


def alone(sentence: str) -> str:
    """ "We have two kids" as "I have two kids"; empty where it does not begin with "we" or "our"."""
    found = _KNOWN["we"].match(sentence)
    if not found:
        return ""
    subject = "My" if found["our"] else "I'm" if found["be"] else f"I{found['short'] or ''}"
    rest = sentence[found.end() :]
    return f"I'm{rest[4:]}" if subject == "I" and rest.startswith(" are ") else f"{subject}{rest}"


def as_one(text: str, name: str) -> str:
    """A statement about the speaker and others as one about the speaker; any other text as it is."""
    start = f"{name}{QUOTED}"
    if text[: len(start)].lower() == start.lower():
        mine = alone(text[len(start) :].rstrip('"'))
        return (third_person(straightened(mine), name) if mine else None) or text
    if " and " not in text:
        return text
    anonymous = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\0", text, flags=re.IGNORECASE)
    found = _KNOWN["joint"].match(anonymous)
    if not found or (found["who"] and _is_verb(found["who"])):
        return text
    return f"{name} {_single(found['rest'])}".replace("\0", name)


def _is_verb(word: str) -> bool:
    """ "Alice's mom called and Alice answered"; but "Alice's kids" are no verb."""
    return not _KNOWN["kin"].fullmatch(word) and bool(verb_forms(word) & {"VBD", "VBZ"})


def _single(rest: str) -> str:
    """What follows the subject, with its verb for one person."""
    words = rest.split(" ")
    for number, word in enumerate(words):
        if word in ADVERBS or word in ("both", "all"):
            continue
        forms = verb_forms(word)
        if word in _SINGLE:
            words[number] = _SINGLE[word]
        elif "VB" in forms and "VBD" not in forms:
            words[number] = third_form(word)
        break
    return " ".join(word for word in words if word not in ("both", "all"))
