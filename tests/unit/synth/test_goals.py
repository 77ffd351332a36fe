"""From families to goals to programs and verifiers: the whole path over the library environment."""

from __future__ import annotations

import pytest

from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Intent, IntentFamily
from envforge.synth.candidates import candidates
from envforge.synth.checks import checks_of
from envforge.synth.lower import program_of
from envforge.synth.oracle import oracle
from envforge.synth.verifier import verifier_of
from envforge.world.environment import Environment
from envforge.world.programs import ProgramRunner
from envforge.world.verification import run_verifier

from .families import FAMILIES


def goals(library: Environment, knowledge: EnvironmentBlueprint, family: IntentFamily) -> list[Intent]:
    return [found for found in candidates(library, knowledge, family, 1) if isinstance(found, Intent)]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_gold_satisfies_its_verifier_in_every_goal(
    library: Environment, knowledge: EnvironmentBlueprint, runner: ProgramRunner, family: IntentFamily
) -> None:
    found = goals(library, knowledge, family)[:6]
    assert found
    for intent in found:
        source = verifier_of(library, intent)
        with library.start() as session:
            answer = runner.run(program_of(library, intent, family.gold), session.call)
            passed = run_verifier(library, source, session.changeset(), answer)
        ids = [check.id for check in checks_of(oracle(library, intent), intent)]
        assert [check["id"] for check in passed] == ids
        assert all(check["passed"] for check in passed), passed
        idle = run_verifier(library, source, b"", None)
        assert not all(check["passed"] for check in idle)
