"""A filter and sort language over typed properties, compiled to one SELECT with bound parameters."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

from string import Template

from envforge.build.adapters.property_bag import constants, filled, names, reading_functions
from envforge.build.adapters.spec import AdapterSpec
from envforge.build.adapters.tables import BagTables, bag_tables
from envforge.core.records.blueprint import Blueprint

_QUERY = '''
def _query_items(
    world: World,
    collection_id: str,
    condition: dict | None,
    order: list | None,
    start_cursor: str | None,
    page_size: int,$trash_parameter
) -> dict:
    """One page of a collection's items that meet the condition, in the given order."""
    definitions = _properties_of(world, collection_id)
    test, values = _condition_sql(world, definitions, condition) if condition else ("1", [])
    sort, sort_values = _order_sql(definitions, order or [])
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT i.*
        FROM $items AS i
        WHERE i.$item_parent = ?$alive
          AND {test}
        ORDER BY {sort}
        LIMIT ? OFFSET ?
        """,
        [collection_id, $trash_value*values, *sort_values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)
    found["items"] = [
        {
$shown            "properties": _read_properties(world, row["$item_key"]),
        }
        for row in found["items"]
    ]
    return found
'''

_CONDITION = '''
def _condition_sql(world: World, definitions: dict, condition: object, depth: int = 0) -> tuple[str, list]:
    """SQL and values for a condition, or for conditions joined by and/or up to three levels deep."""
    _check_object("a filter", condition)
    joins = [word for word in ("and", "or") if word in condition]
    if not joins:
        return _comparison_sql(world, definitions, condition)
    if len(condition) > 1 or depth > 2:
        raise ToolError(
            "invalid_argument",
            "A filter holds either one condition or one of and/or, at most three levels deep.",
            'For example {"and": [{"property": ..., "equals": ...}, {"or": [...]}]}.',
        )
    _check_list(joins[0], condition[joins[0]], fewest=1, most=20)
    parts = [_condition_sql(world, definitions, part, depth + 1) for part in condition[joins[0]]]
    sql = f" {joins[0].upper()} ".join(part for part, _ in parts)
    return f"({sql})", [value for _, values in parts for value in values]
'''

_COMPARISON = '''
def _comparison_sql(world: World, definitions: dict, condition: dict) -> tuple[str, list]:
    """SQL and values for one condition on a property or a timestamp."""
    kind, definition = _subject(definitions, condition)
    operator, operand = _operator_of(world, condition, kind, definition)
    column = _FILTER_COLUMNS.get(kind, f"i.{condition.get('timestamp')}")
    negative = operator in ("does_not_equal", "does_not_contain", "is_empty")
    if operator in ("is_empty", "is_not_empty"):
        test, values = f"coalesce({column}, '') != ''", []
    elif operator in _SPANS:
        today = world.now()[:10]
        first, last = sorted((today, _add_days(today, _SPANS[operator])))
        test, values = f"substr({column}, 1, 10) BETWEEN ? AND ?", [first, last]
    else:
        test, values = _value_test(operator, column, kind, operand)
    if kind == "boolean" and operand is False:
        # A box that was never ticked has no stored value: not ticked is the absence of a tick.
        negative, values = not negative, [1]
    if kind not in ("title", "timestamp"):
        values = [definition["id"], *values]
        test = f"EXISTS ({_VALUES_OF_ITEM} AND {test})"
    return f"NOT coalesce({test}, 0)" if negative else test, values
'''

_TEST = '''
def _value_test(operator: str, column: str, kind: str, operand: object) -> tuple[str, list]:
    """SQL and values that compare a column with an operand; negations are left to the caller."""
    if operator in _PATTERNS and kind in ("title", "text"):
        return f"{column} LIKE ? ESCAPE '!'", [_PATTERNS[operator].replace("*", _like(operand))]
    if operator == "starts_with":
        return f"{column} LIKE ? ESCAPE '!'", [_like(operand) + "%"]
    sign = _SIGNS.get(operator, "=")
    if kind in ("date", "timestamp") and len(operand) == 10:
        return f"substr({column}, 1, 10) {sign} ?", [operand]
    return f"{column} {sign} ?", [int(operand) if kind == "boolean" else operand]
'''

_SUBJECT = '''
def _subject(definitions: dict, condition: dict) -> tuple[str, dict]:
    """The kind and definition of what a condition or a sort key is about."""
    if ("timestamp" in condition) == ("property" in condition):
        raise ToolError(
            "invalid_argument",
            "A condition or sort key names either a property or a timestamp.",
            f'For example {{"property": "{next(iter(definitions), "Name")}", ...}}.',
        )
    if "timestamp" in condition:
        _check_choice("timestamp", condition["timestamp"], _TIMESTAMPS)
        return "timestamp", {"type": condition["timestamp"]}
    name = condition.get("property")
    if not isinstance(name, str) or name not in definitions:
        hint = f"Known properties: {', '.join(definitions)}."
        raise ToolError("not_found", f"There is no property {name!r:.80}.", hint)
    definition = definitions[name]
    kind = "title" if definition["type"] == "title" else _PROPERTY_KINDS.get(definition["type"])
    if kind is None:
        hint = "Choose another property."
        raise ToolError("invalid_argument", f"{name} is computed; nothing filters or sorts by it.", hint)
    return kind, definition
'''

_OPERATOR = '''
def _operator_of(world: World, condition: dict, kind: str, definition: dict) -> tuple[str, object]:
    """The operator of a condition and its checked operand."""
    given = {key: value for key, value in condition.items() if key not in ("property", "timestamp", "type")}
    if len(given) == 1 and isinstance(given.get(definition["type"]), dict):
        # The operator may stand under the property's type: {"property": "Due", "date": {"before": ...}}.
        given = given[definition["type"]]
    allowed = _OPERATORS[kind]
    if len(given) != 1 or next(iter(given)) not in allowed:
        names = ", ".join(given) or "none"
        raise ToolError(
            "invalid_argument",
            f"A condition on a {definition['type']} needs one operator, not {names:.80}.",
            f"Operators: {', '.join(allowed)}.",
        )
    operator, operand = next(iter(given.items()))
    if operator in ("is_empty", "is_not_empty"):
        if operand is not True:
            other = "is_not_empty" if operator == "is_empty" else "is_empty"
            raise ToolError("invalid_argument", f"{operator} takes true.", f"For the opposite use {other}.")
    elif operator not in _SPANS:
        _check_operand(world, operator, kind, definition, operand)
    return operator, operand
'''

_OPERAND = '''
def _check_operand(world: World, operator: str, kind: str, definition: dict, operand: object) -> None:
    """Refuse a value that the operator cannot compare with."""
    if kind == "number":
        _check_number(operator, operand)
    elif kind == "boolean":
        _check_flag(operator, operand)
    elif kind in ("date", "timestamp"):
        if not _is_date(operand) and not _is_timestamp(operand):
            raise _invalid(operator, "a date (YYYY-MM-DD) or a time (YYYY-MM-DDTHH:MM:SSZ)", operand)
    elif kind in ("option", "options"):
        _check_choice(operator, operand, tuple(definition["options"]))
    else:
        _check_text(operator, operand)
    if kind in _CHOICE_QUERIES and not world.query(_CHOICE_QUERIES[kind], (operand,)):
        hint = "Pass an id as the other tools return it, not a name."
        raise ToolError("not_found", f"{operator}: there is no row with id {operand!r:.80}.", hint)
'''

_ORDER = '''
def _order_sql(definitions: dict, order: list) -> tuple[str, list]:
    """ORDER BY for the sort keys, and its values; empty values last, ties by key."""
    parts, values = [], []
    for key in order:
        _check_object("a sort key", key, known=("property", "timestamp", "direction"))
        kind, definition = _subject(definitions, key)
        direction = key.get("direction", "ascending")
        _check_choice("direction", direction, ("ascending", "descending"))
        column = _SORT_COLUMNS.get(kind, f"i.{key.get('timestamp')}")
        if kind not in ("title", "timestamp"):
            values.append(definition["id"])
            column = f"(SELECT {column} {_VALUES_OF_ITEM[9:]} ORDER BY v.position LIMIT 1)"
        parts.append(f"{column} {'ASC' if direction == 'ascending' else 'DESC'} NULLS LAST")
    return ", ".join([*parts, "i.$item_key"]), values
'''

TRASHED = "in_trash"
"""The argument that asks for the items in the trash instead of the others."""
_EQUAL = ("equals", "does_not_equal")
_CONTAIN = ("contains", "does_not_contain")
_EMPTY = ("is_empty", "is_not_empty")
SPANS = {"past_week": -7, "past_month": -30, "past_year": -365, "next_week": 7, "next_month": 30, "next_year": 365}
_DATES = ("before", "after", "on_or_before", "on_or_after", *SPANS)
_NUMBERS = ("greater_than", "less_than", "greater_than_or_equal_to", "less_than_or_equal_to")
_TEXTS = (*_EQUAL, *_CONTAIN, "starts_with", "ends_with", *_EMPTY)
OPERATORS: dict[str, tuple[str, ...]] = {
    "title": _TEXTS,
    "text": _TEXTS,
    "number": (*_EQUAL, *_NUMBERS, *_EMPTY),
    "boolean": _EQUAL,
    "date": ("equals", *_DATES, *_EMPTY),
    "timestamp": ("equals", *_DATES),
    "option": (*_EQUAL, *_EMPTY),
    "options": (*_CONTAIN, *_EMPTY),
    "people": (*_CONTAIN, *_EMPTY),
    "items": (*_CONTAIN, *_EMPTY),
}
"""Kind of value → operators that a condition on it may use."""
_SIGNS = {
    "does_not_equal": "=",
    "greater_than": ">",
    "less_than": "<",
    "greater_than_or_equal_to": ">=",
    "less_than_or_equal_to": "<=",
    "before": "<",
    "after": ">",
    "on_or_before": "<=",
    "on_or_after": ">=",
}
_PATTERNS = {"contains": "%*%", "does_not_contain": "%*%", "starts_with": "*%", "ends_with": "%*"}


def _filter_columns(tables: BagTables) -> dict[str, str]:
    """Kind of value → the SQL that a condition compares."""
    columns = {"text": "v.text_value", "number": "v.number_value", "boolean": "v.boolean_value"}
    columns |= {"date": "v.date_value", "option": "o.name", "options": "o.name"}
    if tables.value_user:
        columns["people"] = f"v.{tables.value_user}"
    if tables.value_related:
        columns["items"] = f"v.{tables.value_related}"
    return {"title": f"i.{tables.title}" if tables.title else "v.text_value"} | columns


def _query_constants(tables: BagTables) -> dict[str, str]:
    """Constants of the filter language."""
    columns = _filter_columns(tables)
    sorts = columns | {"option": "o.position", "options": "o.position"}
    values = (
        f"SELECT 1 FROM {tables.values} AS v LEFT JOIN {tables.options} AS o ON o.id = v.option_id "
        f"WHERE v.{tables.value_item} = i.{tables.items.primary_key[0]} AND v.{tables.value_property} = ?"
    )
    operators = {kind: found for kind, found in OPERATORS.items() if kind in columns or kind == "timestamp"}
    return {
        "_OPERATORS": _mapping("_OPERATORS", operators),
        "_SPANS": _mapping("_SPANS", SPANS),
        "_SIGNS": _mapping("_SIGNS", _SIGNS),
        "_PATTERNS": _mapping("_PATTERNS", _PATTERNS),
        "_FILTER_COLUMNS": _mapping("_FILTER_COLUMNS", columns),
        "_SORT_COLUMNS": _mapping("_SORT_COLUMNS", sorts),
        "_TIMESTAMPS": f"_TIMESTAMPS = {_tuple(tables.timestamps)}\n",
        "_VALUES_OF_ITEM": f'_VALUES_OF_ITEM = (\n    "{values[: values.index("WHERE")]}"\n'
        f'    "{values[values.index("WHERE") :]}"\n)\n',
    }


def _mapping(name: str, values: dict[str, str] | dict[str, int] | dict[str, tuple[str, ...]]) -> str:
    """An assignment of a dict literal, one entry per line."""
    lines: list[str] = []
    for key, value in values.items():
        if isinstance(value, tuple):
            lines.append(_tuple_entry(key, value))
        else:
            lines.append(f'    "{key}": {value if isinstance(value, int) else _quoted(value)},')
    return f"{name} = {{\n" + "\n".join(lines) + "\n}\n"


def _tuple_entry(key: str, value: tuple[str, ...]) -> str:
    flat = f'    "{key}": {_tuple(value)},'
    if len(flat) <= 110:
        return flat
    return f'    "{key}": (\n' + "\n".join(f"        {_quoted(one)}," for one in value) + "\n    ),"


def _tuple(values: tuple[str, ...]) -> str:
    return f"({', '.join(map(_quoted, values))}{',' if len(values) == 1 else ''})"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _shown_columns(tables: BagTables) -> str:
    """The columns of an item that a query shows besides its properties: key, title, times, archived or not."""
    held = [*tables.items.primary_key, *([tables.title] if tables.title else [])]
    for role in ("created_at", "updated_at"):
        held += [column.name for column in tables.items.columns if column.role == role][:1]
    lines = [f'"{name}": row["{name}"],' for name in dict.fromkeys(held)]
    lines += [f'"{name}": bool(row["{name}"]),' for name in tables.kept]
    return "".join(f"            {line}\n" for line in lines)


def query_functions(blueprint: Blueprint) -> dict[str, str]:
    """Everything a filtered and sorted query needs, the reading of properties included."""
    tables = bag_tables(blueprint)
    flags = " OR ".join(f"i.{name}" for name in tables.trash)
    known = names(tables) | {"shown": _shown_columns(tables)}
    known["alive"] = f"\n          AND ({flags}) = ?" if flags else ""
    known["trash_parameter"] = f"\n    {TRASHED}: bool," if flags else ""
    known["trash_value"] = f"int({TRASHED}), " if flags else ""
    templates = {
        "_query_items": _QUERY,
        "_condition_sql": _CONDITION,
        "_comparison_sql": _COMPARISON,
        "_value_test": _TEST,
        "_subject": _SUBJECT,
        "_operator_of": _OPERATOR,
        "_check_operand": _OPERAND,
        "_order_sql": _ORDER,
    }
    own = {name: Template(text).substitute(known).lstrip("\n") for name, text in templates.items()}
    return reading_functions(blueprint) | _query_constants(tables) | own


def _reads(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    return tuple(sorted({tables.definitions, tables.options, tables.values, tables.items.name}))


QUERY_ITEMS = AdapterSpec(
    "query_items",
    "_query_items",
    query_functions,
    reads=_reads,
    errors=(
        ("invalid_argument", "a filter or sort has a wrong operator or a value of a wrong type"),
        ("not_found", "a filter or sort names a property, a person or an item that is not there"),
    ),
)
__all__ = ["OPERATORS", "QUERY_ITEMS", "constants", "filled", "query_functions"]
