"""Verifiers: generated code that judges an episode, run in a process that has never run tool code.

A worker that has run tools hands over a changeset and no more. It is applied to the template in a fresh process, and
`verify(initial, final, diff, answer)` sees the rows before and after, read-only.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from envforge.core.errors import VerifierError
from envforge.core.ids import sha256_text
from envforge.world.argument_values import plain_answer
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess
from envforge.world.session import diff_of

if TYPE_CHECKING:
    from envforge.world.environment import Environment

FILE = "verifier.py"
_FIELDS = {"id", "passed", "detail"}
_REMEDY = "a verifier returns a list of {id: str, passed: bool, detail: str}; the episode stays unscored"


def run_verifier(
    environment: Environment,
    source: str,
    changeset: bytes,
    answer: Any,
    *,
    limits: Limits | None = None,
    backend: str | None = None,
) -> list[dict[str, Any]]:
    """What `verify` of `source` says of an episode: a list of {id, passed, detail}.

    `changeset` is the episode's (Session.changeset, Snapshot.changeset); `answer` may be anything;
    what JSON or the World cannot hold counts as null.
    Raises VerifierError when the verifier does not load, crashes or answers outside its contract; SandboxError when
    the changeset does not fit the environment or the process died. Neither is a score.
    """
    with VerifierProcess(environment, source, limits=limits, backend=backend) as process:
        return process.verdict(changeset, answer)


class VerifierProcess:
    """A process in which one verifier judges many episodes, for gates: 20 ms less for each after the first.

    Nothing of the process outlives its verifier; what an episode did cannot reach it (it sees rows and an answer).
    """

    def __init__(
        self, environment: Environment, source: str, *, limits: Limits | None = None, backend: str | None = None
    ) -> None:
        self._environment, self._source = environment, source
        self._limits, self._backend = limits or Limits(), backend
        self._process: WorkerProcess | None = None

    def verdict(self, changeset: bytes, answer: Any) -> list[dict[str, Any]]:
        """Like `run_verifier`, and raises the same."""
        diff = diff_of(self._environment, changeset).to_json()
        request = {"do": "verify", "source": self._source, "diff": diff, "answer": plain_answer(answer)}
        reply, _ = self._running().ask(request, changeset)
        where = f"{FILE} {sha256_text(self._source)[:12]}"
        if "error" in reply:
            at = f", line {reply['line']}" if reply.get("line") else ""
            raise VerifierError(f"crashed: {reply['error']}", where=f"{where}{at}", remedy=_REMEDY)
        return _checked(reply.get("checks"), where)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def __enter__(self) -> VerifierProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> WorkerProcess:
        if self._process is None or not self._process.alive:
            plan, template = self._environment.plan, self._environment.template
            self._process = WorkerProcess(plan, template, "", self._limits, backend=self._backend)
            self._process.load()
        return self._process


def _checked(value: Any, where: str) -> list[dict[str, Any]]:
    """The verifier's answer, if it keeps its contract. Raises VerifierError."""
    if not isinstance(value, list) or not value:
        raise VerifierError("returned no list of checks", where=where, remedy=_REMEDY)
    checks: list[dict[str, Any]] = []
    for number, entry in enumerate(cast("list[Any]", value)):
        problem = _problem(entry)
        if problem:
            raise VerifierError(f"[{number}]: {problem}", where=where, remedy=_REMEDY)
        checks.append(entry)
    names = [str(check["id"]) for check in checks]
    if len(set(names)) != len(names):
        raise VerifierError("two checks have one id", where=where, remedy=_REMEDY)
    return checks


def _problem(entry: Any) -> str:
    if not isinstance(entry, dict):
        return "is no object"
    fields = cast("dict[str, Any]", entry)
    if set(fields) != _FIELDS:
        return f"has the fields {', '.join(sorted(fields))}"
    if not isinstance(fields["id"], str) or not isinstance(fields["detail"], str):
        return "id and detail are strings"
    return "" if isinstance(fields["passed"], bool) else "passed is true or false"
