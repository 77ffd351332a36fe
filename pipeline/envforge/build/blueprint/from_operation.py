"""From a source operation to an Operation in the step language, by its verb."""

from __future__ import annotations

from envforge.build.blueprint.changing import WRITERS
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.reading import READERS
from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import BoundOperation


def from_operation(drawing: Drawing, operation: BoundOperation) -> Operation:
    """The tool for a source operation. Raises CannotDraw with a reason code when it cannot be one."""
    draw = READERS.get(operation.verb) or WRITERS.get(operation.verb)
    if draw is None:
        raise CannotDraw("no_rule_for_verb", f"no rule draws the verb {operation.verb}")
    return draw(drawing, operation)
