"""Gates on what shared mode needs: tools that keep nothing between calls, and a warm process that changes nothing."""

from __future__ import annotations

from envforge.core.contracts import GateContext
from envforge.core.records.environment import GateResult
from envforge.gates.episodes import episodes_of
from envforge.gates.folder import Folder
from envforge.gates.gate import number, verdict
from envforge.world.environment import Environment
from envforge.world.modes import disagreements, each_alone, in_one_process
from envforge.world.module_state import findings


class NoModuleState:
    """Nothing in tools.py outlives a call: many instances can share a process."""

    name = "no_module_state"

    def check(self, context: GateContext) -> GateResult:
        """Follow every module-level value and default through the code."""
        module = Folder(context.folder).module
        return verdict(self.name, findings(module), measured={"lines": module.count("\n")})


class ModesAgree:
    """Episodes that take turns in one warm process end like each in a process of its own."""

    name = "modes_agree"

    def check(self, context: GateContext) -> GateResult:
        """Play the tests' calls, mixed into episodes, in both modes; compare answers, changes and the module itself."""
        folder = Folder(context.folder)
        episodes = episodes_of(
            folder.tests,
            folder.manifest.environment_hash,
            seed=context.seed,
            calls_of_a_tool=int(number(context.thresholds, self.name, "calls_of_a_tool")),
            calls_of_an_episode=int(number(context.thresholds, self.name, "calls_of_an_episode")),
        )
        environment = Environment.open(context.folder)
        instances = int(number(context.thresholds, self.name, "instances"))
        warm = in_one_process(environment, episodes, instances=instances)
        alone = each_alone(environment, episodes)
        called = {call.tool for episode in episodes for call in episode.calls}
        reasons = [
            f"{tool.name} is called in no episode: no test calls it with literal arguments"
            for tool in folder.tools
            if tool.name not in called
        ]
        reasons += [f"{name} is not what it was before the calls" for name in warm.left_behind]
        reasons += [str(one) for one in disagreements(environment, episodes, warm, alone)]
        measured = {
            "episodes": len(episodes),
            "calls": sum(len(episode.calls) for episode in episodes),
            "writing_episodes": sum(bool(run.changeset) for run in alone),
        }
        return verdict(self.name, reasons, measured=measured)
