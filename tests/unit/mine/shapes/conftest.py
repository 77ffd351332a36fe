"""A small interface of managed things: people, teams, devices with alerts, notes about either, and what links them."""

from __future__ import annotations

from pathlib import Path

import pytest

from envforge.core.contracts import Database
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Domain, IdStyle, Reference, Table, Verb
from envforge.core.records.shape import RowShape
from envforge.mine.shapes.catalogue import load_shape

SHAPE = Path(__file__).parents[4] / "themes/shapes/managed-records.yaml"
VERBS: tuple[Verb, ...] = ("list", "create", "update")


def refers(table: str, confidence: float = 1.0) -> Reference:
    return Reference(table=table, confidence=confidence, evidence="stated")


def table(name: str, entity: str, *columns: Column, checks: tuple[str, ...] = ()) -> Table:
    key = Column(name="id", type="integer", nullable=False, role="id")
    return Table(
        name=name,
        entity=entity,
        label=entity.replace("_", " "),
        columns=(key, *columns),
        primary_key=("id",),
        checks=checks,
        id_style=IdStyle(kind="integer"),
    )


def operations(*tables: Table) -> tuple[BoundOperation, ...]:
    return tuple(
        BoundOperation(
            id=f"{verb}-{one.name}",
            name=f"{verb}_{one.name}",
            verb=verb,
            entity=one.entity,
            table=one.name,
            parameters=tuple(
                BoundParameter(name=c.name, source_name=c.name, meaning="column", json_type={}, column=c.name)
                for c in one.columns
                if verb == "create" and c.name != "id"
            ),
        )
        for one in tables
        for verb in VERBS
    )


def users() -> Table:
    return table(
        "users",
        "user",
        Column(name="full_name", type="text", nullable=False, role="title"),
        Column(name="email", type="text", role="email"),
        Column(name="phone", type="text"),
        Column(name="created_at", type="timestamp", nullable=False, role="created_at"),
    )


def teams() -> Table:
    return table(
        "teams",
        "team",
        Column(name="name", type="text", nullable=False, role="title"),
        Column(name="description", type="text", role="body"),
    )


def devices() -> Table:
    return table(
        "devices",
        "device",
        Column(name="name", type="text", nullable=False, role="title"),
        Column(name="status", type="text", role="state", enum=("new", "running", "stopped", "failed", "archived")),
        Column(name="team_id", type="integer", nullable=False, role="parent", references=refers("teams")),
        Column(name="owner_id", type="integer", role="owner", references=refers("users")),
        Column(name="ip_address", type="text"),
        Column(name="credo", type="text", nullable=False),
        Column(name="api_token", type="text"),
        Column(name="expires_at", type="timestamp"),
        Column(name="created_at", type="timestamp", role="created_at"),
        Column(name="finished_at", type="timestamp"),
        Column(name="updated_at", type="timestamp", role="updated_at"),
    )


def alerts() -> Table:
    return table(
        "alerts",
        "alert",
        Column(name="name", type="text", nullable=False, role="title"),
        Column(name="device_id", type="integer", nullable=False, role="parent", references=refers("devices")),
        Column(name="team_id", type="integer", references=refers("teams")),
        Column(name="enabled", type="boolean", nullable=False),
        Column(name="threshold", type="integer"),
    )


def watchers() -> Table:
    columns = (
        Column(name="device_id", type="integer", nullable=False, references=refers("devices")),
        Column(name="user_id", type="integer", nullable=False, references=refers("users")),
    )
    return Table(
        name="watchers", entity="watcher", label="watcher", columns=columns, primary_key=("device_id", "user_id"),
        kind="link",
    )  # fmt: skip


def database_of(*tables: Table, without: tuple[str, ...] = ()) -> Database:
    """A database of these tables without rows; tables in `without` have no operations."""
    served = [one for one in tables if one.kind != "link" and one.name not in without]
    domain = Domain(theme="yard", tables=tables, operations=operations(*served))
    return Database(domain=domain, rows={}, provenance=[], documents={}, clock="2025-06-16T09:00:00Z")


@pytest.fixture(scope="session")
def shape() -> RowShape:
    return load_shape(SHAPE)


@pytest.fixture
def yard() -> Database:
    return database_of(users(), teams(), devices(), alerts(), watchers())
