"""What curricula do with an agent that learns as they choose: simulated, so that the truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.core.records.curriculum import CurriculumTask, GroupResult
from envforge.train.curricula.alpha import Alpha, AlphaSettings, environment_reward
from envforge.train.curricula.contract import Curriculum
from envforge.train.curricula.filling import fill
from envforge.train.curricula.ladder import Ladder, LadderSettings
from envforge.train.curricula.lineage import Lineage, LineageSettings
from envforge.train.curricula.registry import curriculum
from envforge.train.curricula.simulated import SimulatedLearner
from envforge.train.curricula.target import Target, TargetSettings

LEVELS = (1, 2, 3, 4, 5)
seeds = st.integers(min_value=0, max_value=2**32)


def tasks_at(levels: Sequence[int], *, each: int = 6, family: str = "quay") -> tuple[CurriculumTask, ...]:
    return tuple(
        CurriculumTask(
            id=f"{family}/{level}-{number}", family=family, level=level, lineage=f"{family}/{number}", generation=level
        )
        for level in levels
        for number in range(each)
    )


def difficulties(tasks: Sequence[CurriculumTask], *, first: float, apart: float) -> Mapping[str, float]:
    return {task.id: first + apart * (task.level - 1) for task in tasks}


def run(one: Curriculum, learner: SimulatedLearner, batches: int, *, n: int = 8) -> list[list[CurriculumTask]]:
    """Choose, play, tell, learn; what was chosen."""
    chosen: list[list[CurriculumTask]] = []
    for _ in range(batches):
        batch = one.sample(n)
        results = learner.play(batch)
        one.update(results)
        learner.learn([pair for pair in zip(batch, results, strict=True) if one.keeps(pair[1])])
        chosen.append(list(batch))
    return chosen


@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=seeds, alpha=st.sampled_from([0.3, 0.5, 0.7]))
def test_alpha_keeps_the_success_near_alpha_while_the_agent_learns(seed: int, alpha: float) -> None:
    tasks = tasks_at(range(1, 17), each=2)
    learner = SimulatedLearner(difficulties(tasks, first=-2, apart=0.5), seed=seed, step=0.06)
    one = Alpha(tasks, AlphaSettings(alpha=alpha), seed)
    run(one, learner, 15)
    rates: list[float] = []
    for _ in range(20):
        rates.append(fmean(learner.rate(task) for task in run(one, learner, 1)[0]))
    assert abs(fmean(rates) - alpha) < 0.12
    easy_before, easy_now = learner.success(tasks[:2]), learner.rate(tasks[0])
    assert easy_before == pytest.approx(easy_now) and easy_now > 0.9  # it did learn, and was not left with easy tasks


def test_the_reward_of_an_environment_is_one_at_alpha_and_falls_on_both_sides() -> None:
    assert environment_reward(0.5, 0.5, 2.0) == 1.0
    assert environment_reward(0.6, 0.5, 2.0) == pytest.approx(environment_reward(0.4, 0.5, 2.0))
    assert environment_reward(0.6, 0.5, 2.0) > 0.98 > environment_reward(0.0, 0.5, 2.0) > 0.6


def test_alpha_plays_the_nearest_arm_where_none_is_inside_the_band() -> None:
    tasks = tasks_at((1, 5))
    one = Alpha(tasks, AlphaSettings(alpha=0.5, band=0.05), 0)
    for _ in range(30):
        easy = GroupResult(task=tasks[0].id, rewards=(1.0,) * 7 + (0.0,))
        one.update([easy, GroupResult(task=tasks[-1].id, rewards=(0.0,) * 8)])
    assert {task.level for task in one.sample(40)} == {1}


@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=seeds)
def test_p_one_minus_p_visits_the_frontier_more_than_uniform(seed: int) -> None:
    tasks = tasks_at(LEVELS, each=8)
    hard = difficulties(tasks, first=-6, apart=3)
    shares: dict[str, float] = {}
    for name in ("uniform", "learnability"):
        learner = SimulatedLearner(hard, seed=seed, step=0.0)
        chosen = [task for batch in run(curriculum(name, tasks, seed=seed), learner, 40)[10:] for task in batch]
        shares[name] = fmean(0.2 <= learner.rate(task) <= 0.8 for task in chosen)
    assert shares["uniform"] == pytest.approx(0.2, abs=0.05)
    assert shares["learnability"] > 1.5 * shares["uniform"]


@settings(max_examples=20, deadline=None)
@given(seed=seeds, levels=st.sets(st.sampled_from(LEVELS), min_size=1), step=st.sampled_from([0.0, 0.5, 2.0]))
def test_a_ladder_climbs_one_rung_at_a_time_and_plays_none_above(seed: int, levels: set[int], step: float) -> None:
    rungs = sorted(levels)
    tasks = tasks_at(rungs)
    learner = SimulatedLearner(difficulties(tasks, first=-4, apart=1), seed=seed, step=step)
    one = Ladder(tasks, LadderSettings(least_groups=4, window=2), seed)
    place = 0
    assert one.highest("quay") == rungs[0]
    for _ in range(12):
        batch = run(one, learner, 1)[0]
        allowed = rungs[max(0, place - 1) : place + 1]
        assert {task.level for task in batch} <= set(allowed)
        now = rungs.index(one.highest("quay"))
        assert place <= now <= place + 2  # at most one rung for each four groups at the top, of eight groups
        place = now


def test_a_ladder_climbs_to_the_top_and_stays_there() -> None:
    tasks = tasks_at((1, 2, 4))
    one = Ladder(tasks, LadderSettings(), 0)
    tops: list[int] = []
    for _ in range(60):
        one.update([GroupResult(task=task.id, rewards=(1.0,) * 8) for task in one.sample(8)])
        tops.append(one.highest("quay"))
    assert list(dict.fromkeys(tops)) in ([1, 2, 4], [2, 4])
    assert tops[-1] == 4


def test_a_ladder_does_not_climb_below_its_threshold_and_forgets_the_count() -> None:
    tasks = tasks_at((1, 2))
    one = Ladder(tasks, LadderSettings(), 0)
    for rate in (7 / 8, 7 / 8, 1.0):
        won = round(8 * rate)
        one.update([GroupResult(task=tasks[0].id, rewards=(1.0,) * won + (0.0,) * (8 - won))] * 8)
        assert one.highest("quay") == (1 if rate < 0.9 else 2)


def test_a_lineage_goes_on_above_six_of_eight_and_not_at_six() -> None:
    tasks = tasks_at((1, 2, 3), each=1)
    one = Lineage(tasks, LineageSettings(), 0)
    place = {1: tasks[0], 2: tasks[1], 3: tasks[2]}

    def plays(level: int, won: int) -> int | None:
        one.update([GroupResult(task=place[level].id, rewards=(1.0,) * won + (0.0,) * (8 - won))])
        return one.generation("quay/0")

    assert plays(1, 6) == 1
    assert plays(2, 8) == 1  # not where it stands
    assert plays(1, 7) == 2
    assert {task.level for task in one.sample(4)} == {2}
    assert plays(2, 7) == 3
    assert plays(3, 8) is None
    assert {task.level for task in one.sample(4)} == {3}  # all are done: the hardest again


def test_a_lineage_that_is_done_leaves_its_place_to_the_others() -> None:
    tasks = tasks_at((1, 2), each=2)
    one = Lineage(tasks, LineageSettings(), 0)
    for level in (0, 2):
        one.update([GroupResult(task=tasks[level].id, rewards=(1.0,) * 8)])
    assert one.generation("quay/0") is None and one.generation("quay/1") == 1
    assert {task.lineage for task in one.sample(6)} == {"quay/1"}


def test_small_groups_of_a_lineage_are_counted_together() -> None:
    tasks = tasks_at((1, 2), each=1)
    one = Lineage(tasks, LineageSettings(), 0)
    for number in range(4):
        assert one.generation("quay/0") == 1, number
        one.update([GroupResult(task=tasks[0].id, rewards=(1.0, 1.0, None))])
    assert one.generation("quay/0") == 2


def test_the_target_rises_with_the_reward_as_published() -> None:
    tasks = tasks_at(LEVELS)
    one = Target(tasks, TargetSettings(), 0)
    assert {task.level for task in one.sample(6)} == {1}
    one.update([GroupResult(task=tasks[0].id, rewards=(1.0,) * 8)])
    assert one.target == pytest.approx(50 * 0.76159, abs=0.01)  # tanh(2 · 0.5)
    assert {task.level for task in one.sample(6)} == {3}
    one.update([GroupResult(task=tasks[0].id, rewards=(0.0,) * 8)])
    assert one.target == 0.0
    one.update([GroupResult(task=tasks[0].id, rewards=(1.0, 0.0))])
    assert one.target == 0.0


def test_what_the_nearest_difficulty_lacks_comes_from_the_next() -> None:
    tasks = tasks_at((1, 2), each=3)
    assert [task.level for task in Target(tasks, TargetSettings(), 0).sample(5)] == [1, 1, 1, 2, 2]


def test_dynamic_sampling_fills_the_batch_with_groups_that_differ() -> None:
    tasks = tasks_at(LEVELS, each=8)
    learner = SimulatedLearner(difficulties(tasks, first=-8, apart=4), seed=1)
    filled = fill(curriculum("dapo", tasks, seed=1), 8, learner.play)
    assert len(filled.kept) == 8 and filled.dropped
    assert all(result.varied for result in filled.kept) and not any(result.varied for result in filled.dropped)
    assert filled.episodes == 8 * (8 + len(filled.dropped))


def test_filling_ends_where_there_is_nothing_to_learn() -> None:
    tasks = tasks_at((5,))
    learner = SimulatedLearner(difficulties(tasks, first=50, apart=0), seed=1)
    filled = fill(curriculum("dapo", tasks), 4, learner.play, most_rounds=3)
    assert not filled.kept and len(filled.dropped) == 12


def test_uniform_deals_every_task_before_one_comes_again() -> None:
    tasks = tasks_at(LEVELS)
    one = curriculum("uniform", tasks)
    for _ in range(3):
        assert {task.id for task in one.sample(len(tasks))} == {task.id for task in tasks}


def test_a_group_that_says_nothing_teaches_the_learner_nothing() -> None:
    tasks = tasks_at((1,))
    learner = SimulatedLearner(difficulties(tasks, first=0, apart=0), seed=0)
    for rewards in ((1.0,) * 8, (0.0,) * 8, (None,) * 8):
        learner.learn([(tasks[0], GroupResult(task=tasks[0].id, rewards=rewards))])
        assert learner.rate(tasks[0]) == 0.5
    learner.learn([(tasks[0], GroupResult(task=tasks[0].id, rewards=(1.0, 0.0)))])
    assert learner.rate(tasks[0]) > 0.5
