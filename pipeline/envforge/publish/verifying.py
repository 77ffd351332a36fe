"""What came from elsewhere, held against its own certificates."""

from __future__ import annotations

from pathlib import Path

from envforge.core.errors import StoreError
from envforge.core.records.published import PublishedMember
from envforge.publish.reading import read_environment
from envforge.store.hashing import environment_hash, file_hashes
from envforge.store.tasks import set_hashes

_REMEDY = "it does not fit together: pull again, or tell who published it"


def verify_member(folder: Path, member: PublishedMember) -> None:
    """Environment and tasks of a member in the folder of a set: each certificate is for these very bytes.

    Raises StoreError naming the file.
    """
    place = folder / "environments" / member.id
    tasks = folder / "tasks" / member.id
    read = read_environment(place, tasks if tasks.is_dir() else None, member.split)
    manifest = read.manifest
    ours = environment_hash(manifest, file_hashes(place))
    if manifest.id != member.id or len({ours, manifest.environment_hash, member.environment_hash}) != 1:
        raise StoreError("is not for the files beside it", where=str(place / "environment.json"), remedy=_REMEDY)
    if read.certificate.environment_hash != ours or not read.certificate.certified:
        raise StoreError("does not certify these files", where=str(place / "certificate.json"), remedy=_REMEDY)
    if (len(read.tasks.tasks) if read.tasks else 0) != member.tasks:
        raise StoreError("does not hold as many tasks as were published", where=str(tasks), remedy=_REMEDY)
    if read.tasks is None:
        return
    if read.tasks.certificate.environment_hash != ours or read.tasks.certificate.files != set_hashes(tasks):
        raise StoreError("does not certify these tasks", where=str(tasks / "certificate.json"), remedy=_REMEDY)
    if strangers := [task.id for task in read.tasks.tasks if task.environment_hash != ours]:
        raise StoreError(f"{strangers[0]} is of another environment", where=str(tasks / "tasks.jsonl"), remedy=_REMEDY)
