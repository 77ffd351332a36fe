"""`envforge analyze`: tables and plots from runs, and how good the diagnosis is."""

from __future__ import annotations

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.records.confusion import Confusion
from envforge.factory.eval_plan import with_tasks
from envforge.factory.measured_diagnosis import confusion
from envforge.factory.opened_tasks import open_tasks
from envforge.store.workspace import Workspace


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
        _say(f"  {miss.task}: {miss.made} ({miss.way}) was named {miss.named}: {miss.detail[:160]}")
    _say(f"{found.right} of {found.episodes} right ({found.right / found.episodes:.1%}), seed {found.seed}")


def _say(text: str) -> None:
    render.out.print(render.plain(text), markup=False, soft_wrap=True)
