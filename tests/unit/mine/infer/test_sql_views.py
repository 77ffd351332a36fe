"""SQL of a catalogue file: the same rows every time, no door to the outside, and an end."""

from __future__ import annotations

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.extraction import MinedColumn, MinedTable
from envforge.mine.infer import sql_views
from envforge.mine.infer.sql_views import SqlViews, analyse

PIERS = MinedTable("piers", (MinedColumn(name="id", type="integer"),), ((1,), (2,)), "piers.csv", "src-1")


def _run(sql: str) -> list[tuple[object, ...]]:
    analyse(sql, where="piers")
    with SqlViews({"piers": PIERS}, clock="2026-01-05T09:00:00Z") as views:
        return views.run(sql, where="piers")[1]


def test_a_plain_select_runs() -> None:
    assert _run("SELECT id FROM piers ORDER BY id") == [(1,), (2,)]
    assert _run("SELECT count(*) FROM piers USING SAMPLE reservoir(1 ROWS) REPEATABLE (7)") == [(1,)]
    assert _run("SELECT age(TIMESTAMP '2000-01-02', TIMESTAMP '2000-01-01') FROM piers LIMIT 1") == [("1 day",)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM glob('/etc/*')",
        "COPY piers TO '/tmp/x.csv'",
        "SELECT 1; SELECT 2",
        "SELECT * FROM piers); COPY piers TO '/tmp/x.csv'; SELECT * FROM (piers",
        "SELECT getenv('HOME')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_logs",
        "SELECT current_setting('threads')",
    ],
)
def test_nothing_outside_is_reached(sql: str) -> None:
    with pytest.raises(ConfigError, match="piers"):
        _run(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT random()",
        "SELECT * FROM query('SELECT random()')",
        "SELECT age(TIMESTAMP '2000-01-01')",
        "SELECT * FROM piers USING SAMPLE 1",
        "SELECT * FROM piers TABLESAMPLE 50%",
        "SELECT txid_current()",
        "SELECT version()",
    ],
)
def test_what_gives_other_rows_another_time_is_refused(sql: str) -> None:
    with pytest.raises(ConfigError, match="must not change"):
        _run(sql)


def test_sql_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_views, "_SECONDS", 0.3)
    with pytest.raises(ConfigError, match="INTERRUPT"):
        _run("SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c WHERE a.range + b.range = c.range")
    with pytest.raises(ConfigError, match="INTERRUPT"):
        _run("WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c")
