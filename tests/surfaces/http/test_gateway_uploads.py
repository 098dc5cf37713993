"""Documents: a signed address, the upload in both forms, and memories made of it once."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx
import pytest
from gates import Gate, store
from serving import Server

TEXT = b"# Garden\n\nThe quince tree was planted in 2019.\n\nWater the quince tree every Sunday.\n"


def announced(content: bytes, **more: Any) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    body = {"fileName": "notes.md", "contentType": "text/markdown", "sizeBytes": len(content), "contentHash": digest}
    return body | more


def presigned(gate: Gate, content: bytes = TEXT) -> dict[str, Any]:
    result = gate.ok("/mem/uploads/presign", announced(content))
    assert set(result) == {"objectKey", "uploadUrl", "method", "formFields", "maxSize", "expiresAt"}
    return result


def source(gate: Gate, content: bytes, **more: Any) -> dict[str, Any]:
    made = presigned(gate, content)
    assert httpx.put(made["uploadUrl"], content=content).json()["result"]["sizeBytes"] == len(content)
    return gate.ok("/mem/sources", record(made["objectKey"], content, **more))


def record(key: str, content: bytes, **more: Any) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    return {"objectKey": key, "title": "Notes", "sizeBytes": len(content), "contentHash": digest} | more


def test_an_uploaded_document_becomes_memories(guarded: Server, alice: Gate) -> None:
    made = source(alice, TEXT, originPlatform="claude-code", documentKey="garden", tags=["x"], metadata={"a": 1})
    assert made["id"].startswith("src_")
    assert made["status"] == "extracted"
    assert (made["title"], made["documentKey"], made["originPlatform"]) == ("Notes", "garden", "claude-code")
    found = alice.ok("/mem/search", {"query": "quince tree"})["items"]
    assert "2019" in found[0]["episode"]
    with store(guarded.root) as accounts:
        assert accounts.content(made["objectKey"]) is None, "nothing is left behind"
    again = source(alice, TEXT, documentKey="garden")
    assert again["id"] == made["id"], "the same document is not remembered twice"
    newer = source(alice, TEXT.replace(b"2019", b"2020"), documentKey="garden")
    assert newer["id"] != made["id"]
    texts = [item["episode"] for item in alice.ok("/mem/search", {"query": "quince tree planted"})["items"]]
    assert any("2020" in text for text in texts)
    assert not any("2019" in text for text in texts), "the older version is forgotten"


def test_front_matter_is_about_a_document(alice: Gate) -> None:
    source(
        alice, b"---\neveros_import_version: 2\nmerged_at: 2026-01-02\n---\n\n# Mine\n\nThe heron nests by the weir.\n"
    )
    found = alice.ok("/mem/search", {"query": "Where does the heron nest?"})["items"]
    assert any("weir" in one["episode"] for one in found)
    every = str(found) + str(alice.ok("/mem/search", {"query": "everos import version"}))
    assert "import_version" not in every
    assert "merged_at" not in every


def test_a_form_works_as_well_as_a_put(alice: Gate) -> None:
    content = b"The pergola is made of oak."
    made = presigned(alice, content)
    answer = httpx.post(made["uploadUrl"], data=made["formFields"], files={"file": ("n.md", content, "text/markdown")})
    assert answer.json()["result"] == {"objectKey": made["objectKey"], "sizeBytes": len(content)}
    assert alice.ok("/mem/sources", record(made["objectKey"], content))["status"] == "extracted"


def test_a_key_makes_a_repetition_harmless(alice: Gate) -> None:
    first = source(alice, b"The hammock hangs low.", idempotencyKey="k1")
    assert source(alice, b"The hammock hangs low.", idempotencyKey="k1") == first
    made = presigned(alice, b"Something else.")
    httpx.put(made["uploadUrl"], content=b"Something else.")
    body = record(made["objectKey"], b"Something else.", idempotencyKey="k1")
    assert "Idempotency" in alice.refused("/mem/sources", 409, 40005, body)


def test_an_address_is_good_for_one_object_until_it_expires(alice: Gate) -> None:
    url = presigned(alice)["uploadUrl"]
    other = presigned(alice)["uploadUrl"]

    def put(address: str, content: bytes = TEXT) -> int:
        code: int = httpx.put(address, content=content).json()["status"]
        return code

    assert put(url[:-1] + ("0" if url[-1] != "0" else "1")) == 40103
    assert put(url.replace("expires=", "expires=9")) == 40103
    assert put(url.split("?")[0]) == 40103
    assert put(url.split("?")[0] + "?" + other.split("?")[1]) == 40103
    assert put(url, TEXT + b"more") == 40104
    assert put(url, b"x" * len(TEXT)) == 40104
    assert httpx.post(url, files={"other": ("n", TEXT)}).json()["status"] == 20001
    assert put(url) == 0


def test_what_was_not_uploaded_or_is_anothers_is_not_found(alice: Gate, bob: Gate) -> None:
    made = presigned(alice)
    alice.refused("/mem/sources", 404, 40102, record(made["objectKey"], TEXT))
    httpx.put(made["uploadUrl"], content=TEXT)
    bob.refused("/mem/sources", 404, 40102, record(made["objectKey"], TEXT))
    alice.refused("/mem/sources", 404, 40102, record("obj_../../x", TEXT))
    alice.refused("/mem/sources", 400, 40104, record(made["objectKey"], b"another"))


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"sizeBytes": 9 * 2**20}, 20006),
        ({"sizeBytes": 0}, 20001),
        ({"contentType": "image/png"}, 20001),
        ({"contentHash": "abc"}, 20001),
        ({"fileName": ""}, 20001),
        ({"fileName": None}, 20001),
    ],
)
def test_what_cannot_be_uploaded_is_refused_before(alice: Gate, more: dict[str, Any], code: int) -> None:
    alice.refused("/mem/uploads/presign", 413 if code == 20006 else 400, code, announced(TEXT, **more))


def test_a_document_that_is_no_text_is_refused(alice: Gate) -> None:
    content = b"\xff\xfe\x00"
    made = presigned(alice, content)
    httpx.put(made["uploadUrl"], content=content)
    alice.refused("/mem/sources", 400, 20001, record(made["objectKey"], content))
