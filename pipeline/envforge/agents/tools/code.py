"""Code: a program of the model's in the sandbox. It reaches what it is given through `call`, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envforge.agents.assignment import Seen, ToolUse
from envforge.agents.permissions import require_command
from envforge.core.errors import ProgramError
from envforge.core.records.agent import Permissions
from envforge.world.arguments import CallError
from envforge.world.observation import Observation
from envforge.world.programs import ProgramRunner

PYTHON = "python"
_SECONDS = 20.0
_MOST_CALLS = 200
_UNKNOWN = "unknown_tool"

Answer = Callable[[dict[str, Any]], dict[str, Any]]
"""What a call of the program gives. Raises ValueError for arguments that it does not take."""
Received = Callable[[ToolUse, Any], Seen]


class Code:
    """Runs `def solve(call)`; what it returns is handed to `received`, which says what the model is told."""

    name = "code"
    wants_code = ""
    description = ""

    def __init__(
        self,
        permissions: Permissions,
        *,
        description: str,
        wants_code: str,
        parameters: dict[str, Any],
        answers: Callable[[ToolUse], dict[str, Answer]],
        received: Received,
    ) -> None:
        self._permissions, self._answers, self._received = permissions, answers, received
        self.description, self.wants_code, self.parameters = description, wants_code, parameters

    def use(self, use: ToolUse) -> Seen:
        """Run it. Raises DeniedError, ProgramError for what crashed, SandboxError for what ran over its time."""
        require_command(self._permissions, PYTHON)
        answers = self._answers(use)
        with ProgramRunner() as runner:
            value = runner.run(
                use.code,
                lambda tool, arguments: _answered(answers, tool, arguments),
                most_calls=_MOST_CALLS,
                seconds=_SECONDS,
            )
        try:
            return self._received(use, value)
        except (TypeError, ValueError) as error:
            raise ProgramError(f"returned something else than was asked for: {error}", where="solve") from error


def _answered(answers: dict[str, Answer], tool: str, arguments: dict[str, Any]) -> Observation:
    if tool not in answers:
        told = f"there is no {tool[:80]}; call is for {', '.join(answers)}"
        return Observation(False, error=CallError(_UNKNOWN, told, ""))
    try:
        return Observation(True, result=answers[tool](arguments))
    except ValueError as error:
        return Observation(False, error=CallError("invalid_argument", str(error), ""))
