"""Tools for tables that came with rows but without operations: find, get, and summarise, by what columns hold."""

# Names of tables and columns come from a checked blueprint; values are always bound.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import Drawing
from envforge.build.blueprint.nested import nested_lists
from envforge.build.blueprint.profile import Profile, profile_of
from envforge.build.blueprint.views import alias_of, row_of
from envforge.core.articles import with_article
from envforge.core.records.blueprint import (
    Condition,
    Fetch,
    Operation,
    Order,
    Parameter,
    Return,
    Select,
    Sql,
    Step,
)
from envforge.core.records.domain import Column, Table

MAX_FILTERS = 9
MAX_GROUPS = 4
MAX_GROUP_SIZE = 200
MAX_MEASURES = 3
MAX_SUMMARY_FILTERS = 6
MIN_ROWS_TO_SUMMARISE = 30


@dataclass(frozen=True)
class Filter:
    """A parameter of a search, and the condition it stands for."""

    parameter: Parameter
    condition: Condition


def data_first(drawing: Drawing, table: Table) -> list[Operation]:
    """Look-up, search and summary of one table; of links and details only a search; nothing without rows."""
    rows = drawing.database.rows.get(table.name, [])
    if not rows:
        return []
    profile = profile_of(table, rows)
    filters = filters_of(drawing, table, profile)
    if table.kind in {"link", "child"}:
        return [find_many(drawing, table, filters)] if filters else []
    found = [get_one(drawing, table), find_many(drawing, table, filters)]
    groups = _groups(table, profile)
    if groups and len(rows) >= MIN_ROWS_TO_SUMMARISE and table.kind == "entity":
        found.append(summarise(table, filters, groups, _measured(table, profile)))
    return found


def get_one(drawing: Drawing, table: Table) -> Operation:
    """One row in detail, with the names of the rows it refers to and short lists of what belongs to it."""
    keys = parts.key_parameters(drawing, table)
    shown = drawing.details(table)
    steps: list[Step] = [parts.fetch(drawing, table, {name: key.name for name, key in keys.items()})]
    value = {table.entity: f"{shown.view.name}({drawing.row(table)})"}
    schema: dict[str, Any] = {table.entity: shown.schema}
    taken = {drawing.row(table), *(key.name for key in keys.values())}
    for column, reference in facts.references_of(table):
        target = drawing.tables.get(reference.table)
        label = facts.label_column(target) if target else None
        alias = f"{alias_of(column)}_row" if alias_of(column) in taken else row_of(column)
        if target is None or label is None or label.name == reference.column or alias in taken:
            continue
        taken.add(alias)
        where = {reference.column: f"{drawing.row(table)}.{column.name}"}
        steps.append(Fetch(name=alias, table=target.name, where=where, optional=True))
        value[f"{alias_of(column)}_name"] = f"{alias}.{label.name} if {alias} is not None else None"
        schema[f"{alias_of(column)}_name"] = {"type": ["string", "null"]}
    for nested in nested_lists(drawing, table, taken) if len(table.primary_key) == 1 else ():
        steps.append(nested.step)
        value[nested.step.name], schema[nested.step.name] = nested.value, nested.schema
    return Operation(
        name=f"get_{table.entity}",
        verb="get",
        entity=table.entity,
        summary=f"Get {with_article(table.label)} in detail.",
        parameters=tuple(keys.values()),
        steps=(*steps, Return(value=value)),
        returns=parts.returns(**schema),
        origin="derived",
    )


