"""The few distribution functions that intervals and tests need, exact to some ten digits and without a library."""

from __future__ import annotations

from math import comb, exp, lgamma, log, log1p

_TINY = 1e-300
_CLOSE = 1e-14
_MOST_STEPS = 500


def student_t_tail(t: float, freedom: int) -> float:
    """Chance that Student's t with so many degrees of freedom lies further from 0 than `t`, on either side."""
    _refuse_freedom(freedom)
    return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5)


def student_t_quantile(share: float, freedom: int) -> float:
    """The t beyond which, on either side, lies `1 - share`: 0.95 gives the half-width of a 95 % interval."""
    _refuse_freedom(freedom)
    if not 0 < share < 1:
        raise ValueError(f"share is {share}: it lies between 0 and 1")
    low, high = 0.0, 1.0
    while student_t_tail(high, freedom) > 1 - share:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if student_t_tail(middle, freedom) > 1 - share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def sign_test(more: int, fewer: int) -> float:
    """Two-sided exact binomial test of `more` against `fewer` at even odds: McNemar's exact test and the sign test."""
    trials = more + fewer
    if min(more, fewer) < 0:
        raise ValueError(f"{more} against {fewer}: counts are not negative")
    if not trials:
        return 1.0
    tail = sum(comb(trials, count) for count in range(min(more, fewer) + 1))
    return min(1.0, 2 * tail / 2**trials)


def beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if not 0 <= x <= 1 or a <= 0 or b <= 0:
        raise ValueError(f"I_{x}({a}, {b}) is not defined")
    if x in (0.0, 1.0):
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by the modified method of Lentz."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _away(1 + even * d), _away(1 + even / c)
        found *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _away(1 + odd * d), _away(1 + odd / c)
        found *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    return found


def _away(value: float) -> float:
    """Not quite zero."""
    return value if abs(value) > _TINY else _TINY


def _refuse_freedom(freedom: int) -> None:
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom: there is at least one")
