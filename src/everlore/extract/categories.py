"""What a statement says of its speaker for good: the category it has in the profile, or none.

Most statements are in the third person, with the user's name in front or behind a lead-in ("The only problem: Alice
is allergic to cats"). Of quoted ones only the plainest are read: joint ones with "we", Chinese, and
what `languages` knows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from everlore.extract.languages import said_in
from everlore.extract.lead_ins import LEAD_IN
from everlore.extract.lexicon import ADVERBS, DEMONYMS, FLEETING, PRODUCTS
from everlore.extract.orders import standing
from everlore.extract.plural_subject import QUOTED, as_one
from everlore.extract.third_person import base_form, verb_forms
from everlore.extract.verb_tables import lemminflect


class Told(NamedTuple):
    """`words` is the part of a fact that is about the user; `rest` is what is left of it without the name."""

    words: str
    rest: str
    category: str


_PETS = r"dogs?|cats?|puppy|puppies|kittens?|pets?|parrots?|rabbits?|hamsters?|horses?"
_ILL = (
    r"allerg\w+|vegetarian|vegan|pescatarian|diabetic|asthmatic|pregnant|diagnosed|lactose|gluten|asthma|diabetes"
    r"|migraines?|adhd|anxiety|depression|c(?:o)?eliac|intolerant|epilep\w+|cancer|arthritis|eczema|insomnia|psoriasis"
    r"|an[a]?emi[ac]|hypertension|(?:high|low) blood pressure|dyslexi[ac]|autis\w+|colou?r-?blind|deaf|crohn's"
    r"|kosher|halal"
)
_SUFFERED = (
    r"stroke|heart attack|seizure|miscarriage|concussion|transplant|bypass|surgery|tumou?r|c-section|cancer|covid"
)
_AIDS = r"wheelchair|hearing aids?|crutches|cane|walker|prosthe\w+|pacemaker|inhaler|glasses|contact lenses|guide dog"
_BEING = (
    r"gay|lesbian|bi|bisexual|trans|transgender|queer|straight|asexual|non-?binary|intersex|disabled|blind|mute|adopted"
    rf"|orphaned|homeless|religious|agnostic|bilingual|{'|'.join(sorted(DEMONYMS))}"
)
_DENYING = frozenset(
    {"not", "no", "longer", "never", "almost", "nearly", "hardly", "barely", "maybe", "perhaps", "once"}
)
_AS_IT_IS = rf"(?:(?:has|{'|'.join(sorted(ADVERBS - _DENYING))}) )*"
"""Words before a verb that do not take it back: "has just moved"."""
_OF_OTHERS = (
    r"(?:not|never|no|with|who|whose|for|to|of|about|in|on|at|the|from|that|their|and|\w+ing|afraid|worried|seen|heard|noticed|read"
    r"|made|tried|friends?"
    r"|brothers?|sisters?|sons?|daughters?|kids?|child(?:ren)?|wife|husband|partner|mother|father|mom|dad|dogs?|cats?)"
)
"""Words after which an illness is not the speaker's."""
_CATEGORIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (category, re.compile(pattern, re.IGNORECASE))
    for category, pattern in (
        ("contact", r"^'s (?:[\w-]+ ){0,2}(?:e-?mail|phone|number|address|username)\b.* is "),
        (
            "health",
            rf"^ (?:is|has|gets|has been|was|became|went|suffers from) (?:(?!{_OF_OTHERS}\b)[\w-]+ ){{0,3}}(?:{_ILL})\b"
            r"|^ (?:doesn't|does not|can't|cannot|never) (?:eats?|drinks?|smokes?)\b"
            r"|^ is (?:\w+ )?on (?:an? |the )?(?:[\w-]+ ){0,2}diet\b"
            r"|^'s (?:\w+ )?(?:allerg|blood type)|^'s (?:\w+ )?(?:doctor|therapist|dentist)(?:'s name)? is (?-i:[A-Z])"
            r"|^ (?:has to take|needs to take|takes|is taking|is on|needs) (?:[\w-]+ ){0,2}"
            r"(?:insulin|medications?|meds|pills|antidepressants|antibiotics|statins|blood thinners|an? inhaler)\b"
            rf"|^ had (?:an? |two )?(?:[\w-]+ )?(?:{_SUFFERED})\b"
            rf"|^ (?:needs|uses|wears|has) (?:an? )?(?:[\w-]+ )?(?:{_AIDS})\b",
        ),
        (
            "family",
            r"^(?:'s| has(?! \w+ (?:questions?|problems?|ideas?|issues?|doubts?|lots?|bunch)\b)| is(?! not| no longer"
            r"| (?:\w+ )?(?:planning|trying|going|thinking|looking|considering|writing|hoping|making|buying)\b"
            r"| married to (?:their|the) (?:job|work)\b))\b.{0,25}\b(?:wife|husband|partner|girlfriend|boyfriend"
            r"|fiancée?|kids?|children|sons?|daughters?|mom|mother|dad|father|parents|brothers?|sisters?|siblings|married"
            rf"|engaged(?! in\b)|single(?!-)|divorced|widowed|dating|{_PETS}|grandma|grandmother|grandpa|grandfather"
            r"|uncle|aunt|cousins?|baby)\b|^ (?:\w+ )?got (?:\w+ )?(?:married|divorced|engaged|separated)\b"
            r"|^ (?:doesn't|does not) have (?:any )?(?:kids|children|siblings|brothers|sisters|pets|family)\b"
            rf"|^ (?:\w+ )?(?:got|adopted|bought) (?:an?|two|three) (?:\w+ ){{0,2}}(?:{_PETS})\b",
        ),
        ("identity", r"^ was born (?:in|on) (?:the )?(?:\d|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec)"),
        (
            "home",
            rf"^ {_AS_IT_IS}(?:lives?(?! (?:for|by|with (?:it|this|that))\b)|moved(?! (?:their|the|it|on|past)\b)"
            rf"(?! (?:from [\w ]+ )?to (?:{'|'.join(sorted(PRODUCTS))})\b)|relocated|rents)\b"
            r"|^ (?:\w+ )?left .{1,60} is (?:\w+ )?in (?-i:[A-Z])"
            rf"|^ (?:is|was|has been) {_AS_IT_IS}(?:living|based|born|raised|from)\b"
            r"|^ grew up\b|^ has (?:\w+ )?lived in .* (?:since|for|all)\b"
            r"|^'s (?:hometown|house|apartment|flat|neighbou?rhood|landlord)\b.* is ",
        ),
        (
            "work",
            rf"^ {_AS_IT_IS}(?:works?(?! (?:like|hard|well|fine|great|out|too|on (?:this|that|it|the|their))\b)|studies"
            r"|teaches|majors|freelances)\b|^ has worked (?:at|for|as) .* (?:since|for)\b"
            r"|^ (?:is|has been) (?:(?!not\b)\w+ )?(?:working|employed|studying|retired|unemployed|self-employed"
            r"|freelancing|homeschooling|between jobs)\b|^ (?:\w+ )?retired(?: from| in| last|[.!]|$)"
            r"|^'s (?:[\w-]+ )?(?:job|career|boss|manager|company|business|major|commute|salary)\b|^ runs an? "
            r"|^ is (?:now )?(?:the |an? )?(?:(?-i:C[A-Z]O|VP)|(?:co-?)?founder|head|owner|director|president)\b.{0,20}"
            r" (?:of|at) (?-i:[A-Z])"
            r"|^ (?:\w+ )?(?:got|landed|started) (?:an?|the|their) (?:[\w-]+ )?(?:promotion|job)\b"
            r"|^ (?:\w+ )?(?:got|was) (?:promoted|fired|laid off|hired)\b"
            r"|^ (?:\w+ )?(?:left|quit|switched|changed) .{1,60}\b"
            r"(?:joined|(?:started|works|is)(?: \w+){0,2} (?:at|for|with)) (?-i:[A-Z])",
        ),
        (
            "preference",
            r"^'s (?:\w+ )?fav(?:e|ou?rite)?\b|^'s (?:hobbies|interests) are\b"
            r"|^ (?:\w+ )?(?:loves|likes|enjoys|prefers|hates|dislikes|adores)\b",
        ),
        (
            "habit",
            r"^ (?:(?:now|mostly|mainly|usually|only) )?uses (?!(?:it|this|that|them|these|those|the|their|a|an|to)\b)"
            r"|^ (?:\w+ )?switched (?:from (?:(?!(?:because|as|so|since|when)\b)[\w'-]+ ){1,5}to |to (?-i:[A-Z]))",
        ),
        (
            "preference",
            r"^ (?:doesn't|can't) (?:\w+ )?(?:like|stand|enjoy)\b|^ is (?:an? )?(?:\w+ )?(?:fan of|into|keen on)\b",
        ),
        (
            "goal",
            r"^ (?:\w+ )?(?:wants|plans|hopes|dreams|intends|aims) (?:to|of)\b|^'s (?:\w+ ){0,2}(?:goals?|dreams?)"
            r" (?:is|are)\b|^ is (?:\w+ )?(?:planning|hoping|saving|training|learning|preparing|trying)\b",
        ),
        (
            "possession",
            r"^'s (?:[\w-]+ )?(?:laptop|computer|phone|tablet|car|bike|camera|guitar) is an? "
            r"(?:[\w-]+ ){0,2}(?-i:[A-Z])"
            r"|^ (?:\w+ )?(?:owns|drives)\b|^ (?:bought|got|adopted) an? |^ has (?:an?|\d+|two|three|four|five) "
            r"(?!(?:\w+ )?(?:meetings?|appointments?|calls?|cold|headache|fever|flu|flights?|tests?|exams?|questions?"
            r"|lot|bit|few|couple|feeling|class|interviews?|date|deadline|party)\b)"
            r"|^ sold .{1,60} and (?:now )?(?:drives|bought|got) an? ",
        ),
        (
            "identity",
            r"^'s (?:\w+ )?name is (?-i:[A-Z])"
            r"|^'s (?:\w+ )?(?:age|birthday|nickname|pronouns|height|weight|time ?zone)\b.* (?:is|are) "
            r"|^ is \d{1,2}(?= years?\b| yo\b| and\b| now\b|[.,!]|$)|^ is \d+ ?(?:cm|feet|ft|kg|pounds|lbs)\b"
            r"|^ (?:\w+ )?turned \d|^ (?:\w+ )?weighs \d"
            r"|^ is (?:left|right)-handed\b|^ (?:can't|cannot) (?:read|see|hear|walk)(?= well| properly| far|[.!]|$)"
            r"|^ (?:can't|cannot|doesn't|does not) (?:swim|drive|cook|ride|sing|dance)\b"
            r"(?! (?:it|this|that|the|you|how|why|what|any ?more))",
        ),
        ("identity", rf"^ (?:is|was) (?:an? )?(?:\w+ly )?(?:{_BEING})(?=[.,!;]|$| (?:and|but|so|by|since|in|at)\b)"),
        (
            "identity",
            r"^ (?:identifies|speaks)\b"
            r"|^ is an? (?!bit|lot|little|great|good|huge|big deal|pretty|idiot|mess|wreck|fool)\w",
        ),
    )
)
_QUOTED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (category, re.compile(pattern, re.IGNORECASE))
    for category, pattern in (
        ("preference", r"^no [\w' -]{2,30} for me\b"),
        (
            "family",
            r"^we(?:['’]re| are) expecting\b"
            r"|^we (?:just |recently |finally )?had (?:an? |our )?(?:[\w-]+ ){0,2}"
            r"(?:baby|son|daughter|twins)\b(?! shower)",
        ),
        (
            "health",
            r"^我(?:也|从小|一直)?[对對].{1,12}[过過]敏|^我(?:是|吃)?(?:素食|纯素|吃素)|^我怀孕"
            r"|^我(?:患有|得了).{1,6}[病症癌]|^我有(?:糖尿病|哮喘|高血压|心脏病|抑郁症|癫痫)"
            r"|^我(?:从来)?不(?:能)?[吃喝](?!了|下|完|到)",
        ),
        ("family", r"^我(?:结婚|离婚|已婚|单身|离了婚)|^我有.{0,3}(?:孩子|儿子|女儿|狗|猫)"),
        ("home", r"^我(?:现在)?(?:住在|搬到|来自)|^我是(?:.{1,2}国|上海|北京|广东|四川|台湾|香港)人"),
        ("work", r"^我(?:现在)?(?:在.{1,15}(?:工作|上班)|是(?:一名|一个|个)?.{0,6}(?:师|医生|学生|护士|程序员))"),
        ("preference", r"^我(?:很|最|非常|特别|不)?(?:喜欢|讨厌|爱(?!人))(?![你他她它这那])"),
        ("identity", r"^我(?:叫(?![你他她它])|的名字|的生日|今年\d|今年.{1,3}岁)"),
    )
)
_NOT_QUITE = re.compile(
    r"^ (?:is |has |was )?(?:almost|nearly|probably|possibly|maybe|perhaps|supposedly|kind of|sort of) ", re.IGNORECASE
)
TITLE = re.compile(r"(?<!\w)'[^']+'(?!\w)|“[^”]+”")
"""Somebody else's words in a statement: what 'The Daily' is called says nothing of habits."""
_OPINION = re.compile(
    r"^'s (?!(?:\w+ )?fav)(?:(?!is |are |was |and )[\w'-]+ ){1,4}(?:is|are|was|were) "
    r"(?:(?:such|so|too|very|really|always|being|kind of"
    r"|a bit|just|\w+ly|an?|the|their|total|complete|real|little) )*(?:terrible|horrible|awful|lousy|great|good|best"
    r"|worst|bad|amazing|wonderful|fantastic|brilliant|idiots?|genius|jerk|moron|pain|nightmare|saint|angel|hero|mess"
    r"|legend|clown|fool|monster|disaster|joke|funny|hilarious|annoying|lazy|crazy|insane|weird|nice|lovely|cute|sweet"
    r"|stupid|dumb|smart|clever|mean|rude|mad|angry|boring|useless|impossible|perfect|adorable|picky|stubborn|late"
    r"|decent|\d+ (?:minutes|hours)|nosy|sweetheart|tyrant|snob)\b"
    r"|^'s (?:[\w-]+ ){1,3}(?:says?|said|thinks?|thought|tells|told|asks|asked|believes|claims|jokes)\b",
    re.IGNORECASE,
)
"""What the speaker thinks of somebody, and somebody of the speaker: "my brother is a terrible cook" says no more of him
than of the dinner."""

