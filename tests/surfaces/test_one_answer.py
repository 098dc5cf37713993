"""One vault, one question, one first answer: through every surface, each a process of its own.

A server is told, over HTTP and days apart, statements that change; then every surface is asked the same question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import pytest
from evercli import Evercli
from gates import Gate, Host, host, new_key
from serving import Api, Server, running
from speaking import Client
from vaults import within

DAY = 86_400_000
START = 1_750_000_000_000
"""15 June 2025."""


class Changed(NamedTuple):
    """What somebody said once, and later, about one thing; and how the later statement is told of them."""

    once: str
    now: str
    told: str
    asked: tuple[str, ...]
    still: str
    """A question that names the old value."""

    @property
    def past(self) -> str:
        return f"past: {self.once} now: {self.told}"


CHANGED = {
    "home": Changed(
        "I live in Rome.",
        "I moved to Lisbon.",
        "Ann moved to Lisbon.",
        ("Where do I live?", "Which city do I live in?"),
        "Do I still live in Rome?",
    ),
    "work": Changed(
        "I work at Siemens.",
        "I started at Bosch.",
        "Ann started at Bosch.",
        ("Where do I work?", "Which company do I work for?"),
        "Do I still work at Siemens?",
    ),
    "diet": Changed(
        "I am vegetarian.",
        "I eat meat again.",
        "Ann eats meat again.",
        ("Am I vegetarian?", "Do I eat meat?"),
        "Am I still vegetarian?",
    ),
    "car": Changed(
        "I drive an old Volvo.",
        "I drive a Tesla now.",
        "Ann drives a Tesla now.",
        ("Which car do I drive?", "What do I drive?"),
        "Do I still drive the Volvo?",
    ),
    "marriage": Changed(
        "I am single.",
        "I got married.",
        "Ann got married.",
        ("Am I married?", "Did I get married?"),
        "Am I still single?",
    ),
}
ELSE = ("My sister bakes bread on Sundays.", "The train to the mountains was late.", "The kitchen needs new paint.")
QUESTIONS = [(name, question) for name, changed in CHANGED.items() for question in changed.asked]


@dataclass(frozen=True)
class Told:
    server: Server
    knowledge: Client
    records: Client
    everme: Host
    gateway: Gate
    cli: Evercli


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    root = tmp_path_factory.mktemp("one") / "root"
    with running(root) as server, ExitStack() as hosts:
        api = Api(server.client, root, "default", "default")
        statements = [*(one.once for one in CHANGED.values()), *ELSE, *(one.now for one in CHANGED.values())]
        for number, text in enumerate(statements):
            api.tell(f"talk {number}", text, sender="ann", at=START + 10 * number * DAY)

        def all_there(found: Mapping[str, Any]) -> bool:
            return len(found["episodes"]) == len(statements) and found["trace"]["note"] is None

        api.until("search", all_there, user_id="ann", query="I", method="vector", top_k=50, explain=True)
        knowledge, records = (hosts.enter_context(closing(Client(root, {}, name))) for name in ("knowledge", "records"))
        within(10, lambda: is_ready(knowledge, "search") and is_ready(records, "memory_search"))
        everme = hosts.enter_context(host(root))
        everme.hello()
        cli = Evercli(tmp_path_factory.mktemp("home"), {"EVERCLI_API_BASE_URL": server.url})
        gateway = Gate(server.client, new_key(root, "owner")[1]).agent()
        yield Told(server, knowledge, records, everme, gateway, cli)


Surface: TypeAlias = Callable[[Told, str], list[str]]
"""Asked a question, it gives the sentences of its answer."""


def is_ready(client: Client, tool: str) -> bool:
    """Whether its model is loaded."""
    answer = client.request("tools/call", {"name": tool, "arguments": {"query": "bread"}})
    return "result" in answer and not answer["result"].get("isError")


def shown(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """The sentences of an answer in JSON, best first. What has ended says until when, and what holds instead."""
    lines = []
    for result in results:
        for one in result.get("passages", ()):
            assert (one["valid_until"] is None) == (one["ended_by"] is None), one
            lines.append(f"past: {one['text']} now: {one['ended_by']}" if one["ended_by"] else one["text"])
    return lines


def in_markdown(text: str) -> list[str]:
    lines = []
    for line in text.splitlines():
        if line.startswith("- [episodic]"):
            said = line.rpartition("“")[2].rstrip("”")
            past = re.search(r"\(past, until [\d :-]+, now “(.*?)”\)", line)
            lines.append(f"past: {said} now: {past[1]}" if past else said)
    return lines


def over_http(method: str) -> Surface:
    def ask(told: Told, question: str) -> list[str]:
        api = Api(told.server.client, told.server.root, "default", "default")
        return shown(api.ok("search", user_id="ann", query=question, method=method, top_k=20)["episodes"])

    return ask


def by_knowledge(tool: str) -> Surface:
    return lambda told, question: shown(told.knowledge.ok(tool, query=question, limit=20)["results"])


SURFACES: dict[str, Surface] = {
    "http hybrid": over_http("hybrid"),
    "http agentic": over_http("agentic"),
    "http keyword": over_http("keyword"),
    "http vector": over_http("vector"),
    "recall": by_knowledge("recall"),
    "search": by_knowledge("search"),
    "search_text": by_knowledge("search_text"),
    "memory_search": lambda told, question: shown(told.records.ok("memory_search", query=question, limit=20)),
    "mem_search": lambda told, question: in_markdown(told.everme.text("mem_search", query=question, topK=20)),
    "gateway": lambda told, question: shown(told.gateway.ok("/mem/search", {"query": question, "topK": 20})["items"]),
    "evercli": lambda told, question: shown(
        told.cli("memory", "search", question, "--user", "ann", "--top-k", "20").data["items"]
    ),
}


@pytest.mark.parametrize(("thing", "question"), QUESTIONS)
@pytest.mark.parametrize("surface", SURFACES)
def test_what_holds_now_is_the_first_answer(told: Told, surface: str, thing: str, question: str) -> None:
    lines = SURFACES[surface](told, question)
    assert lines[0] == CHANGED[thing].now, lines
    assert_past_is_marked(lines)


@pytest.mark.parametrize("thing", CHANGED)
@pytest.mark.parametrize("surface", SURFACES)
def test_who_asks_for_the_past_is_told_what_replaced_it(told: Told, surface: str, thing: str) -> None:
    lines = SURFACES[surface](told, CHANGED[thing].still)
    assert CHANGED[thing].past in lines
    assert lines[0] in (CHANGED[thing].past, CHANGED[thing].now), lines
    assert_past_is_marked(lines)


@pytest.mark.parametrize(
    ("thing", "question"), [*QUESTIONS, *((name, changed.still) for name, changed in CHANGED.items())]
)
def test_context_tells_what_holds_now_and_nothing_else(told: Told, thing: str, question: str) -> None:
    """In the order in which it was said, and only what other surfaces answer too."""
    text = told.everme.text("mem_context", query=question)
    said = re.findall("^- ([\\d-]+), user “Ann”: “(.*)”$", text, re.MULTILINE)
    lines = [line for _, line in said]
    assert CHANGED[thing].now in lines, text
    assert not [one.once for one in CHANGED.values() if one.once.rstrip(".") in text]
    assert said == sorted(set(said))
    assert len(said) == text.count("\n- ")
    assert set(lines) <= set(SURFACES["mem_search"](told, question))


def assert_past_is_marked(lines: Sequence[str]) -> None:
    for changed in CHANGED.values():
        assert changed.once not in lines, lines
    assert {line for line in lines if line.startswith("past: ")} <= {changed.past for changed in CHANGED.values()}


def test_evercli_says_so_to_people(told: Told) -> None:
    text = told.cli("memory", "search", "Where do I live?", "--user", "ann", "--format", "text").out
    assert text.index("I moved to Lisbon.") < text.index("I live in Rome. (ended 2025-09-03: Ann moved to Lisbon.)")
