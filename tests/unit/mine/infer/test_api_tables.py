from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.records.domain import Column, Domain

Infer = Callable[..., Domain]
TEXT = {"type": "string"}


def listing(make: Any, name: str, schema: dict[str, Any], **others: dict[str, Any]) -> dict[str, str]:
    """An API with one listed record."""
    paths = {
        f"/{name.lower()}s": {"get": {"operationId": f"list{name}s", "responses": make.answer(make.many(name))}},
    }
    return make.openapi(paths, {name: schema, **others})


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": {"id": TEXT, **properties}}


def columns(domain: Domain, table: str) -> dict[str, Column]:
    return {column.name: column for column in domain.table(table).columns}


def test_tables_keys_roles_and_references(infer: Infer, tracker: dict[str, str]) -> None:
    domain = infer(tracker)
    assert [table.name for table in domain.tables] == ["projects", "cards", "users", "card_watchers"]
    card = domain.table("cards")
    assert [column.name for column in card.columns] == [
        "id",
        "title",
        "project_id",
        "status",
        "notes",
        "due_on",
        "assignee_id",
    ]
    assert {column.name: column.role for column in card.columns} == {
        "id": "id",
        "title": "title",
        "project_id": "parent",
        "status": "state",
        "notes": "body",
        "due_on": "ends_at",
        "assignee_id": "owner",
    }
    assert card.column("status").enum == ("open", "closed")
    assert not card.column("title").nullable
    assert card.column("notes").nullable
    project = card.column("project_id").references
    assert project is not None
    assert (project.table, project.confidence, project.evidence) == ("projects", 1.0, "nested in the path")


def test_what_is_left_out_is_said(infer: Infer, tracker: dict[str, str]) -> None:
    notes = "\n".join(infer(tracker).notes)
    assert "cards.html_notes left out: the same text in another notation" in notes
    assert "cards.labels_url left out: hypermedia" in notes
    assert "cards.num_comments left out: derived from other rows" in notes


@pytest.mark.parametrize("fields", [{"a": TEXT}, {"a": TEXT, "b": TEXT}])
def test_a_record_with_few_fields_is_no_entity(infer: Infer, make: Any, fields: dict[str, Any]) -> None:
    assert infer(listing(make, "Thing", record(**fields))).tables == ()


def test_a_record_without_a_stable_id_is_no_entity(infer: Infer, make: Any) -> None:
    schema = {"type": "object", "properties": {"a": TEXT, "b": TEXT, "c": TEXT}}
    domain = infer(listing(make, "Thing", schema))
    assert domain.tables == ()
    assert [one.reason for one in domain.rejected] == ["unlisted_entity"]


def test_a_record_that_nothing_lists_is_no_entity(infer: Infer, make: Any) -> None:
    paths = {
        "/things/{thing_id}": {
            "parameters": [make.path_parameter("thing_id")],
            "get": {"operationId": "getThing", "responses": make.answer(make.ref("Thing"))},
        }
    }
    schema = record(a=TEXT, b=TEXT, c=TEXT)
    assert infer(make.openapi(paths, {"Thing": schema})).tables == ()


def test_a_stub_beside_the_record_does_not_make_its_fields_optional(infer: Infer, make: Any) -> None:
    kind = {"type": "string", "enum": ["thing"]}
    both = {"oneOf": [make.ref("PartialThing"), make.ref("Thing")]}
    paths = {
        "/things": {
            "get": {"operationId": "listThings", "responses": make.answer({"type": "array", "items": both})},
        }
    }
    schemas = {"Thing": record(object=kind, a=TEXT, b=TEXT, c=TEXT, d=TEXT), "PartialThing": record(object=kind)}
    found = columns(infer(make.openapi(paths, schemas)), "things")
    assert not found["a"].nullable
    assert "object" not in found


