"""Histories and figures in tools.py: one function each that brings it up to date, called after every write that can
change it.
"""
# Names of tables and columns come from a checked blueprint; values are always bound or its own literals.
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from envforge.build.lower.body import Body, Module
from envforge.build.lower.layout import INDENT, Doc, bracketed, quoted, render, wrapped
from envforge.build.lower.printer import expression_doc
from envforge.build.lower.source import identifier
from envforge.build.lower.sql import column_lines, sql_doc
from envforge.core.derived import literal
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Delete, Insert, Update
from envforge.core.records.derived import AFTER, BEFORE, ENTRY, WHEN, WHO, Figure, History
from envforge.core.records.domain import Table
from envforge.gates.tool_rules import FORBIDDEN_NAMES

_HARMLESS = frozenset({"touch_container"})
"""Adapters that write times and people only."""


def note_name(history: History) -> str:
    """The function that adds to a history."""
    return f"_note_{history.table}"


def keep_name(figure: Figure) -> str:
    """The function that works a figure out again."""
    return f"_keep_{figure.table}_{figure.column}"


def changing(body: Body, step: Insert | Update | Delete, write: Callable[[], None]) -> None:
    """`write`, which carries out the step, with what keeps histories and figures around it."""
    _refuse(body, step)
    histories = [one for one in body.module.blueprint.histories if one.of == step.table]
    moved = [one for one in histories if _moves(step, one)]
    several = isinstance(step, Update) and any(set(step.where) != {one.key} for one in moved)
    keys = _keys_before(body, step, moved[0]) if isinstance(step, Update) and several else ""
    if isinstance(step, Delete):
        for history in histories:
            _forget(body, step, history)
    write()
    for history in moved:
        _note(body, step, history, keys)
    for figure in body.module.blueprint.figures:
        if figure.of == step.table and _counts(step, figure):
            body.module.derived.add(keep_name(figure))
            body.writes.add(figure.table)
            body.write((keep_name(figure), "(world)"))


def _refuse(body: Body, step: Insert | Update | Delete) -> None:
    """No operation writes what follows from the rest. Raises BuildError."""
    blueprint = body.module.blueprint
    if step.table in {history.table for history in blueprint.histories}:
        remedy = f"leave it out: {step.table} is kept by itself"
        raise BuildError(f"the step writes the history {step.table}", where=body.where, remedy=remedy)
    for figure in blueprint.figures:
        if figure.table == step.table and figure.column in _given(step):
            remedy = "leave it out: it is kept by itself"
            raise BuildError(
                f"the step writes the figure {step.table}.{figure.column}", where=body.where, remedy=remedy
            )


def _given(step: Insert | Update | Delete) -> set[str]:
    """The columns that the step writes."""
    if isinstance(step, Insert):
        return set(step.values)
    return {*step.set, *step.set_given} if isinstance(step, Update) else set()


def refuse_adapter(body: Body, adapter: str, writes: Iterable[str]) -> None:
    """Adapters keep nothing, so none may write what histories and figures follow from. Raises BuildError."""
    blueprint = body.module.blueprint
    followed = {one.of for one in (*blueprint.histories, *blueprint.figures)}
    found = sorted(followed & set(writes)) if adapter not in _HARMLESS else []
    if found:
        remedy = f"declare no history and no figure of {found[0]}"
        raise BuildError(f"the adapter {adapter} writes {found[0]} and keeps nothing", where=body.where, remedy=remedy)


def _moves(step: Insert | Update | Delete, history: History) -> bool:
    return isinstance(step, Insert) or history.state in _given(step)


def _counts(step: Insert | Update | Delete, figure: Figure) -> bool:
    """True if the step can change what the figure counts."""
    return not isinstance(step, Update) or bool(_given(step) & {figure.by, figure.measure, *figure.where})


def _keys_before(body: Body, step: Update, history: History) -> str:
    """Reads the keys of the rows that an update is going to change, since its condition may not find them after."""
    name = body.fresh("changing", f"changing_{history.of}")
    table, key = identifier(history.of, body.where), identifier(history.key, body.where)
    condition, values = _where(body, step.where)
    body.write((f"{name} = ", sql_doc("query", [f"SELECT {key}", f"FROM {table}", condition], values)))
    return name


def _where(body: Body, where: Mapping[str, str]) -> tuple[str, Doc]:
    names = [f"{identifier(column, body.where)} IS ?" for column in where]
    values = [body.compile(text).node for text in where.values()]
    return "WHERE " + " AND ".join(names), bracketed("[", [expression_doc(node) for node in values], "]")


def _note(body: Body, step: Insert | Update | Delete, history: History, keys: str) -> None:
    name = note_name(history)
    body.module.derived.add(name)
    body.writes.add(history.table)
    if isinstance(step, Insert):
        body.write((name, bracketed("(", ["world", f"{step.name}[{quoted(history.key)}]"], ")")))
    elif isinstance(step, Update) and keys:
        row = body.fresh("one", "changed_one")
        with body.block(f"for {row} in {keys}"):
            body.write((name, bracketed("(", ["world", f"{row}[{quoted(history.key)}]"], ")")))
    elif isinstance(step, Update):
        key = expression_doc(body.compile(step.where[history.key]).node)
        body.write((name, bracketed("(", ["world", key], ")")))


