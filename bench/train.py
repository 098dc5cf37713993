"""Make the small weights that extraction judges by: `python -m bench.train` writes `extract/learned.npz`.

Learned from what is labelled in `bench/reading/`: families of statements (`families.toml`), pairs of them (the seen
half of `changes.toml`, all of `examples.toml`), sentences by where they belong (`sentences.toml`) and judged sentences
of the development conversations (the seen half of `facts.toml`, all of `facts_more.toml`). Real talk of those
conversations adds pairs that end nothing: of two statements of one person that are alike, next to none does; nor does
a statement of one pair end that of another.
"""

from __future__ import annotations

import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.data import data_folder, locomo
from bench.reading_sets import changes, is_seen, judged_sentences, load
from everlore.extract import change, learned, profile_items, salience
from everlore.extract.facts import as_fact, write_facts
from everlore.extract.language import language_of
from everlore.extract.rules import CATEGORY
from everlore.extract.supersede import likely, may_end, words_of
from everlore.kinds.fact import Fact
from everlore.models.offline import OfflineEmbedder
from everlore.types import Cell, Message, Owner, Scope

WRONG_ENDS, OF_TALK_ENDS, APART_ENDS = 0.05, 0.005, 0.01
"""Share of the pairs that end nothing, of those of real talk, and of those of unrelated matters, that may be taken for
changes in cross-validation."""
CROSSED, APART = 3000, 4000
"""Pairs of statements of two families, and of two labelled pairs, and how much such a pair counts."""
OF_CROSSED = 0.5
OF_HARD = 0.5
"""How much a pair that is made to look like a change counts."""
TALK = 2500
"""Pairs of real talk, and how much one of them counts."""
OF_TALK = 0.3
NEAR = 120
"""Statements before one with which it may be compared."""
JUDGED = ("facts", "facts_more")
OF_EXAMPLE = 0.1
"""How much a statement of the pairs counts among the judged sentences."""
FOLDS = 3
RULE = salience.PLACES.index(CATEGORY)
OF_ONESELF = ("I", "My ", "Our ", "Mum", "Dad", "Gran")
HIDDEN, NETS, EPOCHS, BATCH, DROPPED, DECAY = 16, 3, 45, 128, 0.15, 1e-3
DIRECTIONS = 64, 96
"""Main directions of the vectors, and of their products, that the net sees."""

Matrix = NDArray[np.float64]
Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class Pair:
    old: str
    new: str
    ends: bool
    counts: float
    group: str
    """What is left out together in cross-validation."""
    kind: str


def chance(score: Matrix) -> Matrix:
    found: Matrix = 1 / (1 + np.exp(-np.clip(score, -30, 30)))
    return found


def fit(given: Matrix, wanted: Matrix, counts: Matrix, ridge: float) -> Matrix:
    """Weights of a logistic regression by Newton's method, the bias last."""
    wide = np.hstack([given, np.ones((len(given), 1))])
    penalty = np.full(wide.shape[1], ridge)
    penalty[-1] = 1e-3
    found = np.zeros(wide.shape[1])
    for _ in range(60):
        likely_one = chance(wide @ found)
        slope = wide.T @ (counts * (likely_one - wanted)) + penalty * found
        bend = (wide * (counts * likely_one * (1 - likely_one))[:, None]).T @ wide + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found


def fit_places(given: Matrix, wanted: Matrix, ridge: float) -> Matrix:
    """Weights of a regression over several classes, by gradients with momentum; the bias last."""
    wide = np.hstack([given, np.ones((len(given), 1))])
    step = 1 / (0.5 * np.linalg.eigvalsh(wide.T @ wide)[-1] + ridge)
    before = ahead = np.zeros((wide.shape[1], wanted.shape[1]))
    for turn in range(1, 400):
        scores = wide @ ahead
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        found = ahead - step * (wide.T @ (chances - wanted) + ridge * ahead)
        before, ahead = found, found + (turn - 1) / (turn + 2) * (found - before)
    return before


