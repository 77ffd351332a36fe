"""`envforge call`."""

from __future__ import annotations

import json
from typing import Any

import typer

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.store.workspace import Workspace
from envforge.world.environment import Environment


def run(name: str, tool: str, pairs: list[str], *, seed: int, shared: SharedOptions) -> None:
    """One call in a fresh World. A ToolError is an answer (exit 1), not a crash."""
    environment = Environment.open(Workspace(shared.workspace).environment(name))
    schemas = {spec.name: spec.parameters for spec in environment.tools}
    arguments = parse_arguments(pairs, schemas.get(tool, {}))
    with environment.start(seed) as session:
        observation = session.call(tool, arguments)
        changes = session.diff()
    diff = {} if changes.empty else changes.to_json()
    answer = observation.result if observation.ok else observation.to_json(limit=None)
    if shared.json_output:
        render.print_json({"ok": observation.ok, "answer": answer, "diff": diff})
    else:
        render.print_json(answer)
        render.out.print("changed:" if diff else "changed nothing", markup=False)
        if diff:
            render.print_json(diff)
    if not observation.ok:
        raise typer.Exit(1)


def parse_arguments(pairs: list[str], schema: dict[str, Any]) -> dict[str, Any]:
    """key=value pairs → arguments, JSON where the tool's schema does not want a string. Raises ConfigError."""
    arguments: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or not key:
            raise ConfigError(f"{pair!r} is not key=value", where="arguments", remedy='e.g. page_size=5 title="A page"')
        wanted = schema.get("properties", {}).get(key, {}).get("type")
        arguments[key] = text if _is_text(wanted) else _json(key, text)
    return arguments


def _is_text(wanted: Any) -> bool:
    return wanted is None or wanted == "string" or (isinstance(wanted, list) and "string" in wanted)


def _json(key: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{text!r} is not JSON: {error.msg}", where=f"argument {key}") from error
