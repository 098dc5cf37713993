"""Content items of every type on the real server: what was in the file is found by search, and raw bytes are gone."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import papers
import pytest
from embeddings import Endpoint
from papers import inline
from serving import Api, Server, running
from webserver import Site, website

MAY_28 = 1_780_000_000_000


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with website() as served:
        yield served


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture(scope="module")
def media_server(tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint, shelf: Path) -> Iterator[Server]:
    env = {
        "EVEROS_EMBEDDING__BASE_URL": vectors.url,
        "EVEROS_EMBEDDING__MODEL": "test",
        "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
        "EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS": "127.0.0.1/32",
        "EVEROS_MULTIMODAL__FILE_URI_ALLOW_DIRS": str(shelf),
        "EVEROS_MULTIMODAL__FILE_URI_MAX_BYTES": "2000000",
        "EVEROS_MULTIMODAL__FETCH_MAX_BYTES": "2000000",
    }
    with running(tmp_path_factory.mktemp("media") / "root", env) as started:
        yield started


@pytest.fixture
def api(media_server: Server) -> Api:
    return Api(media_server.client, media_server.root)


def add(api: Api, *items: dict[str, Any], session: str = "s") -> None:
    message = {"sender_id": "alice", "role": "user", "timestamp": MAY_28, "content": list(items)}
    api.ok("add", session_id=session, messages=[message])


def refused(api: Api, *items: dict[str, Any]) -> str:
    message = {"sender_id": "alice", "role": "user", "timestamp": MAY_28, "content": list(items)}
    return api.refused("add", 415, session_id="s", messages=[message])


def found(api: Api, query: str) -> str:
    data = api.until("search", lambda data: bool(data["episodes"]), user_id="alice", query=query, method="keyword")
    text: str = data["episodes"][0]["episode"]
    return text


def test_what_was_in_files_is_found_and_the_files_are_not_kept(api: Api, site: Site, shelf: Path) -> None:
    papers_sent = {
        "pdf": inline("pdf", "pdf", papers.pdf("The walrus contract ends in October."), name="contract.pdf"),
        "image": inline("image", "png", papers.picture("Receipt 7715 Harbor Bakery")),
    }
    page = b"<html><body><h1>Quokkas</h1><p>They thrive on Rottnest island.</p><script>x()</script></body></html>"
    site.serve("/page", page, "text/html; charset=utf-8")
    (shelf / "talk.pptx").write_bytes(papers.slides("Glacier survey in Svalbard"))
    (shelf / "plan.docx").write_bytes(papers.word("The orchard needs pruning in February."))
    rest = [
        {"type": "html", "uri": site.url("/page")},
        {"type": "doc", "uri": (shelf / "talk.pptx").as_uri()},
        {"type": "doc", "uri": f"file://{shelf}/plan.docx"},
        inline("doc", "xlsx", papers.sheet(["city", "people"], ["Tromso", 77000])),
        inline("email", "eml", papers.letter("Ferry", "The ferry to Naxos leaves at nine.").as_bytes()),
    ]
    add(api, {"type": "text", "text": "Here are my papers."}, *papers_sent.values(), *rest)
    waiting = api.ok("search", user_id="alice", query="x", filters={"session_id": "s"})["unprocessed_messages"]
    assert waiting[0]["content"][1] == papers_sent["pdf"]
    assert api.ok("flush", session_id="s")["status"] == "extracted"
    text = found(api, "walrus contract October")
    for words in (
        *("Here are my papers.", "[document: contract.pdf]", "> The walrus contract ends in October."),
        *("> Receipt 7715 Harbor Bakery", "> They thrive on Rottnest island.", "> # Glacier survey in Svalbard"),
        *("> The orchard needs pruning in February.", "> | Tromso | 77000 |", "> The ferry to Naxos leaves at nine."),
    ):
        assert words in text
    for query in ("Harbor Bakery receipt", "Rottnest quokkas", "Svalbard glacier", "orchard pruning", "Naxos ferry"):
        assert found(api, query) == text
    assert "script" not in text
    sent = papers_sent["image"]["base64"][200:280].encode()
    assert not [path for path in api.root.rglob("*") if path.is_file() and sent in path.read_bytes()]


def test_what_is_shared_is_not_taken_for_what_was_said(api: Api) -> None:
    add(api, inline("doc", "txt", b"I live in Reykjavik and my dog is called Bruno."), session="cv")
    assert api.ok("flush", session_id="cv")["status"] == "extracted"
    data = api.until("search", lambda data: bool(data["episodes"]), user_id="alice", query="Reykjavik")
    facts = [fact["content"] for fact in data["episodes"][0]["atomic_facts"]]
    assert any("I live in Reykjavik and my dog is called Bruno." in fact for fact in facts)
    assert not [fact for fact in facts if "Alice lives" in fact]


def test_what_was_said_in_a_recording_is_found(api: Api, tmp_path: Path) -> None:
    raw = papers.recording("My sister opened a bakery in Lisbon last summer.", tmp_path / "memo.wav")
    if raw is None:
        pytest.skip("no voice on this machine: install espeak-ng to test recordings")
    add(api, inline("audio", "wav", raw, name="memo.wav"), session="voice")
    assert api.ok("flush", session_id="voice")["status"] == "extracted"
    text = found(api, "bakery in Lisbon")
    assert "[audio: memo.wav]" in text
    assert "sister opened a bakery" in text


def test_the_kind_of_a_fetched_file_is_told_by_its_content_type_then_by_names(api: Api, site: Site) -> None:
    raw = papers.letter("Moor", "The moor is closed for nesting.").as_bytes()
    add(api, {"type": "email", "uri": site.serve("/a", raw, "message/rfc822")}, session="t")
    add(api, {"type": "email", "uri": site.serve("/b.eml", raw + b"\n\nb", "application/octet-stream")}, session="t")
    add(api, {"type": "email", "uri": site.serve("/c", raw + b"\n\nc", "text/plain"), "ext": "eml"}, session="t")
    assert "no parser reads" in refused(api, {"type": "image", "uri": site.serve("/d", b"<svg/>", "image/svg+xml")})


def test_a_picture_with_the_name_of_another_format_is_read_as_what_it_is(api: Api, site: Site) -> None:
    picture = papers.picture("Receipt 7715 Harbor Bakery")
    add(api, inline("image", "jpg", picture), {"type": "image", "uri": site.serve("/e", picture, "image/webp")})
    api.ok("flush", session_id="s")
    assert listed(api)[0]["episode"].count("> Receipt 7715 Harbor Bakery") == 2
    assert "is not jpeg content" in refused(api, inline("image", "jpg", papers.pdf("x")))


def test_the_encoding_that_a_site_names_decides(api: Api, site: Site) -> None:
    page = "<html><head><meta charset='utf-8'></head><body><p>{}</p></body></html>"
    for number, (text, charset) in enumerate((("café crème brûlée", "iso-8859-1"), ("Привет мир", "windows-1251"))):
        for kind, body in (("html", page.format(text)), ("plain", text)):
            path = f"/{kind}{number}.{'html' if kind == 'html' else 'txt'}"
            uri = site.serve(path, body.encode(charset), f"text/{kind}; charset={charset}")
            add(api, {"type": "html" if kind == "html" else "doc", "uri": uri}, session=path)
            api.ok("flush", session_id=path)
            (told,) = [one for one in listed(api) if one["session_id"] == path]
            assert f"> {text}" in told["episode"]
    for text, charset in (("Grüße", "ascii"), ("tea-fya", "punycode")):  # wrong, and meant for names of hosts
        uri = site.serve(f"/{charset}.txt", text.encode(), f"text/plain; charset={charset}")
        add(api, {"type": "doc", "uri": uri}, session=charset)
        api.ok("flush", session_id=charset)
        assert f"> {text}" in next(one for one in listed(api) if one["session_id"] == charset)["episode"]


def test_what_is_said_behind_a_file_is_not_in_its_quotation(api: Api) -> None:
    add(api, inline("doc", "txt", b"Zebrafish live in rivers."), {"type": "text", "text": "My dentist is Dr. Vale."})
    api.ok("flush", session_id="s")
    assert "> Zebrafish live in rivers.\n\nMy dentist is Dr. Vale." in listed(api)[0]["episode"]


def listed(api: Api) -> list[dict[str, Any]]:
    data = api.until("get", lambda data: data["count"] > 0, user_id="alice", memory_type="episode")
    return list(data["episodes"])


def test_addresses_outside_the_rules_are_refused(api: Api, site: Site) -> None:
    site.redirect("/away", "http://127.0.0.2/")
    site.serve("/large", b"x" * 2_000_001, "text/plain")
    for uri in (
        *(
            "http://127.0.0.2/",
            "http://[::1]/",
            "http://169.254.169.254/latest/meta-data/",
            "http://localhost@127.0.0.2/",
        ),
        *("http://0x7f000002/", "http://2130706434/", "http://0177.0.0.2/", "http://[::ffff:127.0.0.2]/"),
        *("http://[64:ff9b::7f00:2]/", "http://10.0.0.1/", "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "data:,x", "x"),
        *("//127.0.0.1/x", "", "http://", site.url("/away"), site.url("/large"), site.url("/missing")),
    ):
        assert refused(api, {"type": "pdf", "uri": uri, "ext": "pdf"}).endswith(": messages.0.content")


def test_files_outside_the_rules_are_refused(api: Api, shelf: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret words", encoding="utf-8")
    (shelf / "link.txt").symlink_to(outside)
    (shelf / "folder.txt").mkdir()
    os.mkfifo(shelf / "pipe.txt")
    (shelf / "large.txt").write_bytes(b"x" * 2_000_001)
    for uri in (
        *(outside.as_uri(), f"file://{shelf}/link.txt", f"file://{shelf}/../{tmp_path.name}/outside.txt"),
        *(f"file://{shelf}/%2e%2e/%2e%2e/etc/passwd", f"file://{shelf}/..%2f..%2fetc%2fpasswd", "file:///etc/passwd"),
        *(
            "file:///proc/self/environ",
            "file:///dev/zero",
            "file://evil.example/etc/passwd",
            "file:etc/passwd",
            "file:",
        ),
        *(f"file://{shelf}/folder.txt", f"file://{shelf}/pipe.txt", f"file://{shelf}/large.txt", "file:///%00"),
        *(f"file://{shelf}/none.txt", f"file://{shelf}", "file:"),
    ):
        assert "secret" not in refused(api, {"type": "doc", "uri": uri, "ext": "txt"})


def test_the_kernels_own_files_are_refused_also_where_every_file_may_be_read(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    for path in ("/proc/self/environ", "/proc/self/cmdline", "/dev/stdin", "/sys/kernel/version"):
        refused(api, {"type": "doc", "uri": f"file://{path}", "ext": "txt"})


def test_payloads_that_are_wrong_are_refused_and_nothing_of_the_batch_is_kept(api: Api) -> None:
    good = base64.b64encode(papers.pdf("x")).decode()
    for item in (
        {"type": "pdf", "base64": good},
        {"type": "pdf", "base64": good, "ext": "xyz"},
        {"type": "pdf", "base64": "data:application/pdf;base64," + good, "ext": "pdf"},
        {"type": "pdf", "base64": "", "ext": "pdf"},
        {"type": "image", "text": "a picture of a cat"},
        {"type": "html", "text": "<p>x</p>"},
    ):
        refused(api, {"type": "text", "text": "kept?"}, item)
    waiting = api.ok("search", user_id="alice", query="x", filters={"session_id": "s"})["unprocessed_messages"]
    assert waiting == []


def test_a_bad_file_does_not_take_the_server_down(api: Api) -> None:
    refused(api, inline("doc", "docx", papers.word("x", {"word/zeros.xml": bytes(40 * 2**20)})))
    assert api.client.get("/health").status_code == 200