def test_rich_text_nested_objects_and_deprecated_fields(infer: Infer, make: Any) -> None:
    piece = {"type": "object", "properties": {"plain_text": TEXT, "bold": {"type": "boolean"}}}
    schema = record(
        title={"type": "array", "items": piece},
        place={"type": "object", "properties": {"city": TEXT, "zip": TEXT, "floor": {"type": "integer"}}},
        icon={
            "oneOf": [
                {"type": "object", "properties": {"type": {"enum": ["emoji"]}, "emoji": TEXT}},
                {
                    "type": "object",
                    "properties": {"type": {"enum": ["file"]}, "file": {"type": "object", "properties": {"url": TEXT}}},
                },
            ]
        },
        stamps={"type": "array", "items": {"type": "integer"}},
        old={"type": "string", "deprecated": True},
    )
    found = columns(infer(listing(make, "Thing", schema)), "things")
    kinds = {name: column.type for name, column in found.items()}
    assert kinds == {
        "id": "text",
        "title": "text",
        "place_city": "text",
        "place_zip": "text",
        "place_floor": "integer",
        "icon": "text",
        "stamps": "json",
    }
    assert found["title"].role == "title"


def variants(count: int) -> dict[str, Any]:
    piece = {"type": "array", "items": {"type": "object", "properties": {"plain_text": TEXT}}}
    kinds = [f"kind_{number}" for number in range(count)]
    options = [
        record(
            type={"type": "string", "enum": [kind]},
            made_at=TEXT,
            shape=TEXT,
            **{
                kind: {
                    "type": "object",
                    "properties": {"rich_text": piece, "checked": {"type": "boolean"}, "size": {"type": "integer"}},
                }
            },
        )
        for kind in kinds
    ]
    return {"oneOf": options}


def test_many_variants_become_type_text_and_content(infer: Infer, make: Any) -> None:
    found = columns(infer(listing(make, "Part", variants(8))), "parts")
    assert list(found) == ["id", "type", "text", "made_at", "shape", "checked", "content"]
    assert len(found["type"].enum) == 8
    assert not found["type"].nullable
    assert (found["text"].role, found["content"].type) == ("body", "json")


def test_few_variants_are_flattened(infer: Infer, make: Any) -> None:
    found = columns(infer(listing(make, "Part", variants(2))), "parts")
    assert "content" not in found
    assert {"type", "checked", "size"} <= set(found)


def tree(make: Any, creates: bool) -> dict[str, str]:
    """Notes that hang in folders, in notes, or nowhere; their parent may also be a robot, which is no entity."""

    def choice(*targets: str) -> dict[str, Any]:
        options = [
            {"type": "object", "properties": {"type": {"enum": [f"{name}_id"]}, f"{name}_id": TEXT}} for name in targets
        ]
        top = {"type": "object", "properties": {"type": {"enum": ["top"]}, "top": {"type": "boolean"}}}
        return {"oneOf": [*options, top]}

    schemas = {
        "Note": record(title=TEXT, parent=choice("folder", "note", "robot"), colour=TEXT),
        "Folder": record(name=TEXT, colour=TEXT, size=TEXT),
    }
    paths: dict[str, Any] = {
        "/notes": {"get": {"operationId": "listNotes", "responses": make.answer(make.many("Note"))}},
        "/folders": {"get": {"operationId": "listFolders", "responses": make.answer(make.many("Folder"))}},
    }
    if creates:
        paths["/notes"]["post"] = {
            "operationId": "createNote",
            "requestBody": make.body({"title": TEXT, "parent": choice("folder")}, ["parent"]),
            "responses": make.answer(make.ref("Note")),
        }
    return make.openapi(paths, schemas)


def test_a_choice_of_parents_becomes_a_type_and_one_reference_each(infer: Infer, make: Any) -> None:
    domain = infer(tree(make, creates=False))
    found = columns(domain, "notes")
    assert list(found)[:5] == ["id", "title", "parent_type", "parent_folder_id", "parent_note_id"]
    assert found["parent_type"].enum == ("folder", "note")
    assert any("robot" in note for note in domain.notes)


def test_only_parents_that_operations_use_are_kept(infer: Infer, make: Any) -> None:
    domain = infer(tree(make, creates=True))
    assert domain.table("notes").column("parent_type").enum == ("folder", "top")
    assert not domain.table("notes").has("parent_note_id")
    created = next(one for one in domain.operations if one.verb == "create")
    assert [(one.name, one.meaning, one.semantic) for one in created.parameters] == [
        ("parent_folder_id", "parent", "folder.id"),
        ("title", "column", None),
    ]


def test_the_checks_of_a_parent_choice_hold_in_sqlite(infer: Infer, make: Any) -> None:
    table = infer(tree(make, creates=True)).table("notes")
    checks = ", ".join(f"CHECK ({check})" for check in table.checks)
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE notes (id TEXT, parent_type TEXT, parent_folder_id TEXT, {checks})")
    connection.execute("INSERT INTO notes VALUES ('1', 'folder', 'f'), ('2', 'top', NULL)")
    for wrong in (("folder", None), ("top", "f")):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute("INSERT INTO notes VALUES ('3', ?, ?)", wrong)


