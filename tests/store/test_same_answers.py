"""The same memories told to the folder and to PostgreSQL: hundreds of questions have the same first ten answers."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from databases import Postgres
from serving import INDEX_SECONDS, Api, running

NAMES = ("Maria", "Tom", "Aiko", "Pavel", "Leila", "Sven")
PLACES = ("Porto", "Oslo", "Kyoto", "Turin", "Lima", "Ghent")
THINGS = ("a red bicycle", "two old cameras", "a sourdough starter", "a chess clock", "a canoe", "an orchid")
WORK = ("the billing service", "a paper on bees", "the school garden", "a film about trains", "the night shift")
SAID = (
    "{name} lives in {place} and keeps {thing} in the hall.",
    "Yesterday {name} told me about {work}, it was a long day in {place}.",
    "I would like to visit {name} in {place} before the summer ends.",
    "We bought {thing} for {name}, who is still busy with {work}.",
    "My sister works on {work} now and has sold {thing}.",
)
ASKED = (
    "Where does {name} live?",
    "Who has {thing}?",
    "What is {name} busy with?",
    "What happened in {place}?",
    "Did I buy {thing} for {name}?",
    "Who works on {work} in {place}?",
)
ONE_AFTER_THE_OTHER = 86_400_000
CLOSE = 1e-4
"""Scores of both stores differ by rounding; among equals either order is right."""


def texts(patterns: tuple[str, ...], count: int) -> list[str]:
    """The first so many of all combinations, in an order that mixes them."""
    every = [
        pattern.format(name=name, place=place, thing=thing, work=work)
        for pattern, name, place, thing, work in itertools.product(patterns, NAMES, PLACES, THINGS, WORK)
    ]
    return list(dict.fromkeys(every[number * 7919 % len(every)] for number in range(len(every))))[:count]


def wait_until_embedded(api: Api) -> None:
    deadline = time.monotonic() + INDEX_SECONDS
    while not re.search(r"^everlore_index_unembedded 0(\.0)?$", api.client.get("/metrics").text, re.MULTILINE):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture(scope="module")
def stores(database: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Api]]:
    told = texts(SAID, 240)
    with ExitStack() as stack:
        apis = []
        for env in ({}, {"DATABASE_URL": database.database()}):
            root: Path = tmp_path_factory.mktemp("same") / "root"
            server = stack.enter_context(running(root, env))
            api = Api(server.client, server.root, app_id="same")
            for number in range(0, len(told), 6):
                api.tell(f"s{number}", *told[number : number + 6], at=1_780_000_000_000 + number * ONE_AFTER_THE_OTHER)
            wait_until_embedded(api)
            apis.append(api)
        yield apis


def first_ten(api: Api, query: str, method: str) -> list[tuple[float, str]]:
    found: list[dict[str, Any]] = api.ok("search", user_id="alice", query=query, method=method, top_k=10)["episodes"]
    return [(episode["score"], episode["episode"]) for episode in found]


@pytest.mark.parametrize("method", ["keyword", "vector", "hybrid", "agentic"])
def test_both_stores_answer_alike(stores: list[Api], method: str) -> None:
    questions = texts(ASKED, 120)
    for question in questions:
        folder, postgres = (first_ten(api, question, method) for api in stores)
        assert len(folder) == len(postgres), question
        assert [score for score, _ in folder] == pytest.approx([score for score, _ in postgres], abs=CLOSE), question
        ties = folder[-1][0] + CLOSE if folder else 0.0  # of the last ones, more may be equally good than fit in
        assert {text for score, text in folder if score > ties} <= {text for _, text in postgres}, question
        for (score, text), (_, other) in zip(folder, postgres, strict=True):
            equal = [one for value, one in folder if abs(value - score) <= CLOSE]
            assert other in equal or score <= ties, (question, text)
