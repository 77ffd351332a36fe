"""A person at the terminal decides on an agent's milestones."""

from __future__ import annotations

import json
import sys

import typer

from envforge.agents.kernel import Decision, Milestone
from envforge.cli import render
from envforge.core.errors import ConfigError


def ask_person(milestone: Milestone) -> Decision:
    """Show what the agent wants to do, and ask. Raises ConfigError where nobody is at a terminal."""
    if not sys.stdin.isatty():
        raise ConfigError("asks a person, and there is no terminal", where="--approve", remedy="leave out --approve")
    render.out.print(f"Step {milestone.step}: the {milestone.agent} wants to {milestone.action}", markup=False)
    for line in (milestone.briefing, json.dumps(milestone.arguments, ensure_ascii=False, indent=2)):
        render.out.print(render.plain(line), markup=False)
    if typer.confirm("Shall it?"):
        return Decision(approved=True)
    return Decision(approved=False, words=typer.prompt("What should it do instead?", default="", show_default=False))