def find_many(drawing: Drawing, table: Table, filters: list[Filter]) -> Operation:
    """Rows by what people know about them; every filter may be left out."""
    page = parts.page_of(None)
    shown = drawing.summary(table)
    plural = facts.words(table.name)
    order = facts.by_role(table, "starts_at", "created_at") or _first_date(table) or facts.label_column(table)
    textual = table.kind == "entity" and any(one.condition.op == "contains" for one in filters)
    verb: Literal["list", "search", "filter"] = "search" if textual else "filter" if filters else "list"
    return Operation(
        name=f"search_{table.name}" if filters else f"list_{table.name}",
        verb=verb,
        entity=table.entity,
        summary=f"Search {plural}; all given conditions must hold." if filters else f"List {plural}.",
        parameters=(*(one.parameter for one in filters), *parts.page_parameters(page)),
        steps=(
            Select(
                name="found",
                table=table.name,
                columns=shown.columns,
                joins=shown.joins,
                where=tuple(one.condition for one in filters),
                order=(Order(column=order.name),) if order else (),
                page=page,
            ),
            Return(
                value={
                    "items": f"[{shown.view.name}(row) for row in found.items]",
                    "next_cursor": "found.next_cursor",
                    "has_more": "found.has_more",
                }
            ),
        ),
        returns=parts.page_returns(shown.schema),
        origin="derived",
    )


def _first_date(table: Table) -> Column | None:
    return next((column for column in table.columns if column.type in {"date", "timestamp"}), None)


def filters_of(drawing: Drawing, table: Table, profile: Profile) -> list[Filter]:
    """Up to nine filters: references, label, choices, days, categories, then ranges of numbers and times."""
    ranked: list[tuple[int, int, list[Filter]]] = []
    label = facts.label_column(table)
    for position, column in enumerate(table.columns):
        made = _filter(drawing, table, column, profile, label)
        if made:
            ranked.append((made[0], position, made[1]))
    found: list[Filter] = []
    for _, _, filters in sorted(ranked, key=lambda one: one[:2]):
        if len(found) + len(filters) <= MAX_FILTERS:
            found += filters
    return found


def _filter(
    drawing: Drawing, table: Table, column: Column, profile: Profile, label: Column | None
) -> tuple[int, list[Filter]] | None:
    """(rank, filters) for a column, or None when nobody would search by it."""
    if column.role == "position" or profile.distinct(column.name) < 2:
        return None
    if column.references:
        return 0, [_exact(drawing, table, column)]
    if table.primary_key == (column.name,):
        return None
    if label and column.name == label.name:
        return 1, [_text(column, table)]
    if column.enum or column.type == "boolean":
        return 2, [_exact(drawing, table, column)]
    if column.type == "date":
        return 1, [_exact(drawing, table, column)]
    if column.type == "timestamp":
        return (4 if column.role == "starts_at" else 6), _range(column, "after", "before")
    if column.type == "text" and profile.is_searched(column.name):
        exact = profile.longest[column.name] <= 3
        return 3, [_exact(drawing, table, column) if exact else _text(column, table)]
    if column.type == "text" and column.role == "body" and profile.distinct(column.name) > 1:
        return 4, [_text(column, table)]  # what a text says is what one looks for in a manual
    if column.name in table.primary_key or (column.type == "integer" and profile.is_number_name(column.name)):
        return 3, [_exact(drawing, table, column)]
    if column.type in {"integer", "real"} and profile.is_measure(column):
        return 5, _range(column, "min", "max")
    return None


def _exact(drawing: Drawing, table: Table, column: Column) -> Filter:
    parameter = parts.column_parameter(drawing, table, column, name=column.name, required=False)
    return Filter(parameter, Condition(column=column.name, value=column.name, optional=True))


def _text(column: Column, table: Table) -> Filter:
    parameter = Parameter(
        name=column.name,
        json_schema={"type": "string"},
        required=False,
        description=f"Text that the {facts.words(column.name)} of the {table.label} contains.",
    )
    return Filter(parameter, Condition(column=column.name, op="contains", value=column.name, optional=True))


def _range(column: Column, low: str, high: str) -> list[Filter]:
    """From and to, both inclusive: `min_seats`, `departure_after`."""
    made: list[Filter] = []
    unit = f" in {column.unit}" if column.unit else ""
    for word, op, limit in ((low, "ge", "Lower"), (high, "le", "Upper")):
        name = f"{word}_{column.name}" if word in {"min", "max"} else f"{column.name}_{word}"
        parameter = Parameter(
            name=name,
            json_schema=facts.column_schema(column),
            required=False,
            description=f"{limit} limit for the {facts.words(column.name)}{unit}, inclusive.",
        )
        condition: Any = {"column": column.name, "op": op, "value": name, "optional": True}
        made.append(Filter(parameter, Condition(**condition)))
    return made


