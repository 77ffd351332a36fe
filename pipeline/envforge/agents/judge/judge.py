"""Reads an item twice, in opposite orders, and wants the words of the record that show it; else it abstains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envforge.agents.judge.record import record_text, shows
from envforge.agents.prompts import agent_prompt
from envforge.agents.threads import run_in_thread
from envforge.agents.yes_no import STAGE, Margin, margin_of
from envforge.core.contracts import Model
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.model_errors import AnswerError
from envforge.core.records.completion import CompletionRequest, Message
from envforge.core.records.judging import Ruling
from envforge.core.records.rewarding import Calibration
from envforge.core.records.task import RubricItem, Task
from envforge.core.records.trajectory import Trajectory
from envforge.llm.structured import structured

JUDGE = agent_prompt("judge-1")
QUOTE = agent_prompt("judge-quote-1")
_ASKED = (
    "Is the statement true? Answer yes if it is true, no if it is not.",
    "Is the statement wrong? Then answer no. If it is not wrong, answer yes.",
)
"""The same question with the ways out in opposite orders: who always takes the first one contradicts himself."""
_QUOTE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"quote": {"type": "string", "maxLength": 300}},
    "required": ["quote"],
    "additionalProperties": False,
}
_QUOTE_TOKENS = 200


@dataclass(frozen=True)
class JudgeSettings:
    """What decides a ruling beside the model."""

    cut: float = 0.0
    """A mean margin above it means met; calibration finds it."""
    doubt: float = 0.0
    """How far from the cut the mean has to be; nearer than that the judge abstains."""
    quotes: bool = True
    """A met item needs a quotation that stands in the calls or the answer."""


class ModelJudge:
    """Implements contracts.Judge; may be asked by several threads at once."""

    def __init__(
        self,
        model: Model,
        settings: JudgeSettings | None = None,
        *,
        calibration: Calibration | None = None,
    ) -> None:
        self._model = model
        self.settings = settings or JudgeSettings()
        self._calibration = calibration

    @property
    def identity(self) -> str:
        """Model, prompts and settings: whoever differs in one of them is another judge."""
        told = [JUDGE.sha256, QUOTE.sha256, *_ASKED, self.settings.cut, self.settings.doubt, self.settings.quotes]
        return f"{self._model.identity} {JUDGE.name} {sha256_text(canonical_json(told))[:12]}"

    @property
    def calibration(self) -> Calibration | None:
        """Of this very judge; one of another judge counts for nothing."""
        held = self._calibration
        return held if held is not None and held.judge == self.identity else None

    def is_met(self, item: RubricItem, task: Task, trajectory: Trajectory) -> bool | None:
        """True, False, or None where it abstains. Raises ModelError."""
        ruling = run_in_thread(self.rule(item, task, trajectory))
        return None if ruling.said == "abstains" else ruling.said == "met"

    async def read(self, item: RubricItem, task: Task, trajectory: Trajectory) -> tuple[Margin, ...]:
        """Both readings, before anything is made of them. Raises ModelError."""
        record = record_text(task, trajectory)
        # The record stands first and is the same for all questions on it: a server reads it once.
        return tuple([await margin_of(self._model, _messages(record, item.text, asked)) for asked in _ASKED])

    async def rule(
        self, item: RubricItem, task: Task, trajectory: Trajectory, readings: tuple[Margin, ...] | None = None
    ) -> Ruling:
        """The ruling with all that it rests on; `readings`: of an item that was read before. Raises ModelError."""
        readings = readings or await self.read(item, task, trajectory)
        ruling = self._decided(task.id, item.id, readings)
        if ruling.said != "met" or not self.settings.quotes:
            return ruling
        quote = await self._quote(record_text(task, trajectory), item.text)
        if shows(quote, trajectory):
            return ruling.model_copy(update={"quote": quote})
        reason = f"its evidence does not stand in the calls or the answer: {quote[:80]!r}"
        return ruling.model_copy(update={"said": "abstains", "reason": reason})

    def _decided(self, task: str, item: str, readings: tuple[Margin, ...]) -> Ruling:
        values = tuple(round(one.value, 6) for one in readings if one.value is not None)
        measured = all(one.measured for one in readings)
        ruling = Ruling(task_id=task, item=item, said="abstains", margins=values, measured=measured)
        if len(values) < len(readings):
            told = next(one.said for one in readings if one.value is None)
            return ruling.model_copy(update={"reason": f"it said neither yes nor no: {told[:80]!r}"})
        over = [value - self.settings.cut for value in values]
        mean = sum(over) / len(over)
        if not measured and not ruling.agree:
            return ruling.model_copy(update={"reason": "its two readings contradict each other"})
        if abs(mean) <= self.settings.doubt:
            return ruling.model_copy(update={"reason": f"too near to call: {mean:.2f} from the cut"})
        return ruling.model_copy(update={"said": "met" if mean > 0 else "unmet"})

    async def _quote(self, record: str, statement: str) -> str:
        messages = _messages(record, statement, QUOTE.filled())
        asked = CompletionRequest(messages=messages, max_tokens=_QUOTE_TOKENS, stage=STAGE)
        try:
            return str((await structured(self._model, asked, _QUOTE_SCHEMA, tries=2)).value["quote"])
        except AnswerError as error:
            return f"({error.message})"


def _messages(record: str, statement: str, asked: str) -> tuple[Message, ...]:
    question = f"{record}\n\nSTATEMENT\n{statement}\n\n{asked}"
    return Message(role="system", content=JUDGE.filled()), Message(role="user", content=question)
