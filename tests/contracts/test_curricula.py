"""What every curriculum keeps to, whichever it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.core.errors import ConfigError
from envforge.core.records.curriculum import CurriculumState, CurriculumTask, GroupResult
from envforge.store.schemas import problems
from envforge.train.curricula.contract import Curriculum
from envforge.train.curricula.registry import CURRICULA, curriculum

TASKS = tuple(
    CurriculumTask(
        id=f"{family}/{goal}-{level}-{number}", family=family, level=level, lineage=f"{family}/{goal}", generation=level
    )
    for family in ("quay", "shed")
    for goal in ("move", "count")
    for level in (1, 2, 4)
    for number in range(2)
)
SETTINGS = {
    "learnability": {"explore": 0.3},
    "adarft": {"step": 20.0},
    "ladder": {"least_groups": 2, "least_rate": 0.6},
    "lineage": {"episodes": 4},
    "alpha": {"band": 0.2},
}
Played = Sequence[Sequence[tuple[float | None, ...]]]
Make = Callable[[], Curriculum]
rewards = st.lists(st.sampled_from([None, 0.0, 0.5, 1.0]), min_size=1, max_size=4).map(tuple)
batches = st.lists(st.lists(rewards, min_size=1, max_size=6), min_size=1, max_size=6)


@pytest.fixture(params=sorted(CURRICULA), scope="module")
def make(request: pytest.FixtureRequest) -> Make:
    return lambda: curriculum(request.param, TASKS, seed=7, settings=SETTINGS.get(request.param))


def _go(one: Curriculum, played: Played) -> list[tuple[CurriculumTask, ...]]:
    """Choose, and tell what came of it, batch by batch."""
    chosen: list[tuple[CurriculumTask, ...]] = []
    for batch in played:
        chosen.append(one.sample(len(batch)))
        told = zip(chosen[-1], batch, strict=True)
        one.update([GroupResult(task=task.id, rewards=rewards) for task, rewards in told])
    return chosen


@settings(max_examples=12, deadline=None)
@given(before=batches, after=batches)
def test_a_saved_state_goes_on_as_if_nothing_had_been(
    make: Make,
    before: Played,
    after: Played,
) -> None:
    one, other = make(), make()
    _go(one, before)
    written = json.dumps(one.state().to_json())
    assert not problems("curriculum_state", json.loads(written))
    other.restore(CurriculumState.model_validate_json(written))
    assert _go(other, after) == _go(one, after)
    assert other.state() == one.state()


@settings(max_examples=6, deadline=None)
@given(played=batches)
def test_the_same_seed_and_results_choose_the_same_tasks(make: Make, played: Played) -> None:
    chosen = _go(make(), played)
    assert chosen == _go(make(), played)
    assert all(set(batch) <= set(TASKS) for batch in chosen)


@settings(max_examples=6, deadline=None)
@given(played=batches, unscored=st.integers(min_value=1, max_value=40))
def test_what_could_not_be_scored_changes_nothing(make: Make, played: Played, unscored: int) -> None:
    one = make()
    _go(one, played)
    before = one.state()
    broken = [GroupResult(task=task.id, rewards=(None,) * 8) for task in (TASKS * 2)[:unscored]]
    one.update(broken)
    assert one.state() == before
    assert not any(one.keeps(result) for result in broken)


def test_an_episode_without_a_score_is_no_failure(make: Make) -> None:
    whole, broken = make(), make()
    for one, tail in ((whole, ()), (broken, (None, None))):
        one.update([GroupResult(task=task.id, rewards=(1.0, 0.0, *tail)) for task in one.sample(12)])
    assert whole.state() == broken.state()


def test_as_many_as_were_asked_for_also_where_there_are_fewer(make: Make) -> None:
    assert len(make().sample(1)) == 1
    assert len(make().sample(3 * len(TASKS))) == 3 * len(TASKS)
    one = curriculum(make().name, TASKS[:1])
    assert one.sample(5) == TASKS[:1] * 5


def test_another_seed_chooses_others(make: Make) -> None:
    one = make()
    other = curriculum(one.name, TASKS, seed=8, settings=SETTINGS.get(one.name))
    assert [one.sample(8) for _ in range(3)] != [other.sample(8) for _ in range(3)]


def test_a_state_of_others_is_refused(make: Make) -> None:
    one = make()
    name = one.name
    strangers = {
        "seed": curriculum(name, TASKS, seed=8, settings=SETTINGS.get(name)),
        "tasks": curriculum(name, TASKS[1:], seed=7, settings=SETTINGS.get(name)),
        "name": curriculum("uniform" if name != "uniform" else "dapo", TASKS, seed=7),
    }
    for word, stranger in strangers.items():
        with pytest.raises(ConfigError, match=f"other.*{word}"):
            one.restore(stranger.state())


def test_what_cannot_be_is_refused(make: Make) -> None:
    one = make()
    with pytest.raises(ConfigError, match="no task 'nobody'"):
        one.update([GroupResult(task="nobody", rewards=(1.0,))])
    with pytest.raises(ConfigError, match="0 tasks"):
        one.sample(0)
    for tasks, word in (((), "no tasks"), (TASKS + TASKS[:1], "two tasks")):
        with pytest.raises(ConfigError, match=word):
            curriculum(one.name, tasks)
    with pytest.raises(ConfigError, match="to be set"):
        curriculum(one.name, TASKS, settings={"tempo": 3})


def test_an_unknown_name_and_impossible_settings_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"no curriculum 'alphabet'.*learnability"):
        curriculum("alphabet", TASKS)
    with pytest.raises(ConfigError, match="alpha"):
        curriculum("alpha", TASKS, settings={"alpha": 1.5})
