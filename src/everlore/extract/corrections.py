"""A correction replaces the value it corrects: "I live in Munich. No wait, I mean Augsburg." says Augsburg only.

What stands behind the words of correction is put in the place of what it can only mean: a number for a number, a name
for a name, a word for the one most like it, or what is told in so many words ("1968, not 1986").
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache

from everlore.extract.claims import read
from everlore.extract.language import Language, language_of, phrases, small

WORDS = 9
"""Words behind a correction; a longer one is a statement of its own."""
FEW = 4
"""Words up to which "Sorry, …" can be nothing but a correction."""
LIKE = 0.5
_NUMBER = re.compile(
    r"\d[\d.,:]*\w*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-ZÄÖÜÉÈÀ][\w'’-]+(?: [A-Z][\w'’-]+)*")
_WORD = re.compile(r"[\w'’.-]+")
_NOISE = " ,.;:!?…–—-\n"
_MARKS = r"[\s,.;:!?…–—-]*"


def corrected(before: str, sentence: str) -> str:
    """The statement `before` as the sentence after it puts it right; empty where that corrects nothing in it."""
    known = language_of(f"{before} {sentence}")
    weak, strong = known.words.get("correct", ()), known.words.get("correct_surely", ())
    low = small(sentence)
    named = _not_the_old(known, before, sentence)
    cue = _leads(low, (*weak, *strong), known)
    if not cue:
        return named if len(low.split()) <= WORDS else ""
    sure = bool(_cue((*strong,), known).search(low[:cue]))
    rest = sentence[cue:].strip(_NOISE)
    if named or not rest:
        return named
    size = len(rest.split()) if known.spaced else len(rest) // 2
    if size > (WORDS if sure else FEW + 2 * _same_shape(before, rest)):
        return ""
    return _replaced(known, before, rest, sure)


def within(sentence: str) -> str:
    """A sentence that corrects itself, put right: "I work at Bosch, I mean Siemens."; else empty."""
    known = language_of(sentence)
    cues = (*known.words.get("correct", ()), *known.words.get("correct_surely", ()))
    low = small(sentence)
    if _leads(low, cues, known):
        return ""  # it corrects the sentence before
    for found in re.finditer(r"[,;.…–—-]+\s*|(?<=[、，])", low):
        tail = sentence[found.end() :]
        if tail and found.start() > 3 and _leads(small(tail), cues, known):
            whole = corrected(sentence[: found.start()], tail)
            if whole:
                return whole if whole.endswith((".", "!", "。")) else f"{whole}."
    return _not_the_old(known, "", sentence)


def _leads(low: str, cues: tuple[str, ...], known: Language) -> int:
    """How many characters of a sentence are words of correction."""
    end = 0
    pattern = _cue(cues, known)
    for _ in range(4):
        blanks = re.compile(_MARKS).match(low, end)
        at = blanks.end() if blanks else end
        found = pattern.match(low, at)
        if not found:
            break
        end = found.end()
    return end


@cache
def _cue(cues: tuple[str, ...], known: Language) -> re.Pattern[str]:
    return phrases(cues, spaced=known.spaced)


def _not_the_old(known: Language, before: str, sentence: str) -> str:
    """ "1968, not 1986": what was meant, in the place of what it names."""
    if not known.spaced:
        return ""
    nots = "|".join(map(re.escape, known.words.get("not_that", ("not",))))
    found = re.search(
        rf"(?P<new>[^,;.]+),? (?:and )?(?:{nots}) (?P<old>[^,;.!?]+?)(?: as i (?:said|wrote).*)?[.!]*$",
        sentence,
        re.IGNORECASE,
    )
    if found and before:
        cue = _leads(small(sentence), tuple(known.words.get("correct", ())), known)
        old, new = _bare(known, found["old"]), _bare(known, sentence[cue : found.end("new")])
        return _put(before, old, new) if old and new else ""
    if found and not before and re.search(r"as i (?:said|wrote)", sentence, re.IGNORECASE):
        return sentence[: found.end("new")].rstrip(_NOISE) + "."
    first = re.match(
        rf"{_MARKS}(?:{nots}) (?P<old>[^,;.!?]+?)(?:,| but) (?:but )?(?P<new>[^,;.!?]+)", sentence, re.IGNORECASE
    )
    if first and before:
        return _put(before, _bare(known, first["old"]), _bare(known, first["new"]))
    return ""


def _put(before: str, old: str, new: str) -> str:
    places = list(re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", before, re.IGNORECASE))
    return f"{before[: places[-1].start()]}{new}{before[places[-1].end() :]}" if places else ""


def _bare(known: Language, text: str) -> str:
    """Without "it's", "sorry" and the like around it."""
    text = text.strip(_NOISE)
    filler = [*known.words.get("filler", ()), *known.words.get("correct", ())]
    while True:
        low = small(text)
        if known.spaced:
            cut = next((one for one in filler if low.startswith(f"{one} ") or low == one), "")
            tail = next((one for one in filler if low.endswith((f" {one}", f", {one}"))), "")
        else:
            cut = next((one for one in filler if low.startswith(one)), "")
            tail = next((one for one in filler if low.endswith(one)), "")
        if not cut and not tail:
            return text
        text = (text[len(cut) :] if cut else text[: len(text) - len(tail)]).strip(_NOISE)


def _same_shape(before: str, rest: str) -> bool:
    shared = {word for word in small(rest).split() if len(word) > 3} & set(small(before).split())
    return bool(shared) or bool(_NUMBER.search(before) and _NUMBER.search(rest))


def _replaced(known: Language, before: str, rest: str, sure: bool) -> str:
    if not known.spaced:
        return _replaced_wide(known, before, rest)
    if (new := _NUMBER.search(rest)) and (old := list(_NUMBER.finditer(before))):
        kind = [found for found in old if found[0][0].isdigit() == new[0][0].isdigit()] or old
        at = kind[-1]
        put = new[0].strip(".,:")
        month = _before(rest, new.start())
        if len(kind) > 1 and month:
            at = next((found for found in kind if _before(before, found.start()) == month), at)
        end = at.start() + len(at[0].rstrip(".,:"))
        whole = f"{before[: at.start()]}{put}{before[end:]}"
        return whole if new[0] != at[0] else ""
    bare = _bare(known, rest)
    if whole := _after_the_same_word(before, rest):
        return whole
    if (
        not bare
        or known.has("outside", small(bare))
        or re.match(r"(?:to|the other|other|what|every word)\b(?! \w+ day)", small(rest))
    ):
        return ""  # "I meant to call her", "I meant the other one"
    name = _NAME.search(f"x {bare}")
    if name:
        olds = list(_NAME.finditer(before))
        if olds:
            at = max(olds, key=lambda found: (SequenceMatcher(None, found[0], name[0]).ratio() >= LIKE, found.start()))
            if at[0] == name[0]:
                return ""
            article = re.match(r"(?:a|an) ", rest.removeprefix("it's ").removeprefix("it is "))
            whole = f"{before[: at.start()]}{name[0]}{before[at.end() :]}"
            return re.sub(rf"\ba?n? {re.escape(name[0])}", f" {article[0]}{name[0]}", whole) if article else whole
    return _most_alike(before, bare, sure)


def _after_the_same_word(before: str, rest: str) -> str:
    """ "allergic to penicillin", "to amoxicillin": what begins with a word that stands before goes on from there."""
    first, _, value = rest.partition(" ")
    places = list(re.finditer(rf"(?<!\w){re.escape(first)} ", before, re.IGNORECASE)) if value else []
    if not places or len(value.split()) > FEW:
        return ""
    start = places[-1].end()
    old = list(_WORD.finditer(before, start))[: len(value.split())]
    if not old or before[start:].startswith(value):
        return ""
    end = old[-1].end() - (old[-1][0].endswith("."))
    return f"{before[:start]}{value.rstrip('.')}{before[end:]}"


def _before(text: str, at: int) -> str:
    words = _WORD.findall(text[:at])
    return words[-1].lower() if words else ""


def _most_alike(before: str, bare: str, sure: bool) -> str:
    """A word in the place of the one most like it; where the correction is plain, else in that of the last one."""
    size = max(1, len(bare.split()))
    spans = list(_WORD.finditer(before))
    best, score = None, 0.0
    for length in {size, max(1, size - 1)}:
        for at in range(len(spans) - length, -1, -1):
            start, end = spans[at].start(), spans[at + length - 1].end()
            likeness = SequenceMatcher(None, small(before[start:end]), small(bare)).ratio()
            if likeness > score and small(before[start:end]) != small(bare):
                best, score = (start, end), likeness
    if best is None or not bare or (score < LIKE and not sure):
        return ""
    if score < LIKE:
        best = (spans[-1].start(), spans[-1].end())
    end = best[0] + len(before[best[0] : best[1]].rstrip(".,:"))
    return f"{before[: best[0]]}{bare}{before[end:]}"


def _replaced_wide(known: Language, before: str, rest: str) -> str:
    bare = _bare(known, rest)
    claim = read(before)
    if claim and claim.value and claim.value in before and bare and claim.value != bare:
        return before.replace(claim.value, bare, 1)
    spans = [before[at : at + len(bare)] for at in range(len(before) - len(bare) + 1)]
    best = max(spans, key=lambda span: sum(a == b for a, b in zip(span, bare, strict=True)), default="")
    alike = sum(a == b for a, b in zip(best, bare, strict=False))
    return before.replace(best, bare, 1) if bare and alike and best != bare else ""
