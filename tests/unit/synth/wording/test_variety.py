"""Figures of variety, against values worked out by hand or the plain way."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from envforge.synth.wording.grammar import REGISTERS, phrase
from envforge.synth.wording.variety import (
    distinct,
    measure,
    near_duplicates,
    problems,
    self_bleu,
    template_share,
    words,
)

from .conftest import flight_goal, late_goal

THRESHOLDS = Path(__file__).parents[4] / "validators/gates/tasks.json"


def random_texts(count: int, seed: int = 1) -> list[str]:
    rng = Random(seed)
    texts = [" ".join(rng.choices("abcdefgh", k=rng.randint(4, 14))) for _ in range(count)]
    for at in range(0, count, 5):
        texts[at] = f"{texts[at - 1]} x"
    return texts


def test_words_keep_clocks_and_amounts_whole() -> None:
    assert words("It's $1,204 at 7:05 am.") == ["it's", "$", "1,204", "at", "7:05", "am", "."]


def test_distinct_2_by_hand() -> None:
    assert distinct(["a b c", "a b d"]) == 3 / 4
    assert distinct(["a"]) == 0.0


def plain_self_bleu(texts: list[str], n: int = 4) -> float:
    """BLEU of each text against the others, written as in the definition."""
    said = [words(text) for text in texts]

    def grams(one: list[str], size: int) -> Counter[tuple[str, ...]]:
        return Counter(tuple(one[i : i + size]) for i in range(len(one) - size + 1))

    scores: list[float] = []
    for at, own in enumerate(said):
        others = said[:at] + said[at + 1 :]
        logs = 0.0
        for size in range(1, n + 1):
            mine = grams(own, size)
            hits = sum(min(k, max(grams(o, size)[g] for o in others)) for g, k in mine.items())
            logs += math.log(max(hits, 0.5) / max(1, sum(mine.values()))) / n
        closest = min((len(o) for o in others), key=lambda size: (abs(size - len(own)), size))
        scores.append(math.exp(logs + min(0.0, 1 - closest / len(own))))
    return sum(scores) / len(scores)


def test_self_bleu_is_that_of_the_definition() -> None:
    texts = random_texts(25)
    assert self_bleu(texts) == pytest.approx(plain_self_bleu(texts))
    assert self_bleu(["a b c d e"] * 3) == pytest.approx(1.0)
    assert self_bleu(["a b c d e", "f g h i j"]) < 0.2
    assert self_bleu(["alone"]) == 0.0


def test_template_share() -> None:
    assert template_share(["a", "a", "b", "c"]) == 0.5
    assert template_share([]) == 0.0


@pytest.mark.parametrize("similar", [0.3, 0.5, 0.8, 1.0])
def test_near_duplicates_are_those_of_all_pairs(similar: float) -> None:
    texts = [*random_texts(60), "a b c d", "a b c d", "one", "one", "two"]
    sets = [{tuple(words(t)[i : i + 3]) for i in range(len(words(t)) - 2)} or {tuple(words(t))} for t in texts]
    plain = [
        (i, j)
        for i, j in combinations(range(len(texts)), 2)
        if len(sets[i] & sets[j]) >= similar * len(sets[i] | sets[j]) - 1e-9
    ]
    assert plain
    assert near_duplicates(texts, similar=similar) == plain


def test_the_gate_passes_varied_texts_and_stops_one_template() -> None:
    thresholds = json.loads(THRESHOLDS.read_text(encoding="utf-8"))["variety"]
    goals = [flight_goal(), late_goal()]
    said = [(g, phrase(g.family, g.intent, r, Random(s))) for g in goals for r in REGISTERS for s in range(5)]
    texts, families = [p.text for _, p in said], [g.family.id for g, _ in said]
    varied = measure(texts, families, [p.templates[0] for _, p in said])
    assert varied.texts == 40
    assert varied.template_share <= 0.2
    one = [f"Tell me how many people of room {n % 5} there are, please." for n in range(40)]
    assert len(problems(measure(one, ["f"] * 40, ["text#0"] * 40), thresholds)) == 4
    with pytest.raises(KeyError):
        problems(varied, {})
