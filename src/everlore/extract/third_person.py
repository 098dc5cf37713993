"""First person to third: "I love my dog" said by Alice becomes "Alice loves their dog".

Only what is safe is rewritten; everything else is None, and the caller quotes the speaker. Words are kept in their
order, and only pronouns and the verbs that agree with them change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from everlore.extract.lexicon import ADVERBS, CLAUSE_VERBS, ORDERS, SAME_IN_THIRD, STOPWORDS
from everlore.extract.verb_tables import lemminflect
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("third_person")
_INVERTERS = _KNOWN.words("inverters")
_NEW_VERBS = _KNOWN.words("new_verbs")
_OBJECT_STARTS = _KNOWN.words("object_starts")
_OPINION_VERBS = _KNOWN.words("opinion_verbs")
_PLACE_STARTS = _KNOWN.words("place_starts")
_PLAIN_VERBS = _KNOWN.words("plain_verbs")
_SUBORDINATORS = _KNOWN.words("subordinators")
_UNSAFE = frozenset('"“”«»?')
"""A quotation without its end; and a question says nothing."""
_OF_THE_LISTENER = _KNOWN.words("of_the_listener")
_BEFORE_NUMERAL = _KNOWN.words("before_numeral")
_BEFORE_MINE = _KNOWN.words("before_mine")
_AGAIN = _KNOWN.table("again")
_WITH_OTHERS = frozenset({"our", "ours", "us"})
_THEY = _KNOWN.words("they")
_CONTRACTED = _KNOWN.table("contracted")
_PRESENT = _KNOWN.table("present")
_NO_MORE_VERBS = _KNOWN.words("no_more_verbs")
_HEADLESS = _KNOWN.words("headless")
_SURE_VERBS = _KNOWN.words("sure_verbs")
_PLAIN = frozenset({"rent", "feed", "weed"})
"""Hardly ever what somebody rends, or the past of "fee" and "wee"."""


@dataclass
class _Draft:
    """The sentence while it is rewritten. `words` are the places of the tokens that are words."""

    tokens: list[str]
    words: list[int]
    name: str
    named: bool = False
    folded: list[str] = field(default_factory=list)


def third_person(sentence: str, name: str) -> str | None:
    """The sentence with the speaker's name for "I" and "my", or None where that is not safe or nothing is to change."""
    if not _KNOWN["first"].search(sentence):
        return None
    tokens = _KNOWN["token"].findall(sentence)
    words = [at for at, token in enumerate(tokens) if token[0].isalnum()]
    draft = _Draft(tokens, words, name, folded=[_fold(tokens[at]) for at in words])
    if not words or not _UNSAFE.isdisjoint(tokens) or _to_listener(draft.folded) or _no_subject(draft):
        return None
    for number, word in enumerate(draft.folded):
        safe = _subject(draft, number) if _is_i(word) else word not in _AGAIN or _other(draft, number, word)
        if not safe:
            return None
    return _introduced("".join(draft.tokens), name) if draft.named else None


def _introduced(sentence: str, name: str) -> str:
    """ "Ann is Ann, a nurse from Porto": with who somebody is, everything begins anyway."""
    again = re.escape(name)
    found = re.match(
        rf"{again} is {again}(?:,| and) (?={again} )|{again} is {again},? (?=from |an? |the |\d)", sentence
    )
    if found is None:
        return sentence
    rest = sentence[found.end() :]
    return rest if rest.startswith(f"{name} ") else f"{name} is {rest}"


def _no_subject(draft: _Draft) -> bool:
    """ "Went to my mom's", "plus my support": no clause, and a name for "my" would hide who is meant."""
    first = draft.folded[0]
    if _is_order(draft) or (base_form(first) in CLAUSE_VERBS and verb_forms(first) & {"VBZ", "VBD"}):
        return True  # "says I am lazy": somebody does
    verb = only_verb(first) and bool(verb_forms(first) & {"VB", "VBD"})
    own = next((at for at, word in enumerate(draft.folded) if _is_i(word)), None)
    if own is not None:
        if verb and "my" in draft.folded[:own]:
            return True  # "Handed in my notice, I start in May"
        return not any(word[0] == "i" for word in draft.folded[:4]) and first in _HEADLESS
    if first in _HEADLESS or verb or first in _OPINION_VERBS:
        return True
    return not any(_finite(word) or "'" in word or word == "and" for word in draft.folded)


