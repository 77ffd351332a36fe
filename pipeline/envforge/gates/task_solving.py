"""Gates on what solves a task: the gold does, doing nothing and mutants do not, alternatives do, always alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from envforge.core.records.environment import GateResult
from envforge.gates.gate import number, verdict
from envforge.gates.solutions import Change, Played, Variant, play_afresh
from envforge.gates.task_case import TaskCase
from envforge.rollout.loop import MOST_TURNS
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall

FILE = "validators/gates/tasks.json"
_EMPTY: dict[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}


class GoldPasses:
    """The gold scores 1, also in a fresh World in other processes, where it does and says the same."""

    name = "gold_passes"

    def check(self, case: TaskCase) -> GateResult:
        """Checks and verifier must both accept it."""
        gold, judged = case.gold, case.gold_verdict
        reasons = [f"the gold ends with {gold.failure}"] if gold.failure else []
        if len(gold.steps) > MOST_TURNS:
            reasons.append(f"the gold makes {len(gold.steps)} calls, an episode has room for {MOST_TURNS}")
        reasons += [f"the verifier crashes: {judged.broken}"] if judged.broken else []
        reasons += [f"{name} fails for the gold" for name in judged.failed if not gold.failure]
        if not reasons:
            again = play_afresh(case.environment, case.candidate.program)
            reasons += ["in a fresh World it answers something else"] if again.answer != gold.answer else []
            reasons += ["in a fresh World it leaves other rows"] if again.diff.digest() != gold.diff.digest() else []
        return verdict(self.name, reasons, measured={"calls": len(gold.steps), "writes": gold.writes})


class NoopFails:
    """Who does nothing scores 0, whatever is answered; so does the gold's answer without its changes."""

    name = "noop_fails"

    def check(self, case: TaskCase) -> GateResult:
        """Episodes without a writing call."""
        tried = dict(self._episodes(case))
        reasons = [f"{name} passes" for name, played in tried.items() if case.judge.verdict(played).passed]
        return verdict(self.name, reasons, measured={"tried": len(tried)})

    def _episodes(self, case: TaskCase) -> Iterator[tuple[str, Played]]:
        nothing = Played(case.environment, (), None, b"")
        fields: dict[str, Any] = dict(case.candidate.answer_schema.get("properties", {}))
        answers: dict[str, Any] = {
            "no answer": None,
            "an empty answer": {},
            "an empty text": "",
            "I don't know": "I don't know",
            "an answer of nulls": dict.fromkeys(fields),
            "an answer of empty values": {name: _empty(schema) for name, schema in fields.items()},
            "I don't know in each field": dict.fromkeys(fields, "I don't know"),
        }
        for name, answer in answers.items():
            yield f"nothing done, {name}", nothing.answering(answer)
        if case.gold.writes:
            yield "the gold's answer without its changes", nothing.answering(case.gold.answer)
        if fields and case.gold.writes:
            yield "the gold's changes without its answer", case.gold.answering(None)


def _empty(schema: Any) -> Any:
    kind: Any = cast("dict[str, Any]", schema).get("type", "") if isinstance(schema, dict) else ""
    return _EMPTY.get(str(cast("list[Any]", kind)[0]) if isinstance(kind, list) else str(kind))


class MutantsFail:
    """Every mutant that is not equivalent to the gold scores 0, and enough of them end without a crash to tell."""

    name = "mutants_fail"

    def check(self, case: TaskCase) -> GateResult:
        """Play, compare, judge."""
        least = number(case.thresholds, self.name, "least_killed", FILE)
        outcomes: Counter[str] = Counter()
        survived: list[str] = []
        for mutant in case.toolbox.mutants(case.candidate, case.gold):
            outcome, reason = self._outcome(case, mutant)
            outcomes[outcome] += 1
            survived += [f"{mutant.operator} at {mutant.place}: {reason}"] if reason else []
        if outcomes["killed"] < least:
            survived.append(f"only {outcomes['killed']} mutants ended with a wrong result; {int(least)} are needed")
        total = max(1, sum(outcomes.values()))
        measured = {**dict(sorted(outcomes.items())), "equivalent_share": round(outcomes["equivalent"] / total, 3)}
        return verdict(self.name, survived, measured=measured, threshold={"least_killed": least})

    def _outcome(self, case: TaskCase, mutant: Variant) -> tuple[str, str]:
        """How it went, and what is wrong with that."""
        played = case.play(mutant)
        if played.failure:
            return "crashed", ""
        same = case.yardstick.compare(played)
        if same == "equal":
            return "equivalent", ""
        judged = case.judge.verdict(played)
        if not judged.agree:
            return "disagreement", f"checks say {judged.checks}, the verifier {judged.broken or judged.verifier}"
        if not judged.passed:
            return "killed", ""
        return ("free", "") if same == "free" else ("survived", "it passes")


class AlternativesPass:
    """Solutions that do the same in another way score 1; of each kind one counts."""

    name = "alternatives_pass"

    def check(self, case: TaskCase) -> GateResult:
        """An alternative is one if it says the same and leaves the same, ids, clocks and what is free aside."""
        least = number(case.thresholds, self.name, "least", FILE)
        accepted: Counter[str] = Counter()
        skipped: Counter[str] = Counter()
        reasons: list[str] = []
        for alternative in case.toolbox.alternatives(case.candidate, case.gold):
            played = case.play(alternative)
            judged = case.judge.verdict(played)
            if judged.passed:
                accepted[alternative.operator] += 1
                case.notes.setdefault("accepted", []).append((alternative, played))
            elif alternative.operator != "family" and case.yardstick.compare(played) == "different":
                skipped[alternative.operator] += 1
            else:
                why = played.failure or judged.broken or ", ".join(judged.failed[:3])
                reasons.append(f"{alternative.operator} at {alternative.place} is refused: {why}")
        if len(accepted) < least and not reasons:
            found = ", ".join(sorted(accepted)) or "none"
            reasons.append(
                f"{len(accepted)} kinds of other solutions could be built ({found}), wanted are {int(least)}"
            )
        measured = {"accepted": dict(sorted(accepted.items())), "no_solution": dict(sorted(skipped.items()))}
        return verdict(self.name, reasons, measured=measured, threshold={"least": least})


class Repeatable:
    """The verdict does not depend on when, where and after which other reads it is asked for."""

    name = "repeatable"

    def check(self, case: TaskCase) -> GateResult:
        """The gold judged twice, its reads doubled, in another episode with other ids; and a wrong episode twice."""
        tried = {
            "judged again": case.gold,
            "with each read made twice": case.play(Variant("", "", "", make=ReadsTwice)),
            "in an episode with other ids": case.play(Variant("", "", "", seed=1)),
        }
        reasons = [f"the gold fails {how}" for how, played in tried.items() if not case.judge.verdict(played).passed]
        wrong = Played(case.environment, (), None, b"")
        if case.judge.verdict(wrong) != case.judge.verdict(wrong):
            reasons.append("two verdicts on one episode differ")
        return verdict(self.name, reasons, measured={"verdicts": len(tried) + 2})


class ReadsTwice(Change):
    """Every call that only reads is made twice."""

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The second answer is seen."""
        seen = call(tool, arguments)
        return seen if seen.spec is None or not seen.spec.annotations.read_only else call(tool, arguments)
