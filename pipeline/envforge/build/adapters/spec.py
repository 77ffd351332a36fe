"""What an adapter is: helper functions that the lowering embeds once into tools.py, and what they touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from envforge.core.records.blueprint import Blueprint


def _no_tables(_: Blueprint) -> tuple[str, ...]:
    return ()


def _no_errors(_: Blueprint) -> tuple[tuple[str, str], ...]:
    return ()


@dataclass(frozen=True)
class AdapterSpec:
    """An adapter: everything the step kind `adapter` needs to become a call in tools.py.

    The step `{do: adapter, name: rows, adapter: <name>, arguments: {a: expression}}` becomes
    `rows = <call>(world, a=expression)`.
    """

    name: str
    """Key in ADAPTERS, and what a step calls it."""
    call: str
    """The function that a step calls. Its first parameter is `world`; the others are passed by keyword."""
    functions: Callable[[Blueprint], dict[str, str]]
    """Private names (starting with `_`) -> source text of their definitions, functions or constants.

    All of them are embedded, in this order, once per module. They may use each other, the helpers of
    `build.lower.prelude` by their embedded names (`_like`, `_page`, …), and the modules tools.py may import:
    the lowering adds the imports and the helpers that the text uses.
    """
    reads: Callable[[Blueprint], tuple[str, ...]] = _no_tables
    """Tables the functions read."""
    writes: Callable[[Blueprint], tuple[str, ...]] = _no_tables
    """Tables the functions write."""
    errors: tuple[tuple[str, str], ...] = ()
    """(code, when) of every ToolError the functions raise."""
    more_errors: Callable[[Blueprint], tuple[tuple[str, str], ...]] = _no_errors
    """(code, when) of those that depend on the shape of the blueprint."""