def fit_net(given: Matrix, wanted: Matrix, counts: Matrix, seed: int) -> list[Matrix]:
    """A net of one hidden layer, by Adam with drop-out: its weights in, their bias, its weights out, their bias."""
    random = np.random.default_rng(seed)
    size = given.shape[1]
    parts = [random.normal(0, np.sqrt(2 / size), (size, HIDDEN)), np.zeros(HIDDEN),
             random.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, 1)), np.zeros(1)]  # fmt: skip
    slopes, squares = [0 * part for part in parts], [0 * part for part in parts]
    turn = 0
    for _ in range(EPOCHS):
        order = random.permutation(len(given))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            shown = given[batch] * (random.random((len(batch), size)) > DROPPED) / (1 - DROPPED)
            inner = np.maximum(shown @ parts[0] + parts[1], 0)
            kept = (random.random(inner.shape) > DROPPED) / (1 - DROPPED)
            out = ((inner * kept) @ parts[2] + parts[3])[:, 0]
            wrong = (counts[batch] * (chance(out) - wanted[batch]))[:, None] / len(batch)
            back = (wrong @ parts[2].T) * kept * (inner > 0)
            turn += 1
            for at, slope in enumerate((shown.T @ back, back.sum(0), (inner * kept).T @ wrong, wrong.sum(0))):
                slopes[at] = 0.9 * slopes[at] + 0.1 * slope
                squares[at] = 0.999 * squares[at] + 0.001 * slope**2
                step = slopes[at] / (1 - 0.9**turn) / (np.sqrt(squares[at] / (1 - 0.999**turn)) + 1e-8)
                parts[at] -= 2e-3 * (step + (DECAY * parts[at] if at in (0, 2) else 0))
    return parts


def run_net(parts: list[Matrix], given: Matrix) -> Matrix:
    out: Matrix = (np.maximum(given @ parts[0] + parts[1], 0) @ parts[2] + parts[3])[:, 0]
    return out


def pairs_of_families(random: Random) -> list[Pair]:
    families = load("families")["family"]
    found = [
        Pair(old, new, kind == "ends", 1 / len(family["before"]), f"family {at}", "family")
        for at, family in enumerate(families)
        for kind in ("ends", "stands")
        for new in family[kind]
        for old in family["before"]
    ]
    for _ in range(CROSSED):
        one, other = random.integers(0, len(families), 2)
        said = [*families[other]["ends"], *families[other]["stands"], *families[other]["before"]]
        if one != other:
            old = families[one]["before"][random.integers(len(families[one]["before"]))]
            new = said[random.integers(len(said))]
            found.append(Pair(old, new, False, OF_CROSSED, f"family {one}", "crossed"))
    return found


def labelled_pairs(random: Random) -> list[Pair]:
    examples = load("examples")
    found = pairs_of_families(random)
    found += [Pair(one.before, one.after, one.ends, 1, one.before, "seen") for one in changes() if one.half == "seen"]
    found += [
        Pair(old, new, kind == "ends", 1, old, "example") for kind in ("ends", "stands") for old, new in examples[kind]
    ]
    found += [Pair(old, new, False, OF_HARD, old, "hard") for old, new in examples["hard"]]
    told = [one for one in found if one.kind in ("seen", "example")]
    for one, other in random.integers(0, len(told), (APART, 2)):
        if told[one].old != told[other].old:
            found.append(Pair(told[one].old, told[other].new, False, OF_CROSSED, told[one].old, "apart"))
    return found


def talk_pairs(folder: Path) -> list[Pair]:
    """Statements of one person in the development conversations, each with those it would be compared with."""
    pairs: list[Pair] = []
    for stack in locomo(folder):
        known: list[Fact] = []
        scope = Scope(stack.app, stack.project)
        for session in stack.sessions:
            messages = [
                Message(f"m{turn.id}", scope, session.id, turn.sender_id, turn.sender_name, "user", turn.timestamp,
                        turn.text, turn.text)
                for turn in session.turns
            ]  # fmt: skip
            cell = Cell(f"c{session.id}", scope, session.id, tuple(messages))
            owner = Owner(scope, "user", stack.owner)
            drafts = write_facts(cell)  # also those that it would keep only for an end
            new = [as_fact(draft, cell, owner, f"{session.id}-{at}") for at, draft in enumerate(drafts)]
            for fact in filter(may_end, new):
                said = [(words_of(old), words_of(fact)) for old in likely(fact, known[-NEAR:])[:8]]
                pairs += [Pair(old, now, False, OF_TALK, old, "talk") for old, now in said]
            known += new
    order = np.random.default_rng(7).permutation(len(pairs))
    return [pairs[at] for at in order[:TALK]]


