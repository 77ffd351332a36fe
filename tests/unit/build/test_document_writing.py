"""Tools that write documents: which there are, what they do to each format, and that their tests notice faults."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envforge.build.author import CompiledToolAuthor
from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database, GateContext
from envforge.core.errors import ConfigError
from envforge.core.outcome import Produced
from envforge.core.records.document import DocumentFormat, DocumentPlan
from envforge.gates import calls
from envforge.gates.folder import Folder
from envforge.gates.mutants import mutants
from envforge.gates.tools import TestCoverage
from envforge.synth.document_edits import with_whole_texts
from envforge.world.environment import Environment
from envforge.world.session import Session
from envforge.world.test_runner import Mutant, run_mutants, run_tests

from .test_author import draft

WRITING = {
    *("create_document", "replace_document", "edit_document", "delete_document", "replace_document_section"),
    *("set_document_value", "append_document_row", "change_document_rows"),
}
DOCUMENTS = {
    "fares/classes.csv": 'class,name,cents\nY,Economy,12000\nF,"First, with bed",90000\nY,Economy late,15000\n',
    "gates/notice.html": (
        "<!doctype html>\n<html>\n<body>\n<h1>Gates</h1>\n<p>Gates open early.</p>\n<h2>North</h2>\n<p>Closed.</p>\n"
        "<h2>South</h2>\n<p>Open.</p>\n</body>\n</html>\n"
    ),
    "rules/bags.json": (
        '{\n  "limits": {\n    "bags": 2,\n    "kilos": [\n      23,\n      32\n    ]\n  },\n  "note": "none"\n}\n'
    ),
    "rules/boarding.yaml": (
        "groups:\n- name: Families\n  first: true\n- name: Others\n  first: false\nminutes: 40\nlimits:\n  late: 5\n"
    ),
    "notes/crew.md": "# Crew\n\nShort.\n\n## Rest\n\nEight hours.\n\n### Abroad\n\nTen hours.\n\n## Meals\n\nWarm.\n",
    "reports/fuel.tex": (
        "\\documentclass{article}\n\\begin{document}\n\\section{Fuel}\nBy airport.\n\\subsection{North}\n"
        "\\begin{tabular}{lr}\nEWR & 4000 \\\\\n\\end{tabular}\n\\end{document}\n"
    ),
    "seeds/airports.sql": "INSERT INTO airports (code, name) VALUES ('EWR', 'Newark');\n",
}


def plan(kind: DocumentFormat) -> DocumentPlan:
    return DocumentPlan(name=f"of_{kind}", format=kind, about="", rows="SELECT 1")


ALL: tuple[DocumentFormat, ...] = ("csv", "html", "json", "md", "sql", "tex", "yaml")


@pytest.fixture(scope="module")
def keeping(schedule: Database) -> Database:
    return replace(schedule, documents=DOCUMENTS, document_plans=tuple(plan(kind) for kind in ALL))


@pytest.fixture(scope="module")
def folder(keeping: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = draft(keeping, tmp_path_factory.mktemp("documents") / "world")
    outcome = CompiledToolAuthor().write(keeping, made, max_tools=12)
    assert isinstance(outcome, Produced), outcome
    return made


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    with Environment.open(folder).start(0) as opened:
        yield opened


def names_of(database: Database) -> set[str]:
    return {operation.name for operation in draw_blueprint(database, max_tools=12)[0].operations}


def text_of(session: Session, path: str) -> str:
    return session.call("read_document", {"path": path, "max_characters": 8000}).to_json()["result"]["text"]


def test_there_are_no_such_tools_without_documents_of_its_own(schedule: Database, keeping: Database) -> None:
    assert names_of(keeping) >= names_of(schedule) | WRITING, "and they take no place of another tool"
    assert not names_of(replace(schedule, documents=DOCUMENTS)) & WRITING
    assert draw_blueprint(schedule, max_tools=12)[0].document_formats == ()


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("csv", {"append_document_row", "change_document_rows"}),
        ("yaml", {"set_document_value"}),
        ("tex", {"replace_document_section"}),
        ("sql", set[str]()),
    ],
)
def test_tools_follow_the_formats(schedule: Database, kind: DocumentFormat, more: set[str]) -> None:
    held = {path: text for path, text in DOCUMENTS.items() if path.endswith(kind)}
    found = names_of(replace(schedule, documents=held, document_plans=(plan(kind),)))
    general = {"create_document", "replace_document", "edit_document", "delete_document"}
    assert found & WRITING == general | more


def test_their_unit_tests_pass_and_notice_faults(folder: Path) -> None:
    assert run_tests(folder).failed == ()
    covered = TestCoverage().check(GateContext(folder, {}))
    assert covered.passed, covered.reasons
    view = Folder(folder)
    by_tool = calls.tests_by_tool(view.tests, sorted(WRITING))
    made = [one for one in mutants(view.module, {}, most=900, seed=0) if set(one.tools) <= WRITING]
    tests = {one.id: tuple(name for tool in one.tools for name in by_tool[tool]) for one in made}
    verdicts = run_mutants(folder, [Mutant(one.id, "", tests[one.id], patch=one.patch) for one in made])
    killed = sum(one.killed for one in verdicts)
    assert len(made) >= 150
    assert killed >= 0.9 * len(made), [one.id for one in verdicts if not one.killed]


def test_a_document_that_holds_no_value_at_all_has_unit_tests_too(schedule: Database, tmp_path: Path) -> None:
    empty = replace(schedule, documents={"rules/none.json": "[]\n"}, document_plans=(plan("json"),))
    made = draft(empty, tmp_path / "world")
    assert isinstance(CompiledToolAuthor().write(empty, made, max_tools=12), Produced)
    assert run_tests(made).failed == ()


def refused(session: Session, tool: str, **arguments: Any) -> tuple[str, str]:
    """Code and message of a call that must fail and change nothing."""
    before = session.digest()
    seen = session.call(tool, arguments).to_json()
    assert "error" in seen, seen
    assert session.digest() == before
    return seen["error"]["code"], seen["error"]["message"]


def done(session: Session, tool: str, **arguments: Any) -> dict[str, Any]:
    seen = session.call(tool, arguments).to_json()
    assert "result" in seen, seen
    return seen["result"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("new/prices.csv", "class,cents\nY\n"),
        ("new/page.html", "<p>open<b>wrong</p></b>"),
        ("new/rules.json", '{"a": 1, "a": 2}'),
        ("new/notes.md", "```\nnever closed\n"),
        ("new/rows.sql", "INSERT INTO airports VALUES ('EWR)"),
        ("new/report.tex", "\\begin{tabular}{l}"),
        ("new/rules.yaml", "late: yes"),
        ("new/rules.yaml", "late: &a 5"),
    ],
)
def test_a_text_that_is_not_valid_is_refused_with_its_place(session: Session, path: str, text: str) -> None:
    code, message = refused(session, "create_document", path=path, text=text)
    assert code == "invalid_argument"
    assert f"would be no valid {path.rpartition('.')[2]}: " in message


@pytest.mark.parametrize(
    "path", ["new/notes.txt", "../secrets.md", "New.md", "a//b.md", "/a.md", "a/b/c/d/e.md", "a.md "]
)
def test_a_path_that_names_no_document_is_refused(session: Session, path: str) -> None:
    assert refused(session, "create_document", path=path, text="x")[0] == "invalid_argument"


def test_equal_contents_are_equal_texts(session: Session) -> None:
    """Whoever sets a value and whoever writes the whole text anew leave the same bytes."""
    done(session, "set_document_value", path="rules/bags.json", place="limits/kilos/1", value=30)
    by_value = text_of(session, "rules/bags.json")
    session.reset()
    whole = '{"limits":{"bags":2,"kilos":[23,30]},"note":"none"}'
    done(session, "replace_document", path="rules/bags.json", text=whole)
    assert text_of(session, "rules/bags.json") == by_value != DOCUMENTS["rules/bags.json"]


def test_a_value_keeps_its_type_in_yaml(session: Session) -> None:
    for place, value in (("limits/late", "no"), ("groups/1/name", "5"), ("groups/1/first", True), ("minutes", 2.5)):
        done(session, "set_document_value", path="rules/boarding.yaml", place=place, value=value)
    assert text_of(session, "rules/boarding.yaml") == (
        'groups:\n- name: Families\n  first: true\n- name: "5"\n  first: true\nminutes: 2.5\nlimits:\n  late: "no"\n'
    )


def test_a_place_leads_to_one_value(session: Session) -> None:
    path = "rules/bags.json"
    assert refused(session, "set_document_value", path=path, place="limits", value=1)[0] == "invalid_argument"
    assert refused(session, "set_document_value", path=path, place="limits/kilos/2", value=1)[0] == "not_found"
    assert refused(session, "set_document_value", path=path, place="fees/late", value=1)[0] == "not_found"
    assert refused(session, "set_document_value", path="notes/crew.md", place="a", value=1)[0] == "invalid_argument"
    done(session, "set_document_value", path=path, place="limits/late", value="new")
    assert '"late": "new"' in text_of(session, path)


def test_rows_have_the_columns_of_their_table(session: Session) -> None:
    path = "fares/classes.csv"
    short = {"class": "B", "name": "Bench"}
    assert refused(session, "append_document_row", path=path, row=short)[0] == "invalid_argument"
    done(session, "append_document_row", path=path, row={"name": "Bench, shared", "class": "B", "cents": 5000})
    assert text_of(session, path).endswith('B,"Bench, shared",5000\n')
    assert done(session, "change_document_rows", path=path, key="Y", changes={"cents": 13000})["rows"] == 2
    assert text_of(session, path).count("13000") == 2
    assert refused(session, "change_document_rows", path=path, key="class", changes={"cents": 1})[0] == "not_found"


@pytest.mark.parametrize(
    ("path", "section", "text", "left"),
    [
        ("gates/notice.html", "north", "<p>Open.</p>", ["<h2>North</h2>\n\n<p>Open.</p>\n\n<h2>South</h2>"]),
        ("gates/notice.html", "South", "<p>Shut.</p>", ["<p>Shut.</p>\n\n</body>\n</html>\n"]),
        ("notes/crew.md", "Rest", "Nine hours.", ["## Rest\n\nNine hours.\n\n## Meals"]),
        ("reports/fuel.tex", "North", "None.", ["\\subsection{North}\n\nNone.\n\n\\end{document}\n"]),
    ],
)
def test_a_section_ends_where_the_next_begins(
    session: Session, path: str, section: str, text: str, left: list[str]
) -> None:
    done(session, "replace_document_section", path=path, section=section, text=text)
    kept = text_of(session, path)
    assert all(part in kept for part in left)
    assert refused(session, "replace_document_section", path=path, section="West", text=text)[0] == "not_found"


FENCED = "# Crew\n\n```\n## Rest\n```\n\n## Rest\n\nEight.\n\n```\n# Meals\n```\n\n## Meals\n\nWarm.\n"


@pytest.mark.parametrize(
    ("tool", "edit"),
    [
        ("set_document_value", {"path": "rules/bags.json", "place": "limits/kilos/1", "value": 30}),
        ("set_document_value", {"path": "rules/boarding.yaml", "place": "limits/early", "value": "no"}),
        ("append_document_row", {"path": "fares/classes.csv", "row": {"name": "a, b", "class": "B", "cents": 2.5}}),
        ("change_document_rows", {"path": "fares/classes.csv", "key": "Y", "changes": {"cents": 13000}}),
        ("replace_document_section", {"path": "gates/notice.html", "section": " south ", "text": "<p>Shut.</p>"}),
        ("replace_document_section", {"path": "notes/crew.md", "section": "Rest", "text": "Nine hours.\n"}),
        ("replace_document_section", {"path": "notes/crew.md", "section": "MEALS", "text": "Cold."}),
        ("replace_document_section", {"path": "notes/fenced.md", "section": "Rest", "text": "Nine."}),
        ("replace_document_section", {"path": "reports/fuel.tex", "section": "Fuel", "text": "None."}),
    ],
)
def test_a_tool_and_the_edit_that_a_goal_says_leave_the_same_bytes(
    session: Session, tool: str, edit: dict[str, Any]
) -> None:
    done(session, "create_document", path="notes/fenced.md", text=FENCED)
    (wanted,) = with_whole_texts([as_said(edit)], lambda path: text_of(session, path), "goal x")
    assert wanted["text"] != text_of(session, edit["path"])
    done(session, tool, **edit)
    assert text_of(session, edit["path"]) == wanted["text"]


@pytest.mark.parametrize(
    ("tool", "edit"),
    [
        ("set_document_value", {"path": "rules/bags.json", "place": "limits", "value": 1}),
        ("set_document_value", {"path": "rules/bags.json", "place": "limits/kilos", "value": 1}),
        ("set_document_value", {"path": "rules/bags.json", "place": "limits/kilos/-1", "value": 1}),
        ("set_document_value", {"path": "rules/bags.json", "place": "note", "value": None}),
        ("append_document_row", {"path": "fares/classes.csv", "row": {"name": "x", "class": "B", "cents": None}}),
        ("replace_document_section", {"path": "notes/fenced.md", "section": "In code", "text": "x"}),
    ],
)
def test_a_goal_says_no_edit_that_its_tool_refuses(session: Session, tool: str, edit: dict[str, Any]) -> None:
    done(session, "create_document", path="notes/fenced.md", text=f"{FENCED}\n```\n## In code\n```\n")
    refused(session, tool, **edit)
    with pytest.raises(ConfigError, match="does not take the edit"):
        with_whole_texts([as_said(edit)], lambda path: text_of(session, path), "goal x")


def as_said(edit: dict[str, Any]) -> dict[str, Any]:
    """As the SQL of a goal says it: an object is its JSON."""
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in edit.items()}


def test_a_passage_must_be_the_only_one(session: Session) -> None:
    path = "gates/notice.html"
    assert refused(session, "edit_document", path=path, old_text="<p>", new_text="")[0] == "invalid_argument"
    assert refused(session, "edit_document", path=path, old_text="Shut.", new_text="")[0] == "not_found"
    assert refused(session, "edit_document", path=path, old_text="<h1>", new_text="<h3>")[0] == "invalid_argument"
    done(session, "edit_document", path=path, old_text="Closed.", new_text="Closed &amp; dark.")
    assert "Closed &amp; dark." in text_of(session, path)


def test_documents_have_a_size(session: Session) -> None:
    long = "x" * 5990
    assert (
        refused(session, "append_document_row", path="fares/classes.csv", row={"class": long, "name": "", "cents": 1})[
            0
        ]
        == "limit_exceeded"
    )
    assert refused(session, "create_document", path="new/long.md", text="x" * 6001)[0] == "invalid_argument"
    assert refused(session, "create_document", path="new/long.json", text=f"[{'1,' * 1300}1]")[0] == "limit_exceeded"


def test_a_planted_tool_that_keeps_invalid_texts_is_noticed(folder: Path, tmp_path: Path) -> None:
    """One that checks nothing, and one that keeps the text as it was given: their own unit tests refuse both."""
    for name, whole, planted in (
        ("unchecked", "            _html_check(text)\n", "            pass\n"),
        ("unformed", "text = _yaml_text(_yaml_data(text))", "_yaml_data(text)"),
    ):
        bad = tmp_path / name
        shutil.copytree(folder, bad)
        module = (bad / "tools.py").read_text(encoding="utf-8")
        assert module.count(whole) == 1
        (bad / "tools.py").write_text(module.replace(whole, planted), encoding="utf-8")
        failed = {test.partition("__")[0] for test, _ in run_tests(bad).failed}
        assert {"test_create_document", "test_replace_document"} <= failed
