"""Which fragments fit a selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envforge.synth.programs.asked import commonest, counted, listed, total
from envforge.synth.programs.body import Selection
from envforge.synth.programs.facets import Facet
from envforge.synth.programs.goal import Goal
from envforge.synth.programs.ground import Bond
from envforge.synth.programs.phrases import adds_up
from envforge.synth.programs.ranked import best, fallback, grouped, top
from envforge.synth.programs.shared import gathered, mode, most_tied
from envforge.synth.programs.subject import Subject


def goals_of(selection: Selection, other: Callable[[Bond], Subject | None]) -> Iterator[Goal]:
    """Every goal that fits a selection. `other`: the subject that a bond leads to."""
    subject = selection.subject
    used = {one.facet.column for one in selection.conditions if one.facet}
    free = [one for one in subject.facets if one.column not in used]
    yield listed(selection)
    yield counted(selection)
    if subject.owner:
        yield from _of_parts(selection, free)
        return
    for facet in [one for one in free if one.nature in ("number", "date", "year")]:
        for low in (False, True):
            yield top(selection, facet, low=low)
            yield best(selection, facet, low=low)
        if len(selection.conditions) > 1 and selection.conditions[-1].kind in ("is", "so", "not_so"):
            yield fallback(selection, facet)
        for group in [one for one in free if one.nature == "choice" and not _standing(one)]:
            yield grouped(selection, facet, group)
    for facet in [one for one in free if adds_up(one)]:
        yield total(selection, facet)
    for facet in [one for one in free if one.nature == "choice" and not _standing(one)]:
        yield commonest(selection, facet)
    for bond in subject.ground.bonds:
        to = other(bond)
        tied = any(one.bond is bond for one in selection.conditions)
        if bond.owner_table == subject.table and to is not None and not tied:
            yield gathered(selection, bond, to)
            yield most_tied(selection, bond)
            if not bond.valued:  # "which browser do most have an entry for" is nobody's question
                yield mode(selection, bond, to)


def _standing(facet: Facet) -> bool:
    """How far a row has come: nobody asks which of three states is the most common."""
    return facet.noun in ("state", "status") or facet.noun.startswith(("state ", "status "))


def _of_parts(selection: Selection, free: list[Facet]) -> Iterator[Goal]:
    """Goals about parts of one whole, whose names are no words that have an order."""
    for facet in free:
        if facet.nature in ("number", "date", "year"):
            for low in (False, True):
                yield best(selection, facet, low=low)
                yield top(selection, facet, low=low)
        if facet.nature == "choice" and not _standing(facet):
            yield commonest(selection, facet)
