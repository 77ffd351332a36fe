"""Added tools behind the compiled ones: one module, one tools.json, one file of tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from envforge.build.added.reading import spec_of
from envforge.core.contracts import Tools
from envforge.core.records.added_tool import AddedTool

MODULE = '''"""A tool by itself."""

from __future__ import annotations

from envforge.world.api import ToolError, World


'''
"""Stands before one tool that is tried by itself; the compiled module imports the same."""
TESTS = '''"""Unit tests of a tool by itself."""

import pytest
import tools

from envforge.world.api import ToolError
from envforge.world.testing import changes


'''


def joined(tools: Tools, added: Sequence[AddedTool]) -> Tools:
    """The tools of both authors. The blueprint holds what was added: another tool is another family.

    Raises BuildError for one whose code is none.
    """
    for tool in added:
        spec = spec_of(tool.source, tools.blueprint.tables, tools.specs, tool.author)
        tools = replace(
            tools,
            module=f"{tools.module.rstrip()}\n\n\n{tool.source.strip()}\n",
            specs=(*tools.specs, spec),
            tests=f"{tools.tests.rstrip()}\n\n\n{tool.tests.strip()}\n",
        )
    held = (*tools.blueprint.added, *added)
    return replace(tools, blueprint=tools.blueprint.model_copy(update={"added": held})) if added else tools
