"""Make the weights by which a sentence is judged to answer: `python -m bench.train_answers` writes
`search/answering.json`.

Learned from the seen half of `answers/`, and from the development conversations, whose questions name the turns that
answer them: of the sentences of one talk, those that answer are to be the likeliest (a softmax over the talk).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.answers import Person, people, tell
from bench.data import data_folder, locomo
from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage
from everlore.search import Query, answering
from everlore.search.passages import asked_for, turns_of
from everlore.search.recall import ranked
from everlore.types import Owner, Scope

HITS = 5
OF_TALK = 0.1
"""How much a question of the development conversations counts against one of `answers/`: there only turns are known."""
RIDGE = 0.01
STEPS = 600

Matrix = NDArray[np.float64]
Example = tuple[Matrix, NDArray[np.bool_], float]
"""The sentences of a talk as numbers, which of them answer, and how much it counts."""


def fit(examples: Sequence[Example]) -> Matrix:
    """Weights for numbers as they are: what is learned is learned of numbers of one spread (Adam)."""
    every = np.concatenate([given for given, _, _ in examples])
    spread = every.std(0) + 1e-6
    scaled = [(given / spread, wanted, counts) for given, wanted, counts in examples]
    total = sum(counts for _, _, counts in examples)
    found, mean, square = (np.zeros(every.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        slope = RIDGE * found
        for given, wanted, counts in scaled:
            worth = given @ found
            chance = np.exp(worth - worth.max())
            chance /= chance.sum()
            right = np.where(wanted, chance, 0.0)
            slope += counts / total * (given.T @ (chance - right / right.sum()))
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        found -= 0.03 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    weights: Matrix = found / spread
    return weights


def of_people(told: Sequence[Person]) -> Iterator[Example]:
    for person in told:
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            engine = open_engine(load(memory=MemorySection(root=Path(folder))))
            try:
                tell(engine, Scope(), person.talks)
                owner = Owner(Scope(), "user", person.owner.lower())
                for question in person.questions:
                    for texts, given in _met(engine, owner, question.text):
                        wanted = np.array([question.answered(text) for _, text in texts])
                        if wanted.any():
                            yield given, wanted, 1.0
            finally:
                engine.close()


def of_talks(folder: Path) -> Iterator[Example]:
    """A turn answers as a whole there, so every sentence of it counts as an answer."""
    for stack in locomo(folder):
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as root:
            engine = open_engine(load(memory=MemorySection(root=Path(root))))
            scope = Scope(stack.app, stack.project)
            try:
                talks = [
                    [
                        NewMessage(turn.sender_id, "user", turn.timestamp, turn.text, turn.sender_name)
                        for turn in one.turns
                    ]
                    for one in stack.sessions
                ]
                tell(engine, scope, talks)
                text = {turn.id: turn.text.strip() for session in stack.sessions for turn in session.turns}
                for question in stack.questions:
                    gold = {text[turn] for turn in question.turns}
                    for texts, given in _met(engine, Owner(scope, "user", stack.owner), question.text):
                        wanted = np.array([any(_part(sentence, turn) for turn in gold) for _, sentence in texts])
                        if wanted.any():
                            yield given, wanted, OF_TALK
            finally:
                engine.close()


def _part(sentence: str, turn: str) -> bool:
    return sentence in " ".join(turn.split())


def _met(engine: Engine, owner: Owner, question: str) -> Iterator[tuple[list[tuple[int, str]], Matrix]]:
    """The talks that a search returns, each as its sentences and their numbers."""
    for stage in ranked(engine, Query(owner, question, HITS)):
        if stage.kind == "episode":
            asked = asked_for(stage.ask, stage.stats)
            for turns in turns_of(engine, stage.ask, stage.told):
                lines, given = answering.features(asked, turns)
                texts = [(turns[line.turn].number, turns[line.turn].sentences[line.place]) for line in lines]
                yield texts, given.astype(np.float64)


def main() -> int:
    folder = data_folder()
    if not (folder / "locomo").is_dir():
        print(f"there is no folder {folder / 'locomo'}: set BENCH_DATA (bench/README.md tells which)", file=sys.stderr)
        return 1
    told = people()
    seen, unseen = ([*of_people([one for one in told if one.seen is half])] for half in (True, False))
    examples = [*seen, *of_talks(folder)]
    weights = fit(examples)
    for name, half in (("seen", seen), ("unseen", unseen), ("talks", examples[len(seen) :])):
        best = [wanted[np.argsort(-(given @ weights))] for given, wanted, _ in half]
        print(
            name,
            len(half),
            *(f"first {count}: {np.mean([one[:count].any() for one in best]):.3f}" for count in (1, 2, 4)),
        )
    kept = {name: round(float(weight), 3) for name, weight in zip(answering.NAMES, weights, strict=True)}
    place = Path(answering.__file__).with_suffix(".json")
    place.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
