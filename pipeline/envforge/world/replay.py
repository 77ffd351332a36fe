"""Recording episodes, running them again, and telling where two runs of one episode part.

Shared workers hold many instances in a process that runs tool code, so what such a worker says of an episode is a
claim. A replay in forked mode - a fresh process for that episode alone - tests the claim.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.episode import Episode, EpisodeCall
from envforge.core.seeds import stream
from envforge.world.changes import Row, TableInfo
from envforge.world.diff import StateDiff
from envforge.world.engine.contract import SQLError
from envforge.world.observation import Observation
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session, diff_of

if TYPE_CHECKING:
    from envforge.world.environment import Environment

_SHOWN = 300


@dataclass(frozen=True)
class Replay:
    """What a run of an episode gave: SHA-256 of every answer, the changeset, SHA-256 of what changed."""

    observations: tuple[str, ...]
    changeset: bytes
    digest: str


@dataclass(frozen=True)
class Disagreement:
    """Where two runs of an episode part. `call` counts from 0, -1 if all answers agree; `table` and `row` may be ""."""

    episode: int
    call: int
    tool: str
    table: str
    row: str
    detail: str

    def __str__(self) -> str:
        where = [f"episode {self.episode}"]
        where += [f"call {self.call} ({self.tool})"] if self.call >= 0 else []
        where += [f"{self.table} {self.row}".strip()] if self.table else []
        return f"{', '.join(where)}: {self.detail}"

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "episode": self.episode,
            "call": self.call if self.call >= 0 else None,
            "tool": self.tool,
            "table": self.table,
            "row": self.row,
            "detail": self.detail,
        }


def observed(observation: Observation) -> str:
    """SHA-256 of a whole answer."""
    return sha256_text(canonical_json(observation.to_json(None)))


class Recorder:
    """Makes the calls of one episode and keeps them. The session starts over: an episode begins at the template."""

    def __init__(self, session: Session, seed: int = 0) -> None:
        session.reset(seed)
        self._session = session
        self._seed = seed
        self._calls: list[EpisodeCall] = []

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Observation:
        """As `Session.call`. Raises ConfigError for arguments that JSON does not have."""
        given = dict(arguments or {})
        try:
            canonical_json(given)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"the arguments are not JSON: {error}", where=f"call of {tool}") from error
        observation = self._session.call(tool, given)
        self._calls.append(EpisodeCall(tool=tool, arguments=given, observation=observed(observation)))
        return observation

    def episode(self) -> Episode:
        """The episode until now, with what the worker says that it changed."""
        return Episode(
            environment_hash=self._session.environment.manifest.environment_hash,
            seed=self._seed,
            calls=tuple(self._calls),
            digest=self._session.digest(),
        )


class Player:
    """Runs an episode call by call, so that several can take turns."""

    def __init__(self, session: Session, episode: Episode) -> None:
        """Starts the session over. Raises ConfigError for an episode of another environment."""
        refuse_strangers(session.environment, [episode])
        session.reset(episode.seed)
        self._session = session
        self._calls = list(episode.calls)
        self._observations: list[str] = []

    def step(self) -> bool:
        """Make the next call; False when there was none left."""
        if len(self._observations) == len(self._calls):
            return False
        call = self._calls[len(self._observations)]
        self._observations.append(observed(self._session.call(call.tool, call.arguments)))
        return True

    def finish(self) -> Replay:
        """Make the calls that are left; what the episode gave."""
        while self.step():
            pass
        changeset = self._session.changeset()
        return Replay(tuple(self._observations), changeset, diff_of(self._session.environment, changeset).digest())


def replay(session: Session, episode: Episode) -> Replay:
    """Run an episode in a session, which starts over. Raises ConfigError, SandboxError."""
    return Player(session, episode).finish()


def replay_forked(
    environment: Environment, episode: Episode, *, limits: Limits | None = None, backend: str | None = None
) -> Replay:
    """Run an episode in a process of its own. Raises ConfigError, SandboxError, ToolFault."""
    with environment.start(episode.seed, limits=limits, backend=backend) as session:
        return replay(session, episode)


def refuse_strangers(environment: Environment, episodes: Sequence[Episode], where: str = "") -> None:
    """Raises ConfigError for an episode of another environment."""
    ours = environment.manifest.environment_hash
    for number, episode in enumerate(episodes):
        if episode.environment_hash != ours:
            message = (
                f"episode {number} is of the environment {episode.environment_hash[:16] or '(none)'}, not {ours[:16]}"
            )
            remedy = "give episodes that were recorded in this environment"
            raise ConfigError(message, where=where or environment.manifest.id, remedy=remedy)


def compare(
    environment: Environment, episode: Episode, first: Replay, second: Replay, *, number: int = 0
) -> Disagreement | None:
    """The first call that was answered differently, and the first row that differs; None when the runs agree."""
    pairs = zip(first.observations, second.observations, strict=False)
    call = next((at for at, (one, other) in enumerate(pairs) if one != other), -1)
    if call < 0 and len(first.observations) != len(second.observations):
        call = min(len(first.observations), len(second.observations))
    table, row, detail = "", "", ""
    if first.changeset != second.changeset:
        states = [diff_of(environment, run.changeset) for run in (first, second)]
        table, row, detail = first_difference(environment, states[0], states[1])
    if call < 0 and not table:
        # Bytes may differ where no row does: another engine writes the same changes in another order.
        return None
    tool = episode.calls[call].tool if 0 <= call < len(episode.calls) else ""
    return Disagreement(number, call, tool, table, row, detail or "the answers differ, what was changed does not")


def first_difference(environment: Environment, first: StateDiff, second: StateDiff) -> tuple[str, str, str]:
    """(table, key, what) of the first changed row or document on which two states differ; "" when none does."""
    for table in sorted({*first.tables, *second.tables}):
        info = environment.template.tables[table]
        one, other = _by_key(info, first), _by_key(info, second)
        for key in sorted({*one, *other}):
            if one.get(key) != other.get(key):
                return table, key, _contrast(one.get(key), other.get(key))
    for path in sorted({*first.documents, *second.documents}):
        one_text, other_text = first.documents.get(path), second.documents.get(path)
        if one_text != other_text:
            return "documents", path, f"{_short(one_text)} | {_short(other_text)}"
    return "", "", ""


def _by_key(info: TableInfo, state: StateDiff) -> dict[str, tuple[str, Row]]:
    """Key as JSON → (what happened to the row, the row as it is or was)."""
    changes = state.tables.get(info.name)
    if changes is None:
        return {}
    found = {
        "inserted": changes.inserted,
        "updated": [after for _, after in changes.updated],
        "deleted": changes.deleted,
    }

    def key(row: Row) -> str:
        return canonical_json([row[name] for name in info.primary_key])

    return {key(row): (kind, row) for kind, rows in found.items() for row in rows}


def _contrast(one: tuple[str, Row] | None, other: tuple[str, Row] | None) -> str:
    if one is None or other is None or one[0] != other[0]:
        return f"{one[0] if one else 'unchanged'} | {other[0] if other else 'unchanged'}"
    column = next(name for name in one[1] if one[1][name] != other[1][name])
    return f"{column} is {_short(one[1][column])} | {_short(other[1][column])}"


def _short(value: Any) -> str:
    return repr(value)[:_SHOWN]


def sample_of(count: int, *, share: float, seed: int) -> list[int]:
    """Numbers of a seeded sample, sorted: `share` of `count` rounded up. Raises ConfigError for a share outside 0-1."""
    if not 0 <= share <= 1:
        raise ConfigError(f"a share of {share} is not between 0 and 1", where="share")
    return sorted(stream(seed, "audit").sample(range(count), math.ceil(count * share)))


def audit(
    environment: Environment,
    episodes: Sequence[Episode],
    *,
    share: float = 0.05,
    seed: int = 0,
    limits: Limits | None = None,
    backend: str | None = None,
) -> list[Disagreement]:
    """Replay a seeded sample of a shared worker's episodes in forked mode; where its claims do not hold.

    Draw the seed where no tool code can know it. Compared are the claimed digest of what changed, the claimed answers
    (where recorded), and whether the changes fit the schema: keys, checks and references, in the host's own engine.

    Caught, in the sample: an instance that was reached by another instance, an earlier episode or tampering inside
    the shared process; a changeset that was forged there and is not forged in a fresh process. Whoever forges n
    episodes stays unseen with the chance (1 - share) ** n.

    Not caught: tool code that forges the same in both modes. The rows that it claims fit the schema, so it claims
    nothing that a tool could not have done with SQL: it is a wrong tool, not a broken sandbox, and unit tests, mutants
    and the other gates judge it. Nor is the verdict in its reach: it comes from a process that never ran tool code
    (`verification.py`); a forger chooses the rows that are judged, as every tool does.

    Raises ConfigError for an episode without digest or of another environment, SandboxError when a worker died.
    """
    refuse_strangers(environment, episodes)
    found: list[Disagreement] = []
    for number in sample_of(len(episodes), share=share, seed=seed):
        if not episodes[number].digest:
            remedy = "record episodes with Recorder, or write down Session.digest()"
            raise ConfigError(f"episode {number} claims nothing: it has no digest", where="episodes", remedy=remedy)
        run = replay_forked(environment, episodes[number], limits=limits, backend=backend)
        found += [one for one in [unlike_the_claim(environment, episodes[number], run, number=number)] if one]
    return found


def unlike_the_claim(
    environment: Environment, episode: Episode, run: Replay, *, number: int = 0
) -> Disagreement | None:
    """Where a run parts from what the episode's record says; None when it holds, or says nothing."""
    told = [call.observation for call in episode.calls]
    differs = (at for at, (one, other) in enumerate(zip(told, run.observations, strict=True)) if one and one != other)
    call = next(differs, -1)
    tool = episode.calls[call].tool if call >= 0 else ""
    if episode.digest and episode.digest != run.digest:
        detail = f"recorded changes {episode.digest[:16]}, in a process of its own {run.digest[:16]}"
        return Disagreement(number, call, tool, "", "", f"{detail}: {_rows_of(environment, run)}")
    if call >= 0:
        return Disagreement(number, call, tool, "", "", "recorded was another answer")
    problem = schema_problem(environment, run.changeset)
    return Disagreement(number, -1, "", "", "", f"the changes do not fit the schema: {problem}") if problem else None


def _rows_of(environment: Environment, run: Replay) -> str:
    """Which rows the run really changed, in few words."""
    state = diff_of(environment, run.changeset)
    counts = [
        f"{name} +{len(found.inserted)} ~{len(found.updated)} -{len(found.deleted)}"
        for name, found in state.tables.items()
    ]
    counts += [f"document {path}" for path in state.documents]
    return ", ".join(counts)[:_SHOWN] or "nothing changed"


def schema_problem(environment: Environment, changeset: bytes) -> str:
    """Why the changes are none that SQL could have made on the template; "" when they are."""
    engine = environment.fresh_engine()
    try:
        engine.apply(changeset)
    except SQLError as error:
        return str(error)
    finally:
        engine.close()
    return ""