def train_changes(embedder: OfflineEmbedder, folder: Path) -> dict[str, Matrix]:
    pairs = labelled_pairs(np.random.default_rng(1)) + talk_pairs(folder)
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.old, pair.new)))
    vectors = dict(zip(texts, embedder.encode(texts).astype(np.float64), strict=True))
    print(f"{len(pairs)} pairs of {len(texts)} statements", flush=True)
    wanted, counts = np.array([float(pair.ends) for pair in pairs]), np.array([pair.counts for pair in pairs])
    old, new = np.array([vectors[pair.old] for pair in pairs]), np.array([vectors[pair.new] for pair in pairs])
    plain = np.array(
        [change.features(pair.old, pair.new, float(a @ b)) for pair, a, b in zip(pairs, old, new, strict=True)]
    )
    turn, middle = _directions(plain, old, new)
    wide = np.hstack([plain, old, new, old * new])
    given = wide @ turn - middle

    def both(inside: NDArray[np.bool_]) -> Callable[[Matrix], Matrix]:
        nets = [fit_net(given[inside], wanted[inside], counts[inside], seed) for seed in range(NETS)]
        return lambda shown: np.mean([run_net(net, shown) for net in nets], axis=0)

    threshold = _threshold("changes", pairs, given, both)
    nets = [fit_net(given, wanted, counts, seed) for seed in range(NETS)]
    rows = [np.vstack([turn @ net[0], net[1] - middle @ net[0]]) for net in nets]
    out = np.concatenate(
        [net[2][:, 0] / NETS for net in nets] + [np.mean([net[3] for net in nets], axis=0) - threshold]
    )

    words = np.array([change.features(pair.old, pair.new, 0.0) for pair in pairs])

    def by_words(inside: NDArray[np.bool_]) -> Callable[[Matrix], Matrix]:
        found = fit(words[inside], wanted[inside], counts[inside], 1.0)
        return lambda shown: shown @ found[:-1] + found[-1]

    threshold = _threshold("changes by words alone", pairs, words, by_words)
    only_words = fit(words, wanted, counts, 1.0)
    only_words[-1] -= threshold
    return {"change": np.hstack(rows), "change_out": out, "change_words": only_words}


def _directions(plain: Matrix, old: Matrix, new: Matrix) -> tuple[Matrix, Matrix]:
    """What turns features, both vectors and their product into what the net sees, and what is taken from that."""
    size = old.shape[1]
    scale = np.sqrt(size)
    both = np.vstack([old, new])
    main = np.linalg.svd((both - both.mean(0))[::4], full_matrices=False)[2][: DIRECTIONS[0]].T * scale * 0.3
    product = old * new
    mixed = np.linalg.svd((product - product.mean(0))[::3], full_matrices=False)[2][: DIRECTIONS[1]].T * scale * 0.5
    wide = np.zeros((plain.shape[1] + 3 * size, plain.shape[1] + 2 * DIRECTIONS[0] + DIRECTIONS[1]))
    wide[: plain.shape[1], : plain.shape[1]] = np.diag(1 / (plain.std(0) + 0.1))
    down, across = plain.shape[1], plain.shape[1]
    for part in (main, main, mixed):
        wide[down : down + size, across : across + part.shape[1]] = part
        down, across = down + size, across + part.shape[1]
    middle = np.concatenate(
        [np.zeros(plain.shape[1]), both.mean(0) @ main, both.mean(0) @ main, product.mean(0) @ mixed]
    )
    return wide, middle


def _threshold(
    name: str, pairs: list[Pair], given: Matrix, fitted: Callable[[NDArray[np.bool_]], Callable[[Matrix], Matrix]]
) -> float:
    """The score from which on a pair is a change, by folds that leave whole families out."""
    fold = np.array([zlib.crc32(pair.group.encode()) % FOLDS for pair in pairs])
    scores = np.zeros(len(pairs))
    for number in range(FOLDS):
        scores[fold == number] = fitted(fold != number)(given[fold == number])
    ends = np.array([pair.ends for pair in pairs])
    kind = np.array([pair.kind for pair in pairs])
    stands = ~ends & np.isin(kind, ["family", "seen"])
    least = np.quantile(scores[stands], 1 - WRONG_ENDS)
    most = {"talk": OF_TALK_ENDS, "apart": APART_ENDS}
    found = float(max(least, *(np.quantile(scores[kind == one], 1 - share) for one, share in most.items())))
    told = [f"{one} {(scores[ends & (kind == one)] > found).mean():.2f}" for one in ("family", "seen", "example")]
    told += [f"wrong {one} {(scores[~ends & (kind == one)] > found).mean():.3f}" for one in dict.fromkeys(kind)]
    print(f"{name}: {len(pairs)} pairs; in cross-validation, from {found:.2f} on: {', '.join(told)}", flush=True)
    return found


