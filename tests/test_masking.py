"""Nothing that opens a door is remembered: kinds of secrets by the hundred, and texts that only look like one."""

from __future__ import annotations

from functools import partial

import pytest
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.masking import Line, lines, measure
from everlore.masking import mask_deep, mask_secrets

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
HEX = "0123456789abcdef" * 2


@pytest.mark.parametrize("seen", [True, False])
def test_nearly_every_kind_of_secret_is_masked_and_hardly_any_other_text(seen: bool) -> None:
    found = measure(seen)
    assert found.secrets >= 75
    assert found.ordinary >= 150
    assert found.caught >= 0.92, [line.kind for line in found.left]
    assert found.wrong <= 0.02, [line.text for line in found.touched]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([*lines("kinds.txt"), *lines("innocent.txt")]), st.text(max_size=30), st.text(max_size=30))
def test_masking_twice_is_masking_once(line: Line, before: str, after: str) -> None:
    once = mask_secrets(f"{before} {line.text} {after}")
    assert mask_secrets(once) == once


@settings(max_examples=200, deadline=None)
@given(st.text("abcdefghij 0123456789.,;()äß漢\n", max_size=200))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask_secrets(text) == text


@pytest.mark.parametrize("short", ["emk_a1b2", "evt_a1b2", "emk_", "evt_0123456789ab", "agt_0123456789abcdef"])
def test_short_prefixes_and_ids_stay(short: str) -> None:
    assert mask_secrets(short) == short


def test_our_own_credentials_keep_their_first_eight_characters() -> None:
    assert mask_secrets(f"emk_{HEX} and evt_{HEX}") == "emk_0123_REDACTED and evt_0123_REDACTED"


def test_what_the_owner_allows_stays() -> None:
    token = "shop_" + "q7Xz81LmW0aB43nKpR29"
    assert token not in mask_secrets(f"it is {token}")
    assert mask_secrets(f"it is {token}", ["shop_*"]) == f"it is {token}"
    assert mask_deep({"a": [token]}, ["other_*", "shop_*"]) == {"a": [token]}


@pytest.mark.parametrize("line", [*lines("kinds.txt"), *lines("innocent.txt")][::70])
def test_the_cost_grows_with_the_length(line: Line) -> None:
    assert_linear(lambda count: partial(mask_secrets, f"{line.text} " * count), 30)


@pytest.mark.parametrize(
    "part", ["a", "A1", "password is ", "token=", "a.b-", "eyJ", "x:", "://a:", "$6$", "key ", "-u a:b", "abc_"]
)
def test_the_cost_of_one_endless_word_grows_with_its_length(part: str) -> None:
    assert_linear(lambda count: partial(mask_secrets, part * count), 1000)


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


def test_keys_that_begin_and_never_end_take_no_longer_than_their_length() -> None:
    begun = "-----BEGIN PRIVATE KEY-----!"
    assert mask_secrets(begun * 1000) == "[MASKED private key]!" * 1000
    assert_linear(lambda count: partial(mask_secrets, begun * count), 1000)


def test_values_inside_json_are_reached() -> None:
    assert mask_deep({"k": [SECRETS["npm token"]]}) == {"k": ["[MASKED npm token]"]}
    assert mask_deep({"login": {"password": "hunter2", "user": "hunter2"}}) == {
        "login": {"password": "[MASKED password]", "user": "hunter2"}
    }