_OF_ALL = {
    "health": re.compile(""),
    "family": re.compile(""),
    "preference": re.compile(""),
    "home": re.compile(r"\b(?:in|to|from|near) (?:the )?[A-Z]"),
    "possession": re.compile(r"\b(?:house|home|flat|apartment|condo|cabin|farm|car|van|boat|camper)\b"),
}
"""What "we" say of ourselves and not of a firm or of mankind, and what must be named then."""
_FOR_NOW = re.compile(r"\b(?:until|for (?:the|a|now))\b")
_DOES = re.compile(rf"^ (?:(?:{'|'.join(sorted(ADVERBS - _DENYING))}) )*(?P<verb>[a-z-]+s)(?P<rest>\b.*)$")
_NARROW = re.compile(
    r"^ (?:the(?! (?:piano|violin|cello|guitar|drums|flute|bass|trumpet|saxophone|harp|clarinet|organ|viola)\b)|him|her"
    r"|an?|their|to|care|part|place|note|time|in mind|for granted|up|out|off|back|down|on)\b"
    r"|\b(?:and|but|if|when|it|this|that|these|those|them|now)\b",
    re.IGNORECASE,
)
"""One thing of this talk, or a story that goes on: "clicks the button and nothing happens"."""
_LIGHT = frozenset(
    {"get", "make", "give", "put", "run", "have", "be", "keep", "set", "add", "write", "turn", "live", "work"}
)
_MAKING = frozenset({"make", "give", "run", "write"})
_MANY = re.compile(r"^ (?:[a-z-]+ )?(?!this|us|as)[a-z-]+s\b", re.IGNORECASE)
"""Things in general: "runs half marathons" is a habit, "runs a company" something else."""
_AGAIN_AND_AGAIN = re.compile(
    r"\b(?:on (?:week|mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|every (?:other )?(?:day|week|month|year"
    r"|morning|evening|night|spring|summer|autumn|fall|winter|\w+day)|(?:once|twice|\w+ times) (?:a|per|every) \w+"
    r"|most (?:days|mornings|evenings|nights|weekends)|in the (?:mornings|evenings))\b",
    re.IGNORECASE,
)
HABIT = 7
"""Words of a habit that is said in general."""
_IS_PROPER = re.compile(r"^ is (?!Ok\b)([A-Z][a-z]+)(?=[.!]*$|,| (?:and|but)\b)")
"""What no dictionary has is a people or a faith."""


