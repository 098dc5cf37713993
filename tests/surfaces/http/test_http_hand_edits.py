"""What a person does to the files, as a client of the server sees it afterwards."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from serving import Api, everlore

pytestmark = pytest.mark.looks_at_files

TOLD = ("I climb in Yosemite.", "My dog is called Rex.", "I work at Siemens.")
AT = 1_780_000_000_000
FIRST, SECOND, THIRD = (f"alice_ep_20260528_0000000{number}" for number in (1, 2, 3))
SKILL = "---\nid: sk_20260528_00000001\nname: tea\ndescription: Making tea\n---\nBoil the water first.\n"


@pytest.fixture
def alice(api: Api) -> Iterator[Path]:
    """Her folder, with three episodes of one day. The server is shared, so what is broken does not stay."""
    for number, text in enumerate(TOLD):
        api.tell(f"s{number}", text, at=AT + 60_000 * number)
    folder = api.root / api.app_id / api.project_id / "users/alice"
    yield folder
    shutil.rmtree(folder)
    settled(api)


def day(alice: Path) -> Path:
    return alice / "episodes/episode-2026-05-28.md"


def entry(text: str, public_id: str) -> str:
    ident = public_id.removeprefix("alice_")
    end = f"<!-- /entry:{ident} -->\n"
    return text[text.index(f"<!-- entry:{ident} -->") : text.index(end) + len(end)]


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def listed(api: Api) -> list[str]:
    found = api.ok("get", user_id="alice", memory_type="episode", sort_order="asc")["episodes"]
    return [item["id"] for item in found]


def become(api: Api, ids: Sequence[str]) -> None:
    deadline = time.monotonic() + 120
    while listed(api) != list(ids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert listed(api) == list(ids)


def problems(api: Api) -> list[str]:
    return [told for told in api.client.get("/health").json()["problems"] if api.app_id in told]


def reported(api: Api, words: str) -> None:
    deadline = time.monotonic() + 120
    while not any(words in told for told in problems(api)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert any(words in told for told in problems(api)), problems(api)


def settled(api: Api) -> None:
    """Until nothing is wrong any more."""
    deadline = time.monotonic() + 120
    while problems(api) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert problems(api) == []


def holding(alice: Path, word: str) -> list[str]:
    return sorted(file.name for file in alice.rglob("*.md") if word in file.read_text(encoding="utf-8"))


def test_an_entry_deleted_beside_a_repeated_one_is_forgotten(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text.replace(entry(text, FIRST), "") + "\n" + entry(text, THIRD))
    become(api, [SECOND, THIRD])
    assert holding(alice, "Yosemite") == []
    assert "is there twice" in problems(api)[0]


def test_the_api_deletes_also_where_another_entry_cannot_be_read(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    ident = THIRD.removeprefix("alice_")
    write(day(alice), text.replace(f"<!-- /entry:{ident} -->\n", ""))  # the file breaks off
    reported(api, "has no closing marker")
    assert listed(api) == [FIRST, SECOND, THIRD]
    assert api.ok("delete", user_id="alice", id=SECOND)["deleted"] == 2
    assert listed(api) == [FIRST, THIRD]
    assert holding(alice, "Rex") == []


def test_of_a_file_that_breaks_off_nothing_is_taken_for_deleted(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text[: text.index("My dog is called Rex.")])
    reported(api, "has no closing marker")
    time.sleep(1)
    assert listed(api) == [FIRST, SECOND, THIRD]
    assert "fact-2026-05-28.md" in holding(alice, "Siemens")


def test_the_api_deletes_every_copy_of_an_entry(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text + "\n" + entry(text, SECOND).replace("Rex", "Max") + "\n" + entry(text, SECOND))
    reported(api, "is there twice")
    api.ok("delete", user_id="alice", id=SECOND)
    assert listed(api) == [FIRST, THIRD]
    assert holding(alice, "Rex") == holding(alice, "Max") == []
    settled(api)


def test_an_entry_that_cannot_be_found_in_its_file_is_not_deleted_and_the_answer_says_why(
    api: Api, alice: Path
) -> None:
    ident = SECOND.removeprefix("alice_")
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text.replace(f"<!-- /entry:{ident} -->\n", ""))
    reported(api, "has no closing marker")
    said = api.refused("delete", 503, user_id="alice", id=SECOND)
    assert f"entry {ident} has no closing marker" in said


def test_nothing_is_deleted_while_the_profile_cannot_lose_it(api: Api, alice: Path) -> None:
    profile = alice / "user.md"
    good = profile.read_text(encoding="utf-8")
    assert "Rex" in good
    write(profile, good.replace("explicit_info:", "explicit_info: ["))
    reported(api, "not valid YAML")
    assert "user.md, line" in api.refused("delete", 503, user_id="alice", id=SECOND)
    assert listed(api) == [FIRST, SECOND, THIRD]
    write(profile, good)
    settled(api)
    api.ok("delete", user_id="alice", id=SECOND)
    assert holding(alice, "Rex") == []


@pytest.mark.parametrize("kept", ["episode-2026-05-28.md", "episode-2026-05-29.md"])
def test_a_copied_file_is_reported_and_either_of_the_two_may_go(api: Api, alice: Path, kept: str) -> None:
    copy = day(alice).with_name("episode-2026-05-29.md")
    shutil.copy(day(alice), copy)
    reported(api, "is there twice, also in")
    assert len(problems(api)) == 3
    assert all(copy.name in told and day(alice).name in told for told in problems(api))
    facts = (alice / "facts/fact-2026-05-28.md").read_bytes()
    (copy if kept == day(alice).name else day(alice)).unlink()
    settled(api)
    time.sleep(1)
    assert listed(api) == [FIRST, SECOND, THIRD]
    assert (alice / "facts/fact-2026-05-28.md").read_bytes() == facts
    assert "Rex" in str(api.ok("search", user_id="alice", query="What is my dog called?", method="keyword"))


def test_a_copied_skill_is_reported_until_it_has_an_id_of_its_own(api: Api) -> None:
    skills = api.root / api.app_id / api.project_id / "agents/bot/skills"
    (skills / "tea").mkdir(parents=True)
    write(skills / "tea/SKILL.md", SKILL)
    api.until("get", lambda data: data["total_count"] == 1, agent_id="bot", memory_type="agent_skill")
    shutil.copytree(skills / "tea", skills / "coffee")
    reported(api, "is there twice, also in")
    write(skills / "coffee/SKILL.md", SKILL.replace("00000001", "00000002").replace("tea", "coffee"))
    settled(api)
    data = api.ok("get", agent_id="bot", memory_type="agent_skill")
    assert sorted(item["name"] for item in data["agent_skills"]) == ["coffee", "tea"]


def test_the_api_deletes_a_memory_with_its_copies_in_other_files(api: Api) -> None:
    skills = api.root / api.app_id / api.project_id / "agents/bot/skills"
    (skills / "tea").mkdir(parents=True)
    write(skills / "tea/SKILL.md", SKILL)
    api.until("get", lambda data: data["total_count"] == 1, agent_id="bot", memory_type="agent_skill")
    shutil.copytree(skills / "tea", skills / "more tea")
    reported(api, "is there twice, also in")
    api.ok("delete", agent_id="bot", id="bot_sk_20260528_00000001")
    assert api.ok("get", agent_id="bot", memory_type="agent_skill")["total_count"] == 0
    assert list(skills.rglob("*.md")) == []


def test_a_section_of_one_s_own_is_found_with_its_episode(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    end = f"<!-- /entry:{SECOND.removeprefix('alice_')} -->"
    write(day(alice), text.replace(end, f"### My note\nThe vet is Doctor Quagga on Elm Street.\n{end}"))
    for method in ("keyword", "hybrid", "vector", "agentic"):
        asked = {"user_id": "alice", "query": "Quagga vet", "method": method}
        found = api.until("search", lambda data: "Quagga" in str(data["episodes"][:1]), **asked)["episodes"][0]
        assert found["id"] == SECOND
        assert found["episode"].endswith("### My note\nThe vet is Doctor Quagga on Elm Street.")
    assert everlore("index", "rebuild", root=api.root).returncode == 0
    assert api.ok("search", **asked)["episodes"][0] == found
    write(day(alice), text)
    api.until("search", lambda data: "Quagga" not in str(data["episodes"]), **asked)


def profile(api: Api) -> str:
    return str(api.ok("get", user_id="alice", memory_type="profile")["profiles"])


def test_a_deleted_fact_leaves_the_profile(api: Api, alice: Path) -> None:
    facts = alice / "facts/fact-2026-05-28.md"
    text = facts.read_text(encoding="utf-8")
    assert "Siemens" in profile(api)
    said = next(part for part in text.split("<!-- entry:")[1:] if "Siemens" in part)
    write(facts, text.replace(f"<!-- entry:{said}", ""))
    deadline = time.monotonic() + 120
    while "Siemens" in profile(api) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "Siemens" not in profile(api) + (alice / "user.md").read_text(encoding="utf-8")
    assert "Rex" in profile(api)
    assert listed(api) == [FIRST, SECOND, THIRD]


def test_a_corrected_fact_stands_corrected_in_the_profile(api: Api, alice: Path) -> None:
    facts = alice / "facts/fact-2026-05-28.md"
    assert "Siemens" in profile(api)
    write(facts, facts.read_text(encoding="utf-8").replace("Siemens", "Bosch"))
    deadline = time.monotonic() + 120
    while "Bosch" not in profile(api) and time.monotonic() < deadline:
        time.sleep(0.05)
    for seen in (profile(api), (alice / "user.md").read_text(encoding="utf-8")):
        assert "Siemens" not in seen
        assert "Bosch" in seen
        assert "Rex" in seen


def test_a_fact_is_corrected_in_a_profile_that_has_nothing_else(api: Api) -> None:
    message = {
        "sender_id": "u1",
        "sender_name": "Bob Smith",
        "role": "user",
        "timestamp": AT,
        "content": "I live in Berlin.",
    }
    api.ok("add", session_id="s", messages=[message])
    api.ok("flush", session_id="s")
    (file,) = api.files("users/u1/facts/*.md")
    write(file, file.read_text(encoding="utf-8").replace("Berlin", "Bern"))
    api.until(
        "get",
        lambda data: "Bern." in str(data["profiles"]) and "Berlin" not in str(data["profiles"]),
        user_id="u1",
        memory_type="profile",
    )


def test_facts_that_are_missing_for_a_moment_stay_in_the_profile(api: Api, alice: Path) -> None:
    """As when an editor empties a file before it writes it."""
    facts = alice / "facts/fact-2026-05-28.md"
    text = facts.read_text(encoding="utf-8")
    before = profile(api)
    write(facts, "")
    time.sleep(0.2)
    write(facts, text)
    time.sleep(2)
    assert profile(api) == before


def test_what_was_told_while_the_profile_was_broken_is_in_it_after_the_repair(api: Api, alice: Path) -> None:
    sheet = alice / "user.md"
    text = sheet.read_text(encoding="utf-8")
    kept = text.replace("Siemens", "Bosch")
    write(sheet, kept.replace("explicit_info:", "explicit_info: [", 1))
    api.tell("broken", "I live in Lisbon.", "My cat is called Minka.", at=AT + 600_000)
    assert "Lisbon" not in sheet.read_text(encoding="utf-8")
    reported(api, "user.md")
    write(sheet, kept)
    deadline = time.monotonic() + 120
    while "Lisbon" not in profile(api) and time.monotonic() < deadline:
        time.sleep(0.05)
    for word in ("Lisbon", "Minka", "Rex", "Bosch"):
        assert word in profile(api)
    assert "Siemens" not in profile(api), "what the person corrected stays corrected"
    settled(api)
    assert holding(alice, "unlisted") == []
    assert "Lisbon" in sheet.read_text(encoding="utf-8")
