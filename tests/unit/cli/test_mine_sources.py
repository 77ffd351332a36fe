from pathlib import Path

import pytest

from envforge.cli.commands.mine_command import seen_from
from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor
from envforge.web.files import FileFetcher


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a workspace below it and a file beside both."""
    folder = tmp_path / "here"
    (folder / "workspace").mkdir(parents=True)
    monkeypatch.chdir(folder)
    for path in ("piers.csv", "workspace/piers.csv", "../piers.csv"):
        (folder / path).write_text(f"id,lies\n1,{path}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("path", ["piers.csv", "../piers.csv", "workspace/piers.csv", "./piers.csv"])
@pytest.mark.parametrize("workspace", ["workspace", ".", "workspace/../workspace", "/"])
def test_a_relative_path_means_the_current_folder(here: Path, path: str, workspace: str) -> None:
    spec = seen_from(Path(workspace), f"file:{path}")
    (fetched,) = FileFetcher(Path(workspace)).fetch(Anchor(spec=spec))
    assert fetched.body == (here / path).read_bytes()


def test_what_lies_in_the_workspace_is_named_from_there(here: Path) -> None:
    assert seen_from(Path(), "file:piers.csv") == "file:piers.csv"
    assert seen_from(here / "workspace", "file:workspace/piers.csv") == "file:piers.csv"
    assert seen_from(Path("workspace"), "file:piers.csv") == f"file:{here}/piers.csv"


@pytest.mark.parametrize(
    "spec", ["file:/srv/piers.csv", "npm:piers", "mcp:./piers --all", "https://piers.test/a", "file:"]
)
def test_what_is_no_relative_path_stays_as_it_is(here: Path, spec: str) -> None:
    assert seen_from(Path("workspace"), spec) == spec


def test_the_message_names_the_path_that_was_tried(here: Path) -> None:
    with pytest.raises(SourceError) as raised:
        FileFetcher(here / "workspace").fetch(Anchor(spec=seen_from(Path("workspace"), "file:docks.csv")))
    assert f"no such file or folder: {here}/docks.csv" in str(raised.value)
