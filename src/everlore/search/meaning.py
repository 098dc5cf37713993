"""What cosines mean, on the scale of the model that is in use."""

from __future__ import annotations

from everlore.engine import Engine
from everlore.models.unrelated import scaled
from everlore.search.score import COSINE_LOW, RADIUS


def nothing(engine: Engine) -> float:
    """The cosine that counts as nothing."""
    return scaled(engine.embedder, COSINE_LOW)


def default_radius(engine: Engine) -> float:
    """The least cosine of what is shown for its meaning alone, where the request names none."""
    chosen = engine.settings.search.default_radius
    return scaled(engine.embedder, RADIUS) if chosen is None else chosen
