"""What a sentence asks an agent for: an order, a polite request, a question, or a problem that should go away."""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract.sentences import asks_first, content_words, is_question
from everlore.extract.verb_tables import lemminflect
from everlore.extract.vocabulary import Vocabulary
from everlore.stem import stem

_KNOWN = Vocabulary("requests")
_IDENTIFIER = re.compile(r"[a-z]+(?:[A-Z_/.-]\w|\d)")
"""`test_signup`, `config.py`, `getUser`: a name that a capital would change."""
_WORD = re.compile(r"[^\W_][\w'-]*")
_NO_ORDER = _KNOWN.words("no_order")
_AFTER_SUBJECT = _KNOWN.words("after_subject")
_AFTER_PLURAL = _KNOWN.words("after_plural")
_MADE_VERB = re.compile(r"(?:re|un|de|pre|auto)-?(?P<verb>[a-z]{3,})|[a-z]{4,}(?:ize|ise|ify)")
_NEW_VERBS = _KNOWN.words("new_verbs")
_LABEL = re.compile(r"[\w-]+(?: (?!the\b|a\b|an\b|my\b|our\b)[\w-]+){1,3}:\s")
"""What a message is about, before the message: "Search latency alert: …"."""
_ARTICLES = frozenset(["a", "an", "the", "my", "our", "all", "every"])
_GENERIC = _KNOWN.words("generic")


def bare(sentence: str) -> str:
    """A request as an order: "Could you please deploy the api?" is "Deploy the api"."""
    text = _KNOWN["greeting"].sub("", sentence) or sentence
    plain = _KNOWN["polite"].sub("", text).strip() or text
    if plain == text:
        plain = _KNOWN["led"].sub("", text).strip() or text
        plain = plain if is_order(plain) or is_question(plain) else text
    if plain != sentence and not _KNOWN["question_word"].match(plain):
        plain = plain.rstrip("?").rstrip()
    plain = _KNOWN["to_me"].sub(r"\1 ", _KNOWN["please_later"].sub("", _KNOWN["wish"].sub("Get ", plain)))
    return plain if _IDENTIFIER.match(plain) else plain[:1].upper() + plain[1:]


def announces(sentence: str) -> bool:
    """Whether an agent only says what it does next, which what it does shows better."""
    return bool(_KNOWN["announced"].match(sentence))


def as_order(sentence: str) -> str:
    """What an agent says it is doing as what it was to do: "Starting the backup" is "Start the backup"."""
    word = sentence.partition(" ")[0]
    if not word.endswith("ing") or not word.isalpha():
        return sentence
    verb = next(iter(lemminflect().getLemma(word.lower(), "VERB", lemmatize_oov=False)), word)
    return verb.capitalize() + sentence[len(word) :]


def without_greeting(text: str) -> str:
    return _KNOWN["greeting"].sub("", text) or text


def is_order(sentence: str) -> bool:
    """An imperative: a verb at the head that is no subject of another verb ("Build the app", not "Build is red")."""
    words = [word.lower() for word in _WORD.findall(sentence[:200])[:3]]
    follows = words[1] if len(words) > 1 else ""
    if words[:1] == ["do"] and follows in _ARTICLES:
        return not is_question(sentence)
    if not words or words[0] in _NO_ORDER or is_question(sentence) or _LABEL.match(sentence):
        return False
    if words[0] in _NEW_VERBS or _is(words[0], "VERB"):
        numbered = len(words) > 2 and (follows.endswith("s") or follows.isdigit())
        subject = follows in _AFTER_SUBJECT or (numbered and words[2] in _AFTER_PLURAL)
        return not (_is(words[0], "NOUN") and (subject or _KNOWN["of_a_place"].match(sentence)))
    # verbs that no dictionary has show by their object ("grok the logs")
    return follows in _ARTICLES and words[0].isalpha() and not words[0].endswith(("s", "ed"))


@lru_cache(maxsize=4096)
def _is(word: str, part: str) -> bool:
    if word in lemminflect().getLemma(word, part, lemmatize_oov=False):
        return True
    # or by their parts ("refactor", "unpin", "dockerize")
    made = _MADE_VERB.fullmatch(word)
    return part == "VERB" and made is not None and (not made["verb"] or _is(made["verb"], part))


def requests(sentence: str) -> bool:
    """An order or a polite request."""
    polite = _KNOWN["polite"].match(without_greeting(sentence))
    if _KNOWN["request"].search(sentence) or is_order(bare(sentence)):
        return True
    if polite and (words := _WORD.findall(without_greeting(sentence)[polite.end() :])):
        return len(words) > 1 and words[0].lower() not in _NO_ORDER
    after = _KNOWN["please"].search(sentence)
    return after is not None and is_order(sentence[after.end() :])


def is_problem(sentence: str) -> bool:
    """A statement of something that does not work, perhaps with a wish that it be mended."""
    told = problem(sentence)
    return bool(_KNOWN["problem"].search(told)) and not asks_first(bare(told)) and not requests(told)


def problem(sentence: str) -> str:
    """A sentence without a request at its end that only says "fix it"."""
    sentence = _KNOWN["supposed"].sub("", sentence)
    asked = _KNOWN["and_mend"].search(sentence)
    told = sentence[: asked.start()].rstrip(" ,;:.-–—") if asked else sentence
    return told if things(told) else sentence


def only_mends(sentence: str) -> bool:
    """Whether a request says nothing but that something should go away: "mind taking a look?"."""
    return _KNOWN["and_mend"].fullmatch(sentence) is not None


def lasting(sentence: str) -> bool:
    """Whether it says how something shall be done each time, not what to do now."""
    return bool(_KNOWN["from_now_on"].search(sentence))


def things(text: str) -> frozenset[str]:
    """The stems of what a text is about, without words that fit any task."""
    return frozenset(stem(word) for word in content_words(text) if word not in _GENERIC)


def definite(text: str) -> frozenset[str]:
    """The stems of the first thing that a text calls "the …", as if it were known."""
    for found in _KNOWN["definite"].finditer(text):
        words = _KNOWN["problem"].split(_KNOWN["ends_name"].split(found["words"])[0])[0]
        if named := things(" ".join(word for word in words.split() if _may_be_noun(word.lower()))):
            return named
    return frozenset()


def _may_be_noun(word: str) -> bool:
    parts = lemminflect().getAllLemmas(word)
    return not parts or "NOUN" in parts or word.endswith("ing")
