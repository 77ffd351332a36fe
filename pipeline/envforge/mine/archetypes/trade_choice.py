"""Which trade an archetype's rows follow: the one that the source's own words speak for, or none.

Each word of a trade counts once, where the source says it most prominently. A trade is taken if its words come to
ENOUGH and no other trade has more; where none does, the archetype's neutral banks stay. A source of thousands of
columns says every word somewhere, so what it says in passing counts the less the more of it there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from envforge.core.records.trade import NEUTRAL, Trade, TradeChoice
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.archetypes.refs import Binding
from envforge.mine.archetypes.sayings import Saying, plain_words
from envforge.mine.archetypes.trades import in_trade

ENOUGH = 4.5
"""More than a strong word in a single remark, or a weak one in a title, is worth."""
_PASSING, _FEW = 2.0, 200
"""Worth less than the first is said in passing; it counts in full as long as there is no more of it than the second."""
_SAID = 5
"""Words that a reason names."""


@dataclass(frozen=True)
class _Found:
    word: str
    place: str
    points: float


@dataclass(frozen=True)
class _Judged:
    trade: Trade
    found: tuple[_Found, ...]

    @property
    def score(self) -> float:
        return round(sum(one.points for one in self.found), 2)

    @property
    def reason(self) -> str:
        first = self.found[:_SAID]
        more = f" and {len(self.found) - len(first)} more" if len(self.found) > len(first) else ""
        return ", ".join(f"{one.word} ({one.place})" for one in first) + more


def settled(match: ArchetypeMatch, said: Sequence[Saying]) -> tuple[ArchetypeMatch, TradeChoice | None]:
    """The match with the banks of the trade that fits, and the choice; None where the archetype knows no trades."""
    archetype = match.archetype
    if not archetype.trades:
        return match, None
    trade, choice = choose(archetype.id, archetype.trades, said)
    dressed = in_trade(archetype, trade)
    binding: Binding = replace(match.binding, constants=dressed.constants)
    return replace(match, archetype=dressed, binding=binding), choice


def choose(archetype: str, trades: Sequence[Trade], said: Sequence[Saying]) -> tuple[Trade | None, TradeChoice]:
    """The trade that the sayings speak for, None for none, with score and reason. Equals go by their id."""
    weighed = _weighed(said)
    judged = sorted((_judged(trade, weighed) for trade in trades), key=lambda one: (-one.score, one.trade.id))
    best = judged[0]
    if best.score >= ENOUGH:
        choice = TradeChoice(
            archetype=archetype, trade=best.trade.id, title=best.trade.title, score=best.score, reason=best.reason
        )
        return best.trade, choice
    nearest = f"; nearest was {best.trade.id} with {best.score:g}: {best.reason}" if best.found else ""
    reason = f"the source speaks of no trade that is known (words for {ENOUGH:g} are needed{nearest})"
    return None, TradeChoice(archetype=archetype, trade=NEUTRAL, score=best.score, reason=reason)


def _weighed(said: Sequence[Saying]) -> list[Saying]:
    passing = sum(one.worth < _PASSING for one in said)
    share = min(1.0, _FEW / passing) if passing else 1.0
    return [one if one.worth >= _PASSING else replace(one, worth=one.worth * share) for one in said]


def _judged(trade: Trade, said: Sequence[Saying]) -> _Judged:
    found: list[_Found] = []
    for word, weight in trade.words.items():
        sought = plain_words(word)
        holding = [one for one in said if sought in one.text]
        if holding:
            best = max(holding, key=lambda one: one.worth)  # the first of equals
            found.append(_Found(word, best.place, weight * best.worth))
    return _Judged(trade, tuple(sorted(found, key=lambda one: (-one.points, one.word))))
