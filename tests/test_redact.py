"""Secrets stay inside: what `redact` and `mask_secrets` do to any text."""

from __future__ import annotations

import re
from functools import partial

import pytest
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.redact import (
    _AWS_SECRET,
    _PASSWORD,
    _PASSWORD_NAMES,
    _SECRETS,
    _SIGNATURE,
    _SIGNED,
    _SIGNING,
    mask_deep,
    mask_secrets,
    redact,
    redact_deep,
)

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
    assert mask_secrets(short) == short


@settings(max_examples=300, deadline=None)
@given(mixtures)
def test_no_full_credential_is_left_and_twice_is_once(parts: list[str]) -> None:
    text = "".join(parts)
    for clean in (redact, mask_secrets):
        once = clean(text)
        assert not re.search(r"(?:emk|evt)_[0-9a-f]{32}", once)
        assert clean(once) == once
    assert AWS_ID not in redact(text)


@settings(max_examples=200, deadline=None)
@given(st.text("abcdefghij 0123456789.,;()äß漢\n", max_size=200))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text
    assert mask_secrets(text) == text


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


SECRETS = {
    "GitHub token": "ghp_" + UPPER,
    "GitHub token ": "github_pat_" + "11ABCDEFG0" + "_" + UPPER,
    "GitLab token": "glpat-" + "abcdefghij0123456789",
    "Slack token": "xoxb-" + "1234567890-abcdefghij",
    "Google key": "AIza" + "Sy" + UPPER[:33],
    "Anthropic key": "sk-ant-" + "api03-" + UPPER,
    "OpenAI key": "sk-proj-" + UPPER,
    "OpenAI key ": "sk-" + UPPER + "abcdefghijkl",
    "Stripe key": "sk_live_" + UPPER[:24],
    "npm token": "npm_" + UPPER,
    "JWT": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
}


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_of_other_services_are_masked_on_the_way_in(name: str) -> None:
    secret = SECRETS[name]
    for around in ("my token is {} ok", '{{"token":"{}"}}', "TOKEN={}\n", "{}"):
        masked = mask_secrets(around.format(secret))
        assert masked == around.format(f"[MASKED {name.strip()}]")
        assert mask_secrets(masked) == masked


@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_private_keys_are_masked_as_a_whole(kind: str) -> None:
    lines = "\n".join(["MIIEpAIBAAKCAQEA7" + UPPER] * 3)
    block = f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"
    assert mask_secrets(f"use this:\n{block}\nthanks") == "use this:\n[MASKED private key]\nthanks"
    cut = f"-----BEGIN {kind}-----\n{lines}"
    assert UPPER not in mask_secrets(cut), "a key that was cut off is still a key"
    quoted = block.replace("\n", "\\n")
    assert mask_secrets(f'{{"key": "{quoted}"}}') == '{"key": "[MASKED private key]"}'


def test_passwords_in_addresses_and_aws_secrets() -> None:
    assert mask_secrets("postgres://app:hunter2@db.example/x") == "postgres://app:[MASKED]@db.example/x"
    assert mask_secrets("https://example.com:8080/a@b") == "https://example.com:8080/a@b"
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY"
    for line in (f"aws_secret_access_key = {secret}", f'"SecretAccessKey": "{secret}"', f"AWS secret key is {secret}"):
        assert secret not in mask_secrets(line)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my wifi password is hunter2", "hunter2"),
        ("My password is hunter2, keep it.", "hunter2"),
        ("The password for the guest wifi is now 84629173.", "84629173"),
        ("password: tr0ub4dor&3", "&3"),
        ("connect(user=me, password=abc123)", "abc123"),
        ("/login?password=abc123&next=home", "abc123"),
        ("passwd=abc123", "abc123"),
        ("DB_PASSWORD=s3cr3t", "s3cr3t"),
        ('{"password": "let#me#in"}', "let#me#in"),
        ("I changed my wifi password to hunter2!", "hunter2"),
        ("我的密码是hunter2。", "hunter2"),
    ],
)
def test_a_password_that_is_told_is_masked(text: str, secret: str) -> None:
    masked = mask_secrets(text)
    assert secret not in masked
    assert "[MASKED password]" in masked
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "plain",
    [
        "my password is too weak",
        "the password is weak.",
        "the password is required, and a password: required",
        "a password is 8-20 characters long",
        "the password is 12-character and the password is sha256-hashed",
        "password = settings.db2.password and password=$PASSWORD and password=read_v2(file)",
        "the password is in LastPass",
        "I forgot the password to Netflix. It was set to expire in 2024.",
        "the task-force met at the sk-learn-contrib-packages-workshop",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "npm_config_registry and ghp_short and eyJ alone",
        "see https://user@example.com/path and mailto:a@b.example",
    ],
)
def test_what_only_looks_similar_stays(plain: str) -> None:
    assert mask_secrets(plain) == plain


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_looked_for_first_is_in_everything_that_is_looked_for(data: st.DataObject) -> None:
    _, parts, pattern = data.draw(st.sampled_from(_SECRETS))
    secret = data.draw(st.from_regex(pattern))
    assert any(part in secret for part in parts)
    for signing in (_SIGNING, _SIGNATURE):
        assert _SIGNED.search(data.draw(st.from_regex(signing)).casefold())
    assert "secret" in data.draw(st.from_regex(_AWS_SECRET)).casefold()
    told = data.draw(st.from_regex(_PASSWORD)).casefold()
    assert any(name in told for name in _PASSWORD_NAMES)


def test_keys_that_begin_and_never_end_take_no_longer_than_their_length() -> None:
    begun = "-----BEGIN PRIVATE KEY-----!"
    assert mask_secrets(begun * 1000) == "[MASKED private key]!" * 1000
    assert_linear(lambda count: partial(mask_secrets, begun * count), 1000)


def test_values_inside_json_are_reached() -> None:
    token = "evt_" + HEX
    value = {"a": [token, {"b": f"x {token}"}], token: 1, "n": None}
    assert redact_deep(value) == {
        "a": ["evt_0123_REDACTED", {"b": "x evt_0123_REDACTED"}],
        "evt_0123_REDACTED": 1,
        "n": None,
    }
    assert mask_deep({"k": [SECRETS["npm token"]]}) == {"k": ["[MASKED npm token]"]}
