"""What people say of themselves in German, French, Italian and Spanish: the same slots as in English.

The words stay quoted as they were said; here they are only read. Every form is bound to both ends of its clause, so a
wish, a doubt or a clause that goes on in another way is not read at all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from everlore.extract.language_forms import LANGUAGES


class Said(NamedTuple):
    """`slot` is what comes after the speaker's name: ": lives in", "'s wife: name"; empty where there is none.

    `category` is the place in the profile, empty for what only says that something is over.
    """

    category: str
    slot: str = ""
    value: str = ""
    sign: str = ""
    denied: bool = False


CHANGE = re.compile(
    r"\b(?:jetzt|mittlerweile|inzwischen|neuerdings|gezogen|seit kurzem|maintenant|désormais|déménagé|installée?|adesso"
    r"|ora|ormai|trasferit[oa]|ahora|mudé|mudado|recientemente|di recente|récemment)\b",
    re.IGNORECASE,
)
"""Words that say it was otherwise before."""

_KIN = {
    "wife": "frau ehefrau femme épouse moglie mujer esposa",
    "husband": "mann ehemann mari marito marido esposo",
    "girlfriend": "freundin copine fidanzata ragazza novia",
    "boyfriend": "freund copain fidanzato ragazzo novio",
    "partner": "partner partnerin compagne compagnon compagna compagno pareja",
    "mother": "mutter mère madre",
    "father": "vater père padre",
    "son": "sohn fils figlio hijo",
    "daughter": "tochter fille figlia hija",
    "dog": "hund chien cane perro",
    "cat": "katze chat gatto gatta gato gata",
}
_KIN_OF = {word: kin for kin, words in _KIN.items() for word in words.split()}
_PLACES = {
    name: place
    for names, place in (
        ("wien vienne", "Vienna"),
        ("münchen múnich", "Munich"),
        ("köln", "Cologne"),
        ("rom roma", "Rome"),
        ("mailand milano milán", "Milan"),
        ("neapel napoli nápoles", "Naples"),
        ("genf genève ginevra ginebra", "Geneva"),
        ("zürich zurigo zúrich", "Zurich"),
        ("prag praga", "Prague"),
        ("lissabon lisboa lisbona lisbonne", "Lisbon"),
        ("londres londra", "London"),
        ("parigi parís", "Paris"),
        ("berlino berlín", "Berlin"),
        ("barcelone barcellona", "Barcelona"),
        ("brüssel bruxelles bruselas", "Brussels"),
        ("warschau varsovie varsavia varsovia", "Warsaw"),
        ("österreich autriche", "Austria"),
        ("deutschland allemagne germania alemania", "Germany"),
        ("schweiz suisse svizzera suiza", "Switzerland"),
        ("frankreich francia", "France"),
        ("italien italie italia", "Italy"),
        ("spanien espagne spagna españa", "Spain"),
        ("england angleterre inghilterra inglaterra", "England"),
    )
    for name in names.split()
}
_STATES = (
    ("vegan", re.compile(r"v[ée]gan", re.IGNORECASE)),
    ("vegetarian", re.compile(r"v[ée]g[ée]tar", re.IGNORECASE)),
    ("pregnant", re.compile(r"schwanger|enceinte|incinta|embarazada", re.IGNORECASE)),
    ("married", re.compile(r"verheiratet|mariée?|sposat|casad", re.IGNORECASE)),
    ("divorced", re.compile(r"geschieden|divorc|divorziat", re.IGNORECASE)),
    ("widowed", re.compile(r"verwitwet|veu(?:f|ve)|vedov|viud", re.IGNORECASE)),
    ("single", re.compile(r"single|ledig|célibataire|solter", re.IGNORECASE)),
)
_RELATIONS = ("married", "divorced", "widowed", "single")
_POINTING = re.compile(
    r"^(?:dich|euch|sie|ihn|es|das|dies\w*|de[nmr]|die|wie|wenn|dass|was|so|deine?n?|sehr|lieber|nicht|viel|ça|cela|ce"
    r"|cette|ces|toi|ton|ta|tes|vous|que|quand|te|ti|tu|tuo|tua|questo|questa|quest[ei]|quel\w*|lo|lui|lei|che|quando"
    r"|como|cuando|est[aeo]s?|es[ao]s?|eso|mucho|más|bien|bene|molto|beaucoup|plus|più|mi|me)\b",
    re.IGNORECASE,
)
"""What is liked here and now, or somebody in this talk."""
_NO = re.compile(r"\b(?:nicht|nie|kein\w*|pas|plus|jamais|non|no|nunca|mai|più)\b", re.IGNORECASE)
_ARTICLE = re.compile(
    r"^(?:l['’]\s?|(?:les?|la|las|los|el|il|i|gli|du|des?|de la|de l['’]|una?|eine?n?|keine?n?)\s+)", re.IGNORECASE
)


ASKED = 3
"""Words of a question of its own."""
_COMMA = re.compile(r", ")
_NO_ICH = re.compile(r"^(?=(?:hei(?:ß|ss)e|wohne|lebe|arbeite|bin|mag|liebe|hasse|habe|trinke|esse)\b)", re.IGNORECASE)
"""A half that leaves its "ich" to the other; French never does, and Italian and Spanish need none."""
_GREETING = re.compile(
    r"^(?:(?:ja|nein|oui|non|sì|no|sí|also|bueno|bien|bon|alors|allora|übrigens), "
    r"|(?:hallo|hi|hey|servus|moin|bonjour|salut|ciao|buongiorno|hola|buenas|und|et|e|y),? )+",
    re.IGNORECASE,
)
"""A "no" goes only with its comma: "non mi piace" denies."""


def said_in(words: str) -> Said | None:
    """What a sentence says of its speaker, or None."""
    plain = _GREETING.sub("", words.strip())
    for language in LANGUAGES:
        if language.opens.match(plain):
            for category, slot, form in language.forms:
                if (found := form.match(plain)) and (said := _said(category, slot, found)):
                    return said
    return None


def halves(words: str) -> list[str]:
    """ "Ich heiße Peter und wohne in Graz" as two statements; any other sentence whole."""
    plain = _GREETING.sub("", words.strip())
    for language in LANGUAGES:
        if language.opens.match(plain):
            for joint in sorted([*language.joint.finditer(plain), *_COMMA.finditer(plain)], key=re.Match.start):
                first, second = plain[: joint.start()], plain[joint.end() :]
                if said_in(first) and said_in(second):
                    second = _NO_ICH.sub("Ich ", second)
                    return [f"{first[0].upper()}{first[1:]}.", *halves(f"{second[0].upper()}{second[1:]}")]
    return [words]


def before_question(words: str) -> list[str]:
    """ "Ich wohne in Kiel, kannst du mir helfen?": what is said before it is asked; "oder?" asks for all of it."""
    if not words.rstrip().endswith("?"):
        return []
    for comma in _COMMA.finditer(words):
        if len(words[comma.end() :].split()) >= ASKED and said_in(words[: comma.start()]):
            return halves(f"{words[: comma.start()]}.")
    return []


def is_joint(words: str) -> bool:
    """Whether more may be said than the first half."""
    return any(language.opens.match(words) and language.joint.search(words) for language in LANGUAGES)


def _said(category: str, slot: str, found: re.Match[str]) -> Said | None:
    groups = found.groupdict()
    value = (groups.get("v") or groups.get("w") or "").rstrip(".").replace("’", "'")
    sign = slot[0] if slot[:1] in ("+", "-") else ""
    if slot.endswith("allergic"):
        return Said(category, f": is allergic to {_bare(value)}", "", sign)
    if slot.endswith("likes"):
        return (
            None if _POINTING.match(value) or _NO.search(value) else Said(category, f": likes {_bare(value)}", "", sign)
        )
    if slot.endswith("state"):
        state = next(state for state, pattern in _STATES if pattern.match(value))
        if state in _RELATIONS:
            return Said(category, ": relationship status", state)
        return Said(category, f": is {state}", "", sign or "+")
    if slot == "'s kin: name":
        kin = _KIN_OF.get(groups["kin"].lower(), "")
        return Said(category, f"'s {kin}: name", value) if kin else Said(category)
    place = _PLACES.get(value.lower(), value) if slot.endswith("lives in") else value
    return Said(category, slot.removeprefix("not"), place, "", slot.startswith("not"))


def _bare(thing: str) -> str:
    return _ARTICLE.sub("", thing).lower()
