"""The reading steps as statements: fetch, select, aggregate, sql."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from envforge.build.lower.body import Body, tuple_doc
from envforge.build.lower.expressions import Value
from envforge.build.lower.layout import Doc, bracketed
from envforge.build.lower.printer import expression_doc, flat_text
from envforge.build.lower.query_check import check_query, laid_out
from envforge.build.lower.shapes import ListOf, PageOf, RowOf, Scalar, Shape
from envforge.build.lower.source import Source, identifier
from envforge.build.lower.sql import Clause, column_lines, condition_clause, given_test, sql_doc
from envforge.core.errors import BuildError
from envforge.core.ids import canonical_json
from envforge.core.records.blueprint import Aggregate, Condition, Measure, Page, Select, Sql, Step

_FUNCTIONS = {"count": "count", "count_distinct": "count", "sum": "sum", "avg": "avg", "min": "min", "max": "max"}


@dataclass
class Filter:
    """What a WHERE clause came to: lines of SQL and bound values, or names of the lists that hold them."""

    lines: list[str] = field(default_factory=list[str])
    values: list[ast.expr] = field(default_factory=list[ast.expr])
    template: bool = False


def write_select(body: Body, step: Select) -> Shape:
    """`name = world.query(…)`, paged or not; the shape of `name`."""
    source = _source(body, step.table, step)
    columns, row = source.selected(step.columns)
    chosen = _filter(body, source, step.where, step.any_of)
    lines = [column_lines("SELECT", columns), *source.lines(), *chosen.lines, source.order_line(step.order)]
    if step.page is not None:
        _write_page(body, step.name, step.page, lines, chosen)
        return PageOf(row)
    if step.limit is not None:
        lines.append(f"LIMIT {step.limit:d}")
    body.assign(step.name, _query_doc(lines, chosen))
    return ListOf(row)


def write_aggregate(body: Body, step: Aggregate) -> Shape:
    """`name = world.query(…)` with one row, or a row for each group; the shape of `name`."""
    source = _source(body, step.table, step)
    groups = [source.column(text) for text in step.group_by]
    shape: dict[str, Scalar] = {}
    columns: list[str] = []
    for group in groups:
        same = group.sql.rpartition(".")[2].strip('"') == group.key
        columns.append(group.sql if same else f"{group.sql} AS {identifier(group.key, body.where)}")
        shape[group.key] = group.type
    for measure in step.measures:
        columns.append(_measure_sql(body, source, measure))
        shape[measure.name] = _measure_type(source, measure)
    chosen = _filter(body, source, step.where, ())
    lines = [column_lines("SELECT", columns), *source.lines(), *chosen.lines]
    row = RowOf(shape, label=step.name)
    if not groups:
        body.assign(step.name, (_query_doc(lines, chosen), "[0]"))
        return row
    keys = ", ".join(group.sql for group in groups)
    body.assign(step.name, _query_doc([*lines, f"GROUP BY {keys}", f"ORDER BY {keys}"], chosen))
    return ListOf(row)


def _measure_sql(body: Body, source: Source, measure: Measure) -> str:
    name = identifier(measure.name, body.where)
    if measure.column is None:
        if measure.fn != "count":
            raise BuildError(f"{measure.fn} needs a column", where=body.where)
        return f"count(*) AS {name}"
    column = source.column(measure.column).sql
    inner = f"DISTINCT {column}" if measure.fn == "count_distinct" else column
    call = f"{_FUNCTIONS[measure.fn]}({inner})"
    return f"coalesce({call}, 0) AS {name}" if measure.fn == "sum" else f"{call} AS {name}"


def _measure_type(source: Source, measure: Measure) -> Scalar:
    if measure.fn in ("count", "count_distinct"):
        return Scalar("integer")
    if measure.fn in ("min", "max") and measure.column:
        column = source.column(measure.column).type
        return Scalar(column.type, True, column.stored)
    return Scalar("real", nullable=measure.fn == "avg")


def write_sql(body: Body, step: Sql) -> Shape:
    """`name = world.query(…)` for a written query, checked against the tables first."""
    checked = check_query(step.query, set(step.parameters), body.module.blueprint.tables, where=body.where)
    body.reads |= checked.reads
    row = RowOf(checked.columns, label=f"the row of {step.name}", optional=step.one and not step.always)
    pairs: list[Doc] = [
        (expression_doc(ast.Constant(name)), ": ", expression_doc(body.compile(text).node))
        for name, text in step.parameters.items()
    ]
    call = sql_doc("query", laid_out(step.query), bracketed("{", pairs, "}") if pairs else None)
    if not step.one:
        body.assign(step.name, call)
        return ListOf(row)
    if step.always:
        body.assign(step.name, (call, "[0]"))
        return row
    first_or_none(body, step.name, call)
    return row


def first_or_none(body: Body, name: str, call: Doc) -> None:
    """`name` is the first row of a query, or None."""
    rows = body.spare("rows", "found")
    body.assign(rows, call)
    body.write(f"{name} = {rows}[0] if {rows} else None")


def _source(body: Body, table: str, step: Select | Aggregate) -> Source:
    source = Source(body.module.tables, table, step.joins, body.where)
    body.reads |= set(source.tables)
    return source


def _query_doc(lines: Sequence[str], chosen: Filter, more: Sequence[ast.expr] = ()) -> Doc:
    values = [*chosen.values, *more]
    only = values[0] if len(values) == 1 else None
    doc: Doc | None = None
    if isinstance(only, ast.Starred):
        doc = expression_doc(only.value)
    elif values:
        doc = tuple_doc(values)
    return sql_doc("query", [line for line in lines if line], doc, template=chosen.template)


def _write_page(body: Body, name: str, page: Page, lines: list[str], chosen: Filter) -> None:
    known = {parameter.name for parameter in body.operation.parameters}
    if page.cursor not in known:
        raise BuildError(f"the page's cursor {page.cursor!r} is not a parameter", where=body.where)
    size: ast.expr = ast.Name(page.size, ast.Load()) if page.size in known else ast.Constant(page.default)
    size_text = flat_text(size)
    offset, rows = body.spare("offset", "skipped"), body.spare("rows", "found")
    body.write(f"{offset} = _offset_of({page.cursor})")
    body.note_error("invalid_argument", f"The {page.cursor} does not come from an earlier page.")
    one_more = ast.BinOp(size, ast.Add(), ast.Constant(1))
    query = _query_doc([*lines, "LIMIT ? OFFSET ?"], chosen, [one_more, ast.Name(offset, ast.Load())])
    body.assign(rows, query)
    body.write(f"{name} = _page({rows}, {size_text}, {offset})")


def _filter(body: Body, source: Source, where: Sequence[Condition], any_of: Sequence[Condition]) -> Filter:
    prepared = body.prepared.get(_filter_key(source.tables, where, any_of))
    if prepared is not None:
        return prepared
    clauses = [_clause(body, source, condition) for condition in where]
    if any_of:
        clauses.append(_any_clause(body, source, any_of))
    if all(clause.test is None for clause in clauses):
        return _static(clauses)
    return _dynamic(body, clauses)


def _filter_key(tables: Sequence[str], where: Sequence[Condition], any_of: Sequence[Condition]) -> str:
    return canonical_json([list(tables), [c.to_json() for c in where], [c.to_json() for c in any_of]])


def prepare_filter(body: Body, steps: Sequence[Step]) -> None:
    """Write the filter once that all these queries, of which one will run, have in common."""
    first = steps[0]
    if not isinstance(first, Select | Aggregate) or len(steps) < 2:
        return
    for step in steps[1:]:
        if not isinstance(step, Select | Aggregate) or _asked(step) != _asked(first):
            return
    source = _source(body, first.table, first)
    any_of = first.any_of if isinstance(first, Select) else ()
    chosen = _filter(body, source, first.where, any_of)
    body.prepared[_filter_key(source.tables, first.where, any_of)] = chosen


def _asked(step: Select | Aggregate) -> str:
    any_of = step.any_of if isinstance(step, Select) else ()
    joins = [join.to_json() for join in step.joins]
    return canonical_json([step.table, joins, [c.to_json() for c in step.where], [c.to_json() for c in any_of]])


def _static(clauses: Sequence[Clause]) -> Filter:
    if not clauses:
        return Filter()
    words = [_clause_text(clause) for clause in clauses]
    values = [value for clause in clauses for value in clause.values]
    template = any(clause.template for clause in clauses)
    return Filter(["WHERE " + "\n  AND ".join(words)], values, template)


def _dynamic(body: Body, clauses: Sequence[Clause]) -> Filter:
    """Lists of conditions and values that grow with each condition that applies."""
    where, values = body.spare("where", "conditions"), body.spare("values", "bound")
    always = [clause for clause in clauses if clause.test is None]
    texts = bracketed("[", [_clause_literal(clause) for clause in always], "]")
    body.write((f"{where}: list[str] = " if not always else f"{where} = ", texts))
    bound = [expression_doc(value) for clause in always for value in clause.values]
    body.write((f"{values}: list[object] = ", bracketed("[", bound, "]")))
    for clause in clauses:
        if clause.test is None:
            continue
        with body.block("if", clause.test):
            _append(body, where, values, clause)
    slot = f"{{_where_all({where})}}"
    return Filter([slot], [ast.Starred(ast.Name(values, ast.Load()), ast.Load())], True)


def _append(body: Body, where: str, values: str, clause: Clause) -> None:
    body.write((f"{where}.append", bracketed("(", [_clause_literal(clause)], ")")))
    if len(clause.values) == 1 and not isinstance(clause.values[0], ast.Starred):
        body.write((f"{values}.append", bracketed("(", [expression_doc(clause.values[0])], ")")))
    elif len(clause.values) == 1 and isinstance(clause.values[0], ast.Starred):
        body.write((f"{values}.extend", bracketed("(", [expression_doc(clause.values[0].value)], ")")))
    elif len(clause.values) > 1:
        body.write((f"{values} += ", expression_doc(ast.List(list(clause.values), ast.Load()))))


def _clause_text(clause: Clause) -> str:
    """The clause's SQL; pieces to fill in become replacement fields."""
    return "".join(piece if isinstance(piece, str) else "{" + ast.unparse(piece) + "}" for piece in clause.sql)


