"""What stands before a statement and leaves it true: "Well,", "Please remember that", "Right now".

What tells nothing goes before the statement is made a fact. A time or a regret stays in the fact and is only skipped
when the fact is read. Whatever makes a statement less than true ("if", "maybe", "she says") is in neither list.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract.sentences import words

LEAD = 100
"""Characters in which lead-ins are looked for."""

_ME = r"(?=(?:I|I['’][a-z]+|im|ive|my|we|we['’][a-z]+|our)\b)"
_STOP = r"(?:\s*[,!.:;–—-]+\s+|\.{2,}\s*)"
_SOUND = (
    r"yeah|yes|yep|yup|no|nope|nah|oh|ooh|ah|aha|aw+|well|wow|hey|hi|hiya|hello|(?:ha){2,}|lol|so|and|but|also|plus"
    r"|anyways?|btw|by the way|ok|okay|alright|all right|sure|of course|right|absolutely|definitely|totally|thanks"
    r"|thank you|thx|exactly|indeed|sorry|(?:just )?fyi|tbh|ngl|hm+|u[hm]+|er+m?|in fact"
    r"|to be (?:honest|clear|fair|precise)|turns out|it turns out|wait|dude|bro|man"
)
"""May also stand without a comma: "well I live in Leeds"."""
_WORD = (
    r"please|pls|p\.?s|edit|update|correction|reminder|note|wrong|correct|true|false|look|listen|see|honestly|frankly"
    r"|seriously|basically|you know|I mean|mind you|first|first of all|firstly|second(?:ly)?|third(?:ly)?|finally"
    r"|lastly"
    r"|besides|moreover|in addition|on top of that|what['’]s more|(?:one more|another|last) thing|to clarify"
    r"|(?:just )?(?:a )?(?:quick |fun |small |side )?(?:note|fact|reminder|update)|heads[ -]?up|apologies"
    r"|just so (?:you|u) know|just to (?:clarify|be clear)|for (?:some |more )?context|for the record"
    r"|for (?:your |future )?(?:information|reference)|as a (?:quick )?(?:reminder|note|side note)"
    r"|as (?:mentioned|said)(?: before| earlier| above)?|as you (?:may |might |probably |already )*(?:know|remember)"
    r"|cool|great|nice|perfect|awesome|lovely|amazing|interesting|good (?:morning|afternoon|evening)|hold on|folks|guys"
    r"|(?:(?:that|this|it) )?sounds? (?:so |really |very )*(?:good|great|fun|amazing|awesome|perfect|nice|lovely"
    r"|delicious)"
    r"|me too|same here|likewise|no way|guess what|you know what|trust me|believe me"
    r"|before I forget|(?:since|if) you (?:asked?|must know|want to know|wonder)|speaking of which"
    r"|in case (?:it matters|you (?:forgot|wonder|didn['’]t know)|you['’]re wondering)"
)
_VERB = r"(?:is|are|was|were|has|have|isn['’]t|aren['’]t|can['’]t|doesn['’]t|lives?|works?)"
_THAT = (
    r"(?:(?:can|could|would|will) you |please |pls |just |also |do |always )*"
    r"(?:remember|note|keep in mind|bear in mind|(?:don['’]?t|do not|never) forget|be aware|take note|make a note"
    r"|write down|save|store|memori[sz]e|know)(?: this| the following| down)?"
    r"|you (?:should|must|need to|have to|ought to|may|might|probably|already)(?: also)? (?:know|remember)"
    r"|I (?:already |just )?(?:told you|mentioned)(?: before| already| earlier)?"
    r"|I (?:swear|promise)|I(?:['’]m| am) (?:happy|glad|sorry|proud) to (?:say|report|announce|admit|tell you)"
    r"|I (?:just |also )?(?:want|wanted|need|would like|['’]d like) (?:you to (?:know|remember)"
    r"|to (?:let you know|mention|add|say|tell you|point out|remind you))"
    r"|I (?:also )?(?:(?:forgot|have|need|ought) to|should|must|may|might) (?:also )?(?:mention|say|add|tell you|admit"
    r"|confess|note)|let me (?:just )?(?:tell you|add|mention|say)"
    r"|it(?:['’]s| is) (?:important|worth|good)(?: for you)?(?: to (?:know|note|remember|mention)| knowing| mentioning"
    r"| noting)?|(?:this is |just )?a (?:quick |friendly |little |short )?(?:reminder|note)"
    r"|(?:the|my) (?:thing|truth|fact|point|problem|issue|reason) is|fact is|turns out|it turns out"
    r"|(?:that|this|which)(?:['’]s| is) why"
    r"|(?:as|like) (?:I|we) (?:already )?(?:said|mentioned|told you|wrote|explained)(?: before| earlier| already)?"
)
"""A request to keep in mind what follows, or that it is so."""
_REASON = (
    r"(?:because|cause|since(?! I(?:['’]d| was| had| \w+ed| got| went| left| began)\b)|given that|seeing that|now that)"
    rf"\s+{_ME}(?!\S+ [^?]*(?:[,;:?]|\b(?:I|it|he|she|they|we|you|there|this|that)\b"
    r"|\b(?:my|the|our|his|her) \w+ (?:is|are|was|were|has|had|got|\w+ed|\w+s)\b))"
)
"""A reason by itself; where another clause follows, the two need each other."""
_THEN = rf"(?:,? that|[:,;–—-]+)\s+{_ME}|\s+(?=(?!my|our){_ME}|(?:my|our) (?:[\w'’-]+ ){{1,3}}{_VERB}\b)"
"""A clause: "remember my wife is vegan", but not "remember my wife"."""
_EMPTY = re.compile(
    rf"(?:{_SOUND}|{_WORD}){_STOP}|(?:{_SOUND})\s+{_ME}|(?:{_SOUND})\s+(?=(?:{_SOUND}|{_WORD}|{_THAT})\b)"
    rf"|(?:{_THAT})(?:{_THEN})|{_REASON}",
    re.IGNORECASE,
)
_TO_SOMEBODY = re.compile(
    rf"(?:(?:oh|hey|hi|hello|thanks|thank you|yeah|yep|wow),? )?(?P<name>(?-i:[A-Z])\w+){_STOP}", re.IGNORECASE
)
_CLOSING = re.compile(
    r"(?:,? (?:btw|by the way|fyi|tbh|just so you know|as (?:I|you) (?:said|mentioned|know)|pls|plz|thanks|thx"
    r"|thank you|though|tho)|[,;–—-]+ (?:please )?(?:don['’]?t forget|remember|keep (?:that|it|this) in mind))+"
    r"(?P<stop>[.!]*)$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:And|But)\s+")
BITTER = re.compile(r"^(?:oh,? )?yeah,? right\b(?=[,.!;…]| I\b)|^as if I\b|(?:^|\s)/s\W*$|🙄", re.IGNORECASE)
"""What is said so is not meant."""
LEAD_IN = re.compile(
    r"^(?!if\b|when\b|unless\b|maybe\b|used to\b|once\b|in case\b)(?:[^:?]{2,50}(?::| –| —)"
    r"|(?:unfortunately|fortunately|sadly|luckily|thankfully|regrettably|currently|presently|nowadays|right now|now"
    r"|these days|at the moment|at present|lately|recently|officially|technically|apparently|naturally|obviously"
    r"|clearly|personally|of course|as of (?:now|today)|actually(?: no)?|no wait),?|(?:it )?turns out(?: that)?) ",
    re.IGNORECASE,
)
"""What may stand before the name in a fact."""


@lru_cache(maxsize=4096)
def opened(sentence: str, people: frozenset[str]) -> str:
    """The sentence without "Well," or "Yeah, Mel!" in front and "btw" behind. Names go only when they are of people in
    the talk."""
    rest = sentence
    if BITTER.search(sentence):
        return sentence
    while len(sentence) - len(rest) < LEAD and (found := _EMPTY.match(rest) or _vocative(rest, people)):
        rest = rest[found.end() :]
    if joined := _JOINED.match(rest):
        rest = rest[joined.end() :]
    rest = _CLOSING.sub(r"\g<stop>", rest)
    return rest[0].upper() + rest[1:] if rest != sentence and len(words(rest)) > 1 else sentence


def _vocative(text: str, people: frozenset[str]) -> re.Match[str] | None:
    found = _TO_SOMEBODY.match(text)
    return found if found and found["name"].lower() in people else None
