"""A model writes tools for an environment: good ones join it, and each kind of bad one ends as a try that says why."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from envforge.agents.asking import Asker
from envforge.agents.toolsmith.toolsmith import Made, Toolsmith
from envforge.core.contracts import GateContext
from envforge.core.errors import ModelError
from envforge.core.model_errors import ConnectionLostError, RefusedAnswerError
from envforge.core.records.added_tool import AddedTool
from envforge.core.records.completion import CompletionRequest
from envforge.factory.extending import write_extended
from envforge.factory.workbench import ToolBench
from envforge.gates.certificate import load_thresholds
from envforge.gates.folder import Folder
from envforge.gates.integrity import Integrity
from envforge.gates.tools import Compiles
from envforge.llm.providers.scripted import Answer, ScriptedModel
from envforge.world.test_runner import run_tests

NAME = "total_capacity"
CODE = '''def total_capacity(world: World, line_code: str) -> dict:
    """Add up how many people the vessels of a line carry.

    Args:
        line_code: the line's code.
    """
    if not world.query("SELECT line_code FROM lines WHERE line_code = ?", (line_code,)):
        raise ToolError("not_found", f"There is no line {line_code}.", "Search the lines.")
    rows = world.query("SELECT count(*) AS n, sum(capacity) AS people FROM vessels WHERE line_code = ?", (line_code,))
    return {"vessels": rows[0]["n"], "people": rows[0]["people"]}
'''
LOOKUP = "SELECT line_code FROM lines WHERE line_code = ?"
SCRAP = '''def scrap_vessels(world: World, hull: str) -> dict:
    """Remove every customer note of a hull.

    Args:
        hull: the hull.
    """
    if hull not in ("conventional", "catamaran"):
        raise ToolError("invalid_argument", "There is no such hull.", "Look at a vessel.")
    return {"gone": world.execute("DELETE FROM loyalty_activities WHERE kind <> ?", (hull,))}
'''
Says = Callable[[CompletionRequest], Answer]


@pytest.fixture(scope="module")
def place(ferry: Path) -> Path:
    return ferry / "environments" / "ferry"


@pytest.fixture(scope="module")
def tests(place: Path) -> str:
    """Tests of `total_capacity` with the figures of its rows."""
    found = Folder(place).rows("SELECT count(*), sum(capacity) FROM vessels WHERE line_code = 'NL'")[0]
    return f"""def test_total_capacity__of_a_line(world):
    assert tools.total_capacity(world, line_code="NL") == {{"vessels": {found[0]}, "people": {found[1]}}}


def test_total_capacity__not_found(world):
    with pytest.raises(ToolError) as caught:
        tools.total_capacity(world, line_code="XX")
    assert caught.value.code == "not_found"
