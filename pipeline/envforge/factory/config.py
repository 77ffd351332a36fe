"""What `envforge mine` is asked for, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from envforge.core.errors import ConfigError
from envforge.core.ids import content_id
from envforge.core.records.environment import GateResult
from envforge.core.records.source import Theme
from envforge.core.records.trade import TradeChoice
from envforge.factory.researching import ResearchConfig

Until = Literal["database", "tools", "certified"]
MineAuthor = Literal["compiled", "agent", "mixed"]
"""Who finds and reads the sources: our extractors alone, an agent, or an agent beside them."""


@dataclass(frozen=True)
class MineConfig:
    """Everything that decides the bytes of an environment, plus where to work."""

    theme: str
    workspace: Path
    snapshot: Path | None = None
    sources: tuple[str, ...] = ()
    new: bool = False
    rounds: int = 2
    max_tools: int | None = None
    """At most this many tools; None: as many as are usual (build.blueprint.sharing)."""
    max_tables: int = 24
    seed: int = 0
    database_seeds: tuple[int, ...] = (0,)
    facts_only: bool = False
    keep: tuple[str, ...] = ()
    """Which mined rows are kept (mine.kept_rows); nothing: all."""
    constants: tuple[str, ...] = ()
    """Numbers of archetypes that are set (mine.archetypes.constants)."""
    link: str | None = None
    """The theme that this one keeps track of (themes/links), in one environment with it."""
    documents: bool = False
    """Whether what the matched archetype keeps as documents (themes/documents) comes too."""
    until: Until = "certified"
    refresh: bool = False
    live: bool = False
    """Whether URLs may be fetched from the web."""
    replay: str | None = None
    """The run whose recorded sources stand in for everything; nothing is fetched."""
    ledger: str | None = None
    author: MineAuthor = "compiled"
    research: ResearchConfig | None = None
    """What the agent of the authors `agent` and `mixed` is given."""

    def __post_init__(self) -> None:
        """Raises ConfigError for wishes that no agent can keep."""
        if (self.author == "compiled") != (self.research is None):
            raise ConfigError("an agent needs a model, and only an agent", where=f"--author {self.author}")
        if self.research is None:
            return
        for option, given in (("--link", self.link), ("--replay", self.replay), ("--refresh", self.refresh)):
            if given:
                raise ConfigError(f"does not go with {option}", where=f"--author {self.author}")
        local = [source for source in self.sources if not source.startswith(("http://", "https://"))]
        if self.author == "agent" and local:
            raise ConfigError(
                "an agent opens web addresses only", where=f"--source {local[0]}", remedy="add --author mixed"
            )

    def run_id(self, theme: Theme) -> str:
        """One run folder per set of sources: the same command finds what it fetched before."""
        decided: list[Any] = [theme.to_json(), str(self.snapshot or "")]
        if self.research is not None:
            decided += [self.author, self.research.identity]
        return content_id(theme.slug, decided)


def _no_rows() -> dict[str, int]:
    return {}


@dataclass(frozen=True)
class EnvironmentReport:
    """One environment of a run: what it holds and how its gates decided."""

    id: str
    path: Path
    certified: bool
    environment_hash: str
    rows: dict[str, int] = field(default_factory=_no_rows)
    kinds: dict[str, int] = field(default_factory=_no_rows)
    tools: tuple[str, ...] = ()
    grounding: str = ""
    gates: tuple[GateResult, ...] = ()
    operations: dict[str, int] = field(default_factory=_no_rows)
    archetypes: tuple[str, ...] = ()
    trade: TradeChoice | None = None
    notes: tuple[str, ...] = ()

    def funnel(self) -> dict[str, int]:
        """How many tools were attempted, compiled, tested (success and every error) and are valid."""
        if not self.gates:
            return {"attempted": len(self.tools)}
        verdicts = {result.gate: result for result in self.gates}
        compiled = len(self.tools) if verdicts["compiles"].passed else 0
        spoken = " ".join(verdicts["tests_pass"].reasons + verdicts["test_coverage"].reasons)
        untested = [name for name in self.tools if f"test_{name}__" in spoken or f"{name}: no test" in spoken]
        untested += [name for name in self.tools if f"{name} has no test" in spoken and name not in untested]
        tested = max(0, compiled - len(untested))
        return {
            "attempted": len(self.tools),
            "compiled": compiled,
            "tested": tested,
            "valid": tested if self.certified else 0,
        }


@dataclass(frozen=True)
class MineReport:
    """The answer of `mine`: sources and environments."""

    theme: str
    run: Path
    sources: tuple[dict[str, Any], ...]
    environments: tuple[EnvironmentReport, ...]

    @property
    def certified(self) -> bool:
        """True if every environment of the run passed all gates."""
        return bool(self.environments) and all(environment.certified for environment in self.environments)
