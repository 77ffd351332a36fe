"""`envforge mine --documents`: a shop whose desk keeps documents; and a theme for which none are known."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]
FIXTURES = Path(__file__).parents[1] / "fixtures"


def test_a_shop_keeps_documents_and_tools_that_write_them(
    envforge: Run, tmp_path: Path, few_mutants: Callable[[Path], None]
) -> None:
    shutil.copy(FIXTURES / "sources" / "paper-shop.json", tmp_path)
    few_mutants(tmp_path)
    call = ("mine", "--theme", "paper", "--new", "--source", "file:paper-shop.json", "--documents", "--json")
    done = envforge(*call, cwd=tmp_path, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = json.loads(done.stdout)["environments"]
    assert made["certified"]
    assert {"read_document", "create_document", "set_document_value", "append_document_row"} <= set(made["tools"])
    assert len(made["tools"]) >= 24 + 11, "documents take no place of another tool"
    folder = tmp_path / "environments" / "paper"
    kinds = {path.suffix for path in (folder / "documents").rglob("*") if path.is_file()}
    assert kinds == {".csv", ".html", ".json", ".md", ".sql", ".tex", ".yaml"}
    manifest = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    assert manifest["statistics"]["documents"] == len([p for p in (folder / "documents").rglob("*") if p.is_file()])


def test_where_no_documents_are_known_the_option_is_an_error(envforge: Run, tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "lighthouses", tmp_path / "coast")
    done = envforge(
        "mine", "--theme", "lights", "--new", "--source", "file:coast", "--documents", cwd=tmp_path, timeout=900
    )
    assert done.returncode == 2
    assert "no documents are known for it" in done.stderr
    assert "Traceback" not in done.stderr