def _forget(body: Body, step: Delete, history: History) -> None:
    """A row takes its history along."""
    table, owner = identifier(history.table, body.where), identifier(history.owner, body.where)
    condition, values = _where(body, step.where)
    rows = f"SELECT {identifier(history.key, body.where)} FROM {identifier(history.of, body.where)} {condition}"
    lines = ["DELETE", f"FROM {table}", f"WHERE {owner} IN ({rows})"]
    body.writes.add(history.table)
    body.write(sql_doc("execute", lines, values))


def derived_functions(module: Module) -> Iterator[str]:
    """The source of those functions that tools call."""
    for history in module.blueprint.histories:
        if note_name(history) in module.derived:
            yield _note_function(module, history)
    for figure in module.blueprint.figures:
        if keep_name(figure) in module.derived:
            yield _keep_function(figure)


def _note_function(module: Module, history: History) -> str:
    where = f"history {history.table}"
    table, of = module.tables[history.table], module.tables[history.of]
    owner, state = identifier(history.owner, where), identifier(history.state, where)
    read = [state, *([identifier(history.actor, where)] if history.actor else [])]
    now = [f"SELECT {', '.join(read)}", f"FROM {identifier(of.name, where)}"]
    now += [f"WHERE {identifier(history.key, where)} = ?"]
    last = [f"SELECT {ENTRY}, {AFTER}", f"FROM {identifier(table.name, where)}", f"WHERE {owner} = ?"]
    last += [f"ORDER BY {ENTRY} DESC", "LIMIT 1"]
    key = history.owner if history.owner not in FORBIDDEN_NAMES | {"world", "row", "found", "last"} else "key"
    about = f"Adds to {history.table} what the {_words(history.state)} of this {of.label} has become, if it is another."
    lines = [
        f"def {note_name(history)}(world: World, {key}: {_type_of(of, history.key)}) -> None:",
        *wrapped(f'"""{about}"""', indent=" " * INDENT),
        render(("row = ", sql_doc("query", now, f"({key},)"), "[0]"), indent=INDENT),
        render(("found = ", sql_doc("query", last, f"({key},)")), indent=INDENT),
        f'    last = found[0] if found else {{"{ENTRY}": 0, "{AFTER}": None}}',
        f"    if row[{quoted(history.state)}] != last[{quoted(AFTER)}]:",
        render(_entry(history, owner, key, table.name, where), indent=2 * INDENT),
    ]
    return "\n".join(lines)


def _entry(history: History, owner: str, key: str, table: str, where: str) -> Doc:
    """The INSERT of one entry."""
    values: dict[str, Doc] = {owner: key, ENTRY: f"last[{quoted(ENTRY)}] + 1", BEFORE: f"last[{quoted(AFTER)}]"}
    values |= {AFTER: f"row[{quoted(history.state)}]", WHEN: "world.now()"}
    values |= {WHO: f"row[{quoted(history.actor)}]"} if history.actor else {}
    into = column_lines(f"INSERT INTO {identifier(table, where)}", list(values), brackets=("(", ")"))
    marks = column_lines("VALUES", ["?"] * len(values), brackets=("(", ")"))
    return sql_doc("execute", [*into.split("\n"), *marks.split("\n")], bracketed("(", list(values.values()), ")"))


def _keep_function(figure: Figure) -> str:
    where = f"figure {figure.table}.{figure.column}"
    table, column, of = (identifier(name, where) for name in (figure.table, figure.column, figure.of))
    what = f"coalesce(sum({of}.{identifier(figure.measure, where)}), 0)" if figure.fn == "sum" else "count(*)"
    tests = [f"{of}.{identifier(figure.by, where)} = {table}.{identifier(figure.key, where)}"]
    for name, values in figure.where.items():
        tests.append(f"{of}.{identifier(name, where)} IN ({', '.join(map(literal, values))})")
    heads = ["WHERE", *["  AND"] * (len(tests) - 1)]
    right = [f"    SELECT {what}", f"    FROM {of}", *(f"    {a} {b}" for a, b in zip(heads, tests, strict=True)), ")"]
    lines = [
        f"def {keep_name(figure)}(world: World) -> None:",
        *wrapped(f'"""Brings {column} of {table} in line with {_words(figure.of)}."""', indent=" " * INDENT),
        render(
            sql_doc("execute", [f"UPDATE {table}", f"SET {column} = (", *right, f"WHERE {column} != (", *right], None),
            indent=INDENT,
        ),
    ]
    return "\n".join(lines)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _type_of(table: Table, column: str) -> str:
    return {"integer": "int", "real": "float"}.get(table.column(column).type, "str")
