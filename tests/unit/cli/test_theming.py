"""The commands over the wide catalogue, each as it is called; and the walk of a reviewer, key by key."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from envforge.atlas.catalogue import load_atlas, write_catalogue, write_taxonomy
from envforge.atlas.classifier import Guess
from envforge.atlas.decisions import DECISIONS, read_decisions, reviewed_atlas
from envforge.atlas.proposals import Part, Placement
from envforge.cli.commands import atlas_command, atlas_review_command
from envforge.cli.commands.atlas_review_command import Proposal, Talk, walk
from envforge.cli.main import app
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.atlas import CatalogTheme, Category, Taxonomy


def theme(slug: str, category: str) -> CatalogTheme:
    gloss = f"All about {slug}, told in one line"
    anchors = [{"kind": "mcp-server", "spec": f"npm:{slug}-mcp"}]
    given = {"slug": slug, "title": slug.title(), "kind": "domain", "gloss": gloss, "category": category}
    return CatalogTheme.model_validate({**given, "anchors": anchors})


@pytest.fixture
def shared(tmp_path: Path) -> SharedOptions:
    """A workspace with three themes in two classes."""
    write_catalogue(tmp_path / "themes", [theme("ferries", "boats"), theme("cows", "boats"), theme("crops", "farms")])
    classes = (
        Category(id="all", title="All"),
        Category(id="boats", title="Boats", parent="all"),
        Category(id="farms", title="Farms", parent="all"),
    )
    write_taxonomy(tmp_path / "themes", Taxonomy(categories=classes))
    return SharedOptions(workspace=tmp_path, json_output=True)


def _add(shared: SharedOptions, **change: object) -> None:
    given: dict[str, object] = {
        "gloss": "Bees, hives and honey of keepers", "anchors": ("data-package=pypi:bees",), "title": "",
        "kind": "domain", "category": "farms", "parent": None, "aliases": (), "language": "en", **change,
    }  # fmt: skip
    atlas_command.run_add("bees", **given, shared=shared)  # pyright: ignore


def test_an_added_theme_is_in_the_workspace(shared: SharedOptions, capsys: pytest.CaptureFixture[str]) -> None:
    _add(shared)
    assert json.loads(capsys.readouterr().out)["category"] == "farms"
    assert load_atlas([shared.workspace / "themes"]).themes["bees"].anchors[0].spec == "pypi:bees"
    with pytest.raises(ConfigError, match="is Bees already"):
        _add(shared)


def test_the_shipped_catalogue_is_copied_before_it_grows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shared = SharedOptions(workspace=tmp_path, json_output=True)
    _add(shared, category="agriculture-nature", title="Bees of mine")
    capsys.readouterr()
    atlas = load_atlas([tmp_path / "themes"])
    assert len(atlas.themes) > 2000 and "bees" in atlas.themes and (tmp_path / "themes/taxonomy.json").is_file()


def test_a_class_is_listed(shared: SharedOptions, capsys: pytest.CaptureFixture[str]) -> None:
    atlas_command.run_list("boats", shared=shared)
    assert [one["slug"] for one in json.loads(capsys.readouterr().out)] == ["cows", "ferries"]
    with pytest.raises(ConfigError, match="'ships' is no class"):
        atlas_command.run_list("ships", shared=shared)


def test_a_list_is_imported(shared: SharedOptions, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("cows-sdk\ngliders\n", encoding="utf-8")
    atlas_command.run_import(None, path, registry="pypi", most=5, shared=shared)
    said = json.loads(capsys.readouterr().out)
    assert said["grown"] == {"cows": 1} and said["candidates"] == [{"name": "gliders", "packages": ["pypi:gliders"]}]
    assert load_atlas([tmp_path / "themes"]).themes["cows"].anchors[1].kind == "client-package"
    with pytest.raises(ConfigError, match="give one list"):
        atlas_command.run_import(None, None, registry="pypi", most=5, shared=shared)


def test_a_merge_is_a_decision(shared: SharedOptions, capsys: pytest.CaptureFixture[str]) -> None:
    atlas_command.run_dedupe(("cows=crops",), reviewer="model", shared=shared)
    assert json.loads(capsys.readouterr().out)["recorded"] == 1
    decisions = read_decisions(shared.workspace / "themes" / DECISIONS)
    assert [(one.action, one.subject, one.reviewer) for one in decisions] == [("merge", "cows", "model")]
    with pytest.raises(ConfigError, match="'cows' is no theme"):
        atlas_command.run_dedupe(("cows=crops",), reviewer="person", shared=shared)
    capsys.readouterr()
    atlas_command.run_dedupe((), reviewer="person", shared=shared)
    assert json.loads(capsys.readouterr().out) == []


def test_coverage_writes_the_page(shared: SharedOptions, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    built = tmp_path / "environments" / "cows"
    built.mkdir(parents=True)
    (built / "environment.json").write_text('{"theme": "cows"}', encoding="utf-8")
    atlas_command.run_coverage(propose=1, page=tmp_path / "sun.html", shared=shared)
    said = json.loads(capsys.readouterr().out)
    assert [(one["category"], one["built"]) for one in said["classes"]] == [("boats", 1), ("farms", 0)]
    assert [one["slug"] for one in said["next"]] == ["crops"]
    assert "Boats: 2 of 3 themes" in (tmp_path / "sun.html").read_text(encoding="utf-8")


def _audit(shared: SharedOptions, **change: object) -> None:
    given: dict[str, object] = {
        "count": 2, "seed": 0, "given": (), "npm_list": None, "pypi_list": None, "report": False, "reviewer": "model",
        "round_": 1, **change,
    }  # fmt: skip
    atlas_review_command.run_audit(**given, shared=shared)  # pyright: ignore


def test_an_audit_draws_records_and_reports(shared: SharedOptions, capsys: pytest.CaptureFixture[str]) -> None:
    _audit(shared)
    drawn = json.loads(capsys.readouterr().out)
    assert len(drawn) == 2
    _audit(shared, given=("cows=wrong", "crops=clean"))
    assert json.loads(capsys.readouterr().out)["recorded"] == 2
    _audit(shared, report=True)
    said = json.loads(capsys.readouterr().out)
    assert said["by_reviewer"] == {"model": 2} and said["not_clean"] == ["cows"]


def test_absent_anchors_end_with_exit_code_one(
    shared: SharedOptions, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "npm.txt"
    path.write_text("ferries-mcp\ncows-mcp\ncrops-mcp\n", encoding="utf-8")
    _audit(shared, npm_list=path, count=9)
    path.write_text("ferries-mcp\ncows-mcp\n", encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        _audit(shared, npm_list=path, count=9)
    assert stopped.value.code == 1
    assert json.loads(capsys.readouterr().out.rpartition("}\n{")[2].join(["{", ""]))["absent"] == {
        "crops": ["npm:crops-mcp"]
    }


def _walk(shared: SharedOptions, keys: str, answers: list[str], proposals: list[Proposal]) -> list[str]:
    pressed, given, said = iter(keys), iter(answers), list[str]()
    talk = Talk(ask=lambda question: next(given), key=lambda: next(pressed), say=said.append)
    walk(iter(proposals), talk, "person", 1, shared)
    return said


@pytest.fixture
def placed(shared: SharedOptions) -> Callable[[str], Proposal]:
    atlas = load_atlas([shared.workspace / "themes"])
    guesses = (Guess("farms", 0.8), Guess("boats", 0.2))
    return lambda slug: Proposal(atlas, placement=Placement(theme=atlas.themes[slug], guesses=guesses))


@pytest.mark.parametrize(
    ("key", "answer", "action", "value"),
    [
        ("a", "", "accept", "boats"),
        ("1", "", "move", "farms"),
        ("2", "", "move", "boats"),
        ("m", "farms", "move", "farms"),
        ("r", "Ships", "rename", "Ships"),
        ("g", "crops", "merge", "crops"),
        ("x", "", "reject", ""),
    ],
)
def test_each_key_is_a_decision(
    shared: SharedOptions, placed: Callable[[str], Proposal], key: str, answer: str, action: str, value: str
) -> None:
    _walk(shared, key, [answer], [placed("cows")])
    (decision,) = read_decisions(shared.workspace / "themes" / DECISIONS)
    assert (decision.action, decision.value, decision.reviewer) == (action, value, "person")
    reviewed_atlas([shared.workspace / "themes"])


def test_skip_leaves_no_trace_and_quit_ends(shared: SharedOptions, placed: Callable[[str], Proposal]) -> None:
    _walk(shared, "k1q", [], [placed("cows"), placed("crops"), placed("ferries")])
    decisions = read_decisions(shared.workspace / "themes" / DECISIONS)
    assert [one.subject for one in decisions] == ["crops"]


def test_a_wrong_answer_is_said_and_asked_again(shared: SharedOptions, placed: Callable[[str], Proposal]) -> None:
    said = _walk(shared, "z3mm", ["gliders", "farms"], [placed("cows")])
    assert any("'gliders' is no second-level class" in text for text in said)
    (decision,) = read_decisions(shared.workspace / "themes" / DECISIONS)
    assert (decision.subject, decision.value) == ("cows", "farms")


def test_a_class_is_split_in_the_walk(shared: SharedOptions) -> None:
    atlas = load_atlas([shared.workspace / "themes"])
    part = Part(medoid="cows", words=("milk",), members=("cows",))
    _walk(shared, "as", ["cattle Cattle"], [Proposal(atlas, category="boats", part=part)])
    assert reviewed_atlas([shared.workspace / "themes"]).themes["cows"].category == "cattle"


def _review(shared: SharedOptions, **change: object) -> None:
    given: dict[str, object] = {
        "category": None, "every": False, "listing": False, "decisions": None, "agreement": False, "reviewer": "person",
        "round_": 1, **change,
    }  # fmt: skip
    atlas_review_command.run_review(**given, shared=shared)  # pyright: ignore


def test_decisions_come_from_a_file_signed_by_who_says_so(
    shared: SharedOptions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "taken.jsonl"
    lines = [
        {"action": "accept", "subject": "cows", "value": "farms", "reviewer": "model", "round": number}
        for number in (1, 2)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"taken\.jsonl, line 1: it is signed by a model"):
        _review(shared, decisions=path)
    _review(shared, decisions=path, reviewer="model")
    assert json.loads(capsys.readouterr().out)["recorded"] == 2
    _review(shared, agreement=True)
    assert json.loads(capsys.readouterr().out)["share"] == 1.0
    with pytest.raises(ConfigError, match="no such file"):
        _review(shared, decisions=tmp_path / "none.jsonl")


def test_proposals_are_listed(
    shared: SharedOptions, placed: Callable[[str], Proposal], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def proposed(*given: object) -> Iterator[Proposal]:
        yield placed("cows")

    monkeypatch.setattr(atlas_review_command, "_proposed", proposed)
    _review(shared, listing=True)
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["theme"], one["class"], one["guesses"][0]["category"]) == ("cows", "boats", "farms")
    with pytest.raises(ConfigError, match="'all' is no second-level class"):
        _review(shared, category="all")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("themes list --all --class farms", '"slug": "crops"'),
        ("themes show cows", '"summary": "All about cows, told in one line"'),
        ("themes add bees --gloss 'Hives and honey' --anchor data-package=pypi:bees --class farms", '"slug": "bees"'),
        ("themes import --mcp-list names.txt --registry pypi", '"cows": 1'),
        ("themes dedupe", "[]"),
        ("themes audit --count 1 --seed 3", '"gloss"'),
        ("themes audit --report", '"read": 0'),
        ("themes review --agreement", '"share": null'),
        ("themes coverage --propose 1 --page sun.html", '"next"'),
    ],
)
def test_each_command_is_wired(
    shared: SharedOptions, command: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shared.workspace)
    Path("names.txt").write_text("cows-mcp-server\n", encoding="utf-8")
    app([*shlex.split(command), "--json"], standalone_mode=False)
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("themes list --class farms", "--class goes with --all"),
        ("themes show horses", "unknown theme 'horses'"),
        ("themes add horses --gloss 'Stables and riders' --anchor rumour=npm:x --class farms", "no kind of anchor"),
        ("themes review --class ships", "'ships' is no second-level class"),
        ("themes audit --verdict horses=clean", "'horses' is no theme"),
    ],
)
def test_a_wrong_command_is_refused(
    shared: SharedOptions, command: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared.workspace)
    with pytest.raises(ConfigError, match=said) as caught:
        app(shlex.split(command), standalone_mode=False)
    assert caught.value.remedy
