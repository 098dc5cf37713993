"""Everything a language model is asked: for each task one instruction and one reply schema.

The instruction goes into the system message; what it is about goes beside it as data (`models.chat`). One question is
asked for a whole cell: the tasks that it needs are put together. What the local extractor does well is not asked for:
an episode keeps the speakers' own words, a case keeps its steps as they were.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from everlore.models.chat import Answer, Task

Score = Annotated[float, Field(ge=0, le=1)]
Line = Annotated[str, Field(min_length=1)]
Category = Literal[
    "identity", "contact", "home", "work", "family", "health", "preference", "habit", "goal", "possession"
]

TALK = (
    "The data is a stretch of talk: `turns` in order, each with its number, time, speaker, role and text. Roles: user"
    " is a person, assistant is a program, tool is the output of a program. A text with … in its middle was shortened;"
    " lines that begin with > are from a file that the speaker shared, not words of their own."
)


class EpisodeAnswer(Answer):
    subject: Line
    summary: Line


EPISODE = (
    "`episode`: a title of at most 90 characters (`subject`) and a summary of about 200 characters (`summary`). The"
    " summary says who, what and when, in the language of the talk, in past tense and third person, with dates written"
    " out. Nothing that the talk does not say."
)


def _readable(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """A list without the items that are not as asked for: one slip must not cost the whole answer."""
    if not isinstance(value, list):
        return check(value)
    kept: list[object] = []
    for item in value:
        with suppress(ValidationError):
            kept += check([item])
    return kept


class FactAnswer(Answer):
    turn: int
    fact: Line


FACTS = (
    "`facts`: what is worth remembering, each as one sentence of at most 300 characters that can be understood without"
    " the others, with the number of the turn it comes from. Name the person instead of saying I, he, she or we;"
    " replace this, that and there by what is meant; put the date in brackets behind words such as yesterday or next"
    " week. Keep names, numbers and the speaker's own words. Use the language of the turn. No greetings, no questions"
    " without content, no opinion of your own, nothing twice. An empty list is fine."
)


class ProfileAnswer(Answer):
    person: Line
    category: Category
    description: Line
    turn: int


PROFILE = (
    "`profile`: what people (role user) say of themselves that will still hold next month: who they are, where they"
    " live, work, family, health, what they like, habits, goals, what they own. `person` is the speaker's name as the"
    " data has it, `description` one short sentence that begins with that name, `turn` where it was said. Not what a"
    " file says, not what someone says of another. An empty list is fine."
)


class CaseAnswer(Answer):
    turn: int
    task_intent: Line
    key_insight: str
    quality_score: Score


CASE = (
    "`cases`: the work of the assistant in this talk, one for each task it worked on. `turn`: the number of the"
    " turn with which the task begins. `task_intent`: what it was asked to do, one imperative sentence of at most 150"
    " characters. `key_insight`: the one thing worth knowing next time, one sentence, or an empty string."
    " `quality_score`: from 0 (failed) to 1 (did it, and the user is content)."
)


class UserCell(Answer):
    episode: EpisodeAnswer
    facts: Annotated[list[FactAnswer], WrapValidator(_readable)]
    profile: Annotated[list[ProfileAnswer], WrapValidator(_readable)]


class WorkCell(UserCell):
    cases: list[CaseAnswer]


class AgentCell(Answer):
    cases: list[CaseAnswer]


USER_CELL = Task("cell", "\n\n".join((f"You keep the memory of a user. {TALK}", EPISODE, FACTS, PROFILE)), UserCell)
WORK_CELL = Task(
    "cell",
    "\n\n".join((f"You keep the memory of a user and of an agent. {TALK}", EPISODE, FACTS, PROFILE, CASE)),
    WorkCell,
)
AGENT_CELL = Task("cell", "\n\n".join((f"You keep the memory of an agent. {TALK}", CASE)), AgentCell)


class BoundaryAnswer(Answer):
    boundaries: list[int]


BOUNDARY = Task(
    "boundary",
    f"You cut a conversation into stretches that are each about one thing. {TALK} Give the numbers of the turns with"
    " which a new topic begins: a substantive change of subject, or a new matter after an old one is finished."
    " Greetings, thanks, follow-up questions and short asides belong to what is around them. When in doubt, do not"
    " cut. The first turn is never a boundary. An empty list is fine.",
    BoundaryAnswer,
)


class SkillAnswer(Answer):
    how_to: Line
    steps: Annotated[list[Line], WrapValidator(_readable)]


SKILL = Task(
    "skill",
    "You write down how an agent does a kind of task, from `cases`: runs of that task, each with what was asked"
    " (`task_intent`), the steps taken (`approach`), what was learned (`key_insight`) and how well it went"
    " (`quality_score`, 0 to 1). `how_to`: what the task is, as a phrase that continues `How to`, without the names,"
    " numbers and dates of a single run. `steps`: three to ten instructions, in order, that lead to a good result; from"
    " the good runs what to do, from the bad ones what to avoid. Only what the cases show.",
    SkillAnswer,
)


class RankAnswer(Answer):
    ranking: list[int]


RERANK = Task(
    "rerank",
    "You order search results. The data has a `query` and `results`, each with a number. Give the numbers of all"
    " results that help with the query, the most helpful first. Leave out those that do not help.",
    RankAnswer,
)


class EnoughAnswer(Answer):
    sufficient: bool
    queries: Annotated[list[Line], WrapValidator(_readable)]


ENOUGH = Task(
    "sufficient",
    "You help a search over someone's memories. The data has a `query` and the best `results` so far. Say whether they"
    " hold everything that is needed to answer the query (`sufficient`). If not, give one to three other `queries` that"
    " would find what is missing: short, with the names, places and words that such a memory would use, each about"
    " another missing piece. If they suffice, `queries` is empty. Do not answer the query.",
    EnoughAnswer,
)
