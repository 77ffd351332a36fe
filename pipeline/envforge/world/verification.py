"""Verifiers: generated code that judges an episode, run in a process that has never run tool code.

A worker that has run tools hands over a changeset and no more. It is applied to the template in a fresh process, and
`verify(initial, final, diff, answer)` sees the rows before and after, read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from envforge.core.errors import VerifierError
from envforge.core.ids import sha256_text
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

    `changeset` is the episode's (Session.changeset, Snapshot.changeset); `answer` is JSON.
    Raises VerifierError when the verifier does not load, crashes or answers outside its contract; SandboxError when
    the changeset does not fit the environment or the process died. Neither is a score.
    """
    diff = diff_of(environment, changeset).to_json()
    process = WorkerProcess(environment.plan, environment.template, "", limits or Limits(), backend=backend)
    try:
        process.load()
        request = {"do": "verify", "source": source, "diff": diff, "answer": answer}
        reply, _ = process.ask(request, changeset)
    finally:
        process.close()
    where = f"{FILE} {sha256_text(source)[:12]}"
    if "error" in reply:
        at = f", line {reply['line']}" if reply.get("line") else ""
        raise VerifierError(f"crashed: {reply['error']}", where=f"{where}{at}", remedy=_REMEDY)
    return _checked(reply.get("checks"), where)


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
