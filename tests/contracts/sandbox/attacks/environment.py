"""The library environment with hostile tools in it, and a program that runs them without any protection."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent
from typing import Any

from . import kit
from .attack import Attack

LIBRARY = Path(__file__).parents[3] / "fixtures" / "environments" / "library"
PARAMETERS = {
    "type": "object",
    "properties": {"host": {"type": "object"}},
    "required": ["host"],
    "additionalProperties": False,
}


def tool_source(attack: Attack) -> str:
    """The attack as a function of tools.py."""
    body = f"k = _escape()\n{attack.body}\nreturn k.report()" if attack.escaped else attack.body
    head = f'def {attack.name}(world: World, host: dict) -> dict:\n    """Attack."""'
    return f"\n\n{head}\n{indent(body, '    ')}\n"


def hostile_source(attacks: Iterable[Attack]) -> str:
    """tools.py of the library with the attacks in it."""
    ours = (LIBRARY / "tools.py").read_text(encoding="utf-8")
    return ours + "\n" + kit.SOURCE + "".join(tool_source(attack) for attack in attacks)


def write_environment(folder: Path, attacks: Iterable[Attack], *, more: str = "") -> Path:
    """An environment folder with hostile tools; `more` is put at the end of tools.py."""
    chosen = list(attacks)
    shutil.copytree(LIBRARY, folder)
    (folder / "tools.py").write_text(hostile_source(chosen) + more, encoding="utf-8")
    tools: list[dict[str, Any]] = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    tools += [{**tools[0], "name": attack.name, "parameters": PARAMETERS} for attack in chosen]
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return folder