def own_words(text: str, name: str) -> str:
    """The part of a fact that the user says of themselves, in the third person; empty when there is none.

    A fact may begin with a capital that the name has not, as "User123 lives in Rome" does.
    """
    lead = LEAD_IN.match(text)
    for words in (text, text[lead.end() :] if lead else ""):
        begins, rest = words[: len(name)], words[len(name) :]
        named = begins[:1].lower() + begins[1:] == name[:1].lower() + name[1:]
        if named and rest.startswith((" ", "'s ")) and not rest.startswith((" shared [", " said:")):
            return f"{name}{rest}" if not rest.endswith('"') else ""
    return ""


def told_of(text: str, name: str) -> Told | None:
    """What a fact says of the user, or None when it has no place in a profile."""
    one = as_one(text, name)
    words = own_words(one, name)
    if not words:
        return _quoted(text, name)
    rest = words[len(name) :]
    plain = TITLE.sub("''", rest)
    category = "" if plain.endswith(":") or _NOT_QUITE.match(plain) or _OPINION.match(plain) else _category(plain)
    if one == text:
        return Told(words, rest, category)
    needed = _OF_ALL.get(category)
    if needed and needed.search(rest) and not _FOR_NOW.search(rest):
        return Told(text, rest, category)
    return _quoted(text, name)


