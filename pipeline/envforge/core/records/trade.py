"""Trades: what the firms of one trade call their goods, plans, complaints and rooms (themes/trades/<archetype>/*.yaml).

An archetype tells how a kind of firm works and has words that offend nobody ("Standard plan"). A trade replaces some of
these words, with the prices that belong to them, where a source speaks of that trade. docs/archetypes.md, "Trades".
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from envforge.core.records.base import Record

NEUTRAL = "neutral"
"""What the archetype's own banks are called: the firm of no trade in particular."""


class Trade(Record):
    """One file of themes/trades/<archetype>."""

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str
    about: str
    words: dict[str, float] = Field(
        min_length=1, description="word or phrase -> how much it speaks for the trade, 1 to 3"
    )
    constants: dict[str, Any] = Field(
        default_factory=dict, description="lists and mappings that stand in for the archetype's of the same name"
    )
    text: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="text banks that stand in for the archetype's of the same name, or are new"
    )
    reference_rows: dict[str, tuple[dict[str, Any], ...]] = Field(
        default_factory=dict, description="rows that stand in for the archetype's of the same table"
    )


class TradeChoice(Record):
    """Which trade the rows of an environment follow, and why."""

    archetype: str
    trade: str = Field(description="id of the trade; neutral where the source speaks of none")
    title: str = ""
    score: float = Field(default=0.0, description="what the words in the source are worth together")
    reason: str = Field(description="the words that decided and where they stand")
