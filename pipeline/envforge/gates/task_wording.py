"""Gates on text and goal: everything needed is said or can be found, names one thing only, and gives nothing away."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

from envforge.core.programs import names_read
from envforge.core.records.environment import GateResult, ToolSpec
from envforge.gates.atoms import Path, atoms, place, with_value
from envforge.gates.gate import verdict
from envforge.gates.solutions import Change, Variant
from envforge.gates.task_case import TaskCase
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall

_PAGING = re.compile(r"cursor|page|limit|offset|size|max_results")
_SMALL = 2
"""Numbers up to this one are counted, not looked up."""


class Grounded:
    """Each value that a call of the gold sends was said, seen before, is a choice of the tool, or is worked out.

    Ids and literals of the program must have been seen or said; else one more look at what the call is about has to
    show them, as the schema of a table shows the names of its columns, or nobody may care what stands there.
    """

    name = "grounded"

    def check(self, case: TaskCase) -> GateResult:
        """Call by call, along the gold's episode."""
        known = _Known(case)
        reasons: list[str] = []
        counted = {"seen_or_said": 0, "worked_out": 0, "looked_up": 0, "free": 0}
        for number, step in enumerate(case.gold.steps):
            spec = case.environment.checks[step.tool].spec if step.tool in case.environment.checks else None
            for path, value in atoms(dict(step.arguments)) if spec else ():
                how = known.how(spec, path, value) if spec else ""
                if how == "" and number not in known.looked:
                    known.see(_look(case, number, known))
                    known.looked.add(number)
                    how = "looked_up" if spec and known.how(spec, path, value) else ""
                if how == "" and self._is_free(case, number, path, value):
                    how = "free"
                if how == "":
                    reasons.append(
                        f"call {number + 1} {step.tool}.{place(path)} is {value!r}: not said, not seen before"
                    )
                else:
                    counted[how] += 1
            known.see(step.seen.result)
        return verdict(self.name, list(dict.fromkeys(reasons)), measured=counted)

    def _is_free(self, case: TaskCase, number: int, path: Path, value: Any) -> bool:
        """A text is free if another one in its place passes too."""
        if not isinstance(value, str) or not case.gold.steps[number].writes:
            return False
        other = Variant("", "", "", make=partial(_OtherValue, number, path, "Something else was written here."))
        return case.judge.verdict(case.play(other)).passed


def _look(case: TaskCase, number: int, known: _Known) -> list[Any]:
    """What reads show that need nothing, or only an id which the call itself sends and which is known."""
    step = case.gold.steps[number]
    spec = case.environment.checks[step.tool].spec
    ids = {
        spec.consumes[str(path[0])]: value
        for path, value in atoms(dict(step.arguments))
        if str(path[0]) in spec.consumes and known.how(spec, path, value)
    }
    calls: list[tuple[str, dict[str, Any]]] = []
    for tool in case.environment.tools:
        required = list(tool.parameters.get("required", ()))
        if tool.annotations.read_only and all(tool.consumes.get(name) in ids for name in required):
            calls.append((tool.name, {name: ids[tool.consumes[name]] for name in required}))
    looking = _Looking(number, calls)
    case.play(Variant("", "", "", make=lambda: looking))
    return looking.seen


class _Looking(Change):
    """Before one call others are made."""

    def __init__(self, number: int, calls: list[tuple[str, dict[str, Any]]]) -> None:
        self.number, self.calls = number, calls
        self.made = -1
        self.seen: list[Any] = []

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        self.made += 1
        if self.made == self.number:
            self.seen = [call(name, given).result for name, given in self.calls]
        return call(tool, arguments)


class _OtherValue(Change):
    """One call sends another value."""

    def __init__(self, number: int, path: Path, value: Any) -> None:
        self.number, self.path, self.value = number, path, value
        self.made = -1

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        self.made += 1
        given: Any = with_value(arguments, self.path, self.value) if self.made == self.number else arguments
        return call(tool, given)


class _Known:
    """What the text says and what was seen so far."""

    def __init__(self, case: TaskCase) -> None:
        self._text = case.candidate.instruction.casefold()
        self._words: set[str] = set()
        self._numbers: set[float] = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", self._text.replace(",", ""))}
        self._literals = set(_literals(case.candidate.program))
        self.looked: set[int] = set()
        self.see(case.candidate.intent.said)

    def see(self, value: Any) -> None:
        """An observation, with the names of its fields."""
        for path, atom in atoms(value):
            self._words.update(str(part).casefold() for part in path)
            if isinstance(atom, str):
                self._words.add(atom.casefold())
            elif isinstance(atom, int | float) and not isinstance(atom, bool):
                self._numbers.add(float(atom))

    def how(self, spec: ToolSpec, path: Path, value: Any) -> str:
        """Where the value comes from; "" when from nowhere."""
        name = str(path[0])
        schema = _schema(spec, path)
        if (
            value is None
            or isinstance(value, bool)
            or value in schema.get("enum", ())
            or value == schema.get("default")
        ):
            return "seen_or_said"
        if name not in spec.consumes and _PAGING.search(name):
            return "seen_or_said"
        if isinstance(value, str):
            if self._is_known(value):
                return "seen_or_said"
        elif float(value) in self._numbers or (abs(value) <= _SMALL and name not in spec.consumes):
            return "seen_or_said"
        return "" if name in spec.consumes or value in self._literals else "worked_out"

    def _is_known(self, value: str) -> bool:
        wanted = value.casefold().strip()
        if not wanted or wanted in self._words or wanted in self._text:
            return True
        return len(wanted) > _SMALL and any(wanted in word for word in self._words)