def _category(rest: str) -> str:
    found = next((category for category, pattern in _CATEGORIES if pattern.search(rest)), "")
    if not found and (named := _IS_PROPER.match(rest)) and not lemminflect().getAllLemmas(named[1].lower()):
        return "identity"
    return found or ("habit" if _is_habit(rest) else "")


def _is_habit(rest: str) -> bool:
    """Whether somebody does a thing in general: the present of a verb, and a time that comes again or no object that is
    at hand."""
    found = _DOES.match(rest)
    if not found or "VBZ" not in verb_forms(found["verb"]) or found["verb"] == "has":
        return False
    verb = base_form(found["verb"])
    if _AGAIN_AND_AGAIN.search(found["rest"]):
        return True
    if len(rest.split()) > HABIT or _NARROW.search(found["rest"]):
        return False
    return verb not in FLEETING | _LIGHT or (verb in _MAKING and bool(_MANY.match(found["rest"])))


def _quoted(text: str, name: str) -> Told | None:
    start = f"{name}{QUOTED}"
    if not text.startswith(start) or not text.endswith('"'):
        return None
    words = text[len(start) : -1]
    if standing(words):
        return Told(text, "", "preference")
    if words.rstrip().endswith(("?", "？")):
        return None
    if said := said_in(words):
        return Told(text, "", said.category)
    category = next((category for category, pattern in _QUOTED if pattern.search(words)), "")
    return Told(text, "", category) if category else None
