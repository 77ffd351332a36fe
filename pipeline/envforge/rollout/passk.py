"""pass@k and pass^k from repeated episodes, without bias, and what a few episodes say of a success rate.

pass@k: at least one of k episodes passes (Chen et al. 2021, arXiv 2107.03374). pass^k: all k pass (tau-bench,
arXiv 2406.12045). Both are taken over every choice of k among the n episodes that were scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


def pass_at(k: int, episodes: int, passed: int) -> float:
    """Estimate of the chance that at least one of `k` episodes passes. Raises ValueError for k over `episodes`."""
    _refuse(k, episodes, passed)
    return 1 - comb(episodes - passed, k) / comb(episodes, k)


def pass_all(k: int, episodes: int, passed: int) -> float:
    """pass^k: estimate of the chance that all of `k` episodes pass. Raises ValueError for k over `episodes`."""
    _refuse(k, episodes, passed)
    return comb(passed, k) / comb(episodes, k)


def beta_mean(episodes: int, passed: int, *, prior_passed: float = 1.0, prior_failed: float = 1.0) -> float:
    """Posterior mean of the success rate under a Beta prior (uniform unless said otherwise)."""
    _refuse(0, episodes, passed)
    return (prior_passed + passed) / (prior_passed + prior_failed + episodes)


def rates(episodes: int, passed: int, ks: Sequence[int]) -> dict[str, float]:
    """pass@k and pass^k for each k that `episodes` can say something about."""
    found: dict[str, float] = {}
    for k in ks:
        if 1 <= k <= episodes:
            found[f"pass@{k}"] = pass_at(k, episodes, passed)
            found[f"pass^{k}"] = pass_all(k, episodes, passed)
    return found


def _refuse(k: int, episodes: int, passed: int) -> None:
    if not 0 <= passed <= episodes or not 0 <= k <= episodes:
        raise ValueError(f"k={k}, {passed} passed of {episodes}: k and the passed ones are among the episodes")
