"""What stands after somebody told things in one talk after the other, as the vault would have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from talk import ALICE, MAY_8, MINUTE, cell, message

from everlore.extract import slots
from everlore.extract.facts import as_fact, write_facts
from everlore.extract.profile import evidence, update_profile
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
        new = [as_fact(draft, talk, ALICE, f"af_{at}_{place}") for place, draft in enumerate(write_facts(talk))]
        self.facts = sorted([*self.facts, *new], key=lambda fact: fact.timestamp)
        over = [old for place, old in enumerate(self.facts) if self._over(old, self.facts[place + 1 :])]
        self.facts = [fact for fact in self.facts if fact not in over]
        self.ended += over
        standing = [fact for fact in new if fact not in over]
        gone = {evidence(fact.text, fact.timestamp) for fact in over}
        self.profile = update_profile(self.profile, standing, ALICE, at, "Alice", (), gone)

    @staticmethod
    def _over(old: Fact, later: Sequence[Fact]) -> bool:
        return any(
            new.by_user
            and old.about in slots.touched(new.text, new.about)
            and slots.ends(new.text, old.text, old.about, "", old.timestamp)
            for new in later
            if new.about and old.about
        )

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
