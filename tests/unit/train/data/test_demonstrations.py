"""Episodes that become examples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from envforge.core.errors import SandboxError
from envforge.core.records.completion import Message
from envforge.core.records.trajectory import EpisodeSettings, Trajectory, Turn, Verdict
from envforge.train.data import demonstrations
from envforge.train.data.balance import Candidate, row_of
from envforge.train.data.conversation import CLOSING, TAKEN
from envforge.train.data.demonstrations import Demonstration, Stage
from envforge.train.data.harvest import harvested
from envforge.train.data.records import SftExample, TrainingRow
from envforge.train.data.supply import Supply

FINAL = "final_answer"


@pytest.fixture(scope="module")
def row(browsers: Supply) -> TrainingRow:
    task = min(browsers.tasks.tasks, key=lambda task: (task.difficulty.minimal_calls, task.id))
    return row_of(Candidate(browsers, task), browsers.placed("train"), FINAL, 0)


@pytest.fixture(scope="module")
def stage(browsers: Supply) -> Iterator[Stage]:
    with Stage(browsers) as opened:
        yield opened


@pytest.fixture(scope="module")
def gold(stage: Stage, row: TrainingRow) -> SftExample:
    made = stage.play(Demonstration(row, FINAL))
    assert isinstance(made, SftExample)
    return made


def _recorded(row: TrainingRow, gold: SftExample, **changed: Any) -> Trajectory:
    """The gold's calls, as if a model had made them all in its first message."""
    calls = [call for message in gold.messages for call in message.tool_calls]
    answer = calls.pop().arguments["answer"]
    turns = tuple(
        Turn(tool=call.name, arguments=call.arguments, ok=True, observation={"result": "stale"}, message=2)
        for call in calls
    )
    known: dict[str, Any] = {
        "task_id": row.task_id,
        "environment_id": row.environment_id,
        "environment_hash": row.environment_hash,
        "agent": "model:small",
        "model": "small@1",
        "seed": 5,
        "key": "k",
        "settings": EpisodeSettings(protocol="native", max_turns=9, shown_bytes=9),
        "messages": (*row.prompt, Message(role="assistant", content="I look it up.")),
        "turns": turns,
        "answer": answer,
        "ending": "answered",
        "status": "completed",
        "verdict": Verdict(status="scored", score=1.0),
    }
    return Trajectory(**{**known, **changed})


def test_the_gold_becomes_a_conversation_with_real_results(gold: SftExample, row: TrainingRow) -> None:
    roles = [message.role for message in gold.messages]
    assert roles[:3] == ["system", "user", "assistant"] and roles[-3:] == ["assistant", "tool", "assistant"]
    assert gold.messages[:2] == row.prompt and gold.messages[-1].content == CLOSING
    assert gold.messages[-2].content == TAKEN and gold.messages[-3].tool_calls[0].name == FINAL
    results = [json.loads(message.content) for message in gold.messages if message.role == "tool"][:-1]
    assert results and all("result" in result for result in results)
    assert (gold.source, gold.agent) == ("gold", "gold")


def test_a_recorded_episode_is_played_anew_with_its_words_and_its_calls_together(
    stage: Stage, row: TrainingRow, gold: SftExample
) -> None:
    made = stage.play(Demonstration(row, FINAL, _recorded(row, gold)))
    assert isinstance(made, SftExample)
    first = made.messages[2]
    assert first.content == "I look it up." and len(first.tool_calls) == len(_recorded(row, gold).turns)
    assert all("stale" not in message.content for message in made.messages)
    assert (made.source, made.agent) == ("rollout", "model:small small@1")
    assert made.key != gold.key


def test_words_of_a_protocol_that_writes_its_calls_into_them_are_left_out(
    stage: Stage, row: TrainingRow, gold: SftExample
) -> None:
    settings = EpisodeSettings(protocol="hermes", max_turns=9, shown_bytes=9)
    made = stage.play(Demonstration(row, FINAL, _recorded(row, gold, settings=settings)))
    assert isinstance(made, SftExample) and made.messages[2].content == ""


def test_what_does_not_pass_any_more_is_no_example(stage: Stage, row: TrainingRow, gold: SftExample) -> None:
    wrong = _recorded(row, gold, answer={"nothing": "of this"})
    assert stage.play(Demonstration(row, FINAL, wrong)) == "not_passed"


def test_a_world_that_breaks_says_nothing_of_the_episode(
    stage: Stage, row: TrainingRow, gold: SftExample, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = {"ending": "infrastructure_failure", "status": "infrastructure", "failure": "the worker died"}
    broken = _recorded(row, gold, **ending)

    def breaks(*_: Any, **__: Any) -> Trajectory:
        return broken

    with monkeypatch.context() as patched:
        patched.setattr(demonstrations, "run_episode", breaks)
        with pytest.raises(SandboxError, match=r"the worker died.*same command again"):
            stage.play(Demonstration(row, FINAL))
    assert stage.play(Demonstration(row, FINAL)) == gold  # in a new World


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"task_id": "another"}, "not_trained_on"),
        ({"environment_hash": "22" * 32}, "other_environment"),
        ({"verdict": Verdict(status="scored", score=0.0)}, "failed"),
        ({"verdict": Verdict(status="unscored", score=None)}, "unscored"),
        ({"verdict": None}, "unscored"),
        ({"ending": "turn_limit", "status": "truncated"}, "failed"),
        ({"settings": EpisodeSettings(user="scripted", max_turns=9, shown_bytes=9)}, "user"),
        ({"agent": "gold"}, "gold"),
    ],
)
def test_what_is_no_success_of_a_row_is_left_out(
    row: TrainingRow, gold: SftExample, changed: dict[str, Any], reason: str
) -> None:
    left_out: Counter[str] = Counter()
    episodes = [_recorded(row, gold, **changed)]
    assert not _harvested(row, episodes, left_out)
    assert +left_out == Counter({reason: 1})


def test_the_plainest_of_different_episodes_are_taken(row: TrainingRow, gold: SftExample) -> None:
    plain = _recorded(row, gold)
    longer = plain.model_copy(update={"turns": (*plain.turns, plain.turns[0]), "key": "longer"})
    refused = plain.turns[0].model_copy(update={"ok": False, "arguments": {"page_size": -1}})
    stumbled = plain.model_copy(update={"turns": (refused, *plain.turns[1:]), "key": "stumbled"})
    left_out: Counter[str] = Counter()
    found = _harvested(row, [stumbled, longer, plain, plain.model_copy(update={"seed": 6})], left_out)
    assert [one.recorded for one in found] == [plain, longer]
    assert +left_out == Counter({"repeated": 1, "more_than_enough": 1})


def _harvested(row: TrainingRow, episodes: list[Trajectory], left_out: Counter[str]) -> list[Demonstration]:
    rows, finals = {(row.environment_id, row.task_id): row}, {row.family: FINAL}
    return harvested(episodes, rows, finals, most=2, left_out=left_out)
