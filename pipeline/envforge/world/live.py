"""The World that tools see: rows, documents, clock and ids of one instance, one transaction per call.

Standard library only beside the engine: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from envforge.core.ids import seeded_uuid
from envforge.core.seeds import stream
from envforge.world.api import ToolError
from envforge.world.changes import Row, TableChanges, TableInfo, read_changes
from envforge.world.engine.contract import Image, Params, StateEngine, Values
from envforge.world.engine.guard import DOCUMENTS_TABLE

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
_CODE_TRIES = 1000


@dataclass(frozen=True)
class WorldPlan:
    """What a World needs to know beside its rows. Plain values: it travels to the worker as JSON."""

    tables: dict[str, TableInfo]
    ids: dict[str, dict[str, Any]]
    epoch: str
    step_seconds: int
    engine: str = ""
    """Name of the engine; nothing is the one that this process has chosen."""

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        tables = [[table.name, table.columns, table.types, table.primary_key] for table in self.tables.values()]
        clock = {"epoch": self.epoch, "step_seconds": self.step_seconds}
        return {"tables": tables, "ids": self.ids, **clock, "engine": self.engine}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> WorldPlan:
        """From JSON values."""
        tables = [TableInfo(name, tuple(cols), tuple(types), tuple(key)) for name, cols, types, key in value["tables"]]
        named = {table.name: table for table in tables}
        return cls(named, value["ids"], value["epoch"], value["step_seconds"], value["engine"])


@dataclass(frozen=True)
class LiveState:
    """Frozen state of a World: rows and documents (image), writing calls so far, ids minted so far."""

    image: Image
    writes: int
    minted: dict[str, tuple[int, int]]


class LiveWorld:
    """One live instance. Implements `envforge.world.api.World`; the rest is for the host only."""

    def __init__(self, plan: WorldPlan, engine: StateEngine, *, seed: int = 0, sql_seconds: float = 5.0) -> None:
        self._plan = plan
        self._engine = engine
        engine.clock = self._seconds
        self._seed = seed
        self._sql_seconds = sql_seconds
        self._epoch = datetime.datetime.strptime(plan.epoch, TIME_FORMAT).replace(tzinfo=datetime.UTC)
        self._writes = 0
        self._told_at, self._now = -1, ""
        """After how many writing calls the time was put into words, and those."""
        self._minted: dict[str, tuple[int, int]] = {}
        self._in_call = False

    # What tools see

    def query(self, sql: str, params: Params = ()) -> list[Row]:
        """Rows of a SELECT with bound parameters."""
        names, rows = self._engine.query(sql, params)
        if len(set(names)) != len(names):
            raise ValueError(f"two columns of the result have one name: {', '.join(names)}")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def execute(self, sql: str, params: Params = ()) -> int:
        """Run one INSERT, UPDATE or DELETE; the number of changed rows."""
        return self._engine.execute(sql, params)

    def now(self) -> str:
        """The World's time, UTC ISO 8601 with seconds."""
        if self._told_at != self._writes:
            moment = self._epoch + datetime.timedelta(seconds=self._writes * self._plan.step_seconds)
            self._told_at, self._now = self._writes, moment.strftime(TIME_FORMAT)
        return self._now

    def new_id(self, table: str) -> str | int:
        """A fresh id for a row of `table`, in the table's own style."""
        if table not in self._plan.tables:
            raise ValueError(f"there is no table {table!r}")
        style = self._plan.ids.get(table, {})
        count, last = self._minted.get(table, (0, 0))
        kind = style.get("kind", "integer")
        if kind == "uuid":
            self._minted[table] = (count + 1, 0)
            return seeded_uuid(self._seed, table, count + 1)
        if kind == "code":
            code, tries = self._mint_code(table, style, count)
            self._minted[table] = (count + tries, 0)
            return code
        number = max(self._largest(table), int(style.get("start", 1)) - 1, last) + 1
        self._minted[table] = (count + 1, number)
        return number

    def document(self, path: str) -> str:
        """Text of a document. Raises ToolError(not_found)."""
        rows = self._documents("SELECT text FROM {} WHERE path = ?", (path,))
        if not rows:
            raise ToolError("not_found", f"There is no document {path!r}.", "documents() lists what there is.")
        return str(rows[0][0])

    def documents(self, prefix: str = "") -> list[str]:
        """Paths of documents, sorted."""
        rows = self._documents("SELECT path FROM {} WHERE substr(path, 1, length(?1)) = ?1 ORDER BY path", (prefix,))
        return [str(row[0]) for row in rows]

    def put_document(self, path: str, text: str) -> None:
        """Write a document. Raises ToolError(invalid_argument) for a path that leaves the documents."""
        parts = path.split("/")
        if not path or "\x00" in path or "\\" in path or any(part in ("", ".", "..") for part in parts):
            raise ToolError("invalid_argument", f"{path!r} is no path of a document.", "Use a path like notes/plan.md.")
        sql = "INSERT INTO {} VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET text = excluded.text"
        self._documents(sql, (path, text))

    def delete_document(self, path: str) -> None:
        """Delete a document. Raises ToolError(not_found)."""
        self.document(path)
        self._documents("DELETE FROM {} WHERE path = ?", (path,))

    # What the host sees

    def run(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        seal: Callable[[Any], Any] | None = None,
        *,
        reads_only: bool = False,
    ) -> Any:
        """Call a tool as one transaction; whatever it raises leaves no trace and no clock step.

        `seal` sees the result before the commit: what it raises undoes the call too. `reads_only`: a call that wrote
        is undone too, and raises RuntimeError. A tool that calls another tool stays in the same transaction.
        """
        if self._in_call:
            return function(self, **arguments)
        minted = dict(self._minted)
        engine = self._engine
        self._in_call = True
        engine.deadline = time.monotonic() + self._sql_seconds
        try:
            engine.begin()
            result = function(self, **arguments)
            if seal is not None:
                result = seal(result)
            if reads_only and (engine.wrote or self._minted != minted):
                raise RuntimeError("a tool that says that it only reads has written")
            wrote = engine.commit()
        except BaseException:
            self._minted = minted
            engine.rollback()
            raise
        finally:
            self._in_call = False
            engine.deadline = 0.0
        self._writes += wrote
        return result

    def reset(self, seed: int | None = None) -> None:
        """Back to the start of an episode."""
        self._engine.reset()
        self._writes = 0
        self._minted = {}
        self._seed = self._seed if seed is None else seed

    def state(self) -> LiveState:
        """The state now."""
        return LiveState(self._engine.snapshot(), self._writes, dict(self._minted))

    def restore(self, state: LiveState) -> None:
        """Back to `state`."""
        self._engine.restore(state.image)
        self._writes = state.writes
        self._minted = dict(state.minted)

    def saved(self) -> dict[str, Any]:
        """Clock and ids as JSON values; with the changeset they are the state (see `core.records.saved_state`)."""
        minted = {table: {"count": count, "last": last} for table, (count, last) in sorted(self._minted.items())}
        return {"writes": self._writes, "minted": minted}

    def load(self, changeset: bytes, saved: Mapping[str, Any], *, seed: int) -> None:
        """To a saved state, from wherever the World is. Raises SQLError when it does not fit: then at the start.

        Rows without an integer key may lie in another order than in the World that was saved.
        """
        self.reset(seed)
        self._engine.apply(changeset)
        self._writes = saved["writes"]
        self._minted = {table: (found["count"], found["last"]) for table, found in saved["minted"].items()}

    def fork(self) -> LiveWorld:
        """An independent World in the same state, with the same future."""
        other = LiveWorld(self._plan, self._engine.fork(), seed=self._seed, sql_seconds=self._sql_seconds)
        other._writes = self._writes
        other._minted = dict(self._minted)
        return other

    def changeset(self) -> bytes:
        """What changed since the start, as a SQLite changeset."""
        return self._engine.changeset()

    def changes(self) -> dict[str, TableChanges]:
        """What changed since the start, as rows."""
        return read_changes(self.changeset(), self._plan.tables, self._row, after=True)

    def close(self) -> None:
        """Free the instance."""
        self._engine.close()

    # Inside

    @property
    def engine(self) -> StateEngine:
        """What holds the rows."""
        return self._engine

    def _documents(self, sql: str, params: tuple[str, ...]) -> list[Values]:
        return self._engine.own(sql.format(DOCUMENTS_TABLE), params)

    def _row(self, table: str, key: Values) -> Values | None:
        rows = self._engine.own(self._plan.tables[table].select_row, key)
        return rows[0] if rows else None

    def _seconds(self) -> float:
        return self._epoch.timestamp() + self._writes * self._plan.step_seconds

    def _largest(self, table: str) -> int:
        key = self._plan.tables[table].primary_key[0]
        _, rows = self._engine.query(f'SELECT max("{key}") FROM "{table}"')  # noqa: S608
        return int(rows[0][0] or 0)

    def _mint_code(self, table: str, style: Mapping[str, Any], count: int) -> tuple[str, int]:
        """A code that no row of the table has, and how many were drawn for it."""
        key = self._plan.tables[table].primary_key[0]
        sql = f'SELECT 1 FROM "{table}" WHERE "{key}" = ?'  # noqa: S608
        alphabet = style.get("alphabet", "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        for tries in range(1, _CODE_TRIES + 1):
            random = stream(self._seed, "id", table, count + tries)
            letters = "".join(random.choice(alphabet) for _ in range(int(style.get("length", 6))))
            code = f"{style.get('prefix', '')}{letters}"
            if not self._engine.query(sql, (code,))[1]:
                return code, tries
        raise RuntimeError(f"no free code is left for {table}")