def _is_order(draft: _Draft) -> bool:
    """ "Don't call me Miss": what the speaker wants of others, which their name in it would turn around."""
    if draft.folded[0] not in ORDERS or len(draft.words) < 2 or not _adjoined(draft, 1):
        return False
    following = draft.folded[1]
    if _finite(following) and not verb_forms(following) & {"VB"} and following not in ("not", "have"):
        return False  # "Work is hard for me"
    own = next((at for at, word in enumerate(draft.folded) if word == "i" or word.startswith("i'")), 0)
    return not own or ":" not in draft.tokens[: draft.words[own]]  # "Please note: I prefer tea" states


def _fold(word: str) -> str:
    """Small letters and straight apostrophes; a country is no pronoun."""
    return word.replace("’", "'").lower() if word != "US" else word


def _is_i(word: str) -> bool:
    return word in ("i", "im", "ive") or word.startswith("i'")


def _to_listener(words: list[str]) -> bool:
    """Whether somebody is spoken to, or "we" may be with them."""
    asks = any(word in ("please", "pls") and before != "to" for before, word in pairwise(words))
    return asks or any(word in _OF_THE_LISTENER or word.startswith(("you'", "we'")) for word in words)


def _put(draft: _Draft, number: int, text: str) -> None:
    draft.tokens[draft.words[number]] = text


def _other(draft: _Draft, number: int, word: str) -> bool:
    name, later = draft.name, draft.named
    if word == "mine" and number and draft.folded[number - 1] not in _BEFORE_MINE:
        return False
    if word in _WITH_OTHERS and draft.tokens[draft.words[number]][0].isupper():
        return number > 0  # "Our Lady" is a name
    if word in _WITH_OTHERS and (
        not later or not _THEY.isdisjoint(draft.folded) or "all" in draft.folded[number + 1 :][:1]
    ):
        return False  # "they" would be somebody else, and "us all" is everybody
    first = {"my": f"{name}'s", "me": name, "mine": f"{name}'s", "myself": name}
    _put(draft, number, _AGAIN[word] if later else first[word])
    draft.named = True
    return True


def _subject(draft: _Draft, number: int) -> bool:
    word = draft.folded[number]
    before = draft.folded[number - 1] if number else ""
    if before in _BEFORE_NUMERAL:
        return True
    inverted = before in _INVERTERS and _adjoined(draft, number)
    if inverted or _next_char(draft, number) == "/":
        return False
    follower = _verb_place(draft, number)
    joint = before == "and" and _joint_subject(draft, number)
    if word in _CONTRACTED:
        draft.tokens[draft.words[number]] = f"{draft.name} {'are' if joint else _CONTRACTED[word]}"
        draft.named = True
        if word in ("i'm", "im", "i've", "ive"):
            _agree_after_and(draft, follower if follower is not None else number + 1)
        return True
    if word == "i'd":
        had = follower is not None and _is_participle(draft.folded[follower])
        return _name_only(draft, number, "had" if had else "would")
    if word != "i":
        return False
    if follower is None:
        return number == len(draft.words) - 1 and draft.tokens[draft.words[number]] == "I" and _name_only(draft, number)
    if not joint and not _agree(draft, follower):
        return False
    return _name_only(draft, number)


def _name_only(draft: _Draft, number: int, more: str = "") -> bool:
    _put(draft, number, f"{draft.name} {more}" if more else draft.name)
    draft.named = True
    return True


def _next_char(draft: _Draft, number: int) -> str:
    at = draft.words[number] + 1
    return draft.tokens[at] if at < len(draft.tokens) else ""


