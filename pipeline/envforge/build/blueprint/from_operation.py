"""From a source operation to an Operation in the step language, by its verb."""

from __future__ import annotations

from collections.abc import Callable

from envforge.build.blueprint.changing import draw_link, draw_transfer, draw_transition, draw_unlink
from envforge.build.blueprint.deleting import draw_delete
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.reading import draw_get, draw_list
from envforge.build.blueprint.rules import knows_itself
from envforge.build.blueprint.scoped import draw_scoped
from envforge.build.blueprint.searching import draw_search
from envforge.build.blueprint.writing import draw_create, draw_update
from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import BoundOperation

RULES: dict[str, Callable[[Drawing, BoundOperation], Operation]] = {
    "get": draw_get,
    "list": draw_list,
    "filter": draw_list,
    "search": draw_search,
    "create": draw_create,
    "update": draw_update,
    "transition": draw_transition,
    "delete": draw_delete,
    "link": draw_link,
    "unlink": draw_unlink,
    "transfer": draw_transfer,
}
"""Verb → how its tools are drawn. Aggregates are drawn from data, see `data_first`."""


def from_operation(drawing: Drawing, operation: BoundOperation) -> Operation:
    """The tool for a source operation. Raises CannotDraw with a reason code when it cannot be one."""
    draw = RULES.get(operation.verb)
    if draw is None:
        raise CannotDraw("no_rule_for_verb", f"no rule draws the verb {operation.verb}")
    if not operation.addressed_by_parts:
        return draw(drawing, operation)
    if not knows_itself(drawing):
        names = [given.name for given in operation.parameters if given.meaning in {"key", "scope"}]
        raise CannotDraw("name_of_parts", f"{' and '.join(names)} name one record; beside an archetype keys do")
    return draw_scoped(drawing, operation, draw)
