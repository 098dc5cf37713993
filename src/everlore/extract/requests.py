"""What a sentence asks an agent for: an order, a polite request, a question, or a problem that should go away."""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract.phrases import any_of, one_of, word_set
from everlore.extract.sentences import asks_first, content_words, is_question
from everlore.extract.verb_tables import lemminflect
from everlore.stem import stem

_GREETING = any_of(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: (?:there|all|team|[A-Z]\w+))?[\s,.!:–-]+)+"
)
_LEAD = (
    r"(?:(?:ok(?:ay)?|so|and|now|next|then|well|great|thanks?|thank you|also|just|but|yes|no|nope|actually|finally"
    r"|first|btw|by the way|perfect|nice|cool|after that|unrelated|separately|another thing|one more thing"
    r"|quick question)[,:.!]?\s+)*"
)
_NEED = r"(?:i|we)(?:'d| would)?(?: also| now| really| still)? (?:need|want|like)"
_POLITE = any_of(
    rf"^{_LEAD}(?:(?:can|could|would|will) (?:you|we)(?: please| kindly| also| now| just| then)*\s+"
    rf"|(?:please|pls|kindly)[,:]?\s+|{_NEED}(?: you)? to\s+|help (?:me|us)(?: to)?\s+|let'?s\s+|(?:bitte|kannst du) "
    r"|would you mind (?=\w+ing\b)|(?:i'll|i will|i'm going to|i am going to|let me|now i'll)\s+)+"
)
_ANNOUNCED = any_of(
    rf"^{_LEAD}(?:let me|let's|i'll|i will|i'm going to|i am going to|i need to|i should)\b",
    rf"^{_LEAD}(?:trying|looking|checking|searching|running|fetching|reading|retrying|sorry|one moment)\b[^,:;]*$",
)
_LED = any_of(rf"^{_LEAD}(?=[a-zA-Z])")
_WISH = any_of(rf"^{_LEAD}{_NEED} (?=(?:an?|some|two|three|\d)\b)")
_TO_ME = any_of(
    r"^(book|get|find|give|send|show|tell|buy|order|make|write|bring|fetch|draft|reserve|prepare|create|recommend|suggest"
    r"|pick) (?:me|us) (?=(?:an?|the|some|all|any|one|two|three|four|five|ten|\d+)\b)"
)
_QUESTION_WORD = any_of(
    r"^(?:what|when|where|which|who|whose|why|how|is|are|was|were|does|do|did|has|have|can|could)\b"
)
_PLEASE_LATER = any_of(r",? (?:please|pls|plz)\b(?=[\s,.!?;)]|$)")
_PLEASE = any_of(r"\b(?:please|pls)\s+")
_REQUEST = any_of(
    rf"^(?:can|could|would|will) (?:you|we)\b|\b{_NEED}\b|\bhelp (?:me|us)\b|\b(?:i'm|i am|we're) looking for\b"
    rf"|\blet's\b",
    r"\bbitte\b|\bkannst du\b|\bpeux-tu\b|\bpuedes\b|\bpuoi\b|\bpor favor\b|请|帮我",
)
_IDENTIFIER = re.compile(r"[a-z]+(?:[A-Z_/.-]\w|\d)")
"""`test_signup`, `config.py`, `getUser`: a name that a capital would change."""
_WORD = re.compile(r"[^\W_][\w'-]*")
_NO_ORDER = word_set(
    "the a an this that these those it its i i'm i've my me we our us you your he she they their his her there "
    "here what when where which who whom whose why how is are was were am be been do does did don't doesn't "
    "didn't can could would will shall should may might must has have had if in on at to for from by with about "
    "as of not no yes ok okay so and but or because since while after before during now then still again also too "
    "just only never always maybe perhaps some any all every each both none nothing something everything works "
    "worked disk ticket thanks thank great perfect nice good sorry hello hi hey hm hmm ugh oh ah wow well omg sigh"
)
_AFTER_SUBJECT = word_set(
    "is are was were has had can will does did doesn't isn't won't can't didn't fails failed crashes crashed "
    "hangs breaks broke returns keeps takes needs shows gets throws works looks stops stopped seems says gives "
    "goes times refuses"
)
_AFTER_PLURAL = word_set("is was are were has must should have need isn't aren't can't don't won't")
"""The same after a subject of two words: "release branches are", "question 3 is"."""
_OF_A_PLACE = any_of(
    r"^\w+(?: \w+)? (?:of|on|in|to|for|at|from) (?:(?!which\b|that\b|who\b)[\w./-]+ ){1,3}"
    r"(?:is|are|was|were|has|have|went|ran)\b"
)
"""And with a place behind it: "disk on web-03 is full"."""
_MADE_VERB = re.compile(r"(?:re|un|de|pre|auto)-?(?P<verb>[a-z]{3,})|[a-z]{4,}(?:ize|ise|ify)")
_NEW_VERBS = word_set("onboard offboard text backfill hotfix whitelist screenshot upsert")
"""Verbs that no dictionary has yet."""
_LABEL = re.compile(r"[\w-]+(?: (?!the\b|a\b|an\b|my\b|our\b)[\w-]+){1,3}:\s")
"""What a message is about, before the message: "Search latency alert: …"."""
_ARTICLES = frozenset(["a", "an", "the", "my", "our", "all", "every"])
_PROBLEM = any_of(
    r"\b(?:fail(?:s|ed|ing|ure|ures)?|broken|br(?:eaks|oke)|complain\w*|crash\w*|errors?|exception|bugs?|slow|flaky|stuck|hang(?:s"
    r"|ing)?|leak\w*|time[sd]? ?out|timing out|missing|wrong|incorrect|empty|blank|dead|unreachable|offline"
    r"|corrupt\w*|problems? with|issues? with|trouble|wonky|off by|out of memory|refuses|never (?:arrived|came|worked"
    r"|received|got)|keeps? \w+ing|[45]\d\ds?"
    r"|\w+(?:Error|Exception))\b",
    r"(?:\b(?:is|are|was|were|goes|went|been|still|turned)|'s|'re)(?: \w+)? (?:down|red|full|expired)\b",
    r"\b(?:run(?:s|ning)?|ran) out of\b|\b(?:has|have) expired\b|\balert (?:on|for|from)\b",
    r"\b(?:doesn't|does not|isn't|is not|aren't|won't|can't|cannot|no longer|don't|didn't|stopped"
    r"|not) (?:\w+ )?(?:work|load|start|open|run|compile|build|respond|connect|log|show|send|arriv|update|sync|play"
    r"|print|find|launch|boot|reach)",
)
_MEND = one_of(
    "fix look check help investigate debug solve repair resolve handle sort see have_a_look take_a_look taking_a_look "
    "find_out figure why any_ideas? what's_(?:wrong|up|going_on) what_is_(?:wrong|going_on)"
)
_AND_MEND = any_of(
    r"(?:[,;:.]|\s[-–—])?\s*(?:and |so )?(?:(?:can|could|would|will) you (?:please )?(?:\w+ )?)?(?:please |pls )?"
    rf"(?:mind )?\b{_MEND}\b(?: (?:it|this|that|them|out|up|into|at|why|what|is|and|me|us|going|on|wrong|happening|for"
    r"|please|pls|plz|so|asap|now))*[\s.?!]*$"
)
"""A request at the end that says nothing but that the problem before it should go away."""
_FROM_NOW_ON = any_of(
    r"\b(?:from now on|in (?:the )?future|next time|going forward|off[- ]limits)\b",
    r"^(?:and |but |so |also |please |pls |thanks[,.!]? )*(?:always|never|remember|don't ever|do not ever)\b",
)
_SUPPOSED = any_of(r",[^,]*\b(?:i guess|i think|i suppose|i assume|right|maybe|no)\W*\?\s*$")
"""What the speaker makes of a problem and is not sure of."""
_DEFINITE = any_of(r"\b(?:the|this|that|these|those|its|your)\s+(?P<words>(?:[\w'-]+ ?){1,3})")
_ENDS_NAME = any_of(
    r"\b(?:is|are|was|were|to|in|for|with|on|of|at|by|from|into|and|or|so|that|which|when|if|as|has|have|does|can"
    r"|should|please|\w+n't)\b"
)
_GENERIC = word_set(
    "fix look check help investigate debug solve repair resolve handle sort find figure problem issue happening "
    "idea ideas add make create write update change run book set try give show tell put use start need want like "
    "please pls also now next then first finally going wrong work works thing stuff asap quick quickly time today "
    "tomorrow"
)


