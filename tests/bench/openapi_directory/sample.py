"""A fixed sample of providers, and the whole build of each in a process of its own; one line of JSON each."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from census import records, specifications

MIN_OPERATIONS = 10
MIN_SCHEMAS = 4
METHODS = {"get", "post", "put", "patch", "delete", "head", "options", "trace"}


def draw(folder: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """`count` providers with a specification of some size, and one such specification of each.

    Sizes are counted in the plain document, so that the list does not depend on what the pipeline can read.
    """
    providers: dict[str, list[dict[str, Any]]] = {}
    for path, file in specifications(folder):
        held = size_of(json.loads(file.read_bytes()))
        if held["operations"] >= MIN_OPERATIONS and held["schemas"] >= MIN_SCHEMAS:
            provider = path.removeprefix("api/").split("/")[0].removesuffix(".json")
            providers.setdefault(provider, []).append({"path": path, **held})
    chance = random.Random(seed)
    chosen = chance.sample(sorted(providers), min(count, len(providers)))
    return [{"provider": name, **chance.choice(providers[name])} for name in chosen]


def size_of(document: Any) -> dict[str, int]:
    """Operations and named schemas of a document, counted without reading them."""
    whole = _object(document)
    operations = sum(
        len(METHODS & {word.lower() for word in _object(item)}) for item in _object(whole.get("paths")).values()
    )
    schemas = _object(_object(whole.get("components")).get("schemas")) or _object(whole.get("definitions"))
    return {"operations": operations, "schemas": len(schemas)}


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def build_all(folder: Path, chosen: list[dict[str, Any]], work: Path, *, seconds: int) -> Iterator[dict[str, Any]]:
    """One record per specification of the list, in its order; what the checkpoint holds is not built again."""
    work.mkdir(parents=True, exist_ok=True)
    checkpoint = work / "builds.jsonl"
    done = {record["path"]: record for record in records(checkpoint)}
    with checkpoint.open("a", encoding="utf-8") as stream:
        for one in chosen:
            if one["path"] not in done:
                done[one["path"]] = {**one, **build(folder / one["path"], slug(one["provider"]), work, seconds=seconds)}
                stream.write(json.dumps(done[one["path"]], ensure_ascii=False, sort_keys=True) + "\n")
                stream.flush()
            yield done[one["path"]]


def slug(provider: str) -> str:
    """A theme's name made of a provider's."""
    return re.sub(r"[^a-z0-9]+", "-", provider.lower()).strip("-")


def build(file: Path, theme: str, work: Path, *, seconds: int) -> dict[str, Any]:
    """`envforge mine` on one file: certified, gates failed, rejected, failed, time limit or crash, with the reason."""
    workspace = work / "workspaces" / theme
    shutil.rmtree(workspace, ignore_errors=True)
    workspace.mkdir(parents=True)
    command = [str(Path(sys.executable).with_name("envforge")), "mine", "--new", "--theme", theme, "--json"]
    command += ["--source", f"file:{file.resolve()}", "--workspace", str(workspace)]
    began = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_politely, text=True
    )
    try:
        said, complaint = process.communicate(timeout=seconds)
        verdict = _verdict(process.returncode, said, complaint, workspace)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        verdict = {"verdict": "time limit", "reason": f"more than {seconds} seconds"}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": round(time.monotonic() - began, 1), "processor": round(spent, 1), **verdict}


def _politely() -> None:
    os.nice(10)


def _verdict(code: int, said: str, complaint: str, workspace: Path) -> dict[str, Any]:
    """What the command decided, in a word and with its reason."""
    if code in {0, 1} and said.strip():
        environment = json.loads(said)["environments"][0]
        failed = [gate for gate in environment["gates"] if not gate["passed"]]
        return {
            "verdict": "certified" if environment["certified"] else "gates failed",
            "reason": "; ".join(f"{gate['gate']}: {(gate.get('reasons') or ['?'])[0]}" for gate in failed)[:400],
            "operations_by_fate": environment["operations"],
            "tools": len(environment["tools"]),
            "tables": len(environment["rows"]),
            "archetypes": environment["archetypes"],
        }
    lines = [line for line in complaint.strip().splitlines() if line.strip()]
    if code == 2 and lines:
        return {"verdict": "rejected", "reason": " ".join(lines)[:600], **_filed(workspace)}
    return {"verdict": "crash", "reason": f"exit code {code}: {lines[-1] if lines else 'silent'}"[:600]}


def _filed(workspace: Path) -> dict[str, Any]:
    """The record of a rejection, if the build filed one."""
    found = sorted(workspace.glob("runs/*/rejected/*/rejection.json"))
    return {"rejection": json.loads(found[0].read_text(encoding="utf-8"))} if found else {}
