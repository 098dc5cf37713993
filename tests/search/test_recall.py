"""Recall on a real vault with the real offline model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.search import METHODS, Method, Query, Recall, recall
from everlore.search.recipes import HYBRID
from everlore.search.score import OWN
from everlore.stores.base import Asked, Evidence
from everlore.sync.embedding import embed_pending
from everlore.sync.indexing import index_file
from everlore.types import Owner, Predicate, Scope

DAY = 86_400_000
START = 1_748_000_000_000
TALKS = {
    "climbing": ["I love climbing in Yosemite every spring.", "The granite walls there are the best in the world."],
    "coffee": ["My favorite coffee shop is Blue Bottle in SOMA.", "I drink two cups of espresso every morning."],
    "work": ["I work as a data engineer at Acme.", "Our pipeline runs on Kubernetes in Frankfurt."],
    "family": ["My sister Maria moved to Lisbon in March.", "She opened a bakery near the river."],
    "中文": ["我最喜欢的城市是上海。", "我每天早上在公园跑步。"],
}
ALICE = Owner(Scope(), "user", "alice")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root: Path = tmp_path_factory.mktemp("vault")
    opened = open_engine(load(memory={"root": root}))
    for number, (session, lines) in enumerate(TALKS.items()):
        talk = [NewMessage("alice", "user", START + number * DAY + at * 1000, line) for at, line in enumerate(lines)]
        remember(opened, Scope(), session, talk)
        flush(opened, Scope(), session)
    other = [NewMessage("alice", "user", START, "I love climbing in another project.")]
    remember(opened, Scope(project="other"), "elsewhere", other)
    flush(opened, Scope(project="other"), "elsewhere")
    embed_pending(opened, 10_000)
    yield opened
    opened.close()


def ask(engine: Engine, text: str, method: Method = "hybrid", **more: object) -> Recall:
    return recall(engine, Query(ALICE, text, **{"top_k": 5, **more}), METHODS[method])  # type: ignore[arg-type]


def sessions(found: Recall) -> list[str]:
    return [hit.stored.session_id for hit in found.hits["episode"]]


@pytest.mark.parametrize("method", get_args(Method))
@pytest.mark.parametrize(
    ("question", "session"),
    [
        ("Where do I go climbing in spring?", "climbing"),
        ("Which coffee shop is my favorite?", "coffee"),
        ("Where did my sister Maria move?", "family"),
    ],
)
def test_every_method_finds_the_episode_and_nests_its_facts(
    engine: Engine, method: Method, question: str, session: str
) -> None:
    found = ask(engine, question, method)
    assert sessions(found)[0] == session
    best = found.hits["episode"][0]
    assert best.facts
    assert all(fact.stored.parent_id == best.stored.parent_id for fact in best.facts)


@pytest.mark.parametrize("method", get_args(Method))
def test_scores_are_one_scale_between_0_and_1_and_fall(engine: Engine, method: Method) -> None:
    hits = ask(engine, "espresso in the morning", method).hits["episode"]
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    for hit in hits:
        facts = [fact.score for fact in hit.facts]
        assert facts == sorted(facts, reverse=True)
        assert all(0 <= score <= hit.score <= 1 for score in facts)


def test_meaning_is_found_without_a_common_word(engine: Engine) -> None:
    assert sessions(ask(engine, "mountaineering on rock faces", "vector"))[0] == "climbing"
    assert sessions(ask(engine, "mountaineering on rock faces"))[0] == "climbing"
    assert sessions(ask(engine, "mountaineering", "keyword")) == []


def test_chinese_is_found_by_its_words(engine: Engine) -> None:
    assert sessions(ask(engine, "上海", "keyword")) == ["中文"]
    assert sessions(ask(engine, "我在哪里跑步", "keyword"))[0] == "中文"


def test_nothing_crosses_a_project(engine: Engine) -> None:
    assert "elsewhere" not in sessions(ask(engine, "climbing", top_k=100))
    there = recall(engine, Query(Owner(Scope(project="other"), "user", "alice"), "climbing", top_k=5))
    assert sessions(there) == ["elsewhere"]


def test_a_radius_cuts_the_vector_part_only(engine: Engine) -> None:
    assert sessions(ask(engine, "climbing", "vector", radius=0.99)) == []
    assert sessions(ask(engine, "climbing", radius=0.99)) == ["climbing"]
    assert len(sessions(ask(engine, "climbing", "vector", radius=0.0))) == 5


def test_without_top_k_a_default_radius_cuts_the_tail(engine: Engine) -> None:
    everything = sessions(ask(engine, "quarterly tax return", "vector", top_k=100))
    worth_it = sessions(ask(engine, "quarterly tax return", "vector", top_k=-1))
    assert len(everything) == len(TALKS)
    assert len(worth_it) < len(everything)


def test_a_filter_is_applied_before_ranking(engine: Engine) -> None:
    only = Predicate("session_id", "eq", "work")
    assert sessions(ask(engine, "climbing in Yosemite", filter=only)) == ["work"]


def test_top_k_limits_each_kind(engine: Engine) -> None:
    assert len(sessions(ask(engine, "I", top_k=2))) == 2


def test_an_explained_search_tells_what_each_stage_did(engine: Engine) -> None:
    found = ask(engine, "climbing in Yosemite", "agentic", explain=True)
    assert found.trace["method"] == "agentic"
    assert "climb" in found.trace["terms"]
    stage = found.trace["stages"][0]
    assert stage["text_candidates"] > 0
    assert stage["dense_candidates"] > 0
    assert stage["rounds"]
    best = stage["results"][0]
    assert best["id"] == found.hits["episode"][0].stored.key.public_id
    assert best["turns"][0]["cosine"] > 0.5
    assert ask(engine, "climbing").trace == {}


def test_what_a_person_said_goes_before_the_same_words_of_an_assistant(tmp_path: Path) -> None:
    engine = open_engine(load(memory={"root": tmp_path / "vault"}))
    line = "The marathon in Vienna starts at nine."
    for number, (role, session) in enumerate((("assistant", "answered"), ("user", "told"))):
        opening = NewMessage("alice", "user", START + number * DAY, "Hello.")
        said = NewMessage("alice" if role == "user" else "bot", role, START + number * DAY + 1000, line)  # type: ignore[arg-type]
        remember(engine, Scope(), session, [opening, said])
        flush(engine, Scope(), session)
    embed_pending(engine, 100)
    for method in ("hybrid", "keyword", "agentic"):
        assert sessions(ask(engine, "When does the marathon in Vienna start?", method)) == ["told", "answered"]
    engine.close()


@pytest.mark.parametrize(("another", "reads"), [(False, 1), (True, 2)])
def test_lists_are_read_further_only_where_there_is_more_to_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, another: bool, reads: int
) -> None:
    """A long talk fills them; whether there is another one is known without reading on."""
    engine = open_engine(load(memory={"root": tmp_path}))
    talk = [NewMessage("alice", "user", START + at * 1000, f"I drink tea number {at}.") for at in range(60)]
    remember(engine, Scope(), "tea", talk)
    flush(engine, Scope(), "tea")
    if another:
        remember(engine, Scope(), "coffee", [NewMessage("alice", "user", START + DAY, "I roast coffee at home.")])
        flush(engine, Scope(), "coffee")
    candidates, asked = engine.index.search.candidates, list[int]()

    def counted(question: Asked) -> Evidence:
        if question.limit:
            asked.append(question.limit)
        return candidates(question)

    monkeypatch.setattr(engine.index.search, "candidates", counted)
    assert sessions(ask(engine, "Which tea do I drink?", "keyword", top_k=10)) == ["tea"]
    engine.close()
    assert len(asked) == reads, asked


def test_what_the_asker_calls_their_own_counts_more_than_the_rest_of_the_question(tmp_path: Path) -> None:
    engine = open_engine(load(memory={"root": tmp_path / "vault"}))
    talks = {
        "keyboard": "The keyboard in the office needs a good cleaning.",
        "cello": "The cello in the hall is old.",
        "garden": "The tomatoes on the balcony ripen slowly.",
    }
    for number, (session, line) in enumerate(talks.items()):
        remember(engine, Scope(), session, [NewMessage("alice", "user", START + number * DAY, line)])
        flush(engine, Scope(), session)
    embed_pending(engine, 100)
    a, my = (ask(engine, f"Is cleaning needed for {whose} cello?", "keyword", explain=True) for whose in ("a", "my"))
    engine.close()
    assert (sessions(a)[0], sessions(my)[0]) == ("keyboard", "cello")
    plain, own = (one.trace["stages"][0]["term_weights"] for one in (a, my))
    assert plain.keys() == own.keys() == {"cello", "need", "clean"}
    assert own["cello"] == pytest.approx(OWN * plain["cello"], rel=1e-3)
    assert own["need"] == plain["need"]


def test_agentic_follows_an_entity_to_memories_that_share_no_word_with_the_question(tmp_path: Path) -> None:
    engine = open_engine(load(memory={"root": tmp_path / "vault"}))
    talks = {
        "dentist": "Doctor Okonkwo is the dentist who repaired my broken tooth.",
        "regatta": "Okonkwo won a silver cup at the Zurich regatta.",
        "garden": "The tomatoes on the balcony ripen slowly this summer.",
        "radio": "The evening radio plays too many commercials.",
    }
    for number, (session, line) in enumerate(talks.items()):
        remember(engine, Scope(), session, [NewMessage("alice", "user", START + number * DAY, line)])
        flush(engine, Scope(), session)
    embed_pending(engine, 100)
    question = "Which dentist repaired my tooth?"
    plain, deep = (ask(engine, question, method, explain=True) for method in ("hybrid", "agentic"))
    engine.close()
    assert "okonkwo" in deep.trace["stages"][0]["rounds"][0]["entities"]
    found, before = ({hit.stored.session_id: hit.score for hit in one.hits["episode"]} for one in (deep, plain))
    assert found["regatta"] > before.get("regatta", 0.0)


def test_a_query_of_punctuation_alone_is_answered(engine: Engine) -> None:
    assert ask(engine, "?!... \u0000", "keyword").hits["episode"] == []
    ask(engine, "?!...")
    ask(engine, '"AND" OR NOT (foo* NEAR/2', "keyword")


def test_the_time_asked_for_is_preferred_but_not_demanded(engine: Engine) -> None:
    day = engine.clock.local(START + 3 * DAY)
    asked = ask(engine, f"What did I talk about on {day.day} {day:%B %Y}?", explain=True)
    assert sessions(asked)[0] == "family"
    assert len(sessions(asked)) > 1
    assert asked.trace["time"][0].startswith(f"{day:%Y-%m-%d}")
    assert ask(engine, "What did I talk about?", explain=True).trace["time"] is None


def test_an_episode_of_the_time_asked_for_is_found_without_any_common_word(engine: Engine) -> None:
    day = engine.clock.local(START + 2 * DAY)
    assert "work" in sessions(ask(engine, f"{day:%Y-%m-%d}"))


def test_what_has_no_vector_yet_gets_one_before_it_is_compared(tmp_path: Path) -> None:
    """As after the first flush of all, which does not wait for the model to load."""
    engine = open_engine(load(memory={"root": tmp_path}))
    remember(engine, Scope(), "s", [NewMessage("alice", "user", START, TALKS["climbing"][0])])
    flush(engine, Scope(), "s")
    embed_pending(engine, 100)
    before = ask(engine, "Where do I like to climb?").hits
    (file,) = tmp_path.rglob("episode-*.md")
    written = file.read_text(encoding="utf-8")
    for text in (written.replace("Yosemite", "Zion"), written):
        file.write_text(text, encoding="utf-8")
        index_file(engine, file.relative_to(tmp_path).as_posix())
    assert engine.index.upkeep.status().unembedded
    assert [hit.score for hit in ask(engine, "Where do I like to climb?").hits["episode"]] == [
        hit.score for hit in before["episode"]
    ]
    engine.close()


def test_a_model_that_takes_too_long_to_load_leaves_the_search_to_the_words(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(engine.embedder), "state", lambda _: "loading")
    impatient = HYBRID.but("impatient", patience=0.1)
    found = recall(engine, Query(ALICE, "Where do I go climbing in spring?", 5, explain=True), impatient)
    assert sessions(found)[0] == "climbing"
    assert found.trace is not None
    assert "words alone" in str(found.trace["note"])


def test_of_facts_that_share_no_word_with_the_question_the_telling_one_comes_first(tmp_path: Path) -> None:
    engine = open_engine(load(memory={"root": tmp_path / "vault"}))
    said = "Perfect, thanks. That was quick. I am allergic to peanuts."
    remember(engine, Scope(), "s", [NewMessage("alice", "user", START, said)])
    flush(engine, Scope(), "s")
    embed_pending(engine, 100)
    facts = ask(engine, "Which foods does she have to avoid?").hits["episode"][0].facts
    engine.close()
    assert "peanuts" in str(facts[0].stored.data["content"])


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Talks of two projects and of none."""
    opened = open_engine(load(memory={"root": tmp_path_factory.mktemp("marked")}))
    talks = {
        "alpha": [
            "We decided to use Postgres for billing.",
            "I live in Graz.",
            "Always run the linter before a commit.",
        ],
        "beta": ["The parser is written in Rust.", "I moved to Linz.", "I am allergic to peanuts."],
        "": ["My sister Eva visits in August."],
    }
    for number, (project, lines) in enumerate(talks.items()):
        told = [
            NewMessage("alice", "user", START + number * DAY + at * 1000, line, project=project)
            for at, line in enumerate(lines)
        ]
        remember(opened, Scope(), f"in {project}", told)
        flush(opened, Scope(), f"in {project}")
    embed_pending(opened, 10_000)
    yield opened
    opened.close()


