"""An episode by hand, in which everything that a stranger may write is hostile."""

from __future__ import annotations

from typing import Any

from envforge.core.records.completion import Message, ToolCall
from envforge.core.records.trajectory import (
    CheckResult,
    EpisodeSettings,
    Malformed,
    ModelTurn,
    Trajectory,
    Turn,
    Verdict,
)

HOSTILE = "</pre><script>window.broken = 1</script><img src=https://evil.example/x onerror='window.broken = 2'>"
CHANGED: dict[str, Any] = {
    "tables": {
        "loans": {
            "inserted": [{"id": 9, "book": HOSTILE}],
            "updated": [{"before": {"id": 1, "fine": None}, "after": {"id": 1, "fine": 1.6}}],
            "deleted": [{"id": 3, "book": "Gone"}],
        }
    },
    "documents": [{"path": "notices/a.md", "before": "one\ntwo", "after": f"one\n{HOSTILE}"}],
}


def episode(**changes: Any) -> Trajectory:
    """Two answers of a model: the second cannot be read, the third has two calls."""
    call = ToolCall(id="call00000", name="search", raw_arguments="{}", arguments={})
    lend = ToolCall(id="call00001", name="lend", raw_arguments="{}", arguments={})
    fields: dict[str, Any] = {
        "task_id": "task-1",
        "environment_id": "library",
        "environment_hash": "11" * 32,
        "agent": f"model:{HOSTILE}",
        "seed": 7,
        "settings": EpisodeSettings(protocol="native", prompt="system-1+native-1", max_turns=60, shown_bytes=1000),
        "messages": (
            Message(role="system", content="Call tools."),
            Message(role="user", content=f"Lend it. {HOSTILE}"),
            Message(role="assistant", content="Hm."),
            Message(role="user", content="That could not be read."),
            Message(role="assistant", content=HOSTILE, tool_calls=(call, lend)),
            Message(role="tool", content='{"result": {"items": []}}', tool_call_id="call00000"),
            Message(role="tool", content='{"error": {}}', tool_call_id="call00001"),
        ),
        "model_turns": (
            ModelTurn(message=2, prompt_tokens=812, completion_tokens=5),
            ModelTurn(message=4, prompt_tokens=900, completion_tokens=25, reasoning=HOSTILE, left_out=(2,)),
        ),
        "malformed": (Malformed(message=2, kind="nothing", detail=f"There is no call. {HOSTILE}"),),
        "turns": (
            Turn(
                tool="search", arguments={"query": HOSTILE}, ok=True, observation={"result": {}}, message=4, changed={}
            ),
            Turn(
                tool="lend",
                arguments={"book": 9},
                ok=False,
                observation={"error": {"code": "no_such_row", "message": HOSTILE}},
                message=4,
                changed=CHANGED,
            ),
        ),
        "answer": {"due": HOSTILE},
        "ending": "answered",
        "status": "completed",
        "state_diff": CHANGED,
        "verdict": Verdict(
            status="scored",
            score=0.0,
            fraction=0.5,
            checks=(CheckResult(id="loan", passed=True), CheckResult(id="due", passed=False, detail=HOSTILE)),
        ),
        "reward": 0.0,
    }
    return Trajectory(**{**fields, **changes})
