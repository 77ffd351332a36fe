"""What a user should know before trusting it, each from a figure of the records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from envforge.publish.card.facts import Facts, facts_of
from envforge.publish.card.markdown import code
from envforge.publish.published import Published

_WEAK = 0.75
"""Of an operator's planted faults; fewer found than this is named."""


def limits(published: Published) -> str:
    """The section on known issues."""
    found = facts_of(published)
    points = [point for rule in _RULES for point in rule(found)]
    return "\n".join(["## Known issues", "", *(f"- {point}" for point in points)])


def _simulated(found: Sequence[Facts]) -> Iterator[str]:
    for facts in found:
        if facts.one.manifest.grounding == "spec":
            yield f"{code(facts.id)}: {facts.origins['synthetic']:,} of {facts.rows:,} rows are simulated."


def _dropped(found: Sequence[Facts]) -> Iterator[str]:
    names = [code(facts.id) for facts in found if facts.one.manifest.facts_only]
    if names:
        yield (
            f"{', '.join(names)}: mined facts-only. Texts of the sources are gone, also from descriptions of tools, "
            "which are written from names and types and are plainer than the originals."
        )


def _smaller(found: Sequence[Facts]) -> Iterator[str]:
    for facts in found:
        kept: list[str] = list(facts.one.manifest.statistics.get("keep", ()))
        if kept:
            yield f"{code(facts.id)} holds a part of its sources only: {', '.join(code(wish) for wish in kept)}."


def _operations(found: Sequence[Facts]) -> Iterator[str]:
    for facts in found:
        counts: Mapping[str, int] = facts.one.manifest.statistics.get("operations", {})
        if counts.get("stated"):
            shipped = counts.get("shipped", 0)
            names = ", ".join(code(name) for name in facts.one.manifest.archetypes)
            others = (
                f"none is a tool here: the tools are those of the archetype {names}" if names else "none is a tool here"
            )
            yield (
                f"{code(facts.id)}: its sources state {counts.get('distinct', counts['stated'])} different operations; "
                + (f"{shipped} are tools here" if shipped else others)
                + ". `rejected.jsonl` has the reason for each that is not."
            )


def _unnoticed(found: Sequence[Facts]) -> Iterator[str]:
    for facts in found:
        measured = facts.measured("mutation")
        mutants, killed = int(measured.get("mutants", 0)), int(measured.get("killed", 0))
        if killed < mutants:
            weak = ", ".join(_weak(cast("Mapping[str, Any]", measured.get("by_operator", {}))))
            yield (
                f"{code(facts.id)}: the unit tests of the tools let {mutants - killed} of {mutants} planted faults pass"
                + (f"; weakest: {weak}" if weak else "")
                + "."
            )


def _weak(by_operator: Mapping[str, Any]) -> Iterator[str]:
    for name, told in sorted(by_operator.items()):
        killed, _, planted = str(told).partition("/")
        if killed.isdigit() and planted.isdigit() and int(killed) < _WEAK * int(planted):
            yield f"{name} {killed} of {planted} found"


def _worded(found: Sequence[Facts]) -> Iterator[str]:
    if any(facts.one.tasks is not None and facts.one.tasks.certificate.author == "compiled" for facts in found):
        yield (
            "Instructions are made of banks of words, in English only. They are checked for saying all that is "
            "needed and no more, but their wording is less varied than people's."
        )


def _judged(found: Sequence[Facts]) -> Iterator[str]:
    if any(facts.tasks for facts in found):
        yield (
            "Checks look at the final state and the answer. How an agent got there, and how it spoke, is not "
            "judged; unneeded reads cost nothing."
        )


def _unmeasured(found: Sequence[Facts]) -> Iterator[str]:
    bare = [code(f.id) for f in found if f.one.tasks is not None and not f.one.tasks.measured]
    if bare:
        yield f"{', '.join(bare)}: no model was measured on the tasks, so how hard they are for one is not known."


_RULES = (_simulated, _dropped, _smaller, _operations, _unnoticed, _worded, _judged, _unmeasured)