def said(engine: Engine, question: str, project: str | None, **more: Any) -> list[str]:
    hits = ask(engine, question, project=project, **more).hits["episode"]
    return [passage.text for hit in hits for passage in hit.passages if passage.valid_until is None]


@pytest.mark.parametrize("method", get_args(Method))
def test_a_project_does_not_see_talks_of_another(marked: Engine, method: Method) -> None:
    for project, seen in ((None, True), ("alpha", True), ("beta", False), ("gamma", False)):
        hits = recall(marked, Query(ALICE, "Which database is billing on?", 5, project=project), METHODS[method]).best
        assert any("Postgres" in one.text for hit in hits for one in hit.passages) == seen, project
        assert {hit.stored.session_id for hit in hits if hit.stored.key.kind == "episode"} <= {
            f"in {project}",
            "in ",
        } | ({"in alpha", "in beta"} if project is None else set())


@pytest.mark.parametrize("project", ["alpha", "beta", "gamma"])
def test_what_is_personal_is_seen_in_every_project(marked: Engine, project: str) -> None:
    assert said(marked, "Where do I live?", project)[0] in ("I moved to Linz.", "Alice moved to Linz.")
    assert said(marked, "What am I allergic to?", project)[0] in (
        "I am allergic to peanuts.",
        "Alice is allergic to peanuts.",
    )
    assert said(marked, "When does Eva visit?", project)[0] == "My sister Eva visits in August."


def test_a_project_sees_one_list_in_which_nothing_is_there_twice(marked: Engine) -> None:
    found = ask(marked, "Where do I live?", project="beta", explain=True)
    (hits,) = found.hits.values()
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.stored.key for hit in hits}) == len(hits)
    assert sum("Linz" in one.text for hit in hits for one in hit.passages) == 1
    assert hits[0].score == ask(marked, "Where do I live?").hits["episode"][0].score
    (stage,) = found.trace["stages"]
    assert [result["id"] for result in stage["results"]] == [hit.stored.key.public_id for hit in hits]
    assert len(ask(marked, "Where do I live?", project="beta", top_k=1).best) == 1