def _adjoined(draft: _Draft, number: int) -> bool:
    """Only blanks between a word and the one before it."""
    return all(piece.isspace() for piece in draft.tokens[draft.words[number - 1] + 1 : draft.words[number]])


def _verb_place(draft: _Draft, number: int) -> int | None:
    """The word after the subject that is not an adverb; None when a stop or another part of speech comes first."""
    for place in range(number + 1, min(number + 5, len(draft.words))):
        if not _adjoined(draft, place):
            return None
        word = draft.folded[place]
        if word in ADVERBS or (word.endswith("ly") and not verb_forms(word)):
            continue
        return place
    return None


def _joint_subject(draft: _Draft, number: int) -> bool:
    """ "My wife and I": what stands before "and" back to the start of the clause has no verb in it."""
    start = number - 2
    while start >= 0 and number - start <= 5:
        if not _adjoined(draft, start + 1):
            return start + 1 < number - 1 and not any(map(_is_i, draft.folded[start + 1 : number - 1]))
        determined = draft.folded[start] in ("my", "the", "our")
        if determined or start == 0:
            # "my kids": no verb comes straight after "my"
            verbs = draft.folded[start + 2 * determined : number - 1]
            if not determined and draft.folded[start] in STOPWORDS:
                return False  # "Oh and I"
            return not _is_object(draft, start) and not any(_finite(word) or _is_i(word) for word in verbs)
        start -= 1
    return False


def _is_object(draft: _Draft, start: int) -> bool:
    """ "I left the party and I": what begins at `start` belongs to a verb or a preposition of the speaker's."""
    if not any(map(_is_i, draft.folded[:start])) or not _adjoined(draft, start):
        return False
    before = draft.folded[start - 1]
    return (
        before in _PLACE_STARTS
        or before in ("to", "of", "into")
        or (bool(verb_forms(before)) and base_form(before) not in CLAUSE_VERBS)
    )


def _finite(word: str) -> bool:
    if word in SAME_IN_THIRD or word in _PRESENT or word in ("is", "are") or _KNOWN["clause"].match(word):
        return True
    return bool(verb_forms(word) & {"VBD", "VBZ"})


def _agree(draft: _Draft, place: int) -> bool:
    """Put the verb at `place` into the third person. False when it is not known as a verb."""
    word = draft.folded[place]
    if word in _PRESENT:
        _put(draft, place, _PRESENT[word])
        if word not in _NO_MORE_VERBS:
            _agree_after_and(draft, place)
        return True
    if word in SAME_IN_THIRD:
        if word == "was":
            _agree_after_and(draft, place)
        return True
    forms = verb_forms(word)
    if "VBD" in forms:
        past = any("VBD" in (of := verb_forms(one)) and "VB" not in of for one in draft.folded)
        if "VB" in forms and _KNOWN["habit"].search("".join(draft.tokens)) and not past:
            _put(draft, place, third_form(word))
        elif ("VB" not in forms or base_form(word) != word) and not _may_govern(draft, place):
            _agree_after_and(draft, place)  # "I sold the van and drive a truck"
        return True
    if "VB" not in forms:
        return False
    _put(draft, place, third_form(word))
    if word not in CLAUSE_VERBS:
        _agree_after_and(draft, place)
    return True


def _may_govern(draft: _Draft, place: int) -> bool:
    """Whether verbs that follow may be of another subject: "saw him come and go", but not "found a gym"."""
    base, following = base_form(draft.folded[place]), draft.folded[place + 1 : place + 2]
    return base in CLAUSE_VERBS and not (base == "find" and {"a", "an", "my"} & set(following))


