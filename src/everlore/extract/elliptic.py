"""Short ways to speak of oneself, made whole: "Allergic to nuts." is "I'm allergic to nuts."

Only forms with one reading are filled in. Whether a short first-person sentence tells something that lasts, or only
how the speaker is at this moment, is decided here too.
"""

from __future__ import annotations

import re

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
_PLAIN = re.compile(
    r"^(?:I(?:['’]m| am|['’]ve| have| had| can['’]?t| cannot| can not| never| got| don['’]?t| do not| own| speak| play"
    r"| bought| sold| quit| lost| won| passed| failed| adopted| smoke| drink| drive| teach| study| cook| swim| moved)"
    r")\b(?!['’]| to )",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"^We (?:just |recently |finally |also |now )?(?:bought|sold|got|adopted|moved|own|live|rent|built|lost|have (?:an?"
    r"|two|three|four|\d+)|had (?:an? |our )?(?:[\w-]+ ){0,2}(?:baby|son|daughter|twins)(?! shower))\b(?! to )",
    re.IGNORECASE,
)
SHORT = 6
"""Words of a sentence that may pass with a single telling one."""
_DECLINED = re.compile(
    r"^No (?!(?:more )?(?:problems?|worries|rush|thanks|need|way|issues?|doubt|idea|offen[cs]e|big)\b)"
    r"[\w' -]{2,30} for me(?:,? (?:please|thanks|thank you))?[.!]*$",
    re.IGNORECASE,
)
_SPEAKING = (
    r"(?:answer|reply|respond)\b|(?:write|speak|talk|explain)(?: it| things)? (?:to me|with me|in)\b"
    r"|(?:call|address) me\b|use (?:[\w-]+ ){0,2}(?:emojis?|units?|celsius|fahrenheit|metric|bullets?|bullet points"
    r"|english|spelling|language|tone|markdown|jargon|pronouns)\b"
)
_STANDING = re.compile(
    rf"^(?:please,? )?(?:(?:always|never|(?:do not|don['’]?t) ever)|from now on,?(?: please)?(?: always| never"
    rf"| do not| don['’]?t)?) (?:{_SPEAKING})(?!.*\b(?:this|these|here|above|below)\b)"
    rf"|^(?:please,? )?(?:do not|don['’]?t) (?:{_SPEAKING}).*(?<=\bwith me)[.!]*$"
    r"|^(?:please,? )?(?:do not|don['’]?t) call me (?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?[.!]*$",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"^I(?:['’]m| am) (?!(?:\w+ )?getting (?:divorced|married|engaged|separated)\b)(?:\w+ ){0,2}\w+ing\b"
    r"|\b(?:in for|confused|curious|done|tired|impressed|listening|jealous|kidding|joking|afraid|aware|bored|stuck|lost"
    r"|late|hungry|thirsty|serious|convinced|interested|leaving|trying|thrilled|surprised|shocked|worried|amazed|touched"
    r"|flattered|honou?red|stoked|pumped|psyched|speechless|positive|certain|wondering|asking|saying|talking|thinking"
    r"|wrong|away|home|busy|free|finished|okay|alright|questions?|doubts?|complain|believe|wait|decide|imagine|stop"
    r"|remember|recall|thought|realized|noticed|expected|mind|worry|blame|express|promise|clue|feeling|hunch|goosebumps"
    r"|chills|laugh\w*|smil\w*|stress\w*|exhausted|overwhelmed|nervous|anxious|relieved|upset|mad|angry|sad|lol|game"
    r"|plans?|point|meetings?|appointment|call|cold|headache|fever|flu|flight|test|exam|class|off|gonna|going|lucky|hoping|excited|distracted|emotional|carried|message|text|email|link|file|idea|guys?|dude|man|buddy|pal|bro|mate)\b",
    re.IGNORECASE,
)


def whole(sentence: str) -> str:
    """The sentence with the "I" that it leaves out, or that "we" has in it."""
    if _STATE.match(sentence):
        return f"I'm {sentence[0].lower()}{sentence[1:]}"
    if joint := _TOGETHER.match(sentence):
        return f"I{chr(39) + 'm' if joint['be'] else ''} {joint['rest']}"
    return sentence


def lasts(sentence: str) -> bool:
    """Whether a first-person sentence of few words tells a thing of the speaker that goes beyond this moment."""
    return len(sentence.split()) <= SHORT and bool(_PLAIN.match(sentence)) and not _MOMENT.search(sentence)


def declines(sentence: str) -> bool:
    """ "No pork for me." """
    return bool(_DECLINED.match(sentence))


def standing(sentence: str) -> bool:
    """ "Please always answer in French.": how the speaker wants to be spoken to from now on."""
    return bool(_STANDING.match(sentence))


def of_ours(sentence: str) -> bool:
    """ "We bought a house.": as plain as a statement about oneself."""
    return bool(_JOINT.match(sentence)) and not _MOMENT.search(sentence)