def _schema(spec: ToolSpec, path: Path) -> Mapping[str, Any]:
    found: Any = spec.parameters
    for part in path:
        found = found.get("items", {}) if isinstance(part, int) else found.get("properties", {}).get(part, {})
    return cast("Mapping[str, Any]", found)


def _literals(program: str) -> Iterator[Any]:
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
            yield node.value


class Unambiguous:
    """Each reference names one row, and each other way to read the words leads to the same rows or is ruled out."""

    name = "unambiguous"

    def check(self, case: TaskCase) -> GateResult:
        """SQL on the initial database, apart from the code that made the candidate."""
        family, intent = case.candidate.family, case.candidate.intent
        reasons: list[str] = []
        for name, reference in family.references.items():
            said = intent.said.get(name)
            if not isinstance(said, dict):
                reasons.append(f"reference {name}: the goal says nothing of it")
                continue
            columns = cast("dict[str, Any]", said)
            tests = [f'"{column}" IS :said_{number}' for number, column in enumerate(columns)]
            tests += [f"({reference.among})"] if reference.among else []
            bound = {f"said_{number}": value for number, value in enumerate(columns.values())}
            sql = f'SELECT count(*) FROM "{reference.table}" WHERE {" AND ".join(tests)}'  # noqa: S608
            found = _rows(case, sql, bound)[0][0]
            reasons += [f"reference {name} names {found} rows"] if found != 1 else []
        target = _keys(case, family.target)
        for reading in family.readings:
            if _keys(case, reading.target) != target and reading.bank not in intent.banks:
                reasons.append(f"another reading leads to other rows, and {reading.bank} is not said")
        reasons += ["the target is empty"] if not target else []
        measured = {"references": len(family.references), "readings": len(family.readings), "target": len(target)}
        return verdict(self.name, reasons, measured=measured)


def _rows(case: TaskCase, sql: str, more: Mapping[str, Any]) -> list[Any]:
    clock = case.environment.manifest.clock.epoch
    return list(case.environment.reader.query(sql, {"clock": clock, **case.candidate.intent.parameters, **more})[1])


def _keys(case: TaskCase, sql: str) -> set[Any]:
    return {row[0] for row in _rows(case, sql, {})}


class Covered:
    """Text and goal say the same: nothing needed is unsaid, nothing said is beside the goal."""

    name = "covered"

    def check(self, case: TaskCase) -> GateResult:
        """Each phrase that stands for a value the gold starts from, and what synth.wording.coverage finds."""
        text = case.candidate.instruction.casefold()
        family, spoken = case.candidate.family, case.candidate.intent.spoken
        needed = sorted(names_read(family.gold, spoken))
        reasons = [f"the text does not say {name}" for name in needed if spoken[name].casefold() not in text]
        reasons += case.toolbox.coverage(case.candidate)
        reasons += ["there is no text"] if not text.strip() else []
        return verdict(self.name, reasons, measured={"words": len(text.split())})


class AnswerHidden:
    """The answer does not stand in the text."""

    name = "answer_hidden"

    def check(self, case: TaskCase) -> GateResult:
        """A text or list that stands there whole is given away, unless it is a choice among more that are named.

        Numbers are only when nothing is left to find.
        """
        text = case.candidate.instruction.casefold()
        fields = [check for check in case.candidate.checks if check.kind == "answer"]
        said: list[Any] = list(case.candidate.intent.said.values())
        choices: list[Any] = [value for value in said if isinstance(value, list | tuple)]
        standing = {
            check.path: _stands(check.expect, text) and not any(_chosen(check.expect, choice) for choice in choices)
            for check in fields
        }
        reasons = [
            f"the answer's {check.path} stands in the text: {check.expect!r}"[:200]
            for check in fields
            if standing[check.path] and not isinstance(check.expect, bool | int | float)
        ]
        if standing and all(standing.values()) and not reasons:
            reasons.append("the whole answer stands in the text")
        return verdict(self.name, reasons, measured={"fields": len(fields)})


def _chosen(value: Any, choice: Any) -> bool:
    """True if the answer picks some, not all, of what the text lists."""
    listed = {atom for _, atom in atoms(choice)}
    picked = {atom for _, atom in atoms(value)}
    return picked < listed


def _stands(value: Any, text: str) -> bool:
    found = [atom for _, atom in atoms(value) if atom is not None]
    return bool(found) and all(_stands_alone(atom, text) for atom in found)


def _stands_alone(value: Any, text: str) -> bool:
    words = str(value).casefold().strip()
    return bool(words) and bool(re.search(rf"(?<![\w.]){re.escape(words)}(?![\w]|\.\d)", text))
