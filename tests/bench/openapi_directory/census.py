"""Every specification read and inferred in a process of its own, under limits; one line of JSON each."""

from __future__ import annotations

import json
import os
import resource
import selectors
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.errors import EnvforgeError
from envforge.core.outcome import Failed, Produced
from envforge.core.records.source import Theme
from envforge.mine.extract.registry import extract_all
from envforge.mine.infer.api import infer_api
from envforge.mine.infer.standing import standing
from envforge.web.sources import make_fetched

SECONDS = 20
"""Processor seconds an extraction may take."""
MEBIBYTES = 1024
"""Resident memory it may take."""
_HARD_SECONDS = 3 * SECONDS
_HARD_BYTES = 3 * MEBIBYTES << 20
_PATIENCE = 600
"""Seconds of the clock after which a child that waits for nothing is ended."""


def read_all(
    folder: Path, checkpoint: Path, *, only: str = "", work: Callable[[Path, str], dict[str, Any]] | None = None
) -> Iterator[dict[str, Any]]:
    """One record per file below `folder`, smallest first; what the checkpoint holds is not read again."""
    done = {record["path"]: record for record in records(checkpoint)}
    with checkpoint.open("a", encoding="utf-8") as stream:
        for path, file in specifications(folder):
            if only not in path:
                continue
            if path not in done:
                done[path] = {"path": path, "bytes": file.stat().st_size, **_apart(work or read_one, file, path)}
                stream.write(json.dumps(done[path], ensure_ascii=False, sort_keys=True) + "\n")
                stream.flush()
            yield done[path]


def specifications(folder: Path) -> list[tuple[str, Path]]:
    """(path below the folder, file) of every JSON file but the package's own, smallest first."""
    found = [
        (file.relative_to(folder).as_posix(), file) for file in folder.rglob("*.json") if file.name != "package.json"
    ]
    return sorted(found, key=lambda one: (one[1].stat().st_size, one[0]))


def records(checkpoint: Path) -> list[dict[str, Any]]:
    """The whole lines of a checkpoint; a last line that a kill cut short is left out."""
    if not checkpoint.is_file():
        return []
    return [json.loads(line) for line in checkpoint.read_text(encoding="utf-8").split("\n")[:-1]]


def read_one(file: Path, path: str) -> dict[str, Any]:
    """What extraction and inference make of one file, with the processor time of both."""
    began = time.process_time()
    outcome = extract_all([_fetched(file, path)])[0]
    seconds = time.process_time() - began
    held: dict[str, Any] = {"seconds": round(seconds, 2), "peak_mib": _peak()}
    if isinstance(outcome, Failed):
        return held | {"outcome": "refused", "reason": f"{outcome.where}: {outcome.error} ({outcome.remedy})"}
    if not isinstance(outcome, Produced):
        return held | {"outcome": "not_read", "reason": outcome.reason}
    found = outcome.value
    if found.extractor != "openapi":
        return held | {"outcome": "not_read", "reason": f"read as {found.extractor}"}
    domain = infer_api(Theme(slug="trial", title="Trial", kind="product"), [found])
    return held | {
        "outcome": "read",
        "operations": len(found.operations),
        "shapes": len(found.shapes),
        "issues": len(found.issues),
        "entities": len(standing(domain).real),
        "bound": len(domain.operations),
        "infer_seconds": round(time.process_time() - began - seconds, 2),
        "infer_peak_mib": _peak(),
    }


def _fetched(file: Path, path: str) -> Fetched:
    return make_fetched(
        file.read_bytes(),
        url=f"file:{path}",
        url_status="none: local file",
        retrieved_at="2026-01-01T00:00:00Z",
        mime="application/json",
        path=path,
    )


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def _apart(work: Callable[[Path, str], dict[str, Any]], file: Path, path: str) -> dict[str, Any]:
    """`work` in a child; a crash, a hang or a limit that is hit is an outcome of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work_in_child(work, file, path, writing)
    os.close(writing)
    text = _answer(reading, child)
    _, status, used = os.wait4(child, 0)
    if text.endswith(b"\n"):
        return json.loads(text)
    reason = f"ended by {signal.Signals(os.WTERMSIG(status)).name}" if os.WIFSIGNALED(status) else "no answer"
    return {
        "outcome": "hang" if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGSEGV else "crash",
        "reason": reason,
        "seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_mib": used.ru_maxrss >> 10,
    }


def _work_in_child(work: Callable[[Path, str], dict[str, Any]], file: Path, path: str, writing: int) -> None:
    os.nice(10)
    spent = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (spent + _HARD_SECONDS, spent + _HARD_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (_HARD_BYTES, _HARD_BYTES))
    try:
        answer = work(file, path)
    except EnvforgeError as error:
        answer = {"outcome": "refused", "reason": str(error)}
    except BaseException as error:  # the point of the census: whatever it is, it is a crash of ours
        places = traceback.extract_tb(error.__traceback__)[-1:]
        where = f"{Path(places[0].filename).name}:{places[0].lineno}" if places else "nowhere"
        answer = {"outcome": "crash", "reason": f"{type(error).__name__} in {where}: {str(error)[:200]}"}
    try:
        os.write(writing, json.dumps(answer).encode() + b"\n")
    finally:
        os._exit(0)


def _answer(reading: int, child: int) -> bytes:
    """All the child says; a child that is silent for too long is ended."""
    text = b""
    end = time.monotonic() + _PATIENCE
    with selectors.DefaultSelector() as selector, os.fdopen(reading, "rb", buffering=0) as stream:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0.0, end - time.monotonic())):
                os.kill(child, signal.SIGKILL)
                return text
            part = stream.read(65_536)
            if not part:
                return text
            text += part


def over_limits(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records that took longer or more memory than they may."""
    return [one for one in found if one.get("seconds", 0) > SECONDS or one.get("peak_mib", 0) > MEBIBYTES]