def bare(sentence: str) -> str:
    """A request as an order: "Could you please deploy the api?" is "Deploy the api"."""
    text = _GREETING.sub("", sentence) or sentence
    plain = _POLITE.sub("", text).strip() or text
    if plain == text:
        plain = _LED.sub("", text).strip() or text
        plain = plain if is_order(plain) or is_question(plain) else text
    if plain != sentence and not _QUESTION_WORD.match(plain):
        plain = plain.rstrip("?").rstrip()
    plain = _TO_ME.sub(r"\1 ", _PLEASE_LATER.sub("", _WISH.sub("Get ", plain)))
    return plain if _IDENTIFIER.match(plain) else plain[:1].upper() + plain[1:]


def announces(sentence: str) -> bool:
    """Whether an agent only says what it does next, which what it does shows better."""
    return bool(_ANNOUNCED.match(sentence))


def as_order(sentence: str) -> str:
    """What an agent says it is doing as what it was to do: "Starting the backup" is "Start the backup"."""
    word = sentence.partition(" ")[0]
    if not word.endswith("ing") or not word.isalpha():
        return sentence
    verb = next(iter(lemminflect().getLemma(word.lower(), "VERB", lemmatize_oov=False)), word)
    return verb.capitalize() + sentence[len(word) :]


def without_greeting(text: str) -> str:
    return _GREETING.sub("", text) or text


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
        return not (_is(words[0], "NOUN") and (subject or _OF_A_PLACE.match(sentence)))
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
    polite = _POLITE.match(without_greeting(sentence))
    if _REQUEST.search(sentence) or is_order(bare(sentence)):
        return True
    if polite and (words := _WORD.findall(without_greeting(sentence)[polite.end() :])):
        return len(words) > 1 and words[0].lower() not in _NO_ORDER
    after = _PLEASE.search(sentence)
    return after is not None and is_order(sentence[after.end() :])