"""


def fenced(code: str) -> str:
    return f"Here it is:\n```python\n{code}```\nDone."


def ideas(*names: str) -> str:
    return json.dumps({"tools": [{"name": name, "purpose": "Something that people need."} for name in names]})


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


class Model:
    """Answers ideas, code and tests, each from a list of its own; the last one is given again."""

    def __init__(self, idea: Answer, code: Sequence[Answer], tests: Sequence[Answer] = ()) -> None:
        self._idea, self._code, self._tests = idea, list(code), list(tests)
        self.asked: list[str] = []

    def __call__(self, request: CompletionRequest) -> Answer:
        if request.json_schema is not None:
            return self._idea
        self.asked.append(request.messages[-1].content)
        left = self._tests if "pytest tests" in request.messages[0].content else self._code
        return left.pop(0) if len(left) > 1 else left[0]


@pytest.fixture
def make(place: Path, tmp_path: Path) -> Callable[[Says], Made]:
    root = Path(__file__).parents[3]
    thresholds = {**load_thresholds(root / "validators/gates/environment.json")}

    def made(script: Says) -> Made:
        with Asker(ScriptedModel(script), tmp_path / "replies") as asker:
            bench = ToolBench(place, tmp_path / "bench", thresholds, "agent:scripted")
            return Toolsmith(asker, bench, seed=0).make(2, silent)

    return made


def test_a_tool_that_passes_joins_the_environment(
    make: Callable[[Says], Made], place: Path, tests: str, tmp_path: Path
) -> None:
    wrong = tests.replace('"vessels"', '"ships"')
    model = Model(ideas(NAME), [fenced("def total_capacity(:"), fenced(CODE)], [fenced(wrong), fenced(tests)])
    before = {path: path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}
    made = make(model)
    assert {path: path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()} == before
    assert [(one.name, one.kept, one.tries) for one in made.tries] == [(NAME, True, 4)]
    assert "line 1: " in model.asked[1], "it is told where the mistake is, as it wrote it"
    assert "tests_pass" in model.asked[3] and "ships" in model.asked[3]
    folder = tmp_path / "ferry-more"
    assert write_extended(place, made.tools, folder) == write_extended(place, made.tools, folder)
    context = GateContext(folder, {})
    assert [gate.check(context).reasons for gate in (Integrity(), Compiles())] == [(), ()]
    names = [f"test_{NAME}__of_a_line", f"test_{NAME}__not_found"]
    assert run_tests(folder, names=names).ok
    further = AddedTool(name="t", purpose="p", source=CODE.replace(NAME, "t"), tests="", author="a")
    write_extended(folder, [further], tmp_path / "ferry-most")
    held = Folder(tmp_path / "ferry-most").knowledge.blueprint.added
    assert [tool.name for tool in held] == [NAME, "t"], "what was added before is still told"
    new, old = Folder(folder).manifest, Folder(place).manifest
    assert new.family != old.family and new.id == "ferry-more"
    assert new.authors[f"tools.{NAME}"].startswith("agent:scripted tool-idea-1@")
    spec = Folder(folder).tools[-1]
    assert (spec.verb, spec.entity, spec.reads, spec.writes) == ("aggregate", "line", ("lines", "vessels"), ())
    assert spec.parameters["required"] == ["line_code"] and spec.consumes == {"line_code": "line.line_code"}
    assert [error.code for error in spec.errors] == ["not_found"]


BAD_CODE: dict[str, tuple[Answer, str]] = {
    "it deletes everything": (CODE.replace(LOOKUP, "DELETE FROM lines"), "touches every row"),
    "it deletes everything in a roundabout way": (
        CODE.replace(LOOKUP, "DELETE FROM lines WHERE 1 = 1"),
        "touches every row",
    ),
    "it leaves the sandbox": (f"import os\n\n{CODE}", "import os"),
    "it reads a file": (CODE.replace("rows = ", 'open("/etc/passwd")\n    rows = '), "open is not allowed"),
    "it puts words together as SQL": (
        CODE.replace(f'"{LOOKUP}", (line_code,)', 'f"SELECT {line_code}"'),
        "plain string",
    ),
    "it knows another database": (CODE.replace("FROM vessels", "FROM ships"), "no table 'ships'"),
    "it does something else": (CODE.replace("total_capacity", "drop_it"), "is called drop_it"),
    "it is two functions": (f"{CODE}\n\n{CODE.replace('total', 'whole')}", "one function"),
    "it drops a table": (CODE.replace(LOOKUP, "DROP TABLE lines"), "DROP"),
    "it is a refusal": (RefusedAnswerError("I will not", text="no"), "I will not"),
    "it is empty": ("```python\n\n```", "no block"),
}


@pytest.mark.parametrize(("code", "told"), BAD_CODE.values(), ids=BAD_CODE.keys())
def test_code_that_is_none(make: Callable[[Says], Made], code: Answer, told: str) -> None:
    made = make(Model(ideas(NAME), [fenced(code) if isinstance(code, str) and "def" in code else code]))
    assert made.tools == () and len(made.tries) == 1
    assert made.tries[0].stage == "code" and any(told in reason for reason in made.tries[0].reasons), made.tries


def test_tests_that_notice_nothing(make: Callable[[Says], Made]) -> None:
    """They call the tool and look at nothing: a tool that is broken on purpose passes them, so they are refused."""
    idle = f"""def test_{NAME}__runs(world):
    assert tools.{NAME}(world, line_code="NL") is not None


