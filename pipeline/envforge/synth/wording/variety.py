"""How much texts differ: distinct-2, self-BLEU-4, share of the commonest template, near-duplicates.

Texts are compared as small-letter words and signs (`words`). All measures are exact, none samples.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Gram = tuple[str, ...]


@dataclass(frozen=True)
class Variety:
    """Figures of a set of texts; `in_family_self_bleu_4` is the mean over families of two texts or more."""

    texts: int
    distinct_2: float
    self_bleu_4: float
    in_family_self_bleu_4: float
    template_share: float
    near_duplicates: int


def measure(
    texts: Sequence[str], families: Sequence[str], templates: Sequence[str], *, similar: float = 0.8
) -> Variety:
    """The figures of `texts`; `families` and `templates` (the root template, any name) are parallel to it."""
    by_family: dict[str, list[str]] = defaultdict(list)
    for text, family in zip(texts, families, strict=True):
        by_family[family].append(text)
    inside = [self_bleu(group) for group in by_family.values() if len(group) > 1]
    roots = [f"{family} {template}" for family, template in zip(families, templates, strict=True)]
    return Variety(
        texts=len(texts),
        distinct_2=distinct(texts),
        self_bleu_4=self_bleu(texts),
        in_family_self_bleu_4=sum(inside) / len(inside) if inside else 0.0,
        template_share=template_share(roots),
        near_duplicates=len(near_duplicates(texts, similar=similar)),
    )


def problems(variety: Variety, thresholds: Mapping[str, float]) -> list[str]:
    """What misses its threshold (validators/gates/tasks.json, "variety"). Raises KeyError for one that is missing."""
    least = {"distinct_2": variety.distinct_2}
    most = {
        "self_bleu_4": variety.self_bleu_4,
        "in_family_self_bleu_4": variety.in_family_self_bleu_4,
        "template_share": variety.template_share,
    }
    low = [f"{k} is {v:.3f}, below {thresholds[k]}" for k, v in least.items() if v < thresholds[k]]
    return low + [f"{k} is {v:.3f}, above {thresholds[k]}" for k, v in most.items() if v > thresholds[k]]


def words(text: str) -> list[str]:
    """Small-letter words, numbers and signs; clocks and amounts stay whole."""
    return re.findall(r"\d+(?:[.,:]\d+)*|\w+(?:['’]\w+)*|[^\w\s]", text.lower())


def distinct(texts: Sequence[str], n: int = 2) -> float:
    """Different n-grams over all n-grams (Li et al. 2016, "A diversity-promoting objective function")."""
    grams = [gram for text in texts for gram in _grams(words(text), n)]
    return len(set(grams)) / len(grams) if grams else 0.0


def self_bleu(texts: Sequence[str], n: int = 4) -> float:
    """Mean BLEU-n of each text against all others (Zhu et al. 2018, "Texygen"); 0 for fewer than two texts.

    BLEU is Papineni et al. 2002: clipped n-gram precisions, geometric mean, brevity penalty against the closest length;
    a precision of nothing counts as 1/(2 × n-grams) (Chen and Cherry 2014, method 1 with half a hit).
    """
    if len(texts) < 2:
        return 0.0
    said = [words(text) for text in texts]
    lengths = Counter(len(one) for one in said)
    logs = [0.0] * len(said)
    for size in range(1, n + 1):
        counts = [Counter(_grams(one, size)) for one in said]
        most = _two_most(counts)
        for at, own in enumerate(counts):
            total = max(1, sum(own.values()))
            hits = sum(min(k, _among_others(most[gram], at)) for gram, k in own.items())
            logs[at] += math.log(max(hits, 0.5) / total) / n
    scores = [math.exp(logs[at] + _brevity(len(one), lengths)) for at, one in enumerate(said)]
    return min(1.0, sum(scores) / len(scores))


def template_share(roots: Sequence[str]) -> float:
    """Share of the texts that come from the commonest root template; 0 for no text."""
    return max(Counter(roots).values()) / len(roots) if roots else 0.0


def near_duplicates(texts: Sequence[str], *, similar: float = 0.8, n: int = 3) -> list[tuple[int, int]]:
    """Pairs (i < j) whose sets of word n-grams have a Jaccard similarity of `similar` or more.

    Resemblance of shingles is Broder 1997; candidates come from prefixes ordered by rarity (Bayardo et al. 2007,
    "Scaling up all pairs similarity search"): sets that are similar enough share a gram of their prefixes.
    """
    sets = [set(_grams(words(text), n)) or {tuple(words(text))} for text in texts]
    frequency = Counter(gram for one in sets for gram in one)
    index: dict[Gram, list[int]] = defaultdict(list)
    found: list[tuple[int, int]] = []
    for at, own in enumerate(sets):
        ordered = sorted(own, key=lambda gram: (frequency[gram], gram))
        prefix = ordered[: len(own) - math.ceil(similar * len(own) - 1e-9) + 1]
        for other in sorted({one for gram in prefix for one in index[gram]}):
            shared = len(own & sets[other])
            if shared >= similar * (len(own) + len(sets[other]) - shared) - 1e-9:
                found.append((other, at))
        for gram in prefix:
            index[gram].append(at)
    return sorted(found)


def _grams(said: Sequence[str], n: int) -> list[Gram]:
    return [tuple(said[at : at + n]) for at in range(len(said) - n + 1)]


def _two_most(counts: Sequence[Counter[Gram]]) -> dict[Gram, tuple[int, int, int]]:
    """Of each gram: the highest count in a text, that text, and the highest count in another one."""
    most: dict[Gram, tuple[int, int, int]] = {}
    for at, own in enumerate(counts):
        for gram, k in own.items():
            best, where, second = most.get(gram, (0, -1, 0))
            most[gram] = (k, at, best) if k > best else (best, where, max(second, k))
    return most


def _among_others(most: tuple[int, int, int], at: int) -> int:
    best, where, second = most
    return second if where == at else best


def _brevity(length: int, lengths: Counter[int]) -> float:
    others = [one for one, k in lengths.items() if one != length or k > 1]
    closest = min(others, key=lambda one: (abs(one - length), one))
    return min(0.0, 1 - closest / max(1, length))
