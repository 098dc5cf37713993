"""What stands after somebody told things, as the vault would have it: facts, what has ended, and the profile."""

from __future__ import annotations

from dataclasses import dataclass, field

from everlore.extract.facts import FactDraft, as_fact, write_facts
from everlore.extract.profile import add_facts
from everlore.extract.profile_items import placed
from everlore.extract.supersede import superseded, words_of
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Profile
from everlore.models.offline import OfflineEmbedder
from everlore.types import Cell, Message, Owner, Scope

START = 1_750_000_000_000
MONTH = 30 * 86_400_000
SCOPE = Scope("bench", "reading")
ANN = Owner(SCOPE, "user", "ann")


@dataclass
class Told:
    """What stands after Ann said these things, a month apart."""

    embedder: OfflineEmbedder
    facts: list[Fact] = field(default_factory=list)
    ended: list[Fact] = field(default_factory=list)
    profile: Profile | None = None
    friends: bool = False
    """Whether it is said among friends, and not to an assistant."""

    def _cell(self, at: int, texts: tuple[str, ...]) -> Cell:
        said = [
            Message(f"m{at}{place}", SCOPE, f"s{at}", "ann", "Ann", "user", at + 60_000 * place, text, text)
            for place, text in enumerate(texts)
        ]
        if self.friends:
            said.append(Message(f"m{at}f", SCOPE, f"s{at}", "ben", "Ben", "user", at + 3_600_000, "Ok.", "Ok."))
        return Cell(f"c{at}", SCOPE, f"s{at}", tuple(said))

    def say(self, *texts: str) -> list[FactDraft]:
        at = START + MONTH * len(self.facts + self.ended)
        cell = self._cell(at, texts)
        drafts = write_facts(cell)
        new = [as_fact(draft, cell, ANN, f"af_{at}_{place}") for place, draft in enumerate(drafts)]
        texts_of = list(dict.fromkeys(map(words_of, (*self.facts, *new))))
        vectors = dict(zip(texts_of, self.embedder.encode(texts_of), strict=True)) if texts_of else {}
        new = [placed(fact, words_of(fact), vectors[words_of(fact)], alone=not self.friends) for fact in new]
        ends = superseded(self.facts, new, at, vectors)
        used = {fact.superseded_by for fact in ends}
        kept = [not draft.tentative or bool(fact.category) for fact, draft in zip(new, drafts, strict=True)]
        new = [fact for fact, keep in zip(new, kept, strict=True) if keep or fact.local_id in used]
        over = [fact for fact in ends if fact.local_id in {one.local_id for one in (*self.facts, *new)}]
        gone = {fact.local_id for fact in over}
        self.facts = [fact for fact in (*self.facts, *new) if fact.local_id not in gone]
        self.ended += over
        standing = [fact for fact in new if fact.local_id not in gone]
        self.profile = add_facts(self.profile, standing, ANN, at, "Ann", over)
        return [draft for draft, keep in zip(drafts, kept, strict=True) if keep]
