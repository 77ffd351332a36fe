"""What a host says to a worker to have a tool called, and what it makes of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from envforge.core.records.environment import ToolSpec
from envforge.world.arguments import CallError, unknown_tool
from envforge.world.observation import Observation

if TYPE_CHECKING:
    from envforge.world.environment import Environment


def prepared(
    environment: Environment, tool: str, arguments: Mapping[str, Any] | None
) -> tuple[ToolSpec, dict[str, Any]] | Observation:
    """The tool and the arguments that go to the worker, or the refusal of a call that does not get so far.

    Agents hand in whatever they like: what is no text names no tool, what is no mapping no arguments.
    """
    check = environment.checks.get(tool) if isinstance(cast("Any", tool), str) else None
    if check is None:
        return Observation(False, error=unknown_tool(tool, environment.checks))
    given: Any = {} if arguments is None else _plain(arguments)
    problem = check.problem(given)
    return (check.spec, given) if problem is None else Observation(False, error=problem)


def call_request(tool: str, arguments: dict[str, Any], *, reads_only: bool) -> dict[str, Any]:
    """The request of a prepared call, without the number of the instance.

    Callers share states and remember what reads saw: a tool keeps to what it says of itself.
    """
    return {"do": "call", "tool": tool, "arguments": arguments, "reads_only": reads_only}


def observed(answer: Mapping[str, Any], spec: ToolSpec) -> Observation | None:
    """What a worker's answer says; None when it is none. Tool code may have written it."""
    if "error" not in answer:
        result = answer.get("result")
        return Observation(True, cast("dict[str, Any]", result), spec=spec) if isinstance(result, dict) else None
    told = answer["error"]
    if not isinstance(told, dict):
        return None
    fields = cast("dict[str, Any]", told)
    texts = [fields.get(name) for name in ("code", "message", "hint", "kind")]
    if not all(isinstance(text, str) for text in texts) or fields["kind"] not in ("caller", "fault"):
        return None
    code, message, hint, kind = (str(text) for text in texts)
    return Observation(False, error=CallError(code, message, hint, kind))


def _plain(arguments: Any) -> Any:
    return dict(cast("Mapping[str, Any]", arguments)) if isinstance(arguments, Mapping) else arguments
