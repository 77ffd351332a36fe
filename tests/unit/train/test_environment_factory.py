"""Classes made from families of tools, and the episodes behind them: no trainer is needed for these."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envforge.core.errors import ConfigError, SandboxError
from envforge.core.records.completion import FunctionTool
from envforge.core.records.rewarding import Rewarding
from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.rollout.agents.agent import Answer, Call
from envforge.rollout.agents.gold import GraphAgent
from envforge.store.workspace import Workspace
from envforge.train import evaluation
from envforge.train.data.conversation import family_tools
from envforge.train.data.records import FamilyTools
from envforge.train.environment_factory import FamilyEnvironment, environment_class, outcome
from envforge.train.evaluation import Trial
from envforge.train.host import EpisodeHost
from envforge.train.live import EpisodeLimits
from envforge.train.notes import figures
from envforge.world.pool.session import PooledSession

ROOT = Path(__file__).resolve().parents[3]
NAME = "airline-booking"


@pytest.fixture(scope="module")
def opened() -> OpenedTasks:
    return open_tasks(Workspace(ROOT), NAME)


@pytest.fixture(scope="module")
def family(opened: OpenedTasks) -> FamilyTools:
    return family_tools(opened.environment.manifest.family, opened.environment.tools)


@pytest.fixture(scope="module")
def host(opened: OpenedTasks) -> Iterator[EpisodeHost]:
    given = [opened.assignment(task) for task in opened.tasks.tasks]
    with EpisodeHost([opened.environment], given, limits=EpisodeLimits(turns=6, shown_bytes=32_768)) as host:
        yield host


@pytest.fixture
def environment(family: FamilyTools, host: EpisodeHost) -> FamilyEnvironment:
    return environment_class(family, host)()


def row(opened: OpenedTasks) -> dict[str, Any]:
    """The first task whose gold is a list of calls."""
    task = next(one for one in opened.tasks.tasks if one.kind == "graph" and one.difficulty.level == 1)
    return {"environment_id": NAME, "task_id": task.id, "episode_seed": 3, "prompt": []}


def play_gold(environment: Any, opened: OpenedTasks, wanted: dict[str, Any]) -> None:
    agent = GraphAgent(opened.assignment(opened.tasks.task(wanted["task_id"])))
    seen: dict[str, Any] | None = None
    while not isinstance(action := agent.act(seen), Answer):
        assert isinstance(action, Call)
        seen = json.loads(getattr(environment, action.tool)(**action.arguments))
    environment.final_answer(answer=action.value)


def test_a_family_has_one_class_for_a_host(family: FamilyTools, host: EpisodeHost) -> None:
    assert environment_class(family, host) is environment_class(family, host)


def test_the_public_functions_of_a_class_are_its_tools(environment: FamilyEnvironment, family: FamilyTools) -> None:
    functions = {name for name, _ in inspect.getmembers(type(environment), inspect.isfunction) if name[0] != "_"}
    assert functions - {"reset", "get_reward"} == {tool.name for tool in family.tools}


def test_signatures_say_what_the_schemas_say(environment: FamilyEnvironment, family: FamilyTools) -> None:
    for tool in family.tools:
        method = getattr(environment, tool.name)
        parameters = inspect.signature(method).parameters
        assert set(parameters) == set(tool.parameters["properties"])
        required = {name for name, one in parameters.items() if one.default is inspect.Parameter.empty}
        assert required == set(tool.parameters.get("required", ()))
        assert inspect.getdoc(method)
        assert not parameters or "Args:" in (method.__doc__ or "")


def test_a_parameter_that_python_does_not_take_can_be_given_all_the_same(host: EpisodeHost) -> None:
    parameters = {"type": "object", "properties": {"from": {"type": "string"}, "to": {"type": "integer"}}}
    odd = FamilyTools(family="odd", final="done", tools=(FunctionTool(name="move", parameters=parameters),))
    method: Any = getattr(environment_class(odd, host), "move")  # noqa: B009
    assert list(inspect.signature(method).parameters) == ["self", "to"]
    with pytest.raises(ConfigError, match="no episode has begun"):
        getattr(environment_class(odd, host)(), "move")(**{"from": "here", "self": 1})  # noqa: B009


def test_gold_is_worth_one_and_nothing_is_worth_nothing(environment: FamilyEnvironment, opened: OpenedTasks) -> None:
    environment.reset(**row(opened))
    play_gold(environment, opened, row(opened))
    assert environment.get_reward() == 1.0
    assert environment.get_reward() == 1.0, "asked again it says the same"
    environment.reset(**row(opened))
    assert environment.get_reward() == 0.0, "the episode before has left nothing"


def test_after_the_final_answer_nothing_is_done(environment: Any, opened: OpenedTasks, family: FamilyTools) -> None:
    environment.reset(**row(opened))
    environment.final_answer(answer={})
    told = json.loads(getattr(environment, family.tools[0].name)())
    assert told["error"]["code"] == "episode_over"


def test_a_final_answer_in_another_form_is_told_and_may_be_given_again(environment: Any, opened: OpenedTasks) -> None:
    environment.reset(**row(opened))
    assert json.loads(environment.final_answer(total=3))["error"]["code"] == "invalid_arguments"
    play_gold(environment, opened, row(opened))
    assert environment.get_reward() == 1.0


def test_the_limit_of_calls_ends_an_episode(environment: Any, opened: OpenedTasks, host: EpisodeHost) -> None:
    environment.reset(**row(opened))
    told = [json.loads(environment.search_airports()) for _ in range(7)]
    assert "result" in told[5] and told[6]["error"]["code"] == "turn_limit"
    host.notes()
    assert environment.get_reward() == 0.0
    (note,) = host.notes()
    assert (note.ending, note.turns, note.calls, note.errors) == ("turn_limit", 6, 7, 1)


def test_a_world_that_breaks_gives_no_reward(
    environment: Any, opened: OpenedTasks, host: EpisodeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaking(*_: Any) -> Any:
        raise SandboxError("the worker died")

    environment.reset(**row(opened))
    monkeypatch.setattr(PooledSession, "call", breaking)
    assert json.loads(environment.search_airports())["error"]["code"] == "unavailable"
    host.notes()
    assert environment.get_reward() is None and outcome(environment) is None
    (note,) = notes = host.notes()
    assert "the worker died" in note.why
    told = figures(notes)
    assert told["episodes/infrastructure"] == told["episodes/unscored"] == 1.0
    assert not [name for name in told if name.startswith("reward/")], "a broken World is in no average"


def test_success_is_the_outcome_and_not_the_reward_that_trains(
    opened: OpenedTasks, family: FamilyTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    rewards: list[float | None] = []

    def wasteful(seats: Any, **told: Any) -> None:
        del told
        for seat in seats:
            for _ in range(3):
                seat.environment.search_airports()
            play_gold(seat.environment, opened, row(opened))
            rewards.append(seat.environment.get_reward())

    monkeypatch.setattr(evaluation, "play_batch", wasteful)
    model: Any = SimpleNamespace(
        training=False, eval=list, train=bool, config=SimpleNamespace(max_position_embeddings=9)
    )
    monkeypatch.setattr(evaluation, "generator", lambda *_: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    tried: Any = SimpleNamespace(**row(opened), family=family.family, level=1, chat=list)
    trial = Trial(
        split="heldout_family", rows=[tried], samples=0, temperature=1.0, turn_tokens=8, trajectory_tokens=8, rounds=1,
        batch=1, seed=0,
    )  # fmt: skip
    given = [opened.assignment(task) for task in opened.tasks.tasks]
    with EpisodeHost(
        [opened.environment], given, rewarding=Rewarding(trains="shaped", long=0.1, free_calls=1.0)
    ) as host:
        (score,) = evaluation.evaluate(model, model, host, {family.family: family}, trial)
    assert rewards[0] is not None and rewards[0] < 1.0 == score.greedy


def test_a_row_of_another_set_is_refused(environment: FamilyEnvironment) -> None:
    with pytest.raises(ConfigError, match="has no task 'task-0'"):
        environment.reset(environment_id=NAME, task_id="task-0", episode_seed=0)


def test_no_episodes_have_no_figures() -> None:
    assert figures([]) == {}
