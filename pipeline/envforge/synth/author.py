"""The compiled task author: families of goals → candidates in all their renderings, in an order that the seed gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import ConfigError
from envforge.core.ids import content_id
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Intent, IntentFamily, Register
from envforge.core.seeds import stream
from envforge.synth.candidates import Source, candidates
from envforge.synth.checks import answer_schema, checks_of, rubric_of
from envforge.synth.lower import program_of
from envforge.synth.oracle import oracle
from envforge.synth.rejection import Rejection, UnfitError
from envforge.synth.verifier import verifier_of
from envforge.synth.wording import coverage
from envforge.synth.wording.grammar import phrase
from envforge.world.environment import Environment

REGISTERS: tuple[Register, ...] = get_args(Register)


@dataclass(frozen=True)
class Proposal:
    """A candidate, what is wrong with its words (nothing if text and goal cover each other), its root template."""

    candidate: TaskCandidate
    words: tuple[str, ...]
    template: str = ""


class CompiledTaskAuthor:
    """Proposes tasks for one environment from families that are data. Deterministic; needs no model."""

    name = "compiled"

    def __init__(
        self,
        environment: Environment,
        knowledge: EnvironmentBlueprint,
        families: Sequence[tuple[IntentFamily, Source]],
        seed: int,
    ) -> None:
        self._environment, self._knowledge, self._seed = environment, knowledge, seed
        self._families = sorted(families, key=lambda entry: entry[0].id)
        stream(seed, "families").shuffle(self._families)

    def proposals(self, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[Proposal | Rejection]:
        """Candidates, one family after the other in turn, so that no family crowds out the rest.

        A family that is no longer `wanted` when its turn comes is asked no more.
        """
        sources = [(family, self._of_family(family, source)) for family, source in self._families]
        while sources:
            left: list[tuple[IntentFamily, Iterator[Proposal | Rejection]]] = []
            for family, source in sources:
                found = next(source, None) if wanted(family.id) else None
                if found is None:
                    continue
                yield found
                if not (isinstance(found, Rejection) and found.whole_family):
                    left.append((family, source))
            sources = left

    def _of_family(self, family: IntentFamily, source: Source) -> Iterator[Proposal | Rejection]:
        for found in candidates(self._environment, self._knowledge, family, self._seed, source=source):
            if isinstance(found, Rejection):
                yield found
                continue
            try:
                yield self.proposal(family, found)
            except (ConfigError, UnfitError, ValueError) as error:
                part = error.part if isinstance(error, UnfitError) else "wording"
                yield Rejection(family.id, family.kind, part, str(error), found.parameters)

    def proposal(self, family: IntentFamily, intent: Intent) -> Proposal:
        """All renderings of one goal. Raises ConfigError, UnfitError, ValueError for words that cannot be found."""
        environment = self._environment
        identity = {"environment": environment.manifest.environment_hash, "family": family.id, **intent.parameters}
        task_id = content_id("task", identity)
        rng = stream(self._seed, "wording", task_id)
        register = rng.choice(REGISTERS)
        phrased = phrase(family, intent, register, rng, clock=environment.manifest.clock.epoch)
        known = oracle(environment, intent)
        checks = checks_of(known, intent)
        return Proposal(
            TaskCandidate(
                id=task_id,
                kind="graph" if intent.source == "walk" and not family.computes else "program",
                family=family,
                intent=intent,
                instruction=phrased.text,
                checks=checks,
                answer_schema=answer_schema(known, intent),
                program=program_of(environment, intent, family.gold),
                verifier=verifier_of(environment, intent),
                alternatives=tuple(program_of(environment, intent, body) for body in family.alternatives),
                rubric=rubric_of(known, checks),
                register=register,
            ),
            tuple(coverage.problems(family, intent, phrased, answer=known.answer)),
            f"{family.id} {phrased.templates[0]}",
        )
