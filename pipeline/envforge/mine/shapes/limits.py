"""Values within what the source says of them; columns whose rule cannot keep to it are found before any row is made."""

from __future__ import annotations

from envforge.core.records.shape import RowShape
from envforge.core.seeds import stream
from envforge.mine.scenario.people import People
from envforge.mine.shapes.naming import Namer
from envforge.mine.shapes.plan import TablePlan
from envforge.mine.shapes.values import Draft, Values

_PROBES = 12
_ENOUGH = 6


def misfits(plan: TablePlan, shape: RowShape, clock: str) -> dict[str, str]:
    """Columns for which too few of the values that would be made keep to the source's limits, with the reason.

    Tried with a fixed seed: all databases of a family have the same columns.
    """
    limited = [one for one in plan.of_way("rule") if one.column.limits is not None and one.rule is not None]
    limited = [one for one in limited if one.rule is not None and one.rule.make != "moment"]
    if not limited:
        return {}
    namer = Namer(plan, shape, People(shape.locale, set(), set()), stream(0, shape.id, plan.name, "probe"))
    values = Values(plan, shape, namer, stream(0, shape.id, plan.name, "limits"))
    fitting = dict.fromkeys((one.name for one in limited), 0)
    for _ in range(_PROBES):
        draft = Draft({}, clock, namer.draw())
        for one in limited:
            fitting[one.name] += values.once(one, draft) is not None
    return {name: "values as its limits want them are not known" for name, n in fitting.items() if n < _ENOUGH}
