"""What a judge said of things that no program checks, and what that is worth."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.rewarding import Calibration

Said = Literal["met", "unmet", "abstains"]


class Ruling(Record):
    """One item of a rubric, read twice in opposite orders.

    `margins`: of each reading, how much likelier "yes" is than "no" (difference of log-probabilities), where the server
    tells. Where it does not, they are 1 or -1, as the words say.
    """

    task_id: str
    item: str
    said: Said
    margins: tuple[float, ...] = ()
    measured: bool = Field(default=False, description="the margins are log-probabilities")
    quote: str = Field(default="", description="words of the record that show it; they do stand there")
    reason: str = Field(default="", description="why it abstains")

    @property
    def agree(self) -> bool:
        """Both readings lean to the same side."""
        return len(self.margins) > 1 and len({margin > 0 for margin in self.margins}) == 1


class Examined(Record):
    """A ruling on what is known: the right answer, and whose episode it was."""

    agent: str
    met: bool
    ruling: Ruling

    @property
    def right(self) -> bool:
        """To abstain is not right."""
        return self.ruling.said == ("met" if self.met else "unmet")


class JudgeReport(Record):
    """report.json of an examination of a judge: what it was asked, what it said, whether it may score."""

    environments: tuple[str, ...]
    seed: int
    prompts: dict[str, str] = Field(description="name -> SHA-256 of its text")
    cut: float = Field(description="margin above which an item is met; found on the even items, tried on the odd ones")
    calibration: Calibration
    agreement: float = Field(ge=0, le=1, description="share of the items on which both readings lean to one side")
    auc: float | None = Field(description="chance that a met item has the higher margin; null: one sort is missing")
    abstained: int
    examined: tuple[Examined, ...]
