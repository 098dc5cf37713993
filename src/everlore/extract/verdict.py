"""What a user's words say of the work that was done for them: content, displeased, or neither.

Words such as "wrong" or "great" count where they judge ("that is wrong", "wrong city!"), not where they name a thing
("delete the wrong entries", "a great restaurant"). Each clause is read by itself, and the last judgement holds.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from everlore.extract.phrases import any_of, heard, one_of, sentences, word_set
from everlore.extract.requests import is_order, things

Verdict: TypeAlias = Literal["pleased", "displeased", "thanks", ""]
"""`thanks` alone are said out of politeness too."""

_GOOD = one_of(
    "perfect perfectly great awesome excellent brilliant fantastic wonderful amazing superb nice sweet beautiful "
    "lovely fabulous impressive super perfekt parfait perfecto perfetto"
)
_BAD = one_of(
    "wrong incorrect terrible horrible awful dreadful useless worse worst broken unbelievable unacceptable ridiculous "
    "disappointing disappointed frustrating frustrated annoying annoyed infuriating a_disaster catastrophe "
    "catastrophic mess messed_up nonsense garbage rubbish crap trash joke nightmare buggy sloppy unusable bad ruined "
    "destroyed screwed corrupt corrupted unhappy falsch kaputt faux incorrecto sbagliato"
)
_STATE = one_of("empty blank gone missing down offline lost failing stuck unreachable unchanged dead")
"""Bad for what should not be so: "the table is empty"."""
_TROUBLE = one_of("errors? bugs? problems? issues? failures? complaints? warnings? crash\\w* fail(?:s|ed|ing)?")
_FAILS = one_of("fails failed crashes crashed breaks broke hangs freezes deleted ignored")
_HARMED = one_of(
    "didn't did_not never forgot broke deleted removed lost wiped dropped overwrote ignored missed messed ruined "
    "killed failed corrupted charged should_have shouldn't_have were_supposed mis\\w+"
)
_BE = one_of(
    "is are was were been got get gets look looks seem seems feel feels went still made_(?:it|things|everything)"
)
_IT = r"(?:it|this|that|they|everything|which|the \w+(?: \w+)?)"
_NOT = one_of("won't doesn't does_not didn't did_not isn't is_not aren't can't cannot couldn't")
_FILLER = one_of(
    "ok okay yes yep yeah yup yum phew whoa oh ooh ah aha wow well so and hm hmm ugh sorry cool right sure ja oui si "
    "thanks thank_you"
)

_INTERJECTION = any_of(rf"^\W*(?:{_FILLER}|{_GOOD}|no|nope|nah|exactly|thx)\s*(?:[,!.;:]+|[-–—](?=\s))\s+")
_ONLY_FILLER = any_of(rf"\W*{_FILLER}\W*")
_APART = any_of(
    r"(?<=[.!?])\s+", r",?\s+(?:but|however|although|though|yet)\s+", r";\s+|,\s+(?=(?:it|they|this|that|you)\b)"
)
_UNSAID = any_of(r"^(?:if|in case|whether|let me know|make sure|once|until|unless|(?:check|see) (?:if|whether|that))\b")
"""What follows is not the case yet."""

_NOT_BAD = any_of(
    rf"(?!no problem\W*$)(?:\b(?:no|not|nothing(?: is)?|without|zero|never|no longer)|n't)(?: \w+)? "
    rf"(?:{_BAD}|{_STATE}|{_TROUBLE})\b",
    rf"\b{_TROUBLE} (?:is |are |was |were |has |have )?(?:now |all )*(?:gone|fixed|solved|resolved)\b",
)
_NO_REFUSAL = one_of(
    "problem worries thanks? need rush hurry idea one matter more doubt longer good that'?s_(?:all|it|fine|everything) "
    "(?:\\w+_)?(?:errors?|bugs?|issues?)"
)
_REFUSAL = any_of(rf"^\W*(?:ugh\W+)?(?:no|nope|nah|stop|nein|non)\b(?! {_NO_REFUSAL}\b)")
_BAD_FIRST = any_of(rf"^\W*(?:{_FILLER}\W+|(?:this|that|it|what)(?:'s| is)? (?:a |an )?)*{_BAD}\b")
_DISPLEASED = any_of(
    rf"(?:\b{_BE}|(?<!let)'s|'re)(?: (?!not\b)\w+){{0,3}}? (?:{_BAD}|{_STATE})\b",
    r"^\W*(?:you|it|this|that|they|we|i|the)\b.* (?:the wrong|twice|garbage|nonsense|no sense|everything)\b",
    r"\btoo (?:low|high|big|small|long|short|slow|expensive|much|many|little|late|early)\b",
    r"\b(?:build|tests?|ci|pipeline|main) (?:is|are) (?:\w+ )?red\b|\b(?:numbers?|totals?|dates?|values?) (?:is"
    r"|are) off\b",
    # it does not do what it should, or no longer does
    rf"\b(?:{_IT}|nothing|(?:i|we) (?=can))(?: just| now| still)* ?{_NOT}"
    r"(?! (?:matter|need|have to|mind|hurt|wait|complain|thank|do|make|be)\b)",
    rf"\b(?:{_IT}|now|again|still)(?: \w+ly| just| all| now| still)* {_FAILS}\b",
    rf"^{_FAILS}\b|(?:n't|\bnot)\b.* any ?more\b",
    r"\b(?:that|this|it)(?:'s| is) not(?! (?:necessary|needed|urgent|important|a problem)\b)",
    r"(?:n't|\b(?:not|never|cannot|no longer)) (?:\w+ ){0,2}?"
    + one_of(
        "work help right correct what it\\b good great ok\\b okay happy true satisfied pleased acceptable enough "
        "make_sense add_up want ask order the impress again"
    ),
    r"\bnothing (?:changed|happen\w+|(?!is|was|has)\w+s)\b|\bno (?:change|difference|effect|improvement|luck)\b",
    r"\bstill (?:\w+ )?"
    + one_of(
        "not fail\\w* doesn't don't isn't can't won't the_same get\\w* see\\w* crash\\w* hang\\w* slow locked there "
        "happen\\w* errors? having throws? \\d{3}s?"
    )
    + r"\b",
    r"\bsame (?:error|problem|issue|result|thing|mistake)\b|\b(?:worse|slower|less \w+) than before\b|\ba regression\b",
    r"\b(?:get|getting|see|seeing|shows?|throws?|returns?|leads to|gives) (?:an? |the |this )?(?:\w+ )?(?:\w*(?:error"
    r"|exception)s?"
    r"|[45]\d\ds?)\b",
    # it is not what they asked for
    rf"\byou(?:'ve| have)? (?:\w+ )?{_HARMED}\b|\bbecause of (?:you|this|that)\b|\bcan't believe\b|\bnot even\b"
    rf"|\bopposite of\b|\bthanks for nothing\b",
    r"(?<!ly what )(?<!st what )(?<! is what )(?<!'s what )"
    r"\bi (?:\w+ly |had )?(?:said|asked for|told you|meant|wanted(?! to))\b|\bi (?:reject|refuse|object|dispute)\b",
    r"\b(?:i|we) (?:never|lost|did(?:n't| not)|don't (?:see|like|want))\b|\b(?:wtf|ffs|shit\w*|fuck\w*|bullshit|damn"
    r"|sucks)\b",
    r"funktioniert nicht|geht nicht|ne marche pas|no funciona|non funziona|不对|错了|不行",
)
_OUTCRY = any_of(
    r"\bwhy (?:did|would|have) you (?:\w+ )?(?:delet|remov|drop|break|chang|ignor|overwr|do that|not)",
    r"\bare you (?:kidding|serious|joking)|what have you done|how could you|\bstill\b|\bseriously\b",
)
"""Questions that are none."""
_UNDO = any_of(
    r"\b(?:undo|revert|roll(?:ing)? (?:\w+ )?back|back (?:to )?(?:the way|how) it was)\b",
    r"\b(?:put|change|take|turn|switch|bring) (?:it|that|this|them|everything) back\b",
    r"\brestore (?:it|that|them|(?:the|my) (?:old|previous|original))\b",
    r"\bcancel (?:it|that|this|them|the|my|both)\b|\b(?:want|need|get|give me) (?:a|my|the) (?:refund|money)\b",
    r"\b(?:never ?mind|forget (?:it|about it|that)|give up|leave it|(?:i'll|i will) do it myself)\b",
)
_REDO = any_of(r"\binstead\b|\band (?:then )?(?:book|use|try|order|make|do|add|write|get|put|buy|find|start)\b")
_CORRECTION = any_of(
    r"^(?:wrong|incorrect|instead|you should|i (?:said|meant|asked)|that's (?:wrong|not))\b",
    r"^not (?:that|quite|like|what|the|there)\b|^\S+(?: \S+){0,2} should(?:n't| not)? have\b",
    r"^(?:but |no\W+)?(?:it|this|that|they|these|those) should(?:n't| not)? (?:be|say|read|go|come|start|end)\b",
    r"^actually\b(?!.*\b(?:also|too)\b)|^(?:don't|do not)\b(?! (?:worry|forget|hesitate))|^use\b.*\binstead\b",
    r"^(?:不对|不是|错了)",
)
_TO_THE_AGENT = any_of(r"\b(?:you|still|again)\b|^now\b")
_POINTED_AT = any_of(r"^(?:but |no\W+)?(?:this|that|these|those|your)\b")
_POINTING = any_of(r"\b(?:it|that|this|they)\b")
_PRAISED = one_of(
    "job work stuff catch find news idea answer one result thanks? thank now that this it so again for to_me all"
)
"""What may follow "great" without being what is great to look for."""
_PRAISE = one_of(
    "works? worked fixed solved exactly lgtm bingo bravo yay well_done spot_on not_bad (?:you_)?nailed_it finally "
    "confirmed you_rock "
    "kudos "
    "legend much_better problem_solved ship_it approved good_(?:job|work|stuff|catch) (?:good|better)(?=\\W*$) "
    "(?:i_)?(?:love|like)_(?:it|this|that) all_(?:good|green|set|clear|tests_pass\\w*) "
    "that's_(?:exactly_)?(?:it|right|correct) you(?:'ve)?_saved_(?:me|my|us|the|our) (?:a_)?lifesaver "
    "looks_(?:very_|really_|so_)?(?:good|great|right|perfect|fine|nice|correct) just_what what_i_(?:wanted|needed) "
    "you're_(?:a|the|amazing|awesome|great|brilliant) (?:i'm|i_am)_(?:\\w+_)*(?:happy|pleased|satisfied|impressed|glad)"
)
_GOOD_FIRST = any_of(
    rf"^\W*(?:{_FILLER}\W+)*{_GOOD}(?=\W*$|[,.!:)]| {_PRAISED}\b)",
    rf"^\W*(?:{_FILLER}\W+)*{_PRAISE}\b",
    r"[👍👌🎉❤💯✅🙌👏]|funktioniert jetzt|ça marche|ya funciona|完美|很好",
)
_SUBJECT = rf"\b(?:{_IT}|all|now|one|problem|issue|tests?|build)"
_PLEASED = any_of(
    rf"{_SUBJECT}(?: all| now| just| finally| \w+ly)* "
    r"(?:works?|worked|fixed it|passes|pass|passed|did it|did the trick|\w+s again)\b",
    rf"{_SUBJECT}(?:'s|'re| is| are| was| looks?| seems?| has been| have been)"
    rf"(?: \w+ly| so| very| much| all| now| exactly| just)* (?:{_GOOD}|working|fixed|solved|resolved|correct|right"
    r"|passing|done|better|green|fine|good|back|up again|what i (?:wanted|needed|asked for|meant))\b",
)
_THANKS = any_of(r"\b(?:thanks?|thank you|thx|ty|cheers|appreciate\w*|danke|merci|gracias|grazie)\b|谢谢")
_COURTESY = word_set(
    "yes yep yeah yup sure ok okay go going ahead do it please great thanks thank you thx ty hi hello hey there "
    "perfect continue keep proceed sounds good nice cool wow amazing awesome work job well done love that was is "
    "this so much very really the best you're welcome glad happy to help any time anytime no problem worries "
    "quick fast i i'm we it's that's alright fine right yay cheers lol haha bye goodbye morning afternoon evening "
    "all everyone team a lot again now then and works worked working got understood makes sense anyway for trying "
    "your exactly brilliant excellent stuff start begin carry on ja bitte danke oui merci si gracias"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")


def clauses(text: str) -> list[str]:
    """The parts of a text that can each judge for themselves: sentences, interjections, what "but" sets apart."""
    found: list[str] = []
    for sentence in sentences(heard(text)):
        for part in _APART.split(sentence):
            while word := _INTERJECTION.match(part):
                found.append(word[0].strip())
                part = part[word.end() :]
            found.append(part)
    return [part for part in found if part.strip()]


def verdict(text: str) -> Verdict:
    """The last judgement in a text. After a complaint, praise alone ("Great.") is bitter and thanks are polite."""
    found: Verdict = ""
    for clause in clauses(text):
        judged = _of_clause(clause)
        if judged == "displeased" or not found:
            found = judged or found
        elif judged == "pleased" and (found != "displeased" or len(_WORD.findall(clause)) > 1):
            found = judged
    return found


def _of_clause(clause: str) -> Verdict:
    if _UNSAID.match(clause):
        return ""
    plain = _NOT_BAD.sub("", clause)
    if clause.rstrip("\"' !").endswith(("?", "？")):
        return "displeased" if _OUTCRY.search(plain) else ""
    if _UNDO.search(plain) or _REFUSAL.search(plain) or _BAD_FIRST.search(plain):
        return "displeased"
    if _DISPLEASED.search(plain) and not is_order(plain):
        return "displeased"
    if plain != clause or _GOOD_FIRST.search(clause) or (_PLEASED.search(clause) and not is_order(clause)):
        return "pleased"
    return "thanks" if _THANKS.search(clause) else ""


def courtesy(text: str) -> bool:
    """Greetings, assent and thanks, by whomever: not a word of anything else."""
    return all(word.lower() in _COURTESY for word in _WORD.findall(heard(text)))


def asks_nothing(text: str) -> bool:
    """Words of a user that are courtesy or praise."""
    return courtesy(text) or all(_of_clause(clause) in ("pleased", "thanks") for clause in clauses(text))


def undoes(text: str) -> bool:
    """Whether the user wants the work undone or dropped, and nothing else done in its place."""
    return bool(_UNDO.search(heard(text))) and not _REDO.search(heard(text))


def objects_to(text: str) -> bool:
    """Whether the words turn down or correct what was just done, rather than tell of something else."""
    parts = clauses(text)
    first = next((part for part in parts if not _ONLY_FILLER.fullmatch(part)), parts[0])
    if _REFUSAL.search(parts[0]) or _CORRECTION.search(first) or undoes(text):
        return True
    named = False
    for part in parts:
        if _of_clause(part) == "displeased" and (_TO_THE_AGENT.search(part) or (_POINTING.search(part) and not named)):
            return True
        # "it" is what was just named, if something was; "these prices" are those that the agent has just told
        named = named or (bool(things(part)) and not _POINTED_AT.match(part))
    return False
