"""Our own secrets kept out of sight. Pure.

`redact` is for everything that leaves: command output, logs and tracebacks, HTTP error bodies, MCP results. It hides
our own credentials, AWS key ids and the parameters that sign an upload address. Short prefixes such as `emk_a1b2` stay
readable, so that people can tell accounts apart.

It is idempotent: doing it twice is the same as doing it once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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


def redact(text: str) -> str:
    """The text without credentials, for any way out."""
    text = _OURS.sub(lambda found: f"{found[0][:KEPT]}_REDACTED", text)
    if _SIGNED.search(text.casefold()):
        for pattern in (_SIGNING, _SIGNATURE):
            text = pattern.sub(lambda found: f"{found['name']}{found['given']}[REDACTED]", text)
    return _AWS_KEY_ID.sub("[REDACTED-AWSKEY]", text)


def redact_deep(value: Any) -> Any:
    """`redact` in every text of a JSON value, names of fields included."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): redact_deep(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redact_deep(inner) for inner in value]
    return value
