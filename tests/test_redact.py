"""Secrets stay inside: what `redact` does to any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.redact import _SIGNATURE, _SIGNED, _SIGNING, redact, redact_deep

HEX = "0123456789abcdef" * 2
"""Thirty-two digits; every credential below is put together here and opens nothing."""
AWS_ID = "AKIA" + "ABCDEFGH12345678"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

hexes = st.text("0123456789abcdef", min_size=32, max_size=32)
tokens = st.builds("{}{}".format, st.sampled_from(["emk_", "evt_"]), hexes)
texts = st.text(max_size=60)
mixtures = st.lists(st.one_of(texts, tokens, st.sampled_from([AWS_ID, "X-Amz-Signature=abc", "emk_a1b2"])), max_size=6)


@pytest.mark.parametrize("prefix", ["emk_", "evt_"])
def test_a_credential_keeps_its_first_eight_characters(prefix: str) -> None:
    token = prefix + "a1b2" + HEX[4:]
    assert redact(f"key {token}, again {token}.") == f"key {prefix}a1b2_REDACTED, again {prefix}a1b2_REDACTED."


@pytest.mark.parametrize("short", ["emk_a1b2", "evt_a1b2", "emk_", "evt_0123456789ab", "agt_0123456789abcdef"])
def test_short_prefixes_and_ids_stay(short: str) -> None:
    assert redact(short) == short


@settings(max_examples=300, deadline=None)
@given(mixtures)
def test_no_full_credential_is_left_and_twice_is_once(parts: list[str]) -> None:
    text = "".join(parts)
    once = redact(text)
    assert not re.search(r"(?:emk|evt)_[0-9a-f]{32}", once)
    assert redact(once) == once
    assert AWS_ID not in redact(text)


@settings(max_examples=200, deadline=None)
@given(st.text("abcdefghij 0123456789.,;()äß漢\n", max_size=200))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("name", ["X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "x-amz-signature"])
def test_signing_parameters_lose_their_value(name: str) -> None:
    url = f"https://bucket.example/key?X-Amz-Date=20261115&{name}=3f9a{HEX}%2F&x=1"
    assert redact(url) == f"https://bucket.example/key?X-Amz-Date=20261115&{name}=[REDACTED]&x=1"
    assert redact(f'{{"{name}": "3f9a{HEX}"}}') == f'{{"{name}": "[REDACTED]"}}'
    assert HEX not in redact(f"next=https%3A%2F%2Fb%2F%3F{name}%3D3f9a{HEX}%26x%3D1")


def test_older_signing_parameters_and_our_own_addresses() -> None:
    assert HEX not in redact(f"https://b.example/k?AWSAccessKeyId={AWS_ID}&Signature={HEX}%3D&Expires=1")
    shown = redact(f"http://127.0.0.1:8000/api/v1/mem/uploads/obj_1?expires=17&signature={HEX}")
    assert shown.endswith("?expires=17&signature=[REDACTED]")
    assert redact("signature=inspect.signature(f)") == "signature=inspect.signature(f)", "code is not a signature"


def test_aws_key_ids() -> None:
    assert redact(f"id {AWS_ID} and ASIA{AWS_ID[4:]}") == "id [REDACTED-AWSKEY] and [REDACTED-AWSKEY]"


def test_values_inside_json_are_reached() -> None:
    token = "evt_" + HEX
    value = {"a": [token, {"b": f"x {token}"}], token: 1, "n": None}
    assert redact_deep(value) == {
        "a": ["evt_0123_REDACTED", {"b": "x evt_0123_REDACTED"}],
        "evt_0123_REDACTED": 1,
        "n": None,
    }


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_looked_for_first_is_in_everything_that_is_looked_for(data: st.DataObject) -> None:
    for signing in (_SIGNING, _SIGNATURE):
        assert _SIGNED.search(data.draw(st.from_regex(signing)).casefold())
