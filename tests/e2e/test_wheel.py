"""The wheel, installed in a fresh virtual environment, works in an empty folder: its data travels with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"


def _run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**env, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    return next(out.glob("envforge-*.whl"))


@pytest.fixture(scope="session")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """bin/ of a fresh environment with the wheel; what the wheel depends on is lent by this environment."""
    home = tmp_path_factory.mktemp("fresh")
    venv.create(home / "venv")
    python = home / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index")
    _run(*pip, wheel, cwd=home)
    packages = next((home / "venv").glob("lib/python*/site-packages"))
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python.parent


def test_the_wheel_carries_code_and_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "themes/catalogue/notion.yaml",
        "themes/archetypes/reservations.yaml",
        "validators/gates/environment.json",
    ):
        assert f"envforge/data/{wanted}" in names
    assert {name.split("/")[0] for name in names} == {"envforge", names[-1].split("/")[0]}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


@pytest.mark.slow
def test_it_lists_the_themes_in_an_empty_folder(bin_folder: Path, tmp_path: Path) -> None:
    where = _run(bin_folder / "python", "-c", "import envforge; print(envforge.__file__)", cwd=tmp_path).stdout
    assert str(bin_folder.parent) in where, "the wheel is not what runs"
    themes = json.loads(_run(bin_folder / "envforge", "themes", "list", "--json", cwd=tmp_path).stdout)
    assert {"notion", "airline-booking"} <= {theme["slug"] for theme in themes}


@pytest.mark.slow
def test_it_mines_files_in_an_empty_folder(bin_folder: Path, tmp_path: Path) -> None:
    source = f"file:{FIXTURES / 'lighthouses'}"
    done = _run(
        bin_folder / "envforge", "mine", "--theme", "lighthouses", "--new", "--source", source, "--json", cwd=tmp_path
    )
    assert json.loads(done.stdout)["environments"][0]["certified"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["environments", "runs"]
