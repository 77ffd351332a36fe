"""Source operations that make and change rows: create and update."""
# Names of tables and columns come from a checked blueprint; values are always bound.

from __future__ import annotations

from envforge.build.adapters.tables import STORED_TYPES, related_key
from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.containers import container_of
from envforge.build.blueprint.content import children_steps, draw_append, type_rules
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.filling import (
    changed_row,
    given_columns,
    managed_columns,
    position_steps,
    require_filled,
)
from envforge.build.blueprint.reading import detailed, finish
from envforge.build.blueprint.rules import namesakes, no_namesakes
from envforge.core.articles import with_article
from envforge.core.records.blueprint import (
    Adapter,
    Insert,
    Operation,
    Parameter,
    Require,
    Return,
    Step,
    When,
)
from envforge.core.records.domain import BoundOperation, BoundParameter, PropertyBag, Table


def draw_create(drawing: Drawing, operation: BoundOperation) -> Operation:
    """A new row in its container, with typed properties and children when the source takes them."""
    table = drawing.table(operation.table)
    if any(given.child == table.entity for given in parts.given_meaning(operation, "children")):
        return draw_append(drawing, operation, table)
    parameters: list[Parameter] = []
    steps: list[Step] = []
    values: dict[str, str] = {}
    touches: list[Step] = []
    if parts.given_meaning(operation, "parent"):
        purpose = "that it is about" if facts.is_remark(table) else "that contains it"
        container = container_of(drawing, table, operation, roots=True, purpose=purpose)
        parameters += container.parameters
        steps += container.steps
        values |= container.values
        touches = container.touches
    given_columns(drawing, operation, table, parameters, steps, values, creating=True)
    steps += no_namesakes(drawing, table, parameters, values)
    bag = next(iter(parts.given_meaning(operation, "bag")), None)
    before, after = _bag_steps(drawing, table, bag, values, parameters)
    actor, people = parts.acting_steps(drawing, (*facts.author_columns(table), *facts.updater_columns(table)))
    managed_columns(drawing, table, values, people)
    require_filled(operation, table, values)
    children_parameters, children = children_steps(drawing, operation, table, acting=bool(actor))
    more, value, schema = detailed(drawing, table, drawing.row(table))
    drawn = finish(
        operation,
        summary=f"Create {with_article(table.label)}.",
        description="The author is the acting user." if people else "",
        parameters=[*parameters, *children_parameters],
        steps=[
            *steps,
            *before,
            *actor,
            *position_steps(table, values),
            Insert(name=drawing.row(table), table=table.name, values=values),
            *after,
            *children,
            *touches,
            *_reload(drawing, table, drawing.row(table)),
            *more,
            Return(value=value),
        ],
        returns=parts.returns(**schema),
    )
    return drawn.model_copy(update={"witnesses": namesakes(drawing, table, parameters, values)})


def _reload(drawing: Drawing, table: Table, row: str) -> list[Step]:
    """The stored row, so that the result shows what later reads show."""
    where = {name: f"{row}.{name}" for name in table.primary_key}
    return [parts.fetch(drawing, table, where, name=row).model_copy(update={"hint": ""})]


def _bag_steps(
    drawing: Drawing,
    table: Table,
    given: BoundParameter | None,
    values: dict[str, str],
    parameters: list[Parameter],
) -> tuple[list[Step], list[Step]]:
    """Typed properties of a new item (after the insert), or the definitions of a new collection."""
    items, collection = drawing.bag_of_items(table), drawing.bag_of_collection(table)
    bag = items or collection
    if given is None or bag is None:
        return [], []
    led_to = related_key(drawing.table(bag.definition_table), bag.collection_table)
    parameters.append(_bag_parameter(given, bag, items is not None, led_to))
    key = f"{drawing.row(table)}.{parts.key_of(table).name}"
    if items is None:
        call = Adapter(adapter="define_properties", arguments={"collection_id": key, "properties": given.name})
        return [], [When(that=f"{given.name} is not None", then=(call,))]
    label = facts.label_column(table)
    titled = values.get(label.name, "None") if label else "None"
    if label and label.name not in values:
        values[label.name] = f'({given.name} or {{}}).get("{label.name}")'
    holder = values.get(bag.item_parent_column, "None")
    arguments = {"item_id": key, "collection_id": holder, "properties": given.name}
    if facts.by_role(table, "title"):
        arguments["title"] = titled
    call = Adapter(adapter="write_properties", arguments=arguments)
    return [], [When(that=f"{given.name} is not None", then=(call,))]


