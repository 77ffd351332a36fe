"""What is known of the library: tables with labels, and who refers to whom."""

from __future__ import annotations

from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Column, Reference, Table
from envforge.core.records.environment import EnvironmentBlueprint


def to_table(table: str) -> Reference:
    return Reference(table=table, confidence=1.0, evidence="stated")


MEMBERS = Table(
    name="members",
    entity="member",
    label="member",
    primary_key=("id",),
    columns=(
        Column(name="id", type="text", role="id"),
        Column(name="name", type="text", role="title"),
        Column(name="email", type="text", role="email"),
        Column(name="level", type="text", enum=("adult", "junior")),
        Column(name="active", type="boolean"),
    ),
)
BOOKS = Table(
    name="books",
    entity="book",
    label="book",
    primary_key=("id",),
    columns=(
        Column(name="id", type="integer", role="id"),
        Column(name="title", type="text", role="title"),
        Column(name="author", type="text"),
        Column(name="published", type="integer"),
        Column(name="copies", type="integer", role="quantity"),
        Column(name="note", type="text", role="body"),
    ),
)
LOANS = Table(
    name="loans",
    entity="loan",
    label="loan",
    primary_key=("id",),
    columns=(
        Column(name="id", type="text", role="id"),
        Column(name="member_id", type="text", role="owner", references=to_table("members")),
        Column(name="book_id", type="integer", references=to_table("books")),
        Column(name="borrowed_at", type="timestamp", role="created_at"),
        Column(name="due_on", type="date"),
        Column(name="returned_at", type="timestamp"),
        Column(name="fine", type="real", role="amount", unit="EUR"),
    ),
)
DOMAIN = EnvironmentBlueprint(
    blueprint=Blueprint(theme="library", title="Library", tables=(MEMBERS, BOOKS, LOANS), operations=())
)
