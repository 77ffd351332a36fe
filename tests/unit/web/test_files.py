import os
from pathlib import Path

import pytest

from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor
from envforge.web.files import FileFetcher


@pytest.mark.parametrize("path", ["/proc/self/environ", "/sys/kernel", "/dev/urandom"])
def test_doors_to_the_machine_are_no_data(tmp_path: Path, path: str) -> None:
    with pytest.raises(SourceError, match="door to this machine"):
        FileFetcher(tmp_path).fetch(Anchor(spec=f"file:{path}"))


def test_a_pipe_and_an_endless_name_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.csv")
    with pytest.raises(SourceError, match="neither a regular file nor a folder"):
        FileFetcher(tmp_path).fetch(Anchor(spec="file:f.csv"))
    with pytest.raises(SourceError, match=r"no path of this machine|no such file"):
        FileFetcher(tmp_path).fetch(Anchor(spec="file:" + "x" * 5000))


def test_pages_of_a_folder_are_taken_unless_files_are_chosen(tmp_path: Path) -> None:
    for name in ("a.html", "guide/b.md", "node_modules/c.md", "tests/d.html", ".cache/e.htm", "f.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<p>Piers</p>")
    fetcher = FileFetcher(tmp_path.parent)
    whole = fetcher.fetch(Anchor(spec=f"file:{tmp_path.name}"))
    assert [item.source.path for item in whole] == ["a.html", "f.csv", "guide/b.md"]
    chosen = fetcher.fetch(Anchor(spec=f"file:{tmp_path.name}", include=("*.csv",)))
    assert [item.source.path for item in chosen] == ["f.csv"]
