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
FRESH = (
    # written later, and not looked at while anything was changed
    ("I live in Porto near the river.", "I moved to Gdansk in spring.", "Which town do I live in?", "Gdansk"),
    ("My dentist is Dr. Okafor.", "My dentist is Dr. Lind now.", "Which dentist do I go to?", "Lind"),
    ("I take the bus to work.", "I take the train to work now.", "How do I get to work?", "train"),
    ("My landlord is Mr. Petrov.", "My new landlord is Mrs. Chen.", "Who is my landlord?", "Chen"),
    (
        "I am learning Spanish.",
        "I am learning Korean now instead of Spanish.",
        "Which language am I learning?",
        "Korean",
    ),
    ("My laptop is a ThinkPad.", "My new laptop is a MacBook.", "What laptop do I have?", "MacBook"),
    (
        "I work at the library on Tuesdays.",
        "I work at the library on Saturdays now.",
        "On which day do I work at the library?",
        "Saturdays",
    ),
    ("I am engaged to Paul.", "I married Paul in June.", "Am I engaged to Paul?", "married"),
    ("My favorite tea is Earl Grey.", "My favorite tea is rooibos now.", "What is my favorite tea?", "rooibos"),
    ("I use Slack for team chat.", "I switched from Slack to Zulip.", "Which tool do I use for team chat?", "Zulip"),
    ("I bank with Barclays.", "I moved my account to Monzo.", "Which bank do I use?", "Monzo"),
    ("My therapist is Laura.", "My new therapist is Henrik.", "Who is my therapist?", "Henrik"),
    ("I own a motorcycle.", "I sold my motorcycle.", "Do I own a motorcycle?", "sold"),
    ("I am single.", "I am dating Miriam now.", "Am I single?", "Miriam"),
    ("I work as a cook in a hotel.", "I now work as a baker in a hotel.", "What is my job in the hotel?", "baker"),
    ("My gym is on Park Road.", "My gym is on Mill Road now.", "On which road is my gym?", "Mill"),
    ("I drink coffee every morning.", "I gave up coffee.", "Do I drink coffee?", "gave up"),
    ("My phone number is 555 1234.", "My phone number is 555 9876 now.", "What is my phone number?", "9876"),
    (
        "I play the guitar in a band.",
        "I play the drums in the band now.",
        "Which instrument do I play in the band?",
        "drums",
    ),
    ("My manager is Sophie.", "Sophie left, my manager is Abdul now.", "Who is my manager?", "Abdul"),
)
OTHERS = ("The tomatoes on the balcony ripen slowly.", "My sister visits in spring.", "The train was late again today.")


@dataclass(frozen=True, slots=True)
class Holds:
    changes: dict[str, int]
    first: dict[str, dict[str, int]]
    """By way of asking: of which changes how often the current value was the first answer."""


def measure(progress: Progress) -> Holds:
    told = {"changes": CHANGES, "fresh": FRESH}
    counts = {name: len(changes) for name, changes in told.items()}
    first = {way: dict.fromkeys(told, 0) for way in ("HTTP hybrid", "recall")}
    bar = progress.add_task("what holds now", total=sum(counts.values()))
    for name, change in [(name, change) for name, changes in told.items() for change in changes]:
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            engine = open_engine(load(memory=MemorySection(root=Path(folder))))
            try:
                for way, text in answers(engine, *change[:3]).items():
                    first[way][name] += change[3] in text
            finally:
                engine.close()
        progress.advance(bar)
    return Holds(counts, first)


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
