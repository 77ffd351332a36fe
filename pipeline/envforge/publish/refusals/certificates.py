"""What is published is what the gates judged: certificates, hashes and bytes agree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from envforge.core.records.environment import Certificate, GateResult
from envforge.publish.refusal import Refusal
from envforge.publish.refusals.case import Case
from envforge.store.files import read_json
from envforge.store.hashing import environment_hash
from envforge.store.tasks import CERTIFICATE, read_set_certificate, read_tasks, set_hashes

RULE = "certificate"


def certificates_fit(case: Case) -> Iterator[Refusal]:
    """Refuse an environment or tasks whose certificates are missing, failed, or for other bytes."""
    yield from _bytes_of_environment(case)
    yield from _certificate_of_environment(case)
    if case.tasks is not None:
        yield from _of_tasks(case, case.tasks)


def _bytes_of_environment(case: Case) -> Iterator[Refusal]:
    stated, held = case.manifest.files, case.hashes
    for path in sorted(stated.keys() | held.keys()):
        if stated.get(path) != held.get(path):
            yield _refused(case, case.environment / path, _difference(path in held, path in stated, "environment.json"))
    if environment_hash(case.manifest, held) != case.manifest.environment_hash:
        reason = "environment_hash is not the hash of the files and of what stands in here"
        yield _refused(case, case.environment / "environment.json", reason)


def _certificate_of_environment(case: Case) -> Iterator[Refusal]:
    path = case.environment / CERTIFICATE
    if not path.is_file():
        yield _refused(case, path, "there is no certificate: no gate has judged this environment")
        return
    try:
        certificate = Certificate.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        yield _refused(case, path, f"field {field}: {first['msg']}")
        return
    if certificate.environment_hash != case.manifest.environment_hash:
        yield _refused(case, path, "it is for another environment hash")
    if certificate.environment_id != case.manifest.id:
        yield _refused(case, path, f"it is for {certificate.environment_id!r}")
    yield from _failed(case, path, certificate.gates)
    if not certificate.certified:
        yield _refused(case, path, "it says that the environment is not certified")


def _of_tasks(case: Case, folder: Path) -> Iterator[Refusal]:
    certificate = read_set_certificate(folder)
    path = folder / CERTIFICATE
    held = set_hashes(folder)
    for name in sorted(held.keys() | certificate.files.keys()):
        if held.get(name) != certificate.files.get(name):
            yield _refused(case, folder / name, _difference(name in held, name in certificate.files, CERTIFICATE))
    ours = (case.manifest.id, case.manifest.environment_hash)
    if (certificate.environment_id, certificate.environment_hash) != ours:
        yield _refused(case, path, f"it is for another environment hash than that of {case.manifest.id}")
    yield from _failed(case, path, certificate.gates)
    for task in read_tasks(folder).tasks:
        lines = folder / "tasks.jsonl"
        if (task.environment_id, task.environment_hash) != ours:
            yield _refused(case, lines, "the task was made for another environment hash", row=task.id)
        yield from _failed(case, lines, task.certificate.gates, row=task.id)


def _failed(case: Case, path: Path, gates: tuple[GateResult, ...], row: str | None = None) -> Iterator[Refusal]:
    if not gates:
        yield _refused(case, path, "no gate has judged it", row=row)
    for gate in gates:
        if not gate.passed:
            told = f": {gate.reasons[0]}" if gate.reasons else ""
            yield _refused(case, path, f"the gate {gate.gate} was not passed{told}", row=row)


def _difference(held: bool, stated: bool, where: str) -> str:
    if not held:
        return f"is missing, and {where} names it"
    return f"its bytes are not those of {where}" if stated else f"{where} does not name it"


def _refused(case: Case, path: Path, reason: str, row: str | None = None) -> Refusal:
    name = case.manifest.id
    remedy = (
        f"restore what was changed, or make it again with envforge mine and synth-tasks; envforge check {name} tells"
    )
    return Refusal(rule=RULE, file=case.told(str(path)), row=row, reason=reason, remedy=remedy)
