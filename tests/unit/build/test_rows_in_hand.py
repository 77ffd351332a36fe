"""What tools call the row they have in hand: its entity, unless Python or the source's parameters need the word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database

from .conftest import TinyWorld, bound, column, given, loaded, running, table


@pytest.fixture
def school(workspace: Database) -> Database:
    """Classes with pupils; the source asks for a pupil's key as `pupil`."""
    classes = table("classes", "class", (column("id", role="id"), column("name", role="title")))
    pupils = table(
        *("pupils", "pupil"),
        (
            column("id", role="id"),
            column("name", role="title"),
            column("class_id", to="classes", role="parent"),
            column("seat", null=True),
        ),
    )
    key = given("class_id", "key", column="id", semantic="class.id", required=True)
    pupil = given("pupil", "key", column="id", semantic="pupil.id", required=True)
    inside = given("class_id", "parent", column="class_id", semantic="class.id", required=True)
    name = given("name", "column", column="name")
    new = given("name", "column", column="name", required=True)
    operations = (
        bound("list", "list_classes", "class", "classes"),
        bound("get", "get_class", "class", "classes", key),
        bound("update", "rename_class", "class", "classes", key, name),
        bound("list", "list_pupils", "pupil", "pupils", inside),
        bound("create", "create_pupil", "pupil", "pupils", inside, new),
        bound("update", "update_pupil", "pupil", "pupils", pupil, given("seat", "column", column="seat")),
    )
    domain = workspace.domain.model_copy(update={"tables": (classes, pupils), "operations": operations, "bags": ()})
    rows = {
        "classes": [{"id": "k1", "name": "4a"}, {"id": "k2", "name": "4b"}],
        "pupils": [{"id": "p1", "name": "Ida", "class_id": "k1", "seat": None}],
    }
    return replace(workspace, domain=domain, rows=rows)


def test_a_keyword_and_a_key_asked_for_under_the_entitys_name_stay_apart_from_rows(school: Database) -> None:
    world = TinyWorld(school)
    call = running(loaded(draw_blueprint(school, max_tools=20)[0]), world)
    assert call("get_class", class_id="k1")["class"]["name"] == "4a"
    assert call("rename_class", class_id="k1", name="4c")["class"]["name"] == "4c"
    made = call("create_pupil", class_id="k2", name="Ole")["pupil"]["id"]
    assert world.query("SELECT class_id FROM pupils WHERE id = ?", (made,)) == [{"class_id": "k2"}]
    assert call("update_pupil", pupil="p1", seat="12")["pupil"]["seat"] == "12"
    assert world.query("SELECT seat FROM pupils WHERE id = 'p1'") == [{"seat": "12"}]
