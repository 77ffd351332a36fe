"""Solutions are played: programs over remembered states, with what a mutation changes on the way; then they are judged.

A verdict is that of the checks (on the host) and of the verifier (in a process that never ran tools); both must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import TracebackType
from typing import Any

from envforge.core.errors import ProgramError, SandboxError, VerifierError
from envforge.core.records.task import Check
from envforge.gates.branches import Branches
from envforge.rollout.checks import evaluate
from envforge.world.diff import StateDiff
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.programs import ProgramRunner, ToolCall
from envforge.world.session import diff_of
from envforge.world.verification import VerifierProcess

SECONDS = 60.0
"""Wall clock of one solution."""
MOST_SEEN = 32 << 20
"""Bytes of JSON that the calls of one solution may be answered: an episode keeps them all."""
_ROOM = 200
"""Calls that a changed solution may make beyond three times those of the gold."""


class Change:
    """What stands between a program and its environment; one object per run. This one changes nothing."""

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """What the program sees of a call; `call` reaches the environment."""
        return call(tool, arguments)

    def finish(self, call: ToolCall) -> None:
        """Called when the program has ended by itself."""


@dataclass(frozen=True)
class Variant:
    """A changed version of a solution: a mutant, which must fail, or an alternative, which must pass.

    `place` says where it differs. `program`: another source than the gold's. `seed`: the episode's. `answer`: only the
    answer differs. `cost`: about how many calls have to run for it.
    """

    id: str
    operator: str
    place: str
    make: Callable[[], Change] = Change
    program: str = ""
    seed: int = 0
    answer: Callable[[Any], Any] | None = None
    cost: int = 0


@dataclass(frozen=True)
class Step:
    """A call that reached the environment, and what was seen."""

    tool: str
    arguments: Mapping[str, Any]
    seen: Observation
    writes: bool


@dataclass(frozen=True)
class Played:
    """One episode of a solution. `failure`: why the program ended without an answer."""

    environment: Environment = field(repr=False)
    steps: tuple[Step, ...]
    answer: Any
    changeset: bytes
    failure: str = ""

    @cached_property
    def diff(self) -> StateDiff:
        """What it changed."""
        return diff_of(self.environment, self.changeset)

    @property
    def writes(self) -> int:
        """Writing calls that succeeded."""
        return sum(step.writes and step.seen.ok for step in self.steps)

    def answering(self, answer: Any) -> Played:
        """The same episode with another answer."""
        return replace(self, answer=answer)


@dataclass(frozen=True)
class Judged:
    """What checks and verifier say of an episode; `broken`: the verifier crashed, which is no verdict."""

    checks: bool
    verifier: bool
    failed: tuple[str, ...] = ()
    broken: str = ""

    @property
    def passed(self) -> bool:
        """The score is 1."""
        return self.checks and self.verifier and not self.broken

    @property
    def agree(self) -> bool:
        """Checks and verifier say the same."""
        return not self.broken and self.checks == self.verifier


class Player:
    """Plays programs over one environment; holds workers with all states, and a process for programs."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._runner = ProgramRunner()
        self._branches: dict[int, Branches] = {}
        self._read_only = {tool.name: tool.annotations.read_only for tool in environment.tools}

    def play(
        self,
        program: str,
        change: Change | None = None,
        *,
        seed: int = 0,
        most_calls: int = 2000,
        keep_every: int = 0,
    ) -> Played:
        """One episode of `program` with `change` between it and the environment.

        `keep_every`: after so many writes a state is kept that variants start from.

        A program that dies, whose calls break the worker or are answered more than MOST_SEEN, has a `failure`. Raises
        SandboxError, ToolFault when no worker starts.
        """
        changed = change or Change()
        branch = self._tree(seed).start(keep_every=keep_every)
        steps: list[Step] = []
        left = MOST_SEEN

        def call(tool: str, arguments: dict[str, Any]) -> Observation:
            nonlocal left
            seen = branch.call(tool, arguments)
            left -= seen.size
            if left < 0:
                raise ProgramError(f"its calls were answered more than {MOST_SEEN:,} bytes")
            steps.append(Step(tool, arguments, seen, not self._read_only.get(tool, True)))
            return seen

        answer, failure = None, ""
        try:
            told = self._runner.run(
                program, lambda tool, given: changed.call(call, tool, given), most_calls=most_calls, seconds=SECONDS
            )
            changed.finish(call)
            answer = told
        except (ProgramError, SandboxError) as error:
            failure = str(error)
        return Played(self.environment, tuple(steps), answer, branch.changeset(), failure)

    def vary(self, program: str, gold: Played, variant: Variant) -> Played:
        """An episode of a variant of `program`, whose own episode is `gold`."""
        if variant.answer is not None:
            return gold.answering(variant.answer(gold.answer))
        limit = 3 * len(gold.steps) + _ROOM
        return self.play(variant.program or program, variant.make(), seed=variant.seed, most_calls=limit)

    def forget(self) -> None:
        """Let go of all states but the initial ones, and of the process that ran the last task's programs."""
        self._runner.close()
        for branches in self._branches.values():
            branches.forget()

    def close(self) -> None:
        """End the processes."""
        self._runner.close()
        for branches in self._branches.values():
            branches.close()
        self._branches.clear()

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _tree(self, seed: int) -> Branches:
        if seed not in self._branches:
            self._branches[seed] = Branches(self.environment, seed)
        return self._branches[seed]


def play_afresh(environment: Environment, program: str, seed: int = 0) -> Played:
    """One episode in a new World in a new process, the program in another; nothing is remembered. Raises as `play`."""
    with Player(environment) as player:
        return player.play(program, seed=seed)


class Judge:
    """Scores episodes of one task by its checks and its verifier's source. Use it as a context manager."""

    def __init__(self, environment: Environment, checks: Sequence[Check], verifier: str) -> None:
        self._environment = environment
        self._checks = checks
        self._process = VerifierProcess(environment, verifier) if verifier else None

    def verdict(self, played: Played) -> Judged:
        """Checks and verifier on one episode; 0 for one that never answered.

        Raises SandboxError, and StoreError for checks of another environment.
        """
        if played.failure:
            return Judged(False, False, ("no answer",))
        results = evaluate(self._environment, self._checks, played.changeset, played.answer)
        failed = tuple(result.id for result in results if not result.passed)
        if self._process is None:
            return Judged(not failed, not failed, failed)
        try:
            said = self._process.verdict(played.changeset, played.answer)
        except VerifierError as error:
            return Judged(not failed, False, failed, str(error))
        wrong = tuple(str(check["id"]) for check in said if not check["passed"])
        return Judged(not failed, not wrong, tuple(dict.fromkeys((*failed, *wrong))))

    def close(self) -> None:
        """End the verifier's process."""
        if self._process is not None:
            self._process.close()

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
