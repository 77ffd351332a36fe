"""Session: the host's handle on one live instance that runs in a sandboxed worker."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from envforge.core.errors import SandboxError, StoreError
from envforge.world.changes import Lookup, Row, read_changes
from envforge.world.diff import StateDiff
from envforge.world.engine.contract import Params, SQLError, StateEngine, Values
from envforge.world.exchange import call_request, observed, prepared
from envforge.world.images import changeset_of
from envforge.world.observation import Observation
from envforge.world.saved import SavedState, changeset_of_saved, saved_state
from envforge.world.workers import Residence

if TYPE_CHECKING:
    from envforge.world.environment import Environment


@dataclass(frozen=True)
class Snapshot:
    """The whole state of an instance; any session of the same environment can restore it."""

    template: str
    seed: int
    state: bytes

    def changeset(self) -> bytes:
        """The changeset that leads from the environment's template to this state."""
        return changeset_of(self.state)


class Session:
    """One live instance. `call` never raises for what the caller or the tool did wrong.

    SandboxError means that the worker is gone (it died, broke a limit, ran over its time): an infrastructure
    failure, not a result. `restart` starts over in a new worker; other sessions go on.
    """

    def __init__(self, environment: Environment, residence: Residence, seed: int) -> None:
        self.environment = environment
        self.seed = seed
        self._residence = residence
        self._number = residence.join()
        self._closed = False
        self._mirror: StateEngine | None = None
        self._mirrored_changeset = b""

    @classmethod
    def open(cls, environment: Environment, residence: Residence, *, seed: int) -> Session:
        """An instance in its initial state. Raises SandboxError."""
        session = cls(environment, residence, seed)
        session._begin()
        return session

    @property
    def alive(self) -> bool:
        """False once closed, or when the worker is gone."""
        return not self._closed and self._residence.process.alive

    @property
    def worker_pid(self) -> int:
        """Process id of the worker."""
        return self._residence.process.pid

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Observation:
        """Call a tool. Raises SandboxError only."""
        ready = prepared(self.environment, tool, arguments)
        if isinstance(ready, Observation):
            return ready
        spec, given = ready
        answer, _ = self._ask(**call_request(spec.name, given, reads_only=spec.annotations.read_only))
        observation = observed(answer, spec)
        if observation is None:
            raise self._residence.process.garbage()
        return observation

    def reset(self, seed: int | None = None) -> None:
        """Back to the start of an episode, with a new episode seed if one is given."""
        self.seed = self.seed if seed is None else seed
        self._ask("reset", seed=self.seed)

    def restart(self) -> None:
        """Start over in a new worker, also after a crash."""
        self._residence.leave(self._number)
        self._residence = self._residence.elsewhere()
        self._number = self._residence.join()
        self._begin()

    def now(self) -> str:
        """The World's time."""
        now = self._ask("changeset")[0].get("now")
        if not isinstance(now, str):
            raise self._residence.process.garbage()
        return now

    def changeset(self) -> bytes:
        """What changed since the start, as a SQLite changeset."""
        return self._ask("changeset")[1]

    def diff(self) -> StateDiff:
        """What changed since the start, as rows and documents: the host's own reading, not the worker's."""
        return diff_of(self.environment, self.changeset())

    def digest(self) -> str:
        """SHA-256 of what changed; equal when two instances hold equal rows and documents."""
        return self.diff().digest()

    def snapshot(self) -> Snapshot:
        """The whole state now."""
        state = self._ask("state")[1]
        try:
            changeset_of(state)
        except ValueError as error:
            raise self._residence.process.garbage() from error
        return Snapshot(self.environment.template.digest, self.seed, state)

    def restore(self, snapshot: Snapshot) -> None:
        """Back to a snapshot of this or another session of the same environment. Raises StoreError."""
        if snapshot.template != self.environment.template.digest:
            remedy = "restore it in a session of the environment that it came from"
            raise StoreError("the snapshot is of another database", where=self.environment.manifest.id, remedy=remedy)
        self.reset(snapshot.seed)
        self._ask("restore", snapshot.state)

    def save_state(self) -> SavedState:
        """Where the episode stands, for another process or machine: see `world/saved.py` for its file."""
        told, changeset = self._ask("save")
        diff_of(self.environment, changeset)
        try:
            return saved_state(self.environment, self.seed, told, changeset)
        except ValueError as error:
            raise self._residence.process.garbage() from error

    def load_state(self, saved: SavedState) -> None:
        """To a saved state. Raises StoreError when it is broken or of another environment; nothing changed then.

        Only a changeset whose rows break the schema is refused later: the session is then at the start.
        """
        changeset = loadable_changeset(self.environment, saved)
        self.seed = saved.seed
        fields = saved.model_dump(mode="json", include={"writes", "minted"})
        answer, _ = self._ask("load", changeset, seed=saved.seed, saved=fields)
        if "refused" in answer:
            raise refused_state(self.environment, str(answer["refused"]))

    def fork(self) -> Session:
        """A second, independent instance in the same state and with the same future (in the same worker)."""
        other = Session(self.environment, self._residence, self.seed)
        self._ask("fork", other=other._number)
        return other

    def query(self, sql: str, params: Params = ()) -> list[Row]:
        """Rows of a SELECT over the state now: read-only, on the host's own copy. Raises StoreError for bad SQL."""
        mirror = self._mirrored()
        mirror.deadline = time.monotonic() + self._residence.process.limits.sql_seconds
        try:
            names, rows = mirror.query(sql, params)
            return [dict(zip(names, row, strict=True)) for row in rows]
        except SQLError as error:
            raise StoreError(f"the query failed: {error}", where=sql[:200], remedy="give one SELECT") from error
        finally:
            mirror.deadline = 0.0

    def module_state(self) -> dict[str, str]:
        """Name → hash of what tool code could have left in its process: equal before and after an episode."""
        told = self._ask("module_state")[0].get("state")
        if not isinstance(told, dict):
            raise self._residence.process.garbage()
        return {str(name): str(value) for name, value in cast("dict[Any, Any]", told).items()}

    def close(self) -> None:
        """End the instance, and its worker when nobody else uses it."""
        if self._closed:
            return
        self._closed = True
        if self._mirror is not None:
            self._mirror.close()
        self._residence.leave(self._number)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> None:
        self._ask("open", seed=self.seed)

    def _ask(self, do: str, blob: bytes = b"", **more: Any) -> tuple[Any, bytes]:
        if self._closed:
            raise SandboxError("the session is closed", remedy="start a new one")
        return self._residence.process.ask({"do": do, "world": self._number, **more}, blob)

    def _mirrored(self) -> StateEngine:
        """The host's copy: the template with the worker's changeset applied; no tool code ever touches it."""
        if self._mirror is None:
            self._mirror = self.environment.fresh_engine(read_only=True)
        changeset = self.changeset()
        if changeset != self._mirrored_changeset:
            self._mirror.reset()
            try:
                self._mirror.apply(changeset)
            except SQLError as error:
                self._mirrored_changeset = b""
                raise SandboxError(f"the worker's changeset does not fit its environment: {error}") from error
            self._mirrored_changeset = changeset
        return self._mirror


def loadable_changeset(environment: Environment, saved: SavedState) -> bytes:
    """The changeset of a saved state. Raises StoreError when it is broken or of another environment."""
    changeset = changeset_of_saved(environment, saved)
    try:
        diff_of(environment, changeset)
    except SandboxError as error:
        raise refused_state(environment, "does not fit the environment's rows") from error
    return changeset


def refused_state(environment: Environment, why: str) -> StoreError:
    """The error for a saved state that cannot be had."""
    return StoreError(f"changeset: {why}", where=environment.manifest.id, remedy="save the state again")


def diff_of(environment: Environment, changeset: bytes) -> StateDiff:
    """What a changeset of this environment says, as rows and documents. Raises SandboxError when it does not fit."""
    tables = environment.template.tables
    with_template = _template_rows(environment)
    try:
        return StateDiff.of(read_changes(changeset, tables, with_template, after=False))
    except (SQLError, LookupError, ValueError) as error:
        raise SandboxError(f"the worker's changeset does not fit its environment: {error}") from error


def _template_rows(environment: Environment) -> Lookup:
    engine = environment.reader

    def lookup(table: str, key: Values) -> Values | None:
        rows = engine.own(environment.template.tables[table].select_row, key)
        return rows[0] if rows else None

    return lookup
