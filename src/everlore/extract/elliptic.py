"""Short ways to speak of oneself, made whole: "Allergic to nuts." is "I'm allergic to nuts."

Only forms with one reading are filled in. Whether a short first-person sentence tells something that lasts, or only
how the speaker is at this moment, is decided here too.
"""

from __future__ import annotations

import re

from everlore.extract.lexicon import ADVERBS, FLEETING, OCCUPATIONS, SAME_IN_THIRD, STOPWORDS
from everlore.extract.third_person import base_form, verb_forms
from everlore.extract.verb_tables import lemminflect

_STATE = re.compile(
    r"^(?:also |strictly |severely |highly |very |really )?(?:allergic to [\w' ,-]{2,80}"
    r"|(?:lactose|gluten)[- ]intolerant|vegetarian|vegan|pescatarian|diabetic|asthmatic|pregnant|c(?:o)?eliac"
    r"|left-handed|colou?r-?blind)[.!]*$",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"^we(?P<be>['’]re| are)? (?P<rest>(?:just |finally |recently |also )?(?:got |getting )?(?:divorced|married"
    r"|engaged|separated)\b.*"
    r"|(?:just |finally |recently )?(?:broke|split) up(?:[.!]*$| (?:last|yesterday|two|a)\b.*))$",
    re.IGNORECASE,
)
_COUPLE = re.compile(
    r"^(?P<name>(?-i:[A-Z])\w+) and I (?:just |finally |recently )?got "
    r"(?P<status>married|engaged|divorced|separated)(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_WRITE_TO = re.compile(
    r"^(?:please,? )?(?:use|write(?: to)?|mail|e-?mail|send (?:it |them |mails? )?to|contact|reach)(?: me)?(?: at"
    r"| on| under)?"
    r" (?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)(?: as my (?:new )?e-?mail(?: address)?)?,? "
    r"(?:from now on|instead|in (?:the )?future|going forward|as my (?:new )?e-?mail(?: address)?)\b[^?]*$",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^I(?P<be>['’]m| am| was|['’]ve been|(?:['’]ve| have) never)?(?: (?:"
    + "|".join(sorted(ADVERBS))
    + r"))* (?P<verb>[\w'’-]+)(?P<rest>.*)$",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"^ to\b|^ (?:so|you|him|her|there|here)\b[\w ]{0,10}\W*$|\b(?:it|this|that|them|these|those)\b[\w ]{0,10}\W*$",
    re.IGNORECASE,
)
"""What goes on with "to", or is about something of this talk."""
SHORT = 6
"""Words of a sentence that may pass with a single telling one."""
_DECLINED = re.compile(
    r"^No (?!(?:more )?(?:problems?|worries|rush|thanks|need|way|issues?|doubt|idea|offen[cs]e|big)\b)"
    r"[\w' -]{2,30} for me(?:,? (?:please|thanks|thank you))?[.!]*$",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"^I(?:['’]m| am) (?!(?:\w+ )?(?:into|getting (?:divorced|married|engaged|separated)|freelancing|homeschooling"
    r"|volunteering|fostering|breastfeeding|transitioning|dating|expecting)\b)(?:\w+ ){0,2}\w+ing\b"
    r"|\b(?:in for|confused|curious|done|tired|impressed|listening|jealous|kidding|joking|afraid|aware|bored|stuck|lost"
    r"|late|hungry|thirsty|serious|convinced|interested|leaving|trying|thrilled|surprised|shocked|worried|amazed"
    r"|touched"
    r"|flattered|honou?red|stoked|pumped|psyched|speechless|positive|certain|wondering|asking|saying|talking|thinking"
    r"|wrong|away|home|busy|free|finished|okay|alright|questions?|doubts?|complain|believe|wait|decide|imagine|stop"
    r"|remember|recall|thought|realized|noticed|expected|mind|worry|blame|express|promise|clue|feeling|hunch|goosebumps"
    r"|chills|laugh\w*|smil\w*|stress\w*|exhausted|overwhelmed|nervous|anxious|relieved|puzzled|annoyed|disappointed"
    r"|fascinated|intrigued|frustrated|concerned|pleased|delighted|ok|upset|mad|angry|sad|lol|game"
    r"|plans?|point|meetings?|appointment|call|cold|headache|fever|flu|flight|test|exam|class|off|gonna|going|lucky|hoping|excited|distracted|emotional|carried|message|text|email|link|file|idea|guys?|dude|man|buddy|pal|bro|mate)\b",
    re.IGNORECASE,
)


def whole(sentence: str) -> str:
    """The sentence with the "I" that it leaves out, or that "we" has in it."""
    if _STATE.match(sentence):
        return f"I'm {sentence[0].lower()}{sentence[1:]}"
    if joint := _TOGETHER.match(sentence):
        return f"I{chr(39) + 'm' if joint['be'] else ''} {joint['rest']}"
    if couple := _COUPLE.match(sentence):
        joined = "to" if couple["status"] in ("married", "engaged") else "from"
        return f"I got {couple['status']} {joined} {couple['name']}{couple['rest']}"
    if address := _WRITE_TO.match(sentence):
        return f"My email is {address['v']}."
    return sentence


_INTRODUCED = re.compile(
    r"^(?P<greets>(?:hi|hello|hey|hallo)(?: there| all| everyone)?[,!]? )?I(?:['’]m| am) "
    r"(?P<name>(?-i:[A-Z])[\w'’-]+(?: (?:v[ao]n |de |di |el )?(?-i:[A-Z])[\w'’-]+){0,2})"
    r"(?:[.!]*$|,(?: and)? | and (?=(?:I|my|we|this)\b)| (?=from\b))",
    re.IGNORECASE,
)
_WHAT = re.compile(
    rf"(?:(?:an?|the|from|originally|CEO|CTO|founder|head|owner|{'|'.join(sorted(OCCUPATIONS))})\b|\d)", re.IGNORECASE
)
"""How it begins when somebody says after their name what they are."""
_NO_NAME = re.compile(
    r"(?:ish|ese|an|ic|im|ist|ch|ss|ek|ai|du|at|kh|day)$|^(?:I|AI|OK|Ok|Black|White|Gay|Bi|Trans|Queer)$"
)
"""How words end that say what somebody is and not what they are called: "I'm Irish and I live in Rome"."""


def introduced(sentence: str, name: str, known: bool) -> list[str]:
    """ "I'm Eva and I live in Basel" as the name and the rest; without the name where it is that of the speaker.

    `known` is whether `name` is one they go by: then another name by itself may be a part they play.
    """
    found = _INTRODUCED.match(sentence)
    if not found:
        return [sentence]
    same = set(found["name"].lower().split()) <= set(name.lower().split())
    rest = sentence[found.end() :]
    if not same and (not _is_name(found["name"], bool(found["greets"])) or (known and not rest)):
        return [sentence]
    first = [] if same else [f"My name is {found['name']}."]
    rest = f"I'm {rest}" if _WHAT.match(rest) else rest
    return [*first, f"{rest[0].upper()}{rest[1:]}"] if rest else first


def _is_name(name: str, greeted: bool) -> bool:
    """A word that no dictionary has; after a greeting also a noun ("Rose"), but never how somebody is."""
    first = name.split()[0]
    kinds = set(lemminflect().getAllLemmas(first.lower()))
    if first.lower() in STOPWORDS or kinds & {"ADJ", "ADV"} or (kinds and not greeted):
        return False
    return " " in name or not _NO_NAME.search(first)


def lasts(sentence: str) -> bool:
    """Whether a first-person sentence of few words tells a thing of the speaker that goes beyond this moment."""
    found = _VERB.match(sentence)
    if not found or len(sentence.split()) > SHORT or _MOMENT.search(sentence) or _POINTS.search(found["rest"]):
        return False
    verb = found["verb"].lower().replace("’", "'")
    if found["be"] or verb in ("can't", "cannot", "cant", "don't", "dont"):
        return True
    return bool(verb_forms(verb)) and verb not in SAME_IN_THIRD - {"had"} and base_form(verb) not in FLEETING


def declines(sentence: str) -> bool:
    """ "No pork for me." """
    return bool(_DECLINED.match(sentence))
