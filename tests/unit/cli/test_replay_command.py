"""Episodes in the terminal: a list to choose from, one in words, what cannot be shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envforge.cli.commands import replay_command
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.completion import Message
from envforge.core.records.trajectory import Malformed, Trajectory, Turn, Verdict

CHANGED = {
    "tables": {"loans": {"inserted": [{"id": 1}], "updated": [], "deleted": [{"id": 2}]}},
    "documents": [{"path": "a.md", "before": None, "after": "x"}],
}


def episode(**changes: Any) -> Trajectory:
    fields: dict[str, Any] = {
        "task_id": "task-1",
        "environment_hash": "",
        "agent": "model:m",
        "seed": 3,
        "messages": (
            Message(role="system", content="Call tools."),
            Message(role="user", content="Lend it. \x1b[31m"),
            Message(role="assistant", content="I look first."),
        ),
        "malformed": (Malformed(message=2, kind="unknown_tool", detail="There is no tool 'x'."),),
        "turns": (
            Turn(tool="lend", arguments={"book": 9}, ok=True, observation={"result": {}}, message=2, changed=CHANGED),
            Turn(tool="lend", arguments={}, ok=False, observation={"error": {"code": "no"}}, message=2, changed={}),
        ),
        "ending": "answered",
        "status": "completed",
        "verdict": Verdict(status="scored", score=1.0, fraction=1.0),
        "reward": 1.0,
    }
    return Trajectory(**{**fields, **changes})


def shown(folder: Path, episodes: list[Trajectory], capsys: pytest.CaptureFixture[str], **how: Any) -> str:
    path = folder / "trajectories.jsonl"
    path.write_text("".join(json.dumps(one.to_json()) + "\n" for one in episodes), encoding="utf-8")
    shared = SharedOptions(workspace=folder, json_output=how.pop("json_output", False))
    arguments: dict[str, Any] = {"index": None, "html": None, "shared": shared, **how}
    replay_command.run(folder, **arguments)
    return capsys.readouterr().out


def test_the_only_one_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = shown(tmp_path, [episode()], capsys)
    for words in ("model:m on task-1", "user: Lend it.", "assistant: I look first.", "lend(book=9)", "score 1",
                  "* loans: 1 inserted, 1 deleted", "* a.md: new", "not readable (unknown tool)"):  # fmt: skip
        assert words in said, words
    assert "\x1b[31m" not in said and "Call tools." not in said


def test_of_many_there_is_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = [episode(), episode(agent="noop", reward=None, verdict=None)]
    said = shown(tmp_path, many, capsys)
    assert "noop" in said and "--index N" in said
    listed = json.loads(shown(tmp_path, many, capsys, json_output=True))
    assert [(one["agent"], one["reward"]) for one in listed] == [("model:m", 1.0), ("noop", None)]
    assert "not scored" in shown(tmp_path, many, capsys, index=2)


def test_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = shown(tmp_path, [episode(messages=()), episode()], capsys, html=tmp_path / "a.html")
    assert "wrote" in said and "What it changed" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="no episode 2"):
        shown(tmp_path, [episode()], capsys, index=2)
    with pytest.raises(ConfigError, match="holds no episode"):
        shown(tmp_path, [], capsys)
    with pytest.raises(StoreError, match="no trajectories"):
        replay_command.run(tmp_path / "nothing", index=None, html=None, shared=SharedOptions())
