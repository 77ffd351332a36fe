"""The integrity gate: files are whole, valid and the ones that were certified; a family is of one piece."""

from __future__ import annotations

from pathlib import Path

from envforge.core.contracts import GateContext
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.environment import GateResult
from envforge.gates.folder import Folder
from envforge.gates.gate import verdict
from envforge.store.files import read_json, read_json_list, read_jsonl
from envforge.store.hashing import environment_hash, file_hashes
from envforge.store.schemas import problems

_FAMILY_FILES = ("tools.py", "tools.json", "schema.sql")


class Integrity:
    """Every file validates against its JSON Schema and hashes to what environment.json says."""

    name = "integrity"

    def check(self, context: GateContext) -> GateResult:
        """Validate formats, recompute hashes, compare siblings of the same family."""
        folder = Folder(context.folder)
        reasons = _formats(context.folder)
        hashes = file_hashes(context.folder)
        stated = folder.manifest.files
        reasons += [f"{path} was changed, added or removed" for path in _different(hashes, stated)]
        if environment_hash(folder.manifest, hashes) != folder.manifest.environment_hash:
            reasons.append("environment.json: environment_hash does not match the files and the manifest")
        family = family_id(folder.manifest.theme, folder)
        if folder.manifest.family != family:
            reasons.append(f"family is {folder.manifest.family}, the blueprint says {family}")
        reasons += _family(context.folder, folder)
        return verdict(self.name, reasons, measured={"files": len(hashes)})


def family_id(theme: str, folder: Folder) -> str:
    """<theme>-<12 hex of the blueprint's hash>."""
    return f"{theme}-{sha256_text(canonical_json(folder.knowledge.blueprint.to_json()))[:12]}"


def _different(now: dict[str, str], stated: dict[str, str]) -> list[str]:
    return sorted(path for path in now.keys() | stated.keys() if now.get(path) != stated.get(path))


def _formats(path: Path) -> list[str]:
    reasons = [
        f"environment.json: {problem}" for problem in problems("environment", read_json(path / "environment.json"))
    ]
    reasons += [f"blueprint.json: {problem}" for problem in problems("blueprint", read_json(path / "blueprint.json"))]
    for index, tool in enumerate(read_json_list(path / "tools.json")):
        reasons += [f"tools.json[{index}]: {problem}" for problem in problems("tool", tool)]
    for name, kind in (("sources.jsonl", "source"), ("provenance.jsonl", "provenance")):
        for line, value in enumerate(read_jsonl(path / name), start=1):
            reasons += [f"{name} line {line}: {problem}" for problem in problems(kind, value)]
    return reasons


def _family(path: Path, folder: Folder) -> list[str]:
    reasons: list[str] = []
    hashes = file_hashes(path)
    for sibling in sorted(path.parent.glob("*/environment.json")):
        if sibling.parent.resolve() == path.resolve() or sibling.parent.name.startswith("."):
            continue
        other = Folder(sibling.parent)
        if other.manifest.family != folder.manifest.family:
            continue
        theirs = other.manifest.files
        reasons += [
            f"{name} differs from {sibling.parent.name}, which is of the same family"
            for name in _FAMILY_FILES
            if theirs.get(name) != hashes.get(name)
        ]
    return reasons
