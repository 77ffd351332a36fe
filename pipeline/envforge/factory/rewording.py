"""A model words the texts of admitted tasks anew; what it writes goes through every gate, or ours stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, TypeAlias

from envforge.agents.threads import run_in_thread
from envforge.agents.writer.rewording import Reworded, Rewriter, Wish
from envforge.core.contracts import Progress
from envforge.core.records.task import Wording
from envforge.factory.bench import Bench
from envforge.factory.judging import Judgement
from envforge.factory.task_config import SynthConfig
from envforge.gates.task_sets import Admitted
from envforge.llm.connect import connect
from envforge.llm.prices import PRICES_FILE, read_prices
from envforge.store.workspace import Workspace
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.wording import variety
from envforge.synth.wording.reworded import sentences_of, values_of

WRITER = "writer"
"""Of what the model's own check or reviewer refused; and the folder of its calls in a run."""
Chosen: TypeAlias = "tuple[Proposal, Judgement]"


@dataclass(frozen=True)
class Wrote:
    """An admitted task, what the model made of its text, and that as a candidate where it made something."""

    chosen: Chosen
    made: Reworded
    proposal: Proposal | None


@dataclass(frozen=True)
class Fate:
    """What is kept of a task, and why the model's text is not what is kept."""

    chosen: Chosen
    refused: str = ""
    reasons: tuple[str, ...] = ()


class Rewording:
    """One environment's texts in the words of a model. Use it as a context manager."""

    def __init__(self, config: SynthConfig, workspace: Workspace, run: Path, author: CompiledTaskAuthor) -> None:
        """Raises ConfigError where the settings of the model cannot hold; StoreError for damaged files of a run."""
        assert config.model is not None
        folder = run / WRITER
        prices = read_prices(workspace.data_file(PRICES_FILE))
        # What was asked in a run that was stopped is not asked again, also where the answer could not be used.
        self._connection = connect(config.model, run=folder, cache=folder / "cache", prices=prices, cache_unusable=True)
        self._writer = Rewriter(self._connection.model, seed=config.seed)
        self._author = author
        self._seconds = 0.0
        self._tries = 0

    def fates(
        self, chosen: Sequence[Chosen], bench: Bench[Wrote], admitted: Admitted, progress: Progress
    ) -> Iterator[Fate]:
        """What becomes of each task, in order. Raises ModelError that is no answer, and what judging raises."""
        verdicts = bench.verdicts(self._written(chosen), lambda one: one.proposal)
        for done, (wrote, judgement) in enumerate(verdicts, start=1):
            progress("texts of the model", done, len(chosen))
            fate = _fate(wrote, judgement, admitted)
            admitted.add(fate.chosen[0].candidate)
            yield fate

    def account(self, fates: Sequence[Fate], similar: float) -> Wording:
        """How many it was asked for, how many were kept, why the others were not, how texts differ before and after."""
        refused = Counter(fate.refused for fate in fates if fate.refused)
        return Wording(
            author=self._writer.identity,
            asked=len(fates),
            kept=sum(not fate.refused for fate in fates),
            tries=self._tries,
            refused=dict(sorted(refused.items())),
            before=_variety([(_ours(fate.chosen[0]), fate.chosen[0]) for fate in fates], similar),
            after=_variety([(fate.chosen[0].candidate.instruction, fate.chosen[0]) for fate in fates], similar),
        )

    @property
    def spent(self) -> dict[str, Any]:
        """Calls and tokens of the run, and the seconds that this process waited for the model."""
        return {**self._connection.accounts.to_json(), "seconds": round(self._seconds, 1)}

    def _written(self, chosen: Sequence[Chosen]) -> Iterator[Wrote]:
        for proposal, judgement in chosen:
            began = perf_counter()
            made = run_in_thread(self._writer.reword(self._wish(proposal)))
            self._seconds += perf_counter() - began
            self._tries += made.tries
            changed = self._author.reworded(proposal, made.text, self._writer.identity) if made.text else None
            yield Wrote((proposal, judgement), made, changed)

    def _wish(self, proposal: Proposal) -> Wish:
        phrased, candidate = proposal.phrased, proposal.candidate
        assert phrased is not None
        return Wish(
            id=candidate.id,
            text=phrased.text,
            manner=candidate.register,
            fixed=values_of(phrased),
            steps=sentences_of(phrased),
            check=self._check(proposal),
        )

    def _check(self, proposal: Proposal) -> Callable[[str], Sequence[str]]:
        return lambda text: self._author.reworded(proposal, text, self._writer.identity).words

    def __enter__(self) -> Rewording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        run_in_thread(self._connection.model.close())


def _fate(wrote: Wrote, judgement: Judgement | None, admitted: Admitted) -> Fate:
    if wrote.proposal is None or judgement is None:
        last = wrote.made.problems[-1] if wrote.made.problems else ()
        return Fate(wrote.chosen, WRITER, last)
    if judgement.failed is not None:
        return Fate(wrote.chosen, judgement.failed.gate, judgement.failed.reasons)
    same = admitted.problems(wrote.proposal.candidate)
    if same:
        return Fate(wrote.chosen, "not_duplicate", tuple(same))
    return Fate((wrote.proposal, judgement))


def _ours(proposal: Proposal) -> str:
    return proposal.phrased.text if proposal.phrased is not None else proposal.candidate.instruction


def _variety(texts: Sequence[tuple[str, Proposal]], similar: float) -> dict[str, float]:
    if not texts:
        return {}
    families = [proposal.candidate.family.id for _, proposal in texts]
    templates = [proposal.template for _, proposal in texts]
    measured = variety.measure([text for text, _ in texts], families, templates, similar=similar)
    names = ("distinct_2", "self_bleu_4", "in_family_self_bleu_4")
    return {name: round(getattr(measured, name), 4) for name in names}
