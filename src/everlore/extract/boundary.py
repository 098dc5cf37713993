"""Where one stretch of conversation ends and the next begins.

Pure: the same buffer always gives the same stretches, and every message lands in exactly one, in order. A cut never
tears an agent's tool work apart: call, result and the request behind them stay together. Only a hard limit may cut
inside one long run of tool work, and then between two calls where it can.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from everlore.config import BoundarySection
from everlore.types import Message, Scope

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]")
Vectors = NDArray[np.float32]

KEPT_TOKENS = 150
"""Tokens of a tool's output, or of a call, that count: about what an episode shows of it."""
LOOKED_AT = 4 * KEPT_TOKENS
"""Characters that have so many tokens at least."""
WINDOW = 4
"""Turns on each side of a point that stand for the topic there."""
DEPTH = 0.15
"""How far the likeness of both sides must dip below the hills around it, whatever the conversation."""
DEVIATIONS = 0.8
"""The same against all dips of the conversation: so much more than their mean."""


def find_cells(
    messages: Sequence[Message],
    limits: BoundarySection,
    vectors: Vectors | None = None,
    zone: tzinfo = UTC,
    topics: Sequence[int] | None = None,
) -> list[list[Message]]:
    """The stretches in order; the last one is the open tail. Row i of `vectors` embeds the text of message i.

    A new day begins at midnight in `zone`. `topics` are the messages with which a new topic begins, where a
    language model has told so; then vectors are not looked at.
    """
    if not messages:
        return []
    free = [_may_cut(messages, at) for at in range(len(messages))]
    cells: list[list[Message]] = []
    for start, end in _spans(len(messages), _breaks(messages, limits, free, zone)):
        shifts: list[int] = []
        if topics is not None:
            shifts = [at - start for at in topics if start < at < end and free[at]]
        elif vectors is not None and limits.topic_shift:
            weights = np.array([_weight(message) for message in messages[start:end]], np.float32)
            shifts = _shifts(vectors[start:end], weights, max(2, limits.min_messages // 2), free[start:end])
        for left, right in _spans(end - start, shifts):
            cells.extend(_packed(messages[start + left : start + right], limits))
    return cells


def asks_for_topics(messages: Sequence[Message], fresh: int, limits: BoundarySection, *, final: bool) -> bool:
    """Whether it is time to ask a language model where topics change: when all is extracted, and each time the buffer
    has grown by as many messages as a stretch has at least. `fresh` is how many have just come."""
    if not limits.topic_shift or len(messages) < limits.min_messages:
        return False
    return final or len(messages) // limits.min_messages > (len(messages) - fresh) // limits.min_messages


def cell_id(scope: Scope, session_id: str, message_ids: Iterable[str]) -> str:
    """Deterministic, so that a cell that is extracted again after a crash is the same cell."""
    parts = "\x1f".join([scope.app, scope.project, session_id, *message_ids])
    return f"mc_{hashlib.blake2b(parts.encode(), digest_size=6).hexdigest()}"


def estimate_tokens(text: str) -> int:
    """About four characters each; CJK characters count one each."""
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + (len(text) - wide + 3) // 4


def _tokens(message: Message) -> int:
    """What people and agents say counts in full; what tools are given and print counts as far as memories keep it.

    An agent that reads a few large files would otherwise fill a cell with every one of them, and its work would be torn
    from the request behind it.
    """
    calls = sum(min(estimate_tokens(str(call)), KEPT_TOKENS) for call in message.tool_calls or ())
    said = estimate_tokens(message.text[:LOOKED_AT] if message.role == "tool" else message.text)
    return calls + (min(said, KEPT_TOKENS) if message.role == "tool" else said)


def _may_cut(messages: Sequence[Message], at: int) -> bool:
    """Whether a cell may begin with message `at`."""
    here = messages[at]
    if at == 0:
        return True
    if here.role == "tool" or (here.role == "assistant" and here.tool_calls):
        return False
    return not (here.role == "assistant" and messages[at - 1].role == "tool")


def _breaks(messages: Sequence[Message], limits: BoundarySection, free: Sequence[bool], zone: tzinfo) -> list[int]:
    days = [datetime.fromtimestamp(message.timestamp / 1000, zone).date() for message in messages]
    gap = limits.gap_minutes * 60_000
    other = [before.project != after.project for before, after in pairwise(messages)]
    return [
        at
        for at in range(1, len(messages))
        if free[at]
        and (other[at - 1] or messages[at].timestamp - messages[at - 1].timestamp >= gap or days[at] != days[at - 1])
    ]


def _spans(size: int, cuts: Sequence[int]) -> list[tuple[int, int]]:
    edges = [0, *cuts, size]
    return list(pairwise(edges))


def _packed(messages: Sequence[Message], limits: BoundarySection) -> list[list[Message]]:
    cells: list[list[Message]] = []
    start, total, at = 0, 0, 0
    while at < len(messages):
        size = _tokens(messages[at])
        full = at - start >= limits.hard_msg_limit or total + size > limits.hard_token_limit
        if at > start and full:
            cut = _last_cut(messages, start, at)
            cells.append(list(messages[start:cut]))
            start, total, at = cut, 0, cut
            continue
        total += size
        at += 1
    cells.append(list(messages[start:]))
    return cells


def _last_cut(messages: Sequence[Message], start: int, at: int) -> int:
    for cut in range(at, start, -1):
        if _may_cut(messages, cut):
            return cut
    for cut in range(at, start, -1):
        if messages[cut].role != "tool":
            return cut
    return at


def _weight(message: Message) -> float:
    """Short turns such as "ok" say little about the topic; long ones must not drown the others."""
    return 0.0 if message.role == "tool" else min(len(message.text), 160) / 160 + 0.05


def _shifts(vectors: Vectors, weights: Vectors, least: int, free: Sequence[bool]) -> list[int]:
    """Points where the topic changes: dips of the likeness of both sides that are deep for this conversation, the
    deepest first, each `least` turns from the next and from both ends."""
    size = len(vectors)
    if size < 2 * least:
        return []
    likeness = np.array([_likeness(vectors, weights, at) for at in range(1, size)])
    depths = np.array([_depth(likeness, place) for place in range(len(likeness))])
    enough = max(DEPTH, float(depths.mean() + DEVIATIONS * depths.std()))
    cuts: list[int] = []
    for place in np.argsort(-depths, kind="stable"):
        at = int(place) + 1
        apart = all(abs(at - other) >= least for other in (0, size, *cuts))
        if depths[place] >= enough and free[at] and apart:
            cuts.append(at)
    return sorted(cuts)


def _depth(likeness: NDArray[np.float64], place: int) -> float:
    """How far it is from here up to the hills on both sides."""
    left = right = place
    while left > 0 and likeness[left - 1] >= likeness[left]:
        left -= 1
    while right < len(likeness) - 1 and likeness[right + 1] >= likeness[right]:
        right += 1
    return float(likeness[left] + likeness[right] - 2 * likeness[place])


def _likeness(vectors: Vectors, weights: Vectors, at: int) -> float:
    left, right = slice(max(0, at - WINDOW), at), slice(at, at + WINDOW)
    one = weights[left] @ vectors[left]
    two = weights[right] @ vectors[right]
    scale = float(np.linalg.norm(one) * np.linalg.norm(two))
    return float(one @ two) / scale if scale else 1.0
