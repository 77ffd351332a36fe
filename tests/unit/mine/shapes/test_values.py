"""Values that agree with each other: sums and their parts, sizes that ascend, variants, what only failures have."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.unit.mine.shapes.conftest import database_of, devices, refers, table, teams, users

from envforge.core.contracts import Database, Row
from envforge.core.outcome import Produced
from envforge.core.records.domain import Column, Table
from envforge.core.records.shape import RowShape
from envforge.mine.shapes import managed_records
from envforge.mine.shapes.lives import stored_moment
from envforge.mine.shapes.reading import kind_of
from envforge.mine.shapes.states import phase_of


def rows_of(one: Table, shape: RowShape, *others: Table) -> list[Row]:
    outcome = managed_records(database_of(users(), teams(), devices(), one, *others), shape, seed=5)
    assert isinstance(outcome, Produced)
    database: Database = outcome.value
    return database.rows[one.name]


def orders(kind: Any, description: str = "") -> Table:
    parts = ("sub_total", "discount_total", "shipping_total", "tax_total", "total", "amount_paid", "amount_due")
    amounts = (Column(name=name, type=kind, nullable=False, description=description) for name in parts)
    state = Column(name="status", type="text", role="state", enum=("open", "paid", "cancelled"))
    cancelled = Column(name="cancellation_reason", type="text", enum=("too late", "too dear"))
    return table("orders", "order", state, cancelled, *amounts)


def test_the_parts_of_a_sum_add_up(shape: RowShape) -> None:
    for row in rows_of(orders("real"), shape):
        parts = row["sub_total"] - row["discount_total"] + row["shipping_total"] + row["tax_total"]
        assert row["total"] == pytest.approx(parts, abs=0.011)
        assert row["total"] == pytest.approx(row["amount_paid"] + row["amount_due"], abs=0.011)
        assert row["status"] != "paid" or row["amount_due"] == 0


def test_amounts_in_the_smallest_unit_are_hundredfold(shape: RowShape) -> None:
    plain = rows_of(orders("integer"), shape)
    minor = rows_of(orders("integer", "In cents."), shape)
    for row, other in zip(plain, minor, strict=True):
        assert other["total"] == pytest.approx(row["total"] * 100, abs=51)


def test_only_what_came_to_nothing_says_why(shape: RowShape) -> None:
    rows = rows_of(orders("real"), shape)
    assert all(row["cancellation_reason"] is None for row in rows if row["status"] != "cancelled")
    assert any(row["cancellation_reason"] for row in rows)


def test_sizes_cost_and_hold_more_from_one_to_the_next(shape: RowShape) -> None:
    plans = table(
        "plans",
        "plan",
        Column(name="name", type="text", role="title"),
        Column(name="price", type="real", nullable=False),
        Column(name="memory", type="integer", nullable=False),
    )
    rows = rows_of(plans, shape)
    assert [row["name"] for row in rows][:3] == ["Starter", "Basic", "Standard"]
    for name in ("price", "memory"):
        assert [row[name] for row in rows] == sorted(row[name] for row in rows)


def test_columns_of_a_variant_stand_only_in_its_rows(shape: RowShape) -> None:
    methods = table(
        "payment_methods",
        "payment_method",
        Column(name="type", type="text", nullable=False, enum=("card", "debit")),
        Column(name="card_last4", type="text", source_name="card.last4"),
        Column(name="debit_country", type="text", source_name="debit.country"),
    )
    for row in rows_of(methods, shape):
        assert (row["card_last4"] is not None) == (row["type"] == "card")
        assert (row["debit_country"] is not None) == (row["type"] == "debit")


def test_a_key_that_is_a_name_is_one(shape: RowShape) -> None:
    zones = table("domains", "domain", Column(name="active", type="boolean"), Column(name="ttl", type="integer"))
    named = Column(name="domain_name", type="text", nullable=False, role="id")
    zones = zones.model_copy(update={"columns": (named, *zones.columns[1:]), "primary_key": ("domain_name",)})
    keys = [row["domain_name"] for row in rows_of(zones, shape)]
    assert all(re.fullmatch(r"[a-z0-9-]+\.example\.com", key) for key in keys)
    assert len(set(keys)) == len(keys)


def test_a_key_that_is_an_address_is_one(shape: RowShape) -> None:
    servers = table("servers", "server", Column(name="name", type="text"), Column(name="active", type="boolean"))
    named = Column(name="ip", type="text", nullable=False, role="id")
    servers = servers.model_copy(update={"columns": (named, *servers.columns[1:]), "primary_key": ("ip",)})
    keys = [row["ip"] for row in rows_of(servers, shape)]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+\.\d+", key) for key in keys), keys[:3]
    assert len(set(keys)) == len(keys)


def test_what_others_say_of_a_person_agrees_with_the_name(shape: RowShape) -> None:
    staff = table(
        "employees",
        "employee",
        *(Column(name=name, type="text", nullable=False) for name in ("first_name", "last_name", "full_name", "login")),
    )
    for row in rows_of(staff, shape):
        assert row["full_name"] == f"{row['first_name']} {row['last_name']}"
        assert row["login"][0] == row["first_name"][0].lower()


def test_a_place_is_one_place(shape: RowShape) -> None:
    names = ("city", "country", "timezone", "currency")
    stores = table("stores", "store", *(Column(name=name, type="text", nullable=False) for name in names))
    known = {tuple(place[name] for name in names) for place in shape.tables["places"]}
    assert {tuple(row[name] for name in names) for row in rows_of(stores, shape)} <= known


@pytest.mark.parametrize(
    ("entity", "columns", "kind"),
    [
        ("load_balancer", (), "resource"),
        ("support_ticket", (), "work"),
        ("customer", ("email",), "person"),
        ("customer", (), "organisation"),
        ("branch", (), "branch"),
        ("branch", ("street",), "place"),
        ("image", (), "file"),
        ("image", ("os_version",), "resource"),
        ("account", ("balance",), "ledger"),
        ("project_private", (), "work"),
    ],
)
def test_names_and_columns_tell_the_kind(shape: RowShape, entity: str, columns: tuple[str, ...], kind: str) -> None:
    found = kind_of(table("things", entity, *(Column(name=name, type="text") for name in columns)), shape)
    assert found is not None
    assert found.name == kind


def test_nothing_is_known_of_an_odd_name(shape: RowShape) -> None:
    assert kind_of(table("zorbs", "zorb"), shape) is None


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        ("RUNNING", "active"),
        ("in-progress", "active"),
        ("deleting", "moving"),
        ("PENDING_BUILD", "draft"),
        ("zorb", None),
    ],
)
def test_a_state_is_in_a_part_of_a_life(shape: RowShape, state: str, phase: str | None) -> None:
    found = phase_of(state, shape)
    assert (found.name if found else None) == phase


def test_a_moment_in_a_number_counts_from_1970(shape: RowShape) -> None:
    when = "2025-01-01T00:00:00Z"
    seconds = Column(name="created", type="integer", description="Unix time")
    thousandths = seconds.model_copy(update={"description": "Unix time in milliseconds"})
    assert stored_moment(when, seconds, shape) == 1735689600
    assert stored_moment(when, thousandths, shape) == 1735689600000


def test_links_join_rows_that_are_there_once(shape: RowShape) -> None:
    pairs = Table(
        name="memberships",
        entity="membership",
        label="membership",
        kind="link",
        columns=(
            Column(name="team_id", type="integer", nullable=False, references=refers("teams")),
            Column(name="user_id", type="integer", nullable=False, references=refers("users")),
            Column(name="active", type="boolean", nullable=False),
        ),
        primary_key=("team_id", "user_id"),
    )
    plans = table("plans", "plan", Column(name="name", type="text"), Column(name="price", type="real"))
    found = rows_of(pairs, shape, plans)
    assert len({(row["team_id"], row["user_id"]) for row in found}) == len(found) > 5
