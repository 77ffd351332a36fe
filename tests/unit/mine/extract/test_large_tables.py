"""Large files are read within bounds; the file is made here and never kept."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = 2_100_000
GIBIBYTE = 2**30
READ = """
import sys
from pathlib import Path
from envforge.core.records.source import Anchor
from envforge.core.errors import EnvforgeError
from envforge.mine.extract.registry import extract_all
from envforge.web.files import FileFetcher

fetched = FileFetcher(Path(sys.argv[1])).fetch(Anchor(spec="file:rows.csv"))
(outcome,) = extract_all(fetched)
table = outcome.value.tables[0]
print(len(fetched[0].body), len(table.rows), table.rows[0], table.rows[-1], [c.type for c in table.columns])
"""


@pytest.mark.slow
def test_a_csv_of_100_megabytes_is_read_in_bounded_memory(tmp_path: Path) -> None:
    with (tmp_path / "rows.csv").open("w") as stream:
        stream.write("id,code,day,amount,note\n")
        for number in range(ROWS):
            day, amount = number % 28 + 1, number / 4
            stream.write(f"{number},C{number % 997:05},2024-01-{day:02},{amount},outing no {number} calm\n")
    size = (tmp_path / "rows.csv").stat().st_size
    assert size > 100_000_000

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 * GIBIBYTE, 2 * GIBIBYTE))

    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, text=True, preexec_fn=bound, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(f"{size} {ROWS} (0, 'C00000', '2024-01-01', 0.0, 'outing no 0 calm')")
    assert "['integer', 'text', 'date', 'real', 'text']" in done.stdout