def _clause_literal(clause: Clause) -> Doc:
    if len(clause.sql) == 1 and isinstance(clause.sql[0], ast.expr):
        return expression_doc(clause.sql[0])
    parts = [ast.Constant(p) if isinstance(p, str) else ast.FormattedValue(p, -1) for p in clause.sql]
    return expression_doc(
        ast.JoinedStr(list(parts)) if clause.template else ast.Constant("".join(map(str, clause.sql)))
    )


def _clause(body: Body, source: Source, condition: Condition) -> Clause:
    value = None
    if condition.value is not None:
        value = body.compile(condition.value)
        if condition.optional and isinstance(value.node, ast.Name) and not value.may_be_none:
            condition = condition.model_copy(update={"optional": False})
        if condition.optional and not isinstance(value.node, ast.Name):
            return _computed_clause(body, source, condition, value)
        if condition.op in ("in", "is_null", "not_null") and not isinstance(value.node, ast.Name):
            value = _named(body, value)
    return condition_clause(source, condition, value, body.where)


def _named(body: Body, value: Value) -> Value:
    name = body.fresh("wanted", "choice")
    body.assign(name, value.node)
    return Value(ast.Name(name, ast.Load()), value.shape, value.names)


def _computed_clause(body: Body, source: Source, condition: Condition, value: Value) -> Clause:
    """An optional condition on a computed value: it applies when all that it is computed from was given."""
    needed = [name for name in sorted(value.names) if Value(value.node, body.scope[name]).may_be_none]
    clause = condition_clause(source, condition.model_copy(update={"optional": False}), value, body.where)
    if not needed:
        return Clause(clause.sql, clause.values, given_test(value))
    tests = [given_test(Value(ast.Name(name, ast.Load()), body.scope[name])) for name in needed]
    return Clause(clause.sql, clause.values, tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), list(tests)))


def _any_clause(body: Body, source: Source, conditions: Sequence[Condition]) -> Clause:
    """Conditions joined by OR. They share one test: a group in which only some are optional is not sayable."""
    clauses = [_clause(body, source, condition) for condition in conditions]
    tests = {ast.unparse(clause.test) if clause.test else "" for clause in clauses}
    if len(tests) > 1:
        raise BuildError(
            "the conditions of any_of depend on different values",
            where=body.where,
            remedy="make all of them optional on the same parameter, or none",
        )
    pieces: list[str | ast.expr] = ["("]
    for number, clause in enumerate(clauses):
        pieces += [" OR ", *clause.sql] if number else clause.sql
    values = [value for clause in clauses for value in clause.values]
    return Clause((*_joined_text([*pieces, ")"]),), tuple(values), clauses[0].test)


def _joined_text(pieces: Sequence[str | ast.expr]) -> list[str | ast.expr]:
    out: list[str | ast.expr] = []
    for piece in pieces:
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        else:
            out.append(piece)
    return out
