"""Secrets kept out of sight. Pure, and the only place that knows what a secret looks like.

`redact` is for everything that leaves: command output, logs and tracebacks, HTTP error bodies, MCP results. It hides
our own credentials, AWS key ids and the parameters that sign an upload address. Short prefixes such as `emk_a1b2` stay
readable, so that people can tell accounts apart.

`mask_secrets` is for everything that enters the memory: what a person pastes by accident is not remembered. It does
all that `redact` does, and hides private keys, tokens of common services, JWTs and passwords, in addresses and where
one is told ("the password is ...") that looks like one.

Both are idempotent: doing it twice is the same as doing it once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

KEPT = 8
"""Characters of one of our credentials that stay: its prefix and four more."""

_OURS = re.compile(r"(?i:emk|evt)_[A-Za-z0-9]{20,}")
_AWS_KEY_ID = re.compile(r"A(?:KIA|SIA|ROA|IDA|GPA|NPA|NVA|IPA|BIA|CCA)[A-Z0-9]{16}")
_GIVEN = r"""(?P<given>["']?\s*(?:=|:|%3D)\s*["']?)"""
_SIGNING = re.compile(
    rf"(?P<name>X-Amz-(?:Signature|Credential|Security-Token)){_GIVEN}(?P<value>(?:(?!%26)[^&\"'\s<>\\])+)",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    rf"(?<![A-Za-z0-9_-])(?P<name>signature|AWSAccessKeyId|Credential|x-oss-signature|sig){_GIVEN}"
    r"(?P<value>(?:[A-Za-z0-9+/=_-]|%(?!26)[0-9A-F]{2}){16,})",
    re.IGNORECASE,
)

_SIGNED = re.compile(r"sig(?:nature)?[\"'\s=:%]|x-amz-|awsaccesskeyid|credential")
"""What a text has, in small letters, where one of the two is worth looking for."""

_BLOCK = re.compile(
    r"-----BEGIN (?P<kind>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:(?:(?!-----BEGIN )[\s\S])*?-----END (?P=kind)-----|(?:\\[nr]|[\sA-Za-z0-9+/=:,_-])*)"
)
_SECRETS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (name, tuple(parts.split()), re.compile(rf"(?<![A-Za-z0-9_]){pattern}"))
    for name, parts, pattern in (
        (
            "GitHub token",
            "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
            r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
        ),
        (
            "GitLab token",
            "glpat- glptt- gldt- glrt- glcbt- glsoat- glft-",
            r"gl(?:pat|ptt|dt|rt|cbt|soat|ft)-[A-Za-z0-9_-]{20,}",
        ),
        ("Slack token", "xox xapp-", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
        ("Google key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
        ("Google token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
        ("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}"),
        ("OpenAI key", "sk-", r"sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}"),
        ("OpenAI key", "sk-", r"sk-[A-Za-z0-9]{32,}"),
        ("Stripe key", "k_live_ k_test_ whsec_", r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,})"),
        ("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
        ("PyPI token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{40,}"),
        ("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
        ("DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
        ("SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        ("JWT", "eyJ", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    )
)
"""What each is called, parts of which one is in every such secret, and what it looks like. Parts are found a hundred
times quicker than patterns, and hardly any text has one."""
_AWS_SECRET = re.compile(
    r"""(?P<before>(?i:aws[\w .-]{0,20}secret|secret[_ ]?access[_ ]?key)[\w ."'-]{0,20}(?:=|:|\bis\b)\s*["']?)"""
    r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
)
_ACCOUNT_KEY = re.compile(r"(?P<before>AccountKey=)[A-Za-z0-9/+]{40,}={0,2}")
_URL_PASSWORD = re.compile(
    r"(?P<before>\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>]*:)(?P<secret>[^\s/@\"'<>]+)(?=@)"
)
_PASSWORD_NAMES = ("password", "passwd", "passcode", "passphrase", "pwd", "密码", "密碼")
_PASSWORD = re.compile(
    r"(?P<before>(?:\b\w*(?:password|passwd|passcode|passphrase|pwd)(?:\s+(?:for|to|of|on)\s+[\w' -]{1,40}?)?"
    r"(?:[\"']?\s*[:=]\s*|\s+(?:is|was)(?:\s+(?:now|still))?:?\s+)"
    r"|\b(?:changed|set|reset|updated)\s[^.\n]{0,40}?\bpassword\s+to\s+|密[码碼]\s*(?:是|为|為|[:：])\s*)[\"'`]?)"
    r"(?P<secret>(?:(?!&\w+=)[^\s\"'`<>]){4,64})",
    re.IGNORECASE,
)
_LIKE_A_PASSWORD = re.compile(
    r"(?!https?:|(?:sha|md|base|utf|aes|rsa)-?\d|\d+-?(?:char|digit|letter|bit|day|week|month|year|hour|minute)"
    r"|[a-z_][\w.]*[(\[]|[a-z_]\w*(?:\.[a-z_]\w*)+$)(?:\d{4,}$|(?=.*[a-z])(?:.*\d|[^$%*].*[!@#$%^*+=?~|\\]))",
    re.IGNORECASE,
)
"""Digits, or letters with digits or signs among them; no word, number of letters, algorithm, address or variable."""


def redact(text: str) -> str:
    """The text without credentials, for any way out."""
    text = _OURS.sub(lambda found: f"{found[0][:KEPT]}_REDACTED", text)
    if _SIGNED.search(text.casefold()):
        for pattern in (_SIGNING, _SIGNATURE):
            text = pattern.sub(lambda found: f"{found['name']}{found['given']}[REDACTED]", text)
    return _AWS_KEY_ID.sub("[REDACTED-AWSKEY]", text)


def mask_secrets(text: str) -> str:
    """The text without anything that opens a door, for the way into the memory."""
    text = _BLOCK.sub("[MASKED private key]", text)
    for name, parts, pattern in _SECRETS:
        if any(part in text for part in parts):
            text = pattern.sub(f"[MASKED {name}]", text)
    folded = text.casefold()
    if "secret" in folded:
        text = _AWS_SECRET.sub(lambda found: f"{found['before']}[MASKED AWS secret key]", text)
    text = _ACCOUNT_KEY.sub(lambda found: f"{found['before']}[MASKED Azure key]", text)
    if "://" in text:
        text = _URL_PASSWORD.sub(lambda found: f"{found['before']}[MASKED]", text)
    if any(name in folded for name in _PASSWORD_NAMES):
        text = _PASSWORD.sub(_mask_password, text)
    return redact(text)


def _mask_password(found: re.Match[str]) -> str:
    secret = found["secret"].rstrip(".,;:!?)]}…，。！")
    if not _LIKE_A_PASSWORD.match(secret):
        return found[0]
    return f"{found['before']}[MASKED password]{found['secret'][len(secret) :]}"


def mask_deep(value: Any) -> Any:
    """`mask_secrets` in every text of a JSON value; names of fields stay."""
    return _deep(value, mask_secrets, lambda name: name)


def redact_deep(value: Any) -> Any:
    """`redact` in every text of a JSON value, names of fields included."""
    return _deep(value, redact, lambda name: redact(str(name)))


def _deep(value: Any, text: Callable[[str], str], name: Callable[[Any], Any]) -> Any:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return {name(key): _deep(inner, text, name) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_deep(inner, text, name) for inner in value]
    return value
