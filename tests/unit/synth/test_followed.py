"""What follows from a goal's changes: entries of histories are compared, figures are free, other rows' detours fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.unit.build.unit_tests.conftest import draft
from tests.unit.build.unit_tests.workbench import LIFE, workbench

from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Allowance, Expectation, Intent
from envforge.gates.folder import Folder
from envforge.rollout.checks import evaluate
from envforge.synth.checks import checks_of
from envforge.synth.followed import Followed, without_derived
from envforge.synth.oracle import oracle
from envforge.synth.queries import Queries
from envforge.synth.verifier import verifier_of
from envforge.world.environment import Environment
from envforge.world.verification import VerifierProcess

FINISH = Expectation(
    table="jobs",
    change="update",
    rows="SELECT job_id, 'done' AS state FROM jobs WHERE workshop_id = 2 AND state = 'begun'",
    free=("done_at",),
)
NEW = Expectation(table="jobs", change="insert", rows="SELECT 4 AS workshop_id, 5 AS hours, 'waiting' AS state")
GONE = Expectation(table="jobs", change="delete", rows="SELECT 5 AS job_id")
FAR = Expectation(table="jobs", change="update", rows="SELECT 3 AS job_id, 'done' AS state", free=("done_at",))
Bench = tuple[Environment, EnvironmentBlueprint]
Calls = Sequence[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    one = draft(workbench(), tmp_path_factory.mktemp("followed") / "bench")
    knowledge = Folder(one.folder).knowledge.model_copy(update={"lifecycles": (LIFE,)})
    return Environment.open(one.folder), knowledge


def goal(bench: Bench, *parts: Expectation, allow: tuple[Allowance, ...] = ()) -> Intent:
    environment, knowledge = bench
    expect, allowed = Followed(knowledge, Queries(environment)).footprint(parts, allow, {}, "test")
    return Intent(
        family="f", kind="batch", source="grammar", parameters={}, said={}, spoken={}, banks=(), candidates=1, chosen=1,
        expect=expect, allow=allowed,
    )  # fmt: skip


def passes(bench: Bench, intent: Intent, calls: Calls) -> bool:
    """Whether the checks hold after these calls; the generated verifier must say the same."""
    environment, _ = bench
    with environment.start(0) as session:
        for tool, arguments in calls:
            seen = session.call(tool, arguments)
            assert seen.ok, seen
        changeset = session.changeset()
    checks = checks_of(oracle(environment, intent), intent)
    held = all(one.passed for one in evaluate(environment, checks, changeset, {}))
    with VerifierProcess(environment, verifier_of(environment, intent)) as judge:
        told = judge.verdict(changeset, {})
    assert all(one["passed"] for one in told) is held
    return held


def begun(bench: Bench) -> list[int]:
    sql = "SELECT job_id FROM jobs WHERE workshop_id = 2 AND state = 'begun' ORDER BY job_id"
    return [row["job_id"] for row in Queries(bench[0]).rows(sql, {}, "test")]


def set_state(job: int, state: str) -> tuple[str, dict[str, Any]]:
    return "set_job_state", {"job_id": job, "state": state}


def test_one_step_is_one_entry_and_nothing_else(bench: Bench) -> None:
    intent = goal(bench, FINISH)
    jobs = begun(bench)
    done = [set_state(job, "done") for job in jobs]
    assert passes(bench, intent, done)
    assert passes(bench, intent, [("finish_all_begun", {"workshop_id": 2})])
    around = [set_state(jobs[0], "waiting"), set_state(jobs[0], "begun")]
    assert not passes(bench, intent, [*around, *done]), "a detour leaves entries that nobody asked for"
    assert not passes(bench, intent, done[1:])


def test_another_row_that_went_there_and_back_is_found_out(bench: Bench) -> None:
    done = [set_state(job, "done") for job in begun(bench)]
    other = [set_state(3, "begun"), set_state(3, "waiting")]
    assert not passes(bench, goal(bench, FINISH), [*other, *done])
    let_go = Allowance(table="jobs", changes=("update",), column="job_id", values="SELECT 3")
    assert passes(bench, goal(bench, FINISH, allow=(let_go,)), [*other, *done])


def test_a_row_that_is_there_already_gets_no_entry(bench: Bench) -> None:
    intent = goal(bench, FINISH.model_copy(update={"rows": FINISH.rows.replace("= 'begun'", "IN ('begun', 'done')")}))
    done = [set_state(job, "done") for job in begun(bench)]
    assert passes(bench, intent, done)
    assert not passes(bench, intent, [set_state(5, "begun"), set_state(5, "done"), *done])


def test_where_no_single_step_leads_there_the_way_is_free(bench: Bench) -> None:
    intent = goal(bench, FAR)
    assert [part.table for part in intent.expect] == ["jobs", "job_history"]
    assert passes(bench, intent, [set_state(3, "begun"), set_state(3, "done")])
    assert passes(bench, intent, [set_state(3, "done")])
    assert not passes(bench, intent, [set_state(3, "begun")])


def test_a_new_row_has_its_first_entry_and_a_deleted_one_loses_all(bench: Bench) -> None:
    opened = ("open_job", {"workshop_id": 4, "amount": 5})
    assert passes(bench, goal(bench, NEW), [opened])
    assert not passes(bench, goal(bench, NEW), [opened, opened])
    assert not passes(bench, goal(bench, NEW), [opened, set_state(31, "begun"), set_state(31, "waiting")])
    assert passes(bench, goal(bench, GONE), [("delete_job", {"job_id": 5})])
    assert not passes(bench, goal(bench, GONE), [("delete_job", {"job_id": 6})])


def test_who_acted_is_compared_where_the_goal_leaves_the_actor_alone(bench: Bench) -> None:
    entries = next(part for part in goal(bench, FINISH).expect if part.table == "job_history")
    rows = Queries(bench[0]).rows(entries.rows, {}, "test")
    hands = {row["job_id"]: row["hand"] for row in workbench().rows["jobs"]}
    assert rows and all(row["changed_by"] == hands[row["job_id"]] for row in rows)
    assert entries.free == ("changed_at",)
    moved = FINISH.model_copy(update={"rows": FINISH.rows.replace("AS state", "AS state, 1 AS hand")})
    entries = next(part for part in goal(bench, moved).expect if part.table == "job_history")
    assert entries.free == ("changed_at", "changed_by")


def test_a_family_that_names_the_history_says_all_of_it(bench: Bench) -> None:
    own = Allowance(table="job_history")
    intent = goal(bench, FINISH, allow=(own,))
    assert [part.table for part in intent.expect] == ["jobs"] and intent.allow[0] == own


def test_a_row_that_the_goal_changes_may_hold_another_figure(bench: Bench) -> None:
    renamed = Expectation(table="workshops", change="update", rows="SELECT 1 AS workshop_id, 'Dock' AS place")
    new = Expectation(
        table="workshops", change="insert", rows="SELECT 'Dock' AS place", unnamed={"open_jobs": 0, "place": "Dock"}
    )
    changed, made = goal(bench, renamed, new).expect
    assert changed.free == made.free == ("open_jobs", "hours")
    assert made.unnamed == {"place": "Dock"}
    gone = Expectation(table="workshops", change="delete", rows="SELECT 4 AS workshop_id")
    assert goal(bench, gone).expect == (gone,)


def test_what_follows_is_no_deed_of_its_own(bench: Bench) -> None:
    environment, knowledge = bench
    with environment.start(0) as session:
        session.call(*set_state(3, "begun"))
        whole = session.diff()
    assert set(whole.tables) == {"jobs", "job_history"}
    assert set(without_derived(whole, knowledge).tables) == {"jobs"}
    with environment.start(0) as session:
        session.call("set_job_hours", {"job_id": 3, "amount": 9})
        whole = session.diff()
    assert set(whole.tables) == {"jobs", "workshops"}
    assert set(without_derived(whole, knowledge).tables) == {"jobs"}
