"""States of a life: which there are, where each stands in it, and how often."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.records.domain import Column
from envforge.core.records.shape import Phase, RowShape
from envforge.mine.shapes.reading import Uses, words_of


def states_of(column: Column, uses: Uses, shape: RowShape) -> tuple[str, ...]:
    """The values of a state column: the source's, else a few plain ones and those that its transitions lead to."""
    if column.enum:
        return column.enum
    led_to = tuple(str(value) for value in uses.states.get(column.name, ()) if isinstance(value, str))
    return tuple(dict.fromkeys((*shape.plain_states, *led_to)))


def phase_of(state: str, shape: RowShape) -> Phase | None:
    """The part of a life that a state belongs to, by its whole name, else by its words."""
    plain = state.lower().replace("-", "_").replace(" ", "_")
    whole = next((phase for phase in shape.phases if plain in phase.words), None)
    if whole is not None:
        return whole
    parts = plain.split("_")
    return next((phase for part in parts for phase in shape.phases if part in phase.words), None)


def initial_state(states: Sequence[str], shape: RowShape) -> str:
    """The state of what is new: of the earliest phase that lasts, the first of all where none is known."""
    for name in ("draft", "active"):
        for state in states:
            phase = phase_of(state, shape)
            if phase is not None and phase.name == name:
                return state
    return states[0]


def state_weights(states: Sequence[str], shape: RowShape) -> dict[str, float]:
    """How often each state stands: its phase's weight, shared by the states of the phase, the first having most."""
    weights: dict[str, float] = {}
    for phase in (*shape.phases, None):
        own = [state for state in states if phase_of(state, shape) is phase]
        total = phase.weight if phase else min(item.weight for item in shape.phases)
        rare = set(shape.signs.rare_words)
        shares = [(0.2 if words_of(state) & rare else 1.0) / rank for rank, state in enumerate(own, start=1)]
        weights |= {state: total * share / sum(shares) for state, share in zip(own, shares, strict=True)}
    return {state: weights[state] for state in states}


def life_place(state: str, shape: RowShape) -> int:
    """Where in a life a state stands: the place of its phase; what is between two states has just begun."""
    phase = phase_of(state, shape)
    return shape.phases.index(phase) if phase else 1


_BEFORE = {
    "draft": ("active", "paused", "failed"),
    "active": ("draft", "paused", "failed", "gone"),
    "paused": ("active", "moving"),
    "done": ("draft", "moving", "active", "paused"),
    "failed": ("draft", "moving", "active", "paused"),
    "gone": ("draft", "moving", "active", "paused", "done", "failed"),
}
"""Phase -> the phases from which a row can get there in one step: what is over is not paused, finished or refused."""


def sources_of(target: str, states: Sequence[str], shape: RowShape) -> tuple[str, ...]:
    """The states from which a row can be brought into `target`; all others where nothing is known of them."""
    others = tuple(state for state in states if state != target)
    phase = phase_of(target, shape)
    before = _BEFORE.get(phase.name, ()) if phase else ()
    known = tuple(state for state in others if (own := phase_of(state, shape)) is None or own.name in before)
    return known if before and known else others
