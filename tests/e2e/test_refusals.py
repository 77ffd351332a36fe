"""What was mined from somebody's own files is refused for its licence, and for nothing else."""

from __future__ import annotations

import shlex
from pathlib import Path

from envforge.publish.refusals import refusals_of

FIXTURES = Path(__file__).parents[1] / "fixtures"


def test_files_without_a_licence_are_refused_with_the_command_that_takes_facts(lighthouses: Path) -> None:
    found = refusals_of([lighthouses / "environments" / "lighthouses"], [None])
    assert {one.rule for one in found} == {"licence"}
    files = sorted(path.name for path in (FIXTURES / "lighthouses").iterdir())
    assert len(found) == len(files)
    assert all(f"{name} of file:" in " ".join(one.reason for one in found) for name in files)
    mine, synth = (shlex.split(part) for part in found[0].remedy.partition(": ")[2].split(" && "))
    place = ["--workspace", str(lighthouses)]
    # The folder was given by its absolute path: where it lay on this machine is not told.
    source = ["--new", "--source", "file:lighthouses"]
    assert mine == ["envforge", "mine", "--theme", "lighthouses", *source, "--facts-only", *place]
    assert synth == ["envforge", "synth-tasks", "--env", "lighthouses", *place]


def test_the_command_for_another_database_names_its_seed(ferry: Path) -> None:
    found = refusals_of([ferry / "environments" / "ferry--s1"], [None])
    assert {one.rule for one in found} == {"licence"}
    assert " --database-seeds 1 --facts-only " in found[0].remedy
