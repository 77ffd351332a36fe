"""A specification that makes no environment: refused in words, kept with every reason, shown again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from envforge.cli.main import app
from envforge.core.errors import BuildError, StoreError
from envforge.core.outcome import Outcome, Rejected
from envforge.core.records.domain import Domain
from envforge.core.records.source import Theme
from envforge.factory.config import MineConfig
from envforge.factory.fate_words import fates_in_words, reasons_in_words
from envforge.factory.fates import operations_by_fate, refusals_kept
from envforge.factory.mine_theme import mine_theme
from envforge.mine.infer.standing import Standing
from envforge.mine.miner import Mined
from envforge.store.workspace import Workspace

TEXT = {"type": "string"}


def specification(folder: Path) -> Path:
    answer = {"type": "array", "items": {"$ref": "#/components/schemas/Stone"}}
    listing = {"description": "ok", "content": {"application/json": {"schema": answer}}}
    untyped = {"200": {"description": "whatever"}}
    document = {
        "openapi": "3.0.0",
        "info": {"title": "Own", "version": "1"},
        "paths": {
            "/stones": {"get": {"operationId": "listStones", "responses": {"200": listing}}},
            "/polish": {"post": {"operationId": "polish", "responses": untyped}},
            "/weigh": {"post": {"operationId": "weigh", "responses": untyped}},
        },
        "components": {
            "schemas": {"Stone": {"type": "object", "properties": dict.fromkeys(("id", "hue", "shape", "find"), TEXT)}}
        },
    }
    path = folder / "stones.json"
    path.write_text(json.dumps(document))
    return path


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuildError]:
    tmp_path = tmp_path_factory.mktemp("refused")
    source = f"file:{specification(tmp_path)}"
    config = MineConfig(theme="stones", workspace=tmp_path / "ws", new=True, sources=(source,))
    with pytest.raises(BuildError) as caught:
        mine_theme(config, silent)
    return tmp_path / "ws", caught.value


def test_the_refusal_says_the_reason_the_shares_and_where_they_are_kept(refused: tuple[Path, BuildError]) -> None:
    workspace, error = refused
    assert error.message.startswith("data_source: the interface states 1 real entities (stone), where")
    assert "stated 3, distinct 3, with effect 1, shape only 0, rejected 2, shipped 0" in error.message
    assert "rejected as: untyped 2" in error.message
    assert str(workspace) in error.remedy
    assert not list(workspace.glob("environments/*"))


def test_everything_is_kept_in_the_run(refused: tuple[Path, BuildError]) -> None:
    (folder,) = refused[0].glob("runs/*/rejected/stones")
    record = json.loads((folder / "rejection.json").read_text())
    assert (record["reason"], record["entities"]) == ("data_source", ["stone"])
    reasons = [json.loads(line) for line in (folder / "rejected.jsonl").read_text().splitlines()]
    assert {(one["operation"], one["reason"]) for one in reasons} == {("polish", "untyped"), ("weigh", "untyped")}
    lines = [json.loads(line) for line in (folder.parent.parent / "journal.jsonl").read_text().splitlines()]
    noted = next(line for line in lines if line["stage"] == "standing")
    assert (noted["status"], noted["reason"]) == ("rejected", "data_source")


@pytest.mark.parametrize("by_path", [False, True])
def test_show_tells_it_again(refused: tuple[Path, BuildError], by_path: bool) -> None:
    workspace = refused[0]
    name = str(next(workspace.glob("runs/*/rejected/stones"))) if by_path else "stones"
    command = ["show", name, "--workspace", str(workspace)]
    shown = " ".join(CliRunner().invoke(app, command).output.split())
    assert "stones: no environment (data_source): the interface states 1 real entities (stone)" in shown
    assert "stated 3, distinct 3, with effect 1, shape only 0, rejected 2" in shown
    assert "rejected or left out as: untyped 2" in shown
    told = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert told["operations"]["with_effect"] == 1


@pytest.mark.parametrize("text", ["{}", "[]", '{"theme": 1}', "{"])
def test_a_file_that_is_no_rejection_is_a_clear_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "rejection.json").write_text(text)
    error = CliRunner().invoke(app, ["show", str(tmp_path)]).exception
    assert isinstance(error, StoreError) and "rejection.json" in error.where


def test_a_pattern_names_no_rejection(refused: tuple[Path, BuildError]) -> None:
    workspace = Workspace(refused[0])
    assert workspace.rejection("stones") is not None
    assert [workspace.rejection(name) for name in ("*", "st?nes", "[s]tones", "../stones")] == [None] * 4


def test_a_source_without_operations_has_no_fates() -> None:
    assert operations_by_fate(0, Domain(theme="t", tables=()), (), ()) == {}


def test_fates_and_reasons_are_told_in_a_fixed_order() -> None:
    assert fates_in_words({"rejected": 1, "stated": 3, "with_effect": 2}) == "stated 3, with effect 2, rejected 1"
    found = [{"reason": reason} for reason in ("b", "a", "b", "c", "d", "e", "f", "g")]
    assert reasons_in_words(found) == "b 2, a 1, c 1, d 1, e 1, f 1, …"


@pytest.mark.parametrize(("changed", "reason"), [(2, "data_source"), (4, "no_rows")])
def test_rows_that_cannot_be_made_are_a_refusal_with_its_shares(tmp_path: Path, changed: int, reason: str) -> None:
    names = ("client", "order", "parcel", "depot", "route")
    mined = Mined(
        theme=Theme(slug="yard", title="Yard", kind="product"),
        domain=Domain(theme="yard", tables=()),
        rows={},
        provenance=[],
        documents={},
        archetypes=(),
        stated_operations=3,
        clock=None,
        standing=Standing(real=names, changed=names[:changed], others={}),
    )
    noted: list[Outcome[Any]] = []
    with pytest.raises(BuildError, match=f"{reason}: nothing fills them"), refusals_kept(mined, tmp_path, noted.append):
        raise BuildError("nothing fills them")
    assert isinstance(noted[0], Rejected)
    assert noted[0].reason == reason
    record = json.loads((tmp_path / "rejected" / "yard" / "rejection.json").read_text())
    assert record["operations"]["stated"] == 3


def test_sources_without_operations_keep_their_own_error(tmp_path: Path) -> None:
    theme = Theme(slug="yard", title="Yard", kind="domain")
    mined = Mined(theme, Domain(theme="yard", tables=()), {}, [], {}, (), 0, None)
    with pytest.raises(BuildError, match="no source has rows"), refusals_kept(mined, tmp_path, lambda _: None):
        raise BuildError("no source has rows")
    assert not (tmp_path / "rejected").exists()
