"""One vault, one question, one first answer: through every contract, also where statements changed over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.search import METHODS, Query, recall
from everlore.surfaces.contracts.everme import markdown, reading
from everlore.surfaces.contracts.everme.saving import Person
from everlore.surfaces.contracts.everos import presentation
from everlore.surfaces.contracts.knowledge import toolset as knowledge
from everlore.surfaces.contracts.records import toolset as records
from everlore.surfaces.contracts.toolset import Caller, Items
from everlore.sync import embed_pending
from everlore.types import Owner, Scope

DAY = 86_400_000
START = 1_750_000_000_000
ANN = Owner(Scope(), "user", "ann")
TOLD = {
    0: "I live in Rome.",
    5: "I work at Siemens.",
    10: "I am vegetarian.",
    20: "My sister bakes bread on Sundays.",
    30: "The train to the mountains was late.",
    100: "I moved to Lisbon.",
    105: "I started at Bosch.",
    110: "I eat meat again.",
}
ASKED = {
    "Where do I live?": "I moved to Lisbon.",
    "Which city do I live in?": "I moved to Lisbon.",
    "Where do I work?": "I started at Bosch.",
    "Which company do I work for?": "I started at Bosch.",
    "Am I vegetarian?": "I eat meat again.",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = open_engine(load(memory={"root": tmp_path_factory.mktemp("vault")}))
    opened.embedder.encode(["warm"])
    for day, text in TOLD.items():
        remember(opened, Scope(), f"day {day}", [NewMessage("ann", "user", START + day * DAY, text, sender_name="Ann")])
        flush(opened, Scope(), f"day {day}")
    while embed_pending(opened, 100):
        pass
    yield opened
    opened.close()


def over_http(engine: Engine, question: str) -> str:
    found = recall(engine, Query(ANN, question, 5), METHODS["hybrid"])
    data = presentation.found(found, None, (), "default", engine.clock, explain=False)
    return data.episodes[0].passages[0].text


def by_tool(name: str) -> Callable[[Engine, str], str]:
    def ask(engine: Engine, question: str) -> str:
        tools = {tool.name: tool for tool in knowledge.toolset().tools}
        result = tools[name].call(Caller(lambda _: engine), {"query": question, "limit": 5})
        assert isinstance(result, dict)
        text: str = result["results"][0]["passages"][0]["text"]
        return text

    return ask


def by_records(engine: Engine, question: str) -> str:
    result = records.memory_search.call(Caller(lambda _: engine), {"query": question})
    assert isinstance(result, Items)
    text: str = result.items[0]["passages"][0]["text"]
    return text


def over_gateway(engine: Engine, question: str) -> str:
    text: str = reading.search(engine, Person(Scope(), "ann", "helper"), question, 5)["items"][0]["passages"][0]["text"]
    return text


SURFACES = {
    "http": over_http,
    "recall": by_tool("recall"),
    "search": by_tool("search"),
    "search_text": by_tool("search_text"),
    "memory_search": by_records,
    "gateway": over_gateway,
}


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("surface", SURFACES)
def test_what_holds_now_is_the_first_answer(engine: Engine, surface: str, question: str) -> None:
    assert SURFACES[surface](engine, question) == ASKED[question]


def test_what_has_ended_is_shown_as_past_with_what_replaced_it(engine: Engine) -> None:
    found = reading.search(engine, Person(Scope(), "ann", "helper"), "Where do I live?", 5)
    shown = markdown.search_results("Where do I live?", found)
    past = next(line for line in shown.splitlines() if "I live in Rome." in line)
    assert "(past, until " in past
    assert "now “Ann moved to Lisbon.”" in past
    context = reading.context(engine, Person(Scope(), "ann", "helper"), "Where do I live?", 2000)["context"]
    assert context.index("I moved to Lisbon.") < context.index("I live in Rome.")
