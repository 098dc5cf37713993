"""What holds now: is the current value the first answer, over the memory API and over `recall` alike?

Each change is told as one person would, the later statement 100 days after the earlier one, among other talk.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from bench.multihop import caller
from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.search import Query, recall
from everlore.sync.embedding import embed_pending
from everlore.types import Owner, Scope

DAY = 86_400_000
START = 1_750_000_000_000
LATER = 100

CHANGES = (
    # (what was said, what was said later, the question, a word of the current value)
    ("I live in Rome.", "I moved to Lisbon.", "Where do I live?", "Lisbon"),
    ("I live in Hamburg with my cat.", "I moved to Zurich last week.", "Which city do I live in?", "Zurich"),
    ("My home is in Oslo.", "I live in Bergen now.", "Where is my home?", "Bergen"),
    ("I work at Siemens.", "I started at Bosch.", "Where do I work?", "Bosch"),
    ("I work for Google as an engineer.", "I now work for Mozilla.", "Which company do I work for?", "Mozilla"),
    ("I work as a nurse.", "I now work as a teacher.", "What is my job?", "teacher"),
    ("I am vegetarian.", "I eat meat again.", "Am I vegetarian?", "meat"),
    ("I am vegan.", "I am no longer vegan.", "Am I vegan?", "longer"),
    ("My favorite color is blue.", "My favorite color is green now.", "What is my favorite color?", "green"),
    ("My favorite cafe is Blue Bottle.", "My favorite cafe is Verve now.", "Which cafe is my favorite?", "Verve"),
    ("My favorite band is Radiohead.", "My favorite band is Wilco now.", "What is my favorite band?", "Wilco"),
    ("I drive a Volvo.", "I drive a Tesla now.", "Which car do I drive?", "Tesla"),
    ("My phone is a Pixel.", "My new phone is an iPhone.", "What phone do I have?", "iPhone"),
    ("I am dating Anna.", "I am dating Clara now.", "Who am I dating?", "Clara"),
    ("My boss is Karen.", "My new boss is Dmitri.", "Who is my boss?", "Dmitri"),
    ("I go to the gym on Mondays.", "I go to the gym on Fridays now.", "On which day do I go to the gym?", "Fridays"),
    ("I study physics.", "I switched my major to biology.", "What do I study?", "biology"),
    ("I use Vim as my editor.", "I switched to Emacs.", "Which editor do I use?", "Emacs"),
    ("My email is ann@old.org.", "My email is ann@new.org now.", "What is my email?", "new.org"),
    ("My doctor is Dr. Weiss.", "My new doctor is Dr. Amari.", "Who is my doctor?", "Amari"),
    ("I play tennis at the club.", "I stopped playing tennis.", "Do I play tennis?", "stopped"),
    ("I have a dog called Rex.", "My dog Rex died.", "Do I have a dog?", "died"),
    ("I smoke.", "I quit smoking.", "Do I smoke?", "quit"),
    ("I rent a flat on Elm Street.", "I bought a house on Oak Street.", "On which street do I live?", "Oak"),
)  # fmt: skip
OTHERS = ("The tomatoes on the balcony ripen slowly.", "My sister visits in spring.", "The train was late again today.")


@dataclass(frozen=True, slots=True)
class Holds:
    changes: int
    first: dict[str, int]
    """By way of asking: how often the current value was the first answer."""


def measure(progress: Progress) -> Holds:
    first = {"HTTP hybrid": 0, "recall": 0}
    bar = progress.add_task("what holds now", total=len(CHANGES))
    for change in CHANGES:
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            engine = open_engine(load(memory=MemorySection(root=Path(folder))))
            try:
                for way, text in answers(engine, *change[:3]).items():
                    first[way] += change[3] in text
            finally:
                engine.close()
        progress.advance(bar)
    return Holds(len(CHANGES), first)


def answers(engine: Engine, before: str, after: str, question: str) -> dict[str, str]:
    """The sentence that each way of asking shows first."""
    owner = Owner(Scope(engine.settings.mcp.app, engine.settings.mcp.project), "user", "ann")
    engine.embedder.encode(["warm"])
    for number, (day, text) in enumerate(((0, before), *enumerate(OTHERS, start=20), (LATER, after))):
        said = NewMessage("ann", "user", START + day * DAY, text, sender_name="Ann")
        remember(engine, owner.scope, f"s{number}", [said])
        flush(engine, owner.scope, f"s{number}")
    while embed_pending(engine, 100):
        pass
    http = recall(engine, Query(owner, question, 5)).hits["episode"]
    tool = caller(engine)("recall", {"query": question, "limit": 5})["results"]
    return {"HTTP hybrid": http[0].passages[0].text, "recall": tool[0]["passages"][0]["text"]}
