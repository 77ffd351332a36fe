"""The compiled task author: families of goals → candidates in all their renderings, in an order that the seed gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Literal, TypeAlias, get_args

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
from envforge.synth.wording import reworded as rewording
from envforge.synth.wording.grammar import Phrased, phrase
from envforge.world.environment import Environment

TURNS: Mapping[Source, int] = {"archetype": 2}
"""Of a source and kind in each round, where not one: what people declared reads best."""
REGISTERS: tuple[Register, ...] = get_args(Register)


@dataclass(frozen=True)
class Proposal:
    """A candidate, what is wrong with its words (nothing if text and goal cover each other), its root template."""

    candidate: TaskCandidate
    words: tuple[str, ...]
    template: str = ""
    phrased: Phrased | None = None
    """The text with its parts, for whoever words it anew."""
    words_by: str = ""
    """Who worded it anew; nothing: nobody."""


_Turn: TypeAlias = tuple[str, Iterator[Proposal | Rejection]]
"""A family's id, and what it still has."""


def kind_of(family: IntentFamily, source: Source) -> Literal["graph", "program"]:
    """A walk whose answer stands in results is told by its calls alone; all else takes a program."""
    return "graph" if source == "walk" and not family.computes else "program"


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
        """Candidates: sources and kinds in turn, of each its families in turn, so that none crowds out the rest.

        A family that is no longer `wanted` when its turn comes is asked no more. Its turn still comes, and passes: the
        order of all others is the same whenever that is.
        """
        turns: dict[tuple[Source, str], list[_Turn]] = {}
        for family, source in self._families:
            place = (source, kind_of(family, source))
            turns.setdefault(place, []).append((family.id, self._of_family(family, source)))
        queues = [_in_turn(turns[place], TURNS.get(place[0], 1)) for place in sorted(turns)]
        done: set[str] = set()
        while len(done) < len(self._families):
            for family, candidates_left in (entry for queue in queues for entry in next(queue)):
                if family in done:
                    continue
                found = next(candidates_left, None) if wanted(family) else None
                if found is not None:
                    yield found
                if found is None or (isinstance(found, Rejection) and found.whole_family):
                    done.add(family)

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
                kind=kind_of(family, intent.source),
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
            phrased,
        )

    def reworded(self, proposal: Proposal, text: str, author: str) -> Proposal:
        """The same goal in the words of somebody else; `words` of it says what they lost or added."""
        candidate, before = proposal.candidate, proposal.phrased
        assert before is not None
        after = rewording.reworded(before, text, author)
        answer = oracle(self._environment, candidate.intent).answer
        wrong = rewording.problems(before, after)
        wrong += coverage.problems(candidate.family, candidate.intent, after, answer=answer)
        template = f"{candidate.family.id} {after.templates[0]}"
        told = replace(candidate, instruction=text)
        return replace(proposal, candidate=told, words=tuple(wrong), template=template, words_by=author)


def _in_turn(families: list[_Turn], turns: int) -> Iterator[list[_Turn]]:
    """As many families as have their turn in a round, round after round."""
    order = cycle(families)
    while True:
        yield [next(order) for _ in range(turns)]
