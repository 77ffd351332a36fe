"""The results of a trial as Markdown tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Records = Sequence[dict[str, Any]]
_QUANTILES = (0.5, 0.9, 0.99, 1.0)
_WORST = 10


def page(read: Records, builds: Records) -> str:
    """Both tables; a part that was not run is left out."""
    parts = [*(_reading(read) if read else []), *(_building(builds) if builds else [])]
    return "\n".join(parts)


def _reading(read: Records) -> list[str]:
    done = [one for one in read if "operations" in one]
    lines = ["| outcome | files |", "|---|---|"]
    lines += [f"| {name} | {count:,} |" for name, count in Counter(one["outcome"] for one in read).most_common()]
    lines += ["", "| per file | median | 90 % | 99 % | largest |", "|---|---|---|---|---|"]
    columns: tuple[tuple[str, str, Callable[[float], str]], ...] = (
        ("bytes", "bytes", lambda value: f"{value:,.0f}"),
        ("seconds of extraction", "seconds", lambda value: f"{value:.2f}"),
        ("seconds of inference", "infer_seconds", lambda value: f"{value:.2f}"),
        ("peak MiB", "peak_mib", lambda value: f"{value:,.0f}"),
        ("operations", "operations", lambda value: f"{value:,.0f}"),
        ("operations understood", "bound", lambda value: f"{value:,.0f}"),
        ("real entities", "entities", lambda value: f"{value:,.0f}"),
    )
    for title, key, shown in columns:
        values = sorted(one[key] for one in done)
        cells = [shown(values[min(len(values) - 1, int(part * len(values)))]) for part in _QUANTILES]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    lines += _worst(done, "seconds") + _worst(done, "peak_mib")
    return lines


def _worst(done: Records, key: str) -> list[str]:
    lines = ["", f"| largest by {key} | MB | seconds | peak MiB | operations | entities |", "|---|---|---|---|---|---|"]
    for one in sorted(done, key=lambda one: (-one[key], one["path"]))[:_WORST]:
        size = f"{one['bytes'] / 1e6:.1f}"
        lines.append(
            f"| {one['path'].removeprefix('api/')} | {size} | {one['seconds']} | {one['peak_mib']} | "
            f"{one['operations']:,} | {one['entities']} |"
        )
    return lines


def _building(builds: Records) -> list[str]:
    lines = ["", "| verdict | specifications |", "|---|---|"]
    lines += [f"| {name} | {count} |" for name, count in Counter(one["verdict"] for one in builds).most_common()]
    lines += ["", "| specification | operations: stated / with effect / shape only / rejected | verdict | why |"]
    lines += ["|---|---|---|---|"]
    for one in sorted(builds, key=lambda one: one["path"]):
        fates = one.get("operations_by_fate") or one.get("rejection", {}).get("operations", {})
        shares = " / ".join(str(fates.get(name, "?")) for name in ("stated", "with_effect", "shape_only", "rejected"))
        lines.append(f"| {one['path'].removeprefix('api/')} | {shares} | {one['verdict']} | {_why(one)} |")
    return lines


def _why(one: dict[str, Any]) -> str:
    refused = one.get("rejection")
    said = f"{refused['reason']}: {refused['detail']}" if refused else one["reason"]
    if not said and one.get("tools"):
        said = f"{one['tools']} tools, {one['tables']} tables"
    return " ".join(said.replace("|", "/").split())[:220]
