"""The score of an episode: its checks on the host and, for a program task, its verifier beside them.

Both say the same or nothing is scored: two programs written apart have to be wrong alike to give a wrong score.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from envforge.core.contracts import Judge
from envforge.core.errors import StoreError
from envforge.core.records.task import Task
from envforge.core.records.trajectory import CheckResult, Trajectory, Verdict
from envforge.rollout.checks import evaluate
from envforge.rollout.judging import judgements
from envforge.world.argument_values import plain_answer
from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.verification import VerifierProcess

_NEVER_SCORED = ("agent_failure", "infrastructure_failure")


class Scorer:
    """Scores episodes of the tasks of one environment.

    The process of the last verifier is kept for further episodes of its task; `close` ends it.
    """

    def __init__(self, environment: Environment, *, limits: Limits | None = None, judge: Judge | None = None) -> None:
        self._environment = environment
        self._judge = judge
        self._limits = limits
        self._verifier: tuple[str, VerifierProcess] | None = None

    def score(
        self,
        task: Task,
        changeset: bytes,
        answer: Any,
        verifier_source: str | None = None,
        trajectory: Trajectory | None = None,
    ) -> Verdict:
        """What an episode of `task` is worth that left `changeset` and gave `answer`.

        Unscored: when checks and verifier disagree, and when judged items of the rubric carry weight that no
        calibrated judge can decide; it sees the `trajectory`. Raises StoreError for a task of another environment,
        without checks or without its verifier; SandboxError when the changeset does not fit; VerifierError when the
        verifier crashes or breaks its contract.
        """
        refuse_stranger(self._environment, task)
        if not task.checks:
            raise StoreError("the task has no checks", where=task.id, remedy="make the tasks again")
        if task.kind == "program" and not verifier_source:
            remedy = "hand in verifiers/<task>.py, which stands beside tasks.jsonl"
            raise StoreError("a program task is scored with its verifier too", where=task.id, remedy=remedy)
        answer = plain_answer(answer)
        results = evaluate(self._environment, task.checks, changeset, answer)
        if verifier_source:
            told = self._process(verifier_source).verdict(changeset, answer)
            reasons = _disagreements(results, {check["id"]: check["passed"] for check in told})
            if reasons:
                return Verdict(status="unscored", score=None, checks=results, reasons=reasons)
        judged = [item for item in task.rubric if item.weight > 0 and not item.checks]
        if not judged:
            return _scored(results)
        said = judgements(self._judge, judged, task, trajectory)
        return unscored(said, results) if isinstance(said, str) else _scored((*results, *said))

    def score_episode(self, task: Task, trajectory: Trajectory, verifier_source: str | None = None) -> Verdict:
        """What a trajectory is worth. Raises as `score`, and StoreError for a trajectory of another task.

        Unscored when the agent or the infrastructure failed; 0 when it ended before it answered.
        """
        if (trajectory.task_id, trajectory.environment_hash) != (task.id, task.environment_hash):
            message = f"the trajectory is of {trajectory.task_id} in {trajectory.environment_hash[:16] or '(none)'}"
            raise StoreError(message, where=task.id, remedy="give the task that it was made for")
        if trajectory.ending in _NEVER_SCORED:
            return unscored(f"{trajectory.ending}: {trajectory.failure}")
        verdict = self.score(task, _bytes(trajectory), trajectory.answer, verifier_source, trajectory)
        if trajectory.ending == "answered" or verdict.status == "unscored":
            return verdict
        return verdict.model_copy(update={"score": 0.0, "reasons": (f"no answer: {trajectory.ending}",)})

    def close(self) -> None:
        """End the verifier's process."""
        if self._verifier is not None:
            self._verifier[1].close()
            self._verifier = None

    def __enter__(self) -> Scorer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _process(self, source: str) -> VerifierProcess:
        if self._verifier is None or self._verifier[0] != source:
            self.close()
            self._verifier = (source, VerifierProcess(self._environment, source, limits=self._limits))
        return self._verifier[1]


def refuse_stranger(environment: Environment, task: Task) -> None:
    """Raises StoreError for a task of another environment."""
    ours = environment.manifest
    if task.environment_hash != ours.environment_hash:
        made_for = f"{task.environment_id} {task.environment_hash[:16] or '(no hash)'}"
        message = f"made for {made_for}, this is {ours.id} {ours.environment_hash[:16] or '(no hash)'}"
        raise StoreError(message, where=task.id, remedy="open the environment of the task, or make tasks for this one")


def unscored(reason: str, checks: tuple[CheckResult, ...] = ()) -> Verdict:
    """No score, and why."""
    return Verdict(status="unscored", score=None, checks=checks, reasons=(reason,))


def _scored(results: Sequence[CheckResult]) -> Verdict:
    passed = all(result.passed for result in results)
    guarded = all(result.passed for result in results if not result.weight)
    whole = sum(result.weight for result in results)
    share = sum(result.weight for result in results if result.passed) / whole if whole else float(passed)
    return Verdict(status="scored", score=float(passed), fraction=share if guarded else 0.0, checks=tuple(results))


def _disagreements(results: Sequence[CheckResult], told: Mapping[str, bool]) -> tuple[str, ...]:
    """Where the verifier says otherwise, by check."""
    ours = {result.id: result.passed for result in results}
    reasons = [
        f"verifier and checks disagree on {name}: checks {_said(ours.get(name))}, verifier {_said(told.get(name))}"
        for name in sorted({*ours, *told})
        if ours.get(name) != told.get(name)
    ]
    return tuple(reasons)


def _said(passed: bool | None) -> str:
    return "say nothing" if passed is None else "pass" if passed else "fail"


def _bytes(trajectory: Trajectory) -> bytes:
    try:
        return base64.b64decode(trajectory.changeset, validate=True)
    except ValueError as error:
        message = f"changeset: {error}"
        raise StoreError(message, where=trajectory.task_id, remedy="run the episode again") from error
