"""From a goal to verifiers/<task>.py: a readable `verify(initial, final, diff, answer)` that evaluates no checks."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from envforge.core.records.intent import Allowance, AnswerField, Expectation, Intent
from envforge.synth import verifier_parts
from envforge.synth.literals import literal
from envforge.synth.oracle import edited_documents
from envforge.synth.queries import Queries
from envforge.world.engine.guard import DOCUMENTS_TABLE
from envforge.world.environment import Environment

_CLAUSE = re.compile(
    r"""('[^']*'|"[^"]*")| (\b(?:FROM|WHERE|AND|OR|(?:LEFT )?JOIN|GROUP BY|HAVING|ORDER BY|UNION(?: ALL)?|LIMIT)\b)"""
)
"""A quoted text, or a blank before a clause of SQL."""


def verifier_of(environment: Environment, intent: Intent) -> str:
    """Source of the verifier: the goal's SQL on the initial rows, compared with what the episode left.

    Its check ids are those of `checks_of`. The same bytes for the same intent. Raises KeyError for a table that the
    environment lacks (the oracle has refused such an intent).
    """
    parameters = {"clock": environment.manifest.clock.epoch, **intent.parameters}
    texts = _texts(environment, intent)
    body: list[str] = ["results = []", "rest = changes_of(diff)"]
    for number, part in enumerate(intent.expect):
        body += _expected(environment, part, f"EXPECTED_{number + 1}", worked_out=number in texts)
    for number, allowance in enumerate(intent.allow):
        body += _allowed(allowance, f"ALLOWED_{number + 1}")
    if intent.answer:
        body += _answer(intent.answer)
    body += ["check_nothing_else(results, rest)", "return results"]
    main = f"def verify(initial, final, diff, answer):\n{textwrap.indent(chr(10).join(body), '    ')}\n"
    used = _needed(_names(ast.parse(main)))
    head = [f'"""{intent.family}: did the episode do what was asked, and nothing else?"""', ""]
    head += [f"import {name}" for name in ("json", "math", "re", "unicodedata") if name in _names_of(used)]
    head += ["from typing import Any", "", f"PARAMETERS = {literal(parameters, 0, len('PARAMETERS = '))}"]
    head += _queries(intent, texts)
    return "\n".join([*head, "", "", main, "", "\n\n\n".join(_parts()[name] for name in used), ""])


def _texts(environment: Environment, intent: Intent) -> dict[int, list[dict[str, Any]]]:
    """Part of the goal -> path and final text of the documents that it says edits of: no SQL can work them out."""
    if not any(part.table == DOCUMENTS_TABLE for part in intent.expect):
        return {}
    queries = Queries(environment)
    found = {
        number: edited_documents(queries, intent, part, f"intent family {intent.family}, expect[{number}]")
        for number, part in enumerate(intent.expect)
    }
    return {number: rows for number, rows in found.items() if rows}


def _queries(intent: Intent, texts: Mapping[int, list[dict[str, Any]]]) -> Iterable[str]:
    """The goal's SQL, named; final texts of documents as they are."""
    for number, part in enumerate(intent.expect):
        name = f"EXPECTED_{number + 1}"
        yield f"{name} = {literal(texts[number], 0, len(name) + 3) if number in texts else _sql(part.rows)}"
    for number, allowance in enumerate(intent.allow):
        if allowance.values:
            yield f"ALLOWED_{number + 1} = {_sql(allowance.values)}"
    for name, field in intent.answer.items():
        yield f"ANSWER_{name.upper()} = {_sql(field.sql)}"


def _sql(query: str) -> str:
    """A query as source; a long one in lines, broken outside of quotes only and not where it has remarks."""
    text = query.strip()
    if "\\" in text or "\r" in text or '"""' in text or ("\n" not in text and len(text) < 80):
        return literal(text)
    if "--" not in text and "/*" not in text:
        text = _CLAUSE.sub(lambda match: match[1] or "\n" + match[2], text)
    return f'"""\n{text}\n"""'


def _expected(environment: Environment, part: Expectation, query: str, *, worked_out: bool) -> list[str]:
    key = literal(environment.template.tables[part.table].primary_key)
    rows = query if worked_out else f"initial.query({query}, PARAMETERS)"
    free = f", free={literal(part.free)}" if part.free else ""
    normalised = f", normalised={literal(part.normalised)}" if part.normalised else ""
    table = literal(part.table)
    if part.table == DOCUMENTS_TABLE:
        return [f"check_documents(initial, final, rest, results, {rows}{normalised})"]
    if part.change == "insert":
        fresh = f", initial=initial, fresh={literal(part.fresh)}" if part.fresh else ""
        if part.of_new:
            new = {
                name: (table, environment.template.tables[table].primary_key[0]) for name, table in part.of_new.items()
            }
            fresh += f", of_new={literal(new)}"
        if part.unnamed:
            unnamed = literal(part.unnamed, 0, len("    unnamed = "))
            call = f"check_inserts(diff, rest, results, {table}, {rows}{normalised}, unnamed=unnamed{fresh})"
            return [f"unnamed = {unnamed}", call]
        return [f"check_inserts(diff, rest, results, {table}, {rows}{normalised}{fresh})"]
    if part.change == "delete":
        return [f"check_deletes(final, rest, results, {table}, {key}, {rows})"]
    return [f"rows = {rows}", f"check_updates(initial, final, rest, results, {table}, {key}, rows{free}{normalised})"]


def _allowed(allowance: Allowance, query: str) -> list[str]:
    more = f", columns={literal(allowance.columns)}" if allowance.columns else ""
    call = f"let_pass(rest, {literal(allowance.table)}, {literal(allowance.changes)}"
    if not allowance.column:
        return [f"{call}{more})"]
    values = f"values_of(initial.query({query}, PARAMETERS))"
    return [f"{call}, {literal(allowance.column)}, {values}{more})"]


def _answer(fields: dict[str, AnswerField]) -> list[str]:
    """The wanted fields, how each is compared, and the check."""
    wanted = [f"    {literal(name)}: {_wanted(name, field)}," for name, field in fields.items()]
    how = {name: (field.match, field.tolerance) for name, field in fields.items()}
    call = "check_answer(results, answer, wanted, how)"
    return ["wanted = {", *wanted, "}", f"how = {literal(how, 0, len('    how = '))}", call]


def _wanted(name: str, field: AnswerField) -> str:
    rows = f"initial.query(ANSWER_{name.upper()}, PARAMETERS)"
    if field.json_type != "array":
        return f"truth_of({rows})" if field.json_type == "boolean" else f"value_of({rows})"
    if field.item_type != "object":
        return f"values_of({rows})"
    return f"named({rows}, {literal(field.fields)})" if field.fields else rows


@cache
def _parts() -> dict[str, str]:
    """Source of each function of verifier_parts.py, in its order."""
    source = inspect.getsource(verifier_parts)
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    segments = {node.name: ast.get_source_segment(source, node) or "" for node in functions}
    return {name: segment.replace("  # noqa: S608", "") for name, segment in segments.items()}


def _needed(names: set[str]) -> list[str]:
    """The functions that `names` lead to, in their order."""
    needed: set[str] = set()
    waiting = names & set(_parts())
    while waiting:
        needed |= waiting
        waiting = _names_of(waiting) & set(_parts()) - needed
    return [name for name in _parts() if name in needed]


def _names_of(functions: Iterable[str]) -> set[str]:
    return {name for function in functions for name in _names(ast.parse(_parts()[function]))}


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
