"""Run the gates of an environment and bind their verdicts to its hash."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from envforge.core.contracts import Gate, GateContext, Progress
from envforge.core.errors import SandboxError, StoreError, ToolFault
from envforge.core.records.environment import Certificate, GateResult
from envforge.gates.derived import DerivedTables
from envforge.gates.environment import ForeignKeys, MinimalValidity, Provenance, Reachability
from envforge.gates.folder import Folder
from envforge.gates.integrity import Integrity
from envforge.gates.modes import ModesAgree, NoModuleState
from envforge.gates.realism import Realism
from envforge.gates.schema import TrackedChanges
from envforge.gates.tools import Compiles, Deterministic, Mutation, ReadsDoNotWrite, TestCoverage, TestsPass
from envforge.store.files import read_json, write_json
from envforge.store.schemas import problems

ENVIRONMENT_GATES: tuple[Gate, ...] = (
    Integrity(),
    Compiles(),
    NoModuleState(),
    ForeignKeys(),
    TrackedChanges(),
    Provenance(),
    Realism(),
    MinimalValidity(),
    Reachability(),
    TestCoverage(),
    TestsPass(),
    ReadsDoNotWrite(),
    ModesAgree(),
    Mutation(),
    Deterministic(),
)
"""Cheapest first. A gate whose ground is gone (code that does not compile) is not run but reported as failed."""
DERIVED = DerivedTables()
"""Judges only what declares histories or figures; the certificate of anything else does not name it."""
_STOPS = {"compiles", "foreign_keys", "tests_pass"}


def gates_for(context: GateContext) -> tuple[Gate, ...]:
    """The gates that an environment must pass, in their order; what cannot be read is refused by the usual ones."""
    try:
        own = (DERIVED,) if DERIVED.applies(context) else ()
    except StoreError:
        own = ()
    at = next(place for place, gate in enumerate(ENVIRONMENT_GATES) if gate.name == "modes_agree")
    return (*ENVIRONMENT_GATES[:at], *own, *ENVIRONMENT_GATES[at:])


def run_gates(context: GateContext, progress: Progress | None = None) -> list[GateResult]:
    """Verdicts of all gates, in order. After one that takes away the ground, the others fail as 'not run'."""
    results: list[GateResult] = []
    stopped: str | None = None
    gates = gates_for(context)
    for done, gate in enumerate(gates):
        if progress is not None:
            progress(f"gate {gate.name}", done, len(gates))
        if stopped is not None:
            reason = f"not run, because {stopped} failed"
            results.append(GateResult(gate=gate.name, passed=False, reasons=(reason,)))
            continue
        result = _judged(gate, context)
        results.append(result)
        if not result.passed and gate.name in _STOPS:
            stopped = gate.name
    return results


def _judged(gate: Gate, context: GateContext) -> GateResult:
    """The gate's verdict; where the environment's own files or code keep it from running, that is a failure."""
    try:
        return gate.check(context)
    except (ToolFault, SandboxError) as error:
        return GateResult(gate=gate.name, passed=False, reasons=(f"could not run: {error.message}",))
    except (RecursionError, MemoryError):
        return GateResult(gate=gate.name, passed=False, reasons=("could not run: a file is nested too deep",))
    except StoreError as error:
        place = error.where.removeprefix(str(context.folder))
        if place == error.where:
            raise
        reason = f"could not run: {place.lstrip('/')}: {error.message}"
        return GateResult(gate=gate.name, passed=False, reasons=(reason,))


def certificate_of(folder: Path, results: list[GateResult]) -> Certificate:
    """The certificate for these verdicts; certified only if every gate passed."""
    manifest = Folder(folder).manifest
    return Certificate(
        environment_id=manifest.id,
        environment_hash=manifest.environment_hash,
        gates=tuple(results),
        certified=all(result.passed for result in results) and _complete(folder, results),
    )


def _complete(folder: Path, results: list[GateResult]) -> bool:
    """True if every gate has its verdict."""
    return {result.gate for result in results} == {gate.name for gate in gates_for(GateContext(folder, {}))}


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write certificate.json."""
    write_json(folder / "certificate.json", certificate.to_json())


def compare_certificate(folder: Path, results: list[GateResult]) -> list[str]:
    """How the stored certificate differs from fresh verdicts; empty when it still holds."""
    path = folder / "certificate.json"
    if not path.is_file():
        return ["certificate.json is missing"]
    wrong = problems("certificate", read_json(path))
    if wrong:
        return [f"certificate.json is no certificate: {wrong[0]}"]
    stored = Certificate.model_validate(read_json(path))
    fresh = certificate_of(folder, results)
    differences: list[str] = []
    if stored.environment_hash != fresh.environment_hash:
        differences.append("certificate.json is for another environment_hash")
    if stored.certified != fresh.certified:
        differences.append(f"certificate.json says certified={stored.certified}, the gates say {fresh.certified}")
    old = {result.gate: result.passed for result in stored.gates}
    for result in fresh.gates:
        if old.get(result.gate) != result.passed:
            differences.append(f"gate {result.gate}: certificate says {old.get(result.gate)}, now {result.passed}")
    return differences


def load_thresholds(path: Path) -> Mapping[str, Any]:
    """validators/gates/environment.json. Raises StoreError."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise StoreError("must be a JSON object of gate names", where=str(path))
    return cast("dict[str, Any]", value)
