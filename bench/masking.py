"""Secrets: how many kinds are masked, and how many ordinary texts are touched.

Both stand in bench/secrets, with placeholders that are drawn anew, so that nothing in the repository is a secret or
looks like one to a scanner. Each line is seen or unseen by its hash: the rules were made on the seen half.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from everlore.masking import mask_secrets

HERE = Path(__file__).resolve().parent / "secrets"
SEED = 20260501
_SIGNS = {
    "alnum": string.ascii_letters + string.digits,
    "url": string.ascii_letters + string.digits + "-_",
    "b64": string.ascii_letters + string.digits + "+/",
    "base32": string.ascii_uppercase + "234567",
    "crock": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "hex": "0123456789abcdef",
    "lower": string.ascii_lowercase,
    "upper": string.ascii_uppercase + string.digits,
    "digits": string.digits,
}
WORDS = "correct horse battery staple orbit velvet canyon ladder pepper violin harbor meadow"
_PLACE = re.compile(r"\{(\w+)(?::(\d+))?\}")


class Line(NamedTuple):
    kind: str
    text: str
    secrets: tuple[str, ...]
    """What must not be left; nothing of an ordinary text."""
    seen: bool


class Masked(NamedTuple):
    """Of one half: secrets and ordinary texts, and those that went wrong."""

    secrets: int
    left: list[Line]
    ordinary: int
    touched: list[Line]

    @property
    def caught(self) -> float:
        return 1 - len(self.left) / self.secrets

    @property
    def wrong(self) -> float:
        return len(self.touched) / self.ordinary


def lines(name: str, seed: int = SEED) -> Iterator[Line]:
    for raw in (HERE / name).read_text(encoding="utf-8").splitlines():
        if raw and not raw.startswith("#"):
            kind, bar, template = raw.partition(" | ")
            draw = random.Random(f"{seed} {raw}")
            text = _PLACE.sub(partial(_drawn, draw), template if bar and name == "kinds.txt" else raw)
            text = text.replace("\\n", "\n")
            secrets = tuple(re.findall("«(.+?)»", text, re.DOTALL))
            yield Line(kind, text.replace("«", "").replace("»", ""), secrets, sha256(raw.encode()).digest()[0] % 2 == 0)


def _drawn(draw: random.Random, place: re.Match[str]) -> str:
    name, size = place[1], int(place[2] or 0)
    if name == "uuid":
        return "-".join("".join(draw.choices(_SIGNS["hex"], k=count)) for count in (8, 4, 4, 4, 12))
    if name == "quote":
        return '"'
    if name == "words":
        return " ".join(draw.choices(WORDS.split(), k=size))
    if name == "pw":
        inner = "".join(draw.choices(_SIGNS["alnum"] + "!#%+", k=size - 3))
        return (
            f"{draw.choice(string.ascii_letters)}{inner}{draw.choice(string.digits)}{draw.choice(string.ascii_letters)}"
        )
    return "".join(draw.choices(_SIGNS[name], k=size)) if name in _SIGNS else place[0]


def measure(seen: bool, seed: int = SEED) -> Masked:
    told = [line for line in lines("kinds.txt", seed) if line.seen == seen]
    ordinary = [line for line in lines("innocent.txt", seed) if line.seen == seen]
    left = [line for line in told if any(secret in mask_secrets(line.text) for secret in line.secrets)]
    return Masked(len(told), left, len(ordinary), [line for line in ordinary if mask_secrets(line.text) != line.text])
