"""Who may share a process: tools that keep nothing between calls, by how they read and by proof of what they do.

The lint reads tools.py and names the line. It may be fooled, so proof is asked for too: a certificate that fits the
folder byte for byte, or else the unit tests, run here twice in one process and each in a process of its own. Anybody
can write a certificate: that of a stranger's folder is worth something when `envforge check` says the same.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pydantic import ValidationError

from envforge.core.errors import StoreError, ToolFault
from envforge.core.ids import sha256_bytes
from envforge.core.records.environment import Certificate
from envforge.store.files import read_json
from envforge.store.hashing import environment_hash, file_hashes
from envforge.world.module_state import findings
from envforge.world.sandbox.backends import best_backend
from envforge.world.tests_apart import TEST_FILE, differences, run_apart, run_warm, tests_of

if TYPE_CHECKING:
    from envforge.world.environment import Environment

GATE = "modes_agree"
"""The gate that proves what is asked here, and more."""
_FORKED = "run it in forked mode (Environment.start)"
_ROUNDS = 2
"""The second one finds every tool used before, also where one test alone calls it."""

_asking = threading.Lock()
"""Python 3.11 counts the depth of a parse wrongly when two threads parse at once."""
_proven: set[tuple[str, str, str, str]] = set()
"""Template, tools.py, tests and backend of what this process has proven."""


def admit(environment: Environment, *, backend: str | None = None) -> None:
    """Let an environment into shared workers. Proven once per process, unless a certificate is proof.

    Raises ToolFault naming the line that keeps state, the test that ends otherwise in a warm process, or that there is
    no test to prove anything by; StoreError for tests that do not load, SandboxError when they cost their worker.
    """
    with _asking:
        _refuse_state(environment)
        if certificate_fits(environment):
            return
        tests = _tests(environment)
        chosen = backend or best_backend()
        key = (environment.template.digest, environment.source, tests, chosen)
        if key not in _proven:
            _refuse_difference(environment, chosen)
            _proven.add(key)


def certificate_fits(environment: Environment) -> bool:
    """True when certificate.json is of these very bytes and says that both modes agree."""
    folder, told = environment.folder, environment.manifest.environment_hash
    try:
        certificate = Certificate.model_validate(read_json(folder / "certificate.json"))
        files = file_hashes(folder)
    except (StoreError, OSError, ValidationError):
        return False
    if not certificate.certified or certificate.environment_hash != told:
        return False
    # What was opened may be older than what lies in the folder now.
    opened = sha256_bytes(environment.source.encode("utf-8"))
    if files.get("tools.py") != opened or environment_hash(environment.manifest, files) != told:
        return False
    return any(gate.gate == GATE and gate.passed for gate in certificate.gates)


def _refuse_state(environment: Environment) -> None:
    found = findings(environment.source)
    if found:
        where = str(environment.folder / "tools.py")
        remedy = f"{_FORKED}, or keep state in the World only"
        raise ToolFault(f"cannot share a worker: {found[0]} ({len(found)} in all)", where=where, remedy=remedy)


def _tests(environment: Environment) -> str:
    if not (environment.folder / TEST_FILE).exists():
        raise _unproven(environment, "there is no unit test to prove it by")
    return tests_of(environment)


def _refuse_difference(environment: Environment, backend: str) -> None:
    rounds = run_warm(environment, rounds=_ROUNDS, backend=backend)
    apart = run_apart(environment, backend=backend)
    found = {one.test: one.detail for warm in rounds for one in differences(environment, warm, apart)}
    if found:
        test, detail = next(iter(found.items()))
        message = f"the unit tests end otherwise in one process: {test}: {detail} ({len(found)} in all)"
        raise _unproven(environment, message)
    if not apart.passed:
        why = f"; {next(iter(apart.failed))} fails" if apart.failed else ""
        raise _unproven(environment, f"no unit test passes that could prove it{why}")


def _unproven(environment: Environment, why: str) -> ToolFault:
    where = str(environment.folder / TEST_FILE)
    remedy = f"{_FORKED}, or mend tools.py and its tests (envforge check --forked)"
    return ToolFault(f"cannot share a worker: {why}", where=where, remedy=remedy)
