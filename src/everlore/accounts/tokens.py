"""Credentials: how they are made, recognised and kept. Pure but for the randomness.

A credential is random (128 bits), so a plain hash of it cannot be reversed or guessed; no slow hash is needed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

KEY, TOKEN = "emk_", "evt_"
SHOWN = 8
_FULL = re.compile(r"(?:emk|evt)_[0-9a-f]{32}")
_USER_CODE = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants: no word is spelt by chance, and nothing is mistaken for a digit (RFC 8628)."""


def new_credential(prefix: str) -> str:
    return prefix + secrets.token_hex(16)


def well_formed(credential: str) -> bool:
    return _FULL.fullmatch(credential) is not None


def shown(credential: str) -> str:
    """The part that people may see."""
    return credential[:SHOWN]


def digest(credential: str) -> bytes:
    return hashlib.sha256(credential.encode("utf-8", "surrogatepass")).digest()


def same(left: bytes, right: bytes) -> bool:
    return hmac.compare_digest(left, right)


def new_id(prefix: str) -> str:
    return prefix + secrets.token_hex(8)


def new_user_code() -> str:
    letters = "".join(secrets.choice(_USER_CODE) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def plain_user_code(typed: str) -> str:
    """As it is stored, however a person typed it."""
    letters = "".join(char for char in typed.upper() if char.isalpha())
    return f"{letters[:4]}-{letters[4:8]}"


def sign(secret: bytes, *parts: str) -> str:
    return hmac.new(secret, "\0".join(parts).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
