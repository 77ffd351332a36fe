from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.agents.keeper import assigned

from envforge.agents.asking import Asker
from envforge.agents.assignment import AgentTool
from envforge.agents.kernel import run_agent
from envforge.core.records.agent import AgentRun
from envforge.llm.providers.scripted import Answer, ScriptedModel

Play = Callable[..., AgentRun]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    def played(answers: Sequence[Answer], *tools: AgentTool, approve: Any = None, **wishes: Any) -> AgentRun:
        with Asker(ScriptedModel(answers), tmp_path / "replies") as asker:
            return run_agent(assigned(tmp_path, tools, **wishes), asker, tmp_path / "run", approve=approve)

    return played
