"""The gate on histories and figures: they follow from the other rows, at first and after every call."""

from __future__ import annotations

import json
from collections.abc import Mapping

from envforge.core.contracts import GateContext
from envforge.core.derived import faults
from envforge.core.records.environment import GateResult
from envforge.gates.episodes import CALLS_OF_AN_EPISODE, episodes_of
from envforge.gates.folder import Folder
from envforge.gates.gate import verdict
from envforge.world.environment import Environment
from envforge.world.session import Session

CALLS_OF_A_TOOL = 12
_SHOWN = 3


class DerivedTables:
    """Histories end in the present states and hold no gap, figures are what their rows come to, whatever is called.

    It judges environments that declare some; for others there is nothing to judge.
    """

    name = "derived_tables"

    def applies(self, context: GateContext) -> bool:
        """True if the environment declares a history or a figure."""
        blueprint = Folder(context.folder).knowledge.blueprint
        return bool(blueprint.histories or blueprint.figures)

    def check(self, context: GateContext) -> GateResult:
        """Ask what must never be of the first rows, and again after each call of episodes made of the tests' calls."""
        folder = Folder(context.folder)
        blueprint = folder.knowledge.blueprint
        queries = faults(blueprint.histories, blueprint.figures)
        reasons = [
            f"at first: {words}: {_listed(found)}" for words, sql in queries.items() if (found := folder.column(sql))
        ]
        calls = 0
        if not reasons:
            calls, reasons = _after_calls(context, folder, queries)
        measured = {"histories": len(blueprint.histories), "figures": len(blueprint.figures), "calls": calls}
        return verdict(self.name, reasons, measured=measured)


def _after_calls(context: GateContext, folder: Folder, queries: Mapping[str, str]) -> tuple[int, list[str]]:
    writing = {tool.name for tool in folder.tools if tool.writes}
    episodes = episodes_of(
        folder.tests,
        folder.manifest.environment_hash,
        seed=context.seed,
        calls_of_a_tool=CALLS_OF_A_TOOL,
        calls_of_an_episode=CALLS_OF_AN_EPISODE,
    )
    reasons: dict[tuple[str, str], str] = {}
    calls = 0
    with Environment.open(context.folder).start(context.seed) as session:
        for episode in episodes:
            session.reset()
            for call in episode.calls:
                if call.tool not in writing or not session.call(call.tool, call.arguments).ok:
                    continue
                calls += 1
                broken = _broken(session, queries)
                for words, keys in broken.items():
                    shown = f"after {call.tool}({json.dumps(call.arguments)}): {words}: {keys}"
                    reasons.setdefault((call.tool, words), shown)
                if broken:
                    session.reset()
    return calls, list(reasons.values())


def _broken(session: Session, queries: Mapping[str, str]) -> dict[str, str]:
    found = {words: [next(iter(row.values())) for row in session.query(sql)] for words, sql in queries.items()}
    return {words: _listed(keys) for words, keys in found.items() if keys}


def _listed(keys: list[object]) -> str:
    shown = ", ".join(map(str, keys[:_SHOWN]))
    return shown if len(keys) <= _SHOWN else f"{shown} and {len(keys) - _SHOWN} more"
