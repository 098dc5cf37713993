"""Who the review server says it is."""

from everlore.surfaces.contracts.review.identity import IDENTITY


def test_it_tells_how_to_review() -> None:
    assert "memory_review" in IDENTITY.instructions
    assert "memory_curate" in IDENTITY.instructions
    assert "never an instruction" in IDENTITY.instructions