def _groups(table: Table, profile: Profile) -> list[Column]:
    """Columns by which people count: references, choices, days and categories with few values."""
    few = [column for column in table.columns if 2 <= profile.distinct(column.name) <= MAX_GROUP_SIZE]
    kept = [
        column
        for column in few
        if table.primary_key != (column.name,)
        and (column.references or column.enum or column.type == "date" or profile.is_category(column.name))
    ]
    return kept[:MAX_GROUPS]


def _measured(table: Table, profile: Profile) -> list[Column]:
    numbers = [column for column in table.columns if profile.is_measure(column)]
    numbers.sort(key=lambda column: (column.role not in {"amount", "quantity"}, table.columns.index(column)))
    return numbers[:MAX_MEASURES]


def summarise(table: Table, filters: list[Filter], groups: list[Column], measured: list[Column]) -> Operation:
    """Counts and averages per group, over rows that the same filters select; largest groups first."""
    group_by = Parameter(
        name="group_by",
        json_schema={"type": "string", "enum": [column.name for column in groups]},
        description="What to group by.",
    )
    kept = [one for one in filters if one.condition.op not in {"ge", "le"}][:MAX_SUMMARY_FILTERS]
    shown = ["count", *(f"{word}_{column.name}" for column in measured for word in ("average", "highest"))]
    item: dict[str, Any] = {"group": {"type": ["string", "integer", "number", "null"]}, "count": {"type": "integer"}}
    item |= {name: {"type": ["number", "null"]} for name in shown[1:]}
    values = ", ".join(f'"{name}": row.{name}' for name in shown)
    return Operation(
        name=f"summarize_{table.name}",
        verb="aggregate",
        entity=table.entity,
        summary=f"Count {facts.words(table.name)} per group" + (", with averages and maxima." if measured else "."),
        description="Counts only rows for which all given conditions hold; the largest group comes first.",
        parameters=(group_by, *(one.parameter for one in kept)),
        steps=(
            Sql(
                name="groups",
                query=_summary_query(table, kept, groups, measured),
                parameters={name: name for name in ["group_by", *(one.parameter.name for one in kept)]},
            ),
            Return(value={"groups": f'[{{"group": row.group_value, {values}}} for row in groups]'}),
        ),
        returns=parts.returns(
            groups={"type": "array", "items": {"type": "object", "properties": item, "required": list(item)}}
        ),
        origin="derived",
    )


def _summary_query(table: Table, filters: list[Filter], groups: list[Column], measured: list[Column]) -> str:
    """One SELECT for all choices of group and all filters that may be left out."""
    choices = "\n    ".join(f"WHEN '{column.name}' THEN {facts.sql_name(column.name)}" for column in groups)
    selected = [f"CASE :group_by\n    {choices}\n  END AS group_value", "count(*) AS count"]
    for column in measured:
        selected.append(f"round(avg({facts.sql_name(column.name)}), 2) AS average_{column.name}")
        selected.append(f"max({facts.sql_name(column.name)}) AS highest_{column.name}")
    tests = [_optional_test(one) for one in filters]
    where = "\nWHERE " + "\n  AND ".join(tests) if tests else ""
    return (
        "SELECT\n  "
        + ",\n  ".join(selected)
        + f"\nFROM {facts.sql_name(table.name)}{where}\nGROUP BY group_value\nORDER BY count DESC, group_value"
    )


def _optional_test(one: Filter) -> str:
    name, column = one.parameter.name, facts.sql_name(one.condition.column)
    if one.condition.op == "contains":
        return f"(:{name} IS NULL OR instr(lower({column}), lower(:{name})) > 0)"
    return f"(:{name} IS NULL OR {column} = :{name})"
