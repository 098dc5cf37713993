"""Reading a scope in the gateway's shapes."""

from __future__ import annotations

import pytest

from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.surfaces.contracts.everme import reading
from everlore.surfaces.contracts.everme.gateway import SaveBody, save
from everlore.surfaces.contracts.everme.reading import Person
from everlore.types import Scope

PERSON = Person(Scope("default", "default"), "ada", "agent")


def tell(engine: Engine, text: str, session: str = "s", *, flushing: bool = True) -> None:
    said = [{"role": "user", "timestamp": 1_780_000_000_000, "content": text}]
    body = SaveBody.model_validate({"conversationId": session, "messages": said, "flush": flushing})
    save(engine, PERSON, body, stating=False)


def test_what_was_said_is_found_listed_got_and_forgotten(engine: Engine) -> None:
    tell(engine, "I keep two tortoises in the garden.")
    (found,) = reading.search(engine, PERSON, "tortoises", 5)["items"]
    page = reading.page(engine, PERSON, "episodic_memory", 1, 10)
    assert (page["totalCount"], page["items"][0]["item"]["id"]) == (1, found["id"])
    assert reading.get(engine, PERSON, found["id"])["type"] == "episodic_memory"
    assert "tortoises" in reading.context(engine, PERSON, "tortoises", 500)["context"]
    assert reading.forget(engine, PERSON, found["id"]) >= 1
    with pytest.raises(NotFound):
        reading.get(engine, PERSON, found["id"])


def test_what_waits_is_found_as_it_was_said(engine: Engine) -> None:
    tell(engine, "The marmot whistles.", "later", flushing=False)
    (raw,) = reading.search(engine, PERSON, "marmot", 5)["rawMessages"]
    assert (raw["senderName"], raw["contentItems"][0]["text"]) == ("Ada", "The marmot whistles.")


def test_a_context_is_for_those_it_fits(engine: Engine) -> None:
    """Rules and who the user is, what answers without ids; nothing for a prompt that nothing fits."""
    tell(engine, "I keep two tortoises in the garden.")
    text = reading.context(engine, PERSON, "tortoises", 800)["context"]
    assert "### What was said about it" in text
    assert PERSON.user + "_ep_" not in text
    assert text == reading.context(engine, PERSON, "tortoises", 800)["context"], "hosts keep what begins alike"
    for prompt in ("Write a haiku about the sea", "what does idempotent mean"):
        assert reading.context(engine, PERSON, prompt, 800)["context"] == ""
    assert reading.context(engine, PERSON, "how do I center a div", 800, fitting_only=True)["context"] == ""
