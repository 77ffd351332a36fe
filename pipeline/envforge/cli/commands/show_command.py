"""`envforge show`."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.environment import ToolSpec
from envforge.core.records.refusal import Refusal
from envforge.factory.fate_words import fates_in_words, reasons_in_words
from envforge.gates.folder import Folder
from envforge.store.files import read_json, read_jsonl
from envforge.store.provenance import expand
from envforge.store.workspace import Workspace


def run(
    name: str,
    *,
    table: str | None,
    tool: str | None,
    provenance: tuple[str, str] | None,
    rows: int,
    shared: SharedOptions,
) -> None:
    """Show the environment or the part that was asked for."""
    refused = _refused(Workspace(shared.workspace), name)
    if refused is not None:
        _refusal(refused, shared.json_output)
        return
    folder = Folder(Workspace(shared.workspace).environment(name))
    if table is not None:
        _table(folder, table, rows, shared.json_output)
    elif tool is not None:
        _tool(folder, tool, shared.json_output)
    elif provenance is not None:
        _provenance(folder, *provenance, shared.json_output)
    else:
        _environment(folder, shared.json_output)


def _refused(workspace: Workspace, name: str) -> Path | None:
    """The folder of a refused specification, if there is no environment of that name."""
    if (workspace.environments / name / "environment.json").is_file():
        return None
    return workspace.rejection(name)


def _refusal(folder: Path, json_output: bool) -> None:
    """A specification that makes no environment: why, and what became of its operations."""
    path = folder / "rejection.json"
    try:
        record = Refusal.model_validate(read_json(path))
    except ValidationError as error:
        remedy = "the file is written by envforge mine; mine the theme again"
        raise StoreError("is no rejection", where=str(path), remedy=remedy) from error
    if json_output:
        render.print_json(record.to_json())
        return
    render.out.print(f"{record.theme}: no environment ({record.reason}): {record.detail}", markup=False)
    _operations(record.operations, folder)
    others = sorted(record.no_entities.items())
    if others:
        render.table("Records that are no entities", ("record", "why"), others)


def _operations(operations: dict[str, Any], folder: Path) -> None:
    """The three shares, and why operations were rejected or left out."""
    if not operations:
        return
    listed = folder / "rejected.jsonl"
    render.out.print(f"operations of the sources: {fates_in_words(operations)}", markup=False)
    if listed.is_file():
        render.out.print(f"rejected or left out as: {reasons_in_words(read_jsonl(listed))}\n", markup=False)


def _environment(folder: Folder, json_output: bool) -> None:
    manifest = folder.manifest
    if json_output:
        render.print_json(manifest.to_json())
        return
    render.out.print(f"{manifest.title} ({manifest.id}): {manifest.summary}", markup=False)
    render.out.print(
        f"family {manifest.family}, grounding {manifest.grounding}, clock {manifest.clock.epoch}, "
        f"hash {manifest.environment_hash[:16]}\n",
        markup=False,
    )
    render.trade_chosen(manifest.trade)
    fates: Any = manifest.statistics.get("operations")
    _operations(cast("dict[str, Any]", fates) if isinstance(fates, dict) else {}, folder.path)
    stated: Any = manifest.statistics.get("rows")
    counts: dict[str, Any] = cast("dict[str, Any]", stated) if isinstance(stated, dict) else {}
    render.table(
        "Tables", ("table", "rows", "columns"), [(t.name, counts.get(t.name, 0), len(t.columns)) for t in folder.tables]
    )
    tools = [(signature(t), t.verb, t.description.partition("\n")[0], ", ".join(t.writes)) for t in folder.tools]
    render.table("Tools", ("tool", "verb", "what it does", "writes"), tools)


def signature(tool: ToolSpec) -> str:
    """name(required, optional?) as a person reads it."""
    required = set(tool.parameters.get("required", ()))
    names = [name if name in required else f"{name}?" for name in tool.parameters.get("properties", {})]
    return f"{tool.name}({', '.join(names)})"


def _table(folder: Folder, name: str, count: int, json_output: bool) -> None:
    found = _named(folder.tables, name, "table", [t.name for t in folder.tables])
    cursor = folder.database.execute(f'SELECT * FROM "{name}" LIMIT ?', (count,))  # noqa: S608
    columns = [column[0] for column in cursor.description]
    values = cursor.fetchall()
    if json_output:
        render.print_json([dict(zip(columns, row, strict=True)) for row in values])
        return
    shown: list[tuple[str, ...]] = []
    for column in found.columns:
        reference = column.references
        target = f"→ {reference.table}.{reference.column} ({reference.confidence:.2f})" if reference else ""
        shown.append((column.name, column.type, column.role or "", target, column.description))
    render.table(f"{name}: {found.description}", ("column", "type", "role", "refers to", "description"), shown)
    render.records(f"First {len(values)} rows", columns, values)


def _tool(folder: Folder, name: str, json_output: bool) -> None:
    spec = _named(folder.tools, name, "tool", [t.name for t in folder.tools])
    if json_output:
        render.print_json(spec.to_json())
        return
    try:
        functions = {n.name: n for n in ast.parse(folder.module).body if isinstance(n, ast.FunctionDef)}
        text = ast.get_source_segment(folder.module, functions[name]) or ""
    except (SyntaxError, ValueError, MemoryError, RecursionError, KeyError) as error:
        remedy = f"envforge check {folder.path.name} says what is wrong"
        raise StoreError(
            f"has no readable function {name}", where=str(folder.path / "tools.py"), remedy=remedy
        ) from error
    render.out.print(text, markup=False)


def _provenance(folder: Folder, name: str, key: str, json_output: bool) -> None:
    table = _named(folder.tables, name, "table", [t.name for t in folder.tables])
    wanted = key.split(",")
    if not all(map(table.has, table.primary_key)):
        remedy = f"envforge check {folder.path.name} says what is wrong"
        raise StoreError(f"the key of {name} is no column", where=str(folder.path / "blueprint.json"), remedy=remedy)
    if len(wanted) != len(table.primary_key):
        remedy = f"the key of {name} is: {', '.join(table.primary_key)} (separated by commas)"
        raise ConfigError(f"{key!r} is no key", where="--provenance", remedy=remedy)
    where = " AND ".join(f"CAST({column} AS TEXT) = ?" for column in table.primary_key)
    columns = [column.name for column in table.columns]
    listed = ", ".join(f'"{column}"' for column in columns)
    row = folder.database.execute(f'SELECT {listed} FROM "{name}" WHERE {where}', wanted).fetchone()  # noqa: S608
    if row is None:
        raise ConfigError(f"no row {key!r}", where=f"--provenance {name}", remedy=f"envforge show ENV --table {name}")
    held = dict(zip(columns, row, strict=True))
    entry = expand(folder.provenance, name, tuple(held[part] for part in table.primary_key), held)
    if json_output:
        render.print_json(entry.to_json())
        return
    render.table(f"{name} {key}", ("field", "value"), list(entry.to_json().items()))


def _named(items: Any, name: str, what: str, known: list[str]) -> Any:
    for item in items:
        if item.name == name:
            return item
    raise ConfigError(f"no {what} {name!r}", where=f"--{what}", remedy=f"there are: {', '.join(known)}")
