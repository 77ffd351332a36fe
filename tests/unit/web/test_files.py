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