def train_salience(folder: Path) -> dict[str, Matrix]:
    judged = [one for name in JUDGED for one in judged_sentences(folder, name) if is_seen(one.text)]
    told = [text for pair in load("examples")["ends"] for text in pair]
    told += [text for one in changes() if one.half == "seen" and one.ends for text in (one.before, one.after)]
    told = [text for text in dict.fromkeys(told) if language_of(text).code == "en"]
    texts = [*(one.text for one in judged), *told]
    wanted = np.array([float(one.keep) for one in judged] + [1.0] * len(told))
    counts = np.array([1.0] * len(judged) + [OF_EXAMPLE] * len(told))
    found = fit(np.array([salience.features(text) for text in texts]), wanted, counts, 10.0)
    print(f"salience: {len(texts)} sentences", flush=True)
    return {"salience": found}


def train_places(embedder: OfflineEmbedder, folder: Path) -> dict[str, Matrix]:
    rows = [(text, name) for name, texts in load("sentences").items() for text in texts]
    rows += [(text, name) for name, texts in load("profile")["belongs"].items() for text in texts if is_seen(text)]
    rows += [(text, CATEGORY) for text in load("rules")["rules"] if is_seen(text)]
    rows += [(text, salience.OTHER) for text in (*load("profile")["noise"], *load("rules")["others"]) if is_seen(text)]
    for family in load("families")["family"]:  # of what is no rule, and of what nobody says of themselves
        rows += [(text, CATEGORY) for text in family["before"] if "rule" in family]
        others = [text for name in ("ends", "stands", "before") for text in family[name] if "rule" not in family]
        ours = any(text.startswith(OF_ONESELF) for text in family["before"])  # "we" are a household there, else a team
        own = (*OF_ONESELF, "We ", "We'") if ours else OF_ONESELF
        rows += [(text, salience.OTHER) for text in others if not text.startswith(own)]
    rows += [(one.text, salience.OTHER) for one in judged_sentences(folder) if is_seen(one.text) and not one.keep]
    rows = [(text, name) for text, name in dict.fromkeys(rows) if language_of(text).code == "en"]
    other = salience.PLACES.index(salience.OTHER)
    wanted = np.array([salience.PLACES.index(name) if name in salience.PLACES else other for _, name in rows])
    plain = np.array([salience.features(text) for text, _ in rows])
    vectors = embedder.encode([text for text, _ in rows]).astype(np.float64)
    scale = 0.5 * np.sqrt(vectors.shape[1])
    given, marks = np.hstack([plain, vectors * scale]), np.eye(len(salience.PLACES))[wanted]
    fold = np.array([zlib.crc32(text.encode()) % FOLDS for text, _ in rows])
    scores = np.zeros(marks.shape)
    for number in range(FOLDS):
        found = fit_places(given[fold != number], marks[fold != number], 0.3)
        scores[fold == number] = given[fold == number] @ found[:-1] + found[-1]
    chances = np.exp(scores - scores.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    listed = chances[:, :RULE]
    sure, belongs = listed.sum(1) > profile_items.SURE, wanted < RULE
    right = belongs & sure & (listed.argmax(1) == wanted)
    rules = chances[:, RULE] > profile_items.SURE_RULE
    told = {"listed": sure[belongs], "rightly": right[belongs], "wrongly": sure[~belongs]}
    told |= {"rules": rules[wanted == RULE], "wrong rules": rules[wanted != RULE]}
    shares = ", ".join(f"{name} {hits.mean():.3f}" for name, hits in told.items())
    print(f"places: {len(rows)} sentences; in cross-validation {shares}", flush=True)
    found = fit_places(given, marks, 0.3)
    found[plain.shape[1] : -1] *= scale
    return {"place": found}


def _keep(parts: dict[str, Matrix], model: str) -> None:
    halved = {name: part.astype(np.float16) for name, part in parts.items()}
    np.savez_compressed(learned.FILE, model=np.array(model), **halved)  # type: ignore[arg-type]
    learned.weights.cache_clear()


def main() -> int:
    folder = data_folder()
    if not (folder / "locomo").is_dir():
        print(f"there is no folder {folder / 'locomo'}: set BENCH_DATA (bench/README.md tells which)", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as cache:
        embedder = OfflineEmbedder(Path(cache), 2)
        parts = train_salience(folder)
        _keep(parts, embedder.name)  # the pairs of real talk are chosen by it
        parts |= train_places(embedder, folder)
        parts |= train_changes(embedder, folder)
        _keep(parts, embedder.name)
        embedder.close()
    print(f"{learned.FILE.name}: {learned.FILE.stat().st_size // 1000} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
