"""Where titles need to differ: everywhere, or inside of a container for the words of a vocabulary."""

from __future__ import annotations

import pytest

from envforge.core.records.domain import Column, Reference, Table
from envforge.gates.realism import kept_in

HOME = Column(
    name="project_id",
    type="integer",
    role="parent",
    references=Reference(table="projects", confidence=1, evidence="test"),
)


def table(*columns: Column) -> Table:
    own = (Column(name="id", type="integer", role="id"), Column(name="name", type="text", role="title"), *columns)
    return Table(name="labels", entity="label", label="label", columns=own, primary_key=("id",))


def test_labels_differ_inside_of_their_project() -> None:
    assert kept_in(table(HOME, Column(name="colour", type="text"))) == ("project_id",)
    assert kept_in(table(Column(name="colour", type="text"))) == ()


@pytest.mark.parametrize("role", ["author", "owner", "person", "state", "created_at", "updated_at"])
def test_what_somebody_did_at_a_time_has_a_title_of_its_own(role: str) -> None:
    assert kept_in(table(HOME, Column(name="more", type="text", role=role))) == ()