def test_{NAME}__not_found(world):
    with pytest.raises(ToolError) as caught:
        tools.{NAME}(world, line_code="XX")
    assert caught.value.code == "not_found"
"""
    made = make(Model(ideas(NAME), [fenced(CODE)], [fenced(idle)]))
    assert made.tools == () and made.tries[0].stage == "tests"
    assert "mutation" in made.tries[0].reasons[0] and "were noticed" in made.tries[0].reasons[0]


@pytest.mark.parametrize("more", ["def broken(:\n", "def test_search_lines__success(world):\n    assert world\n"])
def test_tests_that_are_more_than_tests(make: Callable[[Says], Made], tests: str, more: str) -> None:
    made = make(Model(ideas(NAME), [fenced(CODE)], [fenced(f"{tests}\n\n{more}")]))
    assert made.tools == () and made.tries[0].stage == "tests"
    assert "is no" in made.tries[0].reasons[0], made.tries


def test_a_tool_that_clears_a_table_by_a_detour(make: Callable[[Says], Made], place: Path) -> None:
    rows = Folder(place).rows("SELECT count(*) FROM loyalty_activities")[0][0]
    tests = f"""def test_scrap_vessels__all(world):
    assert tools.scrap_vessels(world, hull="catamaran") == {{"gone": {rows}}}
    assert world.query("SELECT count(*) AS n FROM loyalty_activities") == [{{"n": 0}}]


def test_scrap_vessels__invalid(world):
    with pytest.raises(ToolError) as caught:
        tools.scrap_vessels(world, hull="raft")
    assert caught.value.code == "invalid_argument"


def test_scrap_vessels__other(world):
    assert tools.scrap_vessels(world, hull="conventional") == {{"gone": {rows}}}
"""
    made = make(Model(ideas("scrap_vessels"), [fenced(SCRAP)], [fenced(tests)]))
    assert made.tools == () and made.tries[0].stage == "tests"
    told = made.tries[0].reasons[0]
    assert f"removes {rows} rows" in told or "mutation" in told, told


@pytest.mark.parametrize("answer", ["no ideas", "{}", RefusedAnswerError("I will not", text="no")])
def test_no_ideas(make: Callable[[Says], Made], answer: Any) -> None:
    made = make(Model(answer, []))
    assert made.tools == () and [one.stage for one in made.tries] == ["idea"]


def test_what_is_there_already_is_no_idea(make: Callable[[Says], Made]) -> None:
    made = make(Model(ideas("search_lines"), []))
    assert made.tries[0].reasons == ("there is a tool search_lines already",)


def test_a_run_that_was_stopped_pays_nothing_twice(make: Callable[[Says], Made], tests: str) -> None:
    """The connection breaks at each call in turn; in the end all is as if it never had."""
    calls = 0

    def breaking(at: int) -> Says:
        whole = Model(ideas(NAME), [fenced(CODE)], [fenced(tests)])
        made = 0

        def says(request: CompletionRequest) -> Answer:
            nonlocal calls, made
            made += 1
            if made > at:
                return ConnectionLostError("gone")
            calls += 1
            return whole(request)

        return says

    for _ in range(2):
        with pytest.raises(ModelError, match="gone"):
            make(breaking(1))
    finished = make(breaking(1))
    assert calls == 3 and [tool.name for tool in finished.tools] == [NAME]
    again = make(breaking(0))
    assert again == finished and isinstance(again.tools[0], AddedTool)
