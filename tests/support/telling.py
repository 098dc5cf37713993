"""What stands after somebody told things in one talk after the other, as the vault would have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from talk import ALICE, MAY_8, MINUTE, cell, message

from everlore.extract.facts import as_fact, write_facts
from everlore.extract.profile import add_facts
from everlore.extract.supersede import superseded
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Profile

MONTH = 30 * 24 * 3600 * 1000


@dataclass
class Memory:
    """Alice's facts and profile. A talk is one text or several; those that begin with "A: " are the assistant's."""

    facts: list[Fact] = field(default_factory=list)
    ended: list[Fact] = field(default_factory=list)
    profile: Profile | None = None

    def tell(self, *texts: str, at: int) -> None:
        said = [(text.removeprefix("A: "), text.startswith("A: ")) for text in texts]
        talk = cell(
            *(
                message(text, "bot", "assistant", at=at + place * MINUTE)
                if by_assistant
                else message(text, at=at + place * MINUTE)
                for place, (text, by_assistant) in enumerate(said)
            )
        )
        drafts = write_facts(talk)
        told = [as_fact(draft, talk, ALICE, f"af_{at}_{place}") for place, draft in enumerate(drafts)]
        used = {fact.superseded_by for fact in superseded(self.facts, told, at)}
        new = [one for one, draft in zip(told, drafts, strict=True) if not draft.tentative or one.local_id in used]
        over = superseded(self.facts, new, at)
        self.facts = sorted([*self.facts, *new], key=lambda fact: fact.timestamp)
        ends = {fact.local_id for fact in over}
        self.facts = [fact for fact in self.facts if fact.local_id not in ends]
        self.ended += over
        standing = [fact for fact in new if fact.local_id not in ends]
        self.profile = add_facts(self.profile, standing, ALICE, at, "Alice", over)

    @property
    def standing(self) -> list[str]:
        return [fact.text for fact in self.facts]

    @property
    def over(self) -> list[str]:
        return [fact.text for fact in self.ended]

    @property
    def listed(self) -> list[str]:
        return [info.description for info in self.profile.explicit_info] if self.profile else []


def after(*talks: str | Sequence[str]) -> Memory:
    """One talk a month."""
    memory = Memory()
    for number, talk in enumerate(talks):
        memory.tell(*([talk] if isinstance(talk, str) else talk), at=MAY_8 + number * MONTH)
    return memory


def assert_over(first: str, then: str) -> None:
    """The first statement makes one fact; the second ends it, and the profile does not list it."""
    [told] = after(first).standing
    memory = after(first, then)
    assert memory.over == [told]
    assert told not in memory.listed


def assert_stands(first: str, then: str) -> None:
    """The second statement says nothing against the first: it holds, and the profile lists what it did."""
    before = after(first)
    assert before.standing
    memory = after(first, then)
    assert memory.over == []
    assert [line for line in before.listed if line not in memory.listed] == []
