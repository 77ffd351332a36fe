"""What must hold of histories and figures, as SQL: queries that find the rows for which it does not.

The gate asks them of the first rows and after calls, unit tests after every change. No tool uses them.
"""
# Names of tables and columns come from a checked blueprint; values are literals of it.
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envforge.core.records.derived import AFTER, BEFORE, ENTRY, WHEN, Figure, History


def faults(histories: Sequence[History], figures: Sequence[Figure]) -> dict[str, str]:
    """What is wrong, in words -> a SELECT of the keys of the rows where it is so; none where all is right."""
    return dict([*(pair for one in histories for pair in _of_history(one)), *(_of_figure(one) for one in figures)])


def _of_history(history: History) -> Iterator[tuple[str, str]]:
    table, of, owner, key = (_quoted(name) for name in (history.table, history.of, history.owner, history.key))
    state, created = _quoted(history.state), _quoted(history.created)
    last = f"(SELECT h.{AFTER} FROM {table} AS h WHERE h.{owner} = r.{key} ORDER BY h.{ENTRY} DESC LIMIT 1)"
    yield (
        f"{history.table}: the last change does not lead to the present state",
        f"SELECT r.{key} FROM {of} AS r WHERE {last} IS NOT r.{state} ORDER BY 1",
    )
    before = f"LEFT JOIN {table} AS p ON p.{owner} = h.{owner} AND p.{ENTRY} = h.{ENTRY} - 1"
    yield (
        f"{history.table}: a change does not begin where the one before ended",
        f"SELECT h.{owner} FROM {table} AS h {before} WHERE p.{AFTER} IS NOT h.{BEFORE} OR h.{BEFORE} IS h.{AFTER} "
        f"OR (p.{ENTRY} IS NULL) <> (h.{ENTRY} = 1) ORDER BY 1",
    )
    yield (
        f"{history.table}: a change lies before the one before",
        f"SELECT h.{owner} FROM {table} AS h {before} WHERE p.{WHEN} > h.{WHEN} ORDER BY 1",
    )
    yield (
        f"{history.table}: a change lies before the creation",
        f"SELECT h.{owner} FROM {table} AS h JOIN {of} AS r ON r.{key} = h.{owner} "
        f"WHERE h.{WHEN} < r.{created} ORDER BY 1",
    )


def _of_figure(figure: Figure) -> tuple[str, str]:
    table, column, key = (_quoted(name) for name in (figure.table, figure.column, figure.key))
    what = "count(*)" if figure.fn == "count" else f"coalesce(sum(c.{_quoted(figure.measure)}), 0)"
    tests = [f"c.{_quoted(figure.by)} = r.{key}"]
    tests += [f"c.{_quoted(name)} IN ({', '.join(map(literal, values))})" for name, values in figure.where.items()]
    right = f"SELECT {what} FROM {_quoted(figure.of)} AS c WHERE {' AND '.join(tests)}"
    words = f"{figure.table}.{figure.column} is not what {figure.of} come to"
    return words, f"SELECT r.{key} FROM {table} AS r WHERE r.{column} IS NOT ({right}) ORDER BY 1"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | int) -> str:
    """The value as SQL writes it."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