def test_two_spellings_of_a_record_are_one_entity(infer: Infer, make: Any) -> None:
    schemas = {
        "full-repository": record(name=TEXT, colour=TEXT, size=TEXT, stars=TEXT),
        "repository": record(name=TEXT, colour=TEXT, size=TEXT),
    }
    paths = {
        "/repos": {"get": {"operationId": "listRepos", "responses": make.answer(make.many("repository"))}},
        "/repos/{repo_id}": {
            "parameters": [make.path_parameter("repo_id")],
            "get": {"operationId": "getRepo", "responses": make.answer(make.ref("full-repository"))},
        },
    }
    domain = infer(make.openapi(paths, schemas))
    assert [table.name for table in domain.tables] == ["repositories"]
    assert domain.tables[0].has("stars")
    assert [(one.name, one.entity) for one in domain.operations] == [
        ("list_repos", "repository"),
        ("get_repo", "repository"),
    ]


def test_uuid_style_needs_more_than_one_odd_id(infer: Infer, make: Any, tracker: dict[str, str]) -> None:
    plain = {"api.json": tracker["api.json"].replace('"format": "uuid"', '"format": "x"')}
    styles = [table.id_style.kind for table in infer(plain).tables if table.id_style is not None]
    assert set(styles) == {"code"}
    assert {table.id_style.kind for table in infer(tracker).tables if table.id_style is not None} == {"uuid"}


def test_the_same_input_gives_the_same_domain(infer: Infer, tracker: dict[str, str]) -> None:
    assert infer(tracker).to_json() == infer(tracker).to_json()


def forge(make: Any) -> dict[str, str]:
    """Tickets with remarks of their own, counted and ranked, and the people whom somebody follows."""
    number = {"type": "integer"}
    schemas = {
        "Ticket": record(title=TEXT, text=TEXT, remarks=number, open_tickets=number, size=number, score=number),
        "TicketRemark": record(body=TEXT, language=TEXT, tone=TEXT),
        "User": record(login=TEXT, bio=TEXT, company=TEXT, score=number, text_matches=TEXT),
    }
    held = [make.path_parameter("ticket_id")]
    paths = {
        "/tickets": {"get": {"operationId": "listTickets", "responses": make.answer(make.many("Ticket"))}},
        "/tickets/{ticket_id}/remarks": {
            "parameters": held,
            "get": {"operationId": "listRemarks", "responses": make.answer(make.many("TicketRemark"))},
        },
        "/users": {"get": {"operationId": "listUsers", "responses": make.answer(make.many("User"))}},
        "/user/followers": {"get": {"operationId": "listMyFollowers", "responses": make.answer(make.many("User"))}},
        "/user/tickets": {"get": {"operationId": "listMyTickets", "responses": make.answer(make.many("Ticket"))}},
    }
    return make.openapi(paths, schemas)


def test_a_record_listed_under_its_last_word_is_kept_in_the_other(infer: Infer, make: Any) -> None:
    remark = columns(infer(forge(make)), "ticket_remarks")["ticket_id"]
    assert remark.references is not None
    assert (remark.role, remark.references.table, remark.evidence) == ("parent", "tickets", "listed under one ticket")


def test_counts_of_records_and_ranks_of_searches_are_no_columns(infer: Infer, make: Any) -> None:
    domain = infer(forge(make))
    assert set(columns(domain, "tickets")) == {"id", "title", "text", "size", "score"}
    assert "score" not in columns(domain, "users")
    assert "tickets.remarks left out: counts other rows" in domain.notes
    assert "users.score left out: how well the record fits a search" in domain.notes


def test_what_the_acting_user_follows_is_no_list_of_everybody(infer: Infer, make: Any) -> None:
    domain = infer(forge(make))
    assert {one.id: one.reason for one in domain.rejected} == {"listMyFollowers": "no_link"}
    assert "listMyTickets" in {one.id for one in domain.operations}


def test_a_theme_may_name_the_entities_that_it_is_about(infer: Infer, make: Any) -> None:
    domain = infer(forge(make), keep=["ticket", "users"])
    assert [table.name for table in domain.tables] == ["tickets", "users"]