def _bag_parameter(given: BoundParameter, bag: PropertyBag, items: bool, led_to: str | None) -> Parameter:
    if items:
        text = (
            "Property values by name: text, number, true/false, option name (a list of names for multi-select), "
            'date "YYYY-MM-DD" or {"start": ..., "end": ...}, list of ids for people and relations; null clears.'
        )
    else:
        text = (
            'Property definitions by name: {"type": TYPE, "options": [names, for select types]'
            + (f', "{led_to}": id of the one that a relation leads to' if led_to else "")
            + '}; {"name": NEW_NAME} renames, null removes. Types: '
            + ", ".join(name for name in bag.types if name in STORED_TYPES)
            + "."
        )
    return Parameter(name=given.name, json_schema={"type": "object"}, required=False, description=text)


def draw_update(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Change the given fields of a row; nothing else moves but its time of change."""
    table = drawing.table(operation.table)
    keys = parts.key_parameters(drawing, table, operation)
    parameters = list(keys.values())
    where = {name: key.name for name, key in keys.items()}
    checks: list[Step] = []
    values: dict[str, str] = {}
    given_columns(drawing, operation, table, parameters, checks, values, creating=False)
    for name in [name for name in values if name in table.primary_key]:
        del values[name]
    checks += type_rules(drawing, table, parameters, values)
    sole = len(parameters) == len(where) + 1 and not parts.given_meaning(operation, "bag")
    stated = [one.model_copy(update={"required": sole or one.required}) for one in parameters]
    checks += no_namesakes(drawing, table, stated, values, row=drawing.row(table))
    bag = next(iter(parts.given_meaning(operation, "bag")), None)
    _, bag_steps = _bag_steps(drawing, table, bag, dict(values), parameters)
    bag_steps = _for_existing(drawing, table, bag_steps)
    given = [one.name for one in parameters if one.name not in where.values()]
    if not given:
        raise CannotDraw("nothing_to_update", f"{operation.name} takes no field of {table.name}")
    if len(given) == 1 and bag is None:
        parameters = [one.model_copy(update={"required": True}) for one in parameters]
    sole = len(given) == 1 and bag is None
    changes: dict[str, dict[str, str]] = {"set_": values} if sole else {"set_given": values}
    restoring = {flag.name: values[flag.name] for flag in facts.dead_flags(table) if flag.name in values}
    more, value, schema = detailed(drawing, table, drawing.row(table))
    drawn = finish(
        operation,
        summary=f"Update {with_article(table.label)}; only what is given changes.",
        parameters=parameters,
        steps=[
            parts.fetch(drawing, table, where),
            *parts.alive(drawing, table, drawing.row(table), given=restoring),
            *parts.only_author(drawing, table, drawing.row(table)),
            *_something_given(given if len(given) > 1 or bag else [], bag),
            *checks,
            *bag_steps,
            *changed_row(drawing, table, where, **changes),
            *_reload(drawing, table, drawing.row(table)),
            *more,
            Return(value=value),
        ],
        returns=parts.returns(**schema),
    )
    return drawn.model_copy(update={"witnesses": namesakes(drawing, table, parameters, values, where)})


def _something_given(names: list[str], bag: BoundParameter | None) -> list[Step]:
    """An update that changes nothing is a mistake of the caller."""
    if not names:
        return []
    return [
        Require(
            that=" or ".join(f"{name} is not None" if bag is None or name != bag.name else name for name in names),
            code="invalid_argument",
            message="There is nothing to change.",
            hint=f"Give at least one of {', '.join(names)}.",
        )
    ]


def _for_existing(drawing: Drawing, table: Table, steps: list[Step]) -> list[Step]:
    """Typed properties of an item that exists: its collection is the one it is in."""
    bag = drawing.bag_of_items(table)
    if bag is None:
        return steps
    changed: list[Step] = []
    for step in steps:
        if isinstance(step, When):
            inside: list[Step] = []
            for inner in step.then:
                if isinstance(inner, Adapter):
                    arguments = inner.arguments | {"collection_id": f"{drawing.row(table)}.{bag.item_parent_column}"}
                    inner = inner.model_copy(update={"arguments": arguments})
                inside.append(inner)
            step = step.model_copy(update={"then": tuple(inside)})
        changed.append(step)
    return changed