def _agree_after_and(draft: _Draft, place: int) -> None:
    """Further verbs of the same subject: "I bike to work and love it", "I live in Cork, work at Apple"."""
    if place < len(draft.folded) and draft.folded[place] == "gonna":
        return
    opinion = place < len(draft.folded) and draft.folded[place] in _OPINION_VERBS
    for at in range(place + 1, len(draft.words)):
        word = draft.folded[at]
        if word in _SUBORDINATORS or word in ("i", "gonna") or (word == "to" and _infinitive(draft, at)):
            return
        joined = word in ("and", "but", "or")
        if not joined and _adjoined(draft, at):
            continue
        verb = at + joined
        while verb < len(draft.words) and draft.folded[verb] in ADVERBS:
            verb += 1
        unlike = verb < len(draft.words) and _unlike(draft, at - 1, verb)
        if unlike or (joined and verb < len(draft.words) and _second_verb(draft, verb, opinion)):
            _put(draft, verb, _PRESENT.get(draft.folded[verb]) or third_form(draft.folded[verb]))


def _infinitive(draft: _Draft, to: int) -> bool:
    """ "want to travel", but not "moved to Rome": no verb after it is the subject's."""
    following = draft.tokens[draft.words[to + 1]] if to + 1 < len(draft.words) else ""
    known = lemminflect().getAllLemmas(_fold(following))
    return following[:1].islower() and (not known or "VERB" in known)


def _unlike(draft: _Draft, before: int, verb: int) -> bool:
    """ "at Apple and study law": a name and a small letter are not two of a kind."""
    named = not draft.tokens[draft.words[before]][0].islower() and draft.tokens[draft.words[verb]][0].islower()
    word = draft.folded[verb]
    return named and word in _PLAIN_VERBS - {"like"} and "VBD" not in verb_forms(word) and verb + 1 < len(draft.words)


def _second_verb(draft: _Draft, verb: int, opinion: bool) -> bool:
    word = draft.folded[verb]
    if "VBD" in verb_forms(word) or "-" in word:
        return False  # "sold it and put the money away", "a plan or to-do list"
    if word in ("have", "am", "do", "don't", "haven't"):
        return True
    following = draft.folded[verb + 1] if verb + 1 < len(draft.words) else ""
    starts = following in _OBJECT_STARTS or (not opinion and following in _PLACE_STARTS)
    return (
        (word in _PLAIN_VERBS and starts)
        or (word in _SURE_VERBS and following != "")
        or (only_verb(word) and verb_forms(word) == {"VB"} and following != "")
    )


def load_tables() -> None:
    """Load now what the first statement would have to wait for."""
    verb_forms("be")


@lru_cache(maxsize=8192)
def verb_forms(word: str) -> frozenset[str]:
    """Which of VB (base), VBD (past), VBN, VBZ a word can be; empty when it is no verb."""
    forms: set[str] = set()
    word = word.rpartition("-")[2]  # "double-check"
    if word in _PLAIN or word in _NEW_VERBS:
        return frozenset({"VB"})
    if word.removesuffix("s") in _NEW_VERBS:
        return frozenset({"VBZ"})
    if word.removesuffix("ed") in _NEW_VERBS or word.removesuffix("d") in _NEW_VERBS:
        return frozenset({"VBD", "VBN"})
    for lemma in lemminflect().getLemma(word, "VERB", lemmatize_oov=False):
        if lemma == word:
            forms.add("VB")
        forms.update(tag for tag in ("VBD", "VBN", "VBZ") if word in lemminflect().getInflection(lemma, tag, False))
        # regular verbs have no VBN of their own in the table
        if "VBD" in forms and word.endswith("ed"):
            forms.add("VBN")
    return frozenset(forms)


@lru_cache(maxsize=8192)
def third_form(word: str) -> str:
    found = lemminflect().getInflection(word, "VBZ")
    return str(found[0]) if found else f"{word}s"


@lru_cache(maxsize=8192)
def only_verb(word: str) -> bool:
    return set(lemminflect().getAllLemmas(word)) <= {"VERB", "AUX"}


@lru_cache(maxsize=8192)
def base_form(word: str) -> str:
    found = lemminflect().getLemma(word, "VERB", lemmatize_oov=False)
    return str(found[0]) if found else word


def _is_participle(word: str) -> bool:
    forms = verb_forms(word)
    return word == "been" or ("VBN" in forms and "VB" not in forms)
