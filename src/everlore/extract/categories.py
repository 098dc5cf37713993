"""What a statement says of its speaker for good: the category it has in the profile, or none.

Most statements are in the third person, with the user's name in front or behind a lead-in ("The only problem: Alice
is allergic to cats"). Of quoted ones only the plainest are read: joint ones with "we", and Chinese and Spanish.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from everlore.extract.elliptic import standing
from everlore.extract.readings import LEAD_IN


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
_CATEGORIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (category, re.compile(pattern, re.IGNORECASE))
    for category, pattern in (
        ("contact", r"^'s (?:[\w-]+ ){0,2}(?:e-?mail|phone|number|address|username)\b.* is "),
        (
            "health",
            rf"^ (?:is|has|has been|was|became|went|suffers from) (?:(?!not\b|never\b)[\w-]+ )?(?:{_ILL})\b"
            r"|^ (?:doesn't|does not|can't|cannot|never) (?:eats?|drinks?|smokes?)\b"
            r"|^ is (?:\w+ )?on (?:an? |the )?(?:[\w-]+ ){0,2}diet\b"
            r"|^'s (?:\w+ )?(?:allerg|doctor|therapist|blood type)"
            r"|^ (?:has to take|needs to take|takes|is taking|is on|needs) (?:[\w-]+ ){0,2}"
            r"(?:insulin|medications?|meds|pills|antidepressants|antibiotics|statins|blood thinners|an? inhaler)\b",
        ),
        (
            "family",
            r"^(?:'s| has| is(?! not| no longer))\b.{0,25}\b(?:wife|husband|partner|girlfriend|boyfriend|fiancée?|kids?"
            r"|children|sons?|daughters?|mom|mother|dad|father|parents|brothers?|sisters?|siblings|married"
            rf"|engaged(?! in\b)|single(?!-)|divorced|{_PETS}|grandma|grandmother|grandpa|grandfather|uncle|aunt"
            r"|cousins?|baby)\b|^ (?:\w+ )?got (?:\w+ )?(?:married|divorced|engaged|separated)\b"
            rf"|^ (?:\w+ )?(?:got|adopted|bought) (?:an?|two|three) (?:\w+ ){{0,2}}(?:{_PETS})\b",
        ),
        (
            "identity",
            r"^ was born (?:in|on) (?:the )?(?:\d|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec)",
        ),
        (
            "home",
            r"^ (?:\w+ )?(?:lives?|moved(?! (?:their|the|it|on|past)\b)|relocated)\b"
            r"|^ (?:\w+ )?left .{1,60} is (?:\w+ )?in (?-i:[A-Z])"
            r"|^ (?:is|was|has been) (?:(?!fired)\w+ )?(?:living|based|born|raised|from)\b"
            r"|^ grew up\b|^'s (?:hometown|house|apartment|flat|neighbou?rhood|landlord)\b.* is ",
        ),
        (
            "work",
            r"^ (?:\w+ )?(?:works?|studies|teaches|majors|freelances)\b"
            r"|^ (?:is|has been) (?:\w+ )?(?:working|employed|studying)\b|^ has worked (?:at|for|as) .* (?:since|for)\b"
            r"|^'s (?:[\w-]+ )?(?:job|career|boss|manager|company|business|major|commute|salary)\b|^ runs an? "
            r"|^ (?:\w+ )?(?:got|landed|started) (?:an?|the|their) (?:[\w-]+ )?(?:promotion|job)\b"
            r"|^ (?:\w+ )?(?:got|was) (?:promoted|fired|laid off|hired)\b"
            r"|^ (?:\w+ )?(?:left|quit|switched|changed) .{1,60}\b"
            r"(?:joined|(?:started|works|is)(?: \w+){0,2} (?:at|for|with)) (?-i:[A-Z])",
        ),
        (
            "preference",
            r"^'s (?:\w+ )?favou?rite\b|^ (?:\w+ )?(?:loves?|likes?|enjoys?|prefers?|hates?|dislikes?|adores?)\b",
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
            r"^ (?:\w+ )?(?:owns|drives)\b|^ (?:bought|got|adopted) an? |^ has (?:an?|\d+|two|three|four|five) "
            r"(?!(?:\w+ )?(?:meetings?|appointments?|calls?|cold|headache|fever|flu|flights?|tests?|exams?|questions?"
            r"|lot|bit|few|couple|feeling|class|interviews?|date|deadline|party)\b)"
            r"|^ sold .{1,60} and (?:now )?drives an? ",
        ),
        (
            "identity",
            r"^'s (?:\w+ )?(?:name|age|birthday|nickname|pronouns|height|weight)\b.* is "
            r"|^ is \d{1,2}(?= years?\b| yo\b| and\b| now\b|[.,!]|$)|^ is \d+ ?(?:cm|feet|ft|kg|pounds|lbs)\b"
            r"|^ (?:\w+ )?turned \d"
            r"|^ is (?:left|right)-handed\b|^ (?:can't|cannot) (?:swim|drive|cook|ride|read|see|hear|walk|sing|dance)\b"
            r"(?! (?:it|this|that|the|you|how|why|what|any ?more))",
        ),
        ("identity", r"^ (?:identifies|speaks)\b|^ is an? (?!bit|lot|little|great|good|huge|big deal|pretty)\w"),
    )
)
_QUOTED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (category, re.compile(pattern, re.IGNORECASE))
    for category, pattern in (
        ("preference", r"^no [\w' -]{2,30} for me\b"),
        (
            "possession",
            r"^we (?:just |recently |finally )?(?:bought|own) (?:an?|the|our) (?:[\w-]+ ){0,2}"
            r"(?:house|home|flat|apartment|condo|cabin|farm|car|van|boat|camper)\b",
        ),
        (
            "family",
            rf"^we (?:just |recently |finally )?(?:got|adopted|have) (?:an?|two|three|four|\d+) (?:[\w-]+ )?"
            rf"(?:kids?|children|sons?|daughters?|{_PETS})\b|^we(?:['’]re| are) expecting\b"
            r"|^we (?:just |recently |finally )?had (?:an? |our )?(?:[\w-]+ ){0,2}"
            r"(?:baby|son|daughter|twins)\b(?! shower)",
        ),
        ("home", r"^we (?:just |recently |finally |now )?(?:live in|moved to) (?-i:[A-Z])"),
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
        (
            "health",
            r"^(?:yo )?(?:soy|tengo) (?:muy )?(?:al[ée]rgi\w+|vegetarian[oa]|vegan[oa]|diab[ée]ti\w+|diabetes|asma"
            r"|asm[áa]tic[oa]|cel[íi]ac[oa]|migrañas?|intoleran\w+|hipertensi[óo]n)\b"
            r"|^(?:yo )?estoy embarazada|^(?:yo )?no (?:como|bebo|puedo (?:comer|beber)) ",
        ),
        (
            "family",
            r"^(?:yo )?(?:estoy|soy) (?:casad|divorciad|solter|viud)[oa]\b|^(?:yo )?tengo (?:un|una|dos|tres|\d+) "
            r"(?:hij|perr|gat|herman)\w+|^mi (?:espos[oa]|marido|mujer|novi[oa]|hij[oa]) ",
        ),
        ("home", r"^(?:yo )?(?:vivo|nac[íi]|crec[íi]) en |^(?:yo )?soy de |^me mud[ée] a "),
        ("work", r"^(?:yo )?trabajo (?:en|como|de|para) |^(?:yo )?estudio "),
        ("preference", r"^(?:a m[íi] )?(?:no )?me (?:gustan?|encantan?) |^(?:yo )?(?:odio|prefiero|detesto) "),
        ("identity", r"^me llamo |^mi (?:nombre|cumpleaños) es |^(?:yo )?tengo \d{1,2} años"),
    )
)
_NOT_QUITE = re.compile(r"^ (?:almost|nearly) ", re.IGNORECASE)


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
    words = own_words(text, name)
    if not words:
        return _quoted(text, name)
    rest = words[len(name) :]
    categories = () if _NOT_QUITE.match(rest) else _CATEGORIES
    category = next((category for category, pattern in categories if pattern.search(rest)), "")
    return Told(words, rest, category)


def _quoted(text: str, name: str) -> Told | None:
    start = f'{name} said: "'
    if not text.startswith(start) or not text.endswith('"'):
        return None
    words = text[len(start) : -1]
    asked_for = "preference" if standing(words) else ""
    category = next((category for category, pattern in _QUOTED if pattern.search(words)), asked_for)
    return Told(text, "", category) if category and not words.rstrip().endswith(("?", "？")) else None
