"""`envforge analyze`: tables and plots from runs, and how good the diagnosis is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from envforge.cli import render
from envforge.cli.commands.trajectory_words import say
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.confusion import Confusion
from envforge.core.records.trend import Trend
from envforge.factory.eval_plan import with_tasks
from envforge.factory.measured_diagnosis import confusion
from envforge.factory.opened_tasks import open_tasks
from envforge.factory.trends import difficulty, scaling
from envforge.store.files import write_text
from envforge.store.workspace import Workspace
from envforge.studio.trend_page import trend_columns, trend_page, trend_rows


def run_errors(environments: tuple[str, ...], *, count: int, seed: int, shared: SharedOptions) -> None:
    """Print the confusion matrix."""
    workspace = Workspace(shared.workspace)
    opened = [open_tasks(workspace, name) for name in environments or with_tasks(workspace)]
    with render.progress(shared.silent) as progress:
        found = confusion(opened, count, seed, progress)
    if shared.json_output:
        render.print_json(found.to_json())
    elif not shared.quiet:
        _print(found)


def _print(found: Confusion) -> None:
    rows = [
        (
            made.replace("_", " "),
            sum(row.values()),
            row.get(made, 0),
            ", ".join(f"{named.replace('_', ' ')} {count}" for named, count in row.items() if named != made),
        )
        for made, row in found.matrix.items()
    ]
    render.table(f"Mistakes made in {', '.join(found.environments)}", ("made", "episodes", "named so", "else"), rows)
    for miss in found.misses:
        say(f"  {miss.task}: {miss.made} ({miss.way}) was named {miss.named}: {miss.detail[:160]}")
    say(f"{found.right} of {found.episodes} right ({found.right / found.episodes:.1%}), seed {found.seed}")


def run_scaling(runs: Sequence[str], *, by: str, out: Path | None, shared: SharedOptions) -> None:
    """Print the runs over what grows, and draw them."""
    _show([scaling([_placed(run) for run in runs], by)], out, shared)


def run_difficulty(runs: Sequence[Path], *, out: Path | None, shared: SharedOptions) -> None:
    """Print success over difficulty, and draw it."""
    _show(difficulty(runs), out, shared)


def _placed(run: str) -> tuple[float, Path]:
    x, mark, folder = run.partition("=")
    try:
        place = float(x)
    except ValueError:
        place = math.nan
    if not mark or not math.isfinite(place):
        raise ConfigError(f"{run!r} is no number and folder", where="analyze scaling", remedy="as in 8=runs/eval-a")
    return place, Path(folder)


def _show(trends: Sequence[Trend], out: Path | None, shared: SharedOptions) -> None:
    if out is not None:
        write_text(out, trend_page(trends))
    if shared.json_output:
        render.print_json([trend.to_json() for trend in trends])
    elif not shared.quiet:
        for trend in trends:
            render.table(trend.title, trend_columns(trend), trend_rows(trend))
            for note in trend.notes:
                say(f"note: {note}")