def is_problem(sentence: str) -> bool:
    """A statement of something that does not work, perhaps with a wish that it be mended."""
    told = problem(sentence)
    return bool(_PROBLEM.search(told)) and not asks_first(bare(told)) and not requests(told)


def problem(sentence: str) -> str:
    """A sentence without a request at its end that only says "fix it"."""
    sentence = _SUPPOSED.sub("", sentence)
    asked = _AND_MEND.search(sentence)
    told = sentence[: asked.start()].rstrip(" ,;:.-–—") if asked else sentence
    return told if things(told) else sentence


def only_mends(sentence: str) -> bool:
    """Whether a request says nothing but that something should go away: "mind taking a look?"."""
    return _AND_MEND.fullmatch(sentence) is not None


def lasting(sentence: str) -> bool:
    """Whether it says how something shall be done each time, not what to do now."""
    return bool(_FROM_NOW_ON.search(sentence))


def things(text: str) -> frozenset[str]:
    """The stems of what a text is about, without words that fit any task."""
    return frozenset(stem(word) for word in content_words(text) if word not in _GENERIC)


def definite(text: str) -> frozenset[str]:
    """The stems of the first thing that a text calls "the …", as if it were known."""
    for found in _DEFINITE.finditer(text):
        words = _PROBLEM.split(_ENDS_NAME.split(found["words"])[0])[0]
        if named := things(" ".join(word for word in words.split() if _may_be_noun(word.lower()))):
            return named
    return frozenset()


def _may_be_noun(word: str) -> bool:
    parts = lemminflect().getAllLemmas(word)
    return not parts or "NOUN" in parts or word.endswith("ing")
