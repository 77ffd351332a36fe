from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.records.domain import BoundOperation, Domain

Infer = Callable[..., Domain]


@pytest.fixture
def domain(infer: Infer, tracker: dict[str, str]) -> Domain:
    return infer(tracker)


def operation(domain: Domain, name: str) -> BoundOperation:
    return next(one for one in domain.operations if one.name == name)


def meanings(found: BoundOperation) -> dict[str, tuple[str, str | None]]:
    return {one.name: (one.meaning, one.column) for one in found.parameters}


def test_names_and_verbs_are_the_apis_own(domain: Domain) -> None:
    assert {one.name: one.verb for one in domain.operations} == {
        "list_projects": "list",
        "create_project": "create",
        "get_project": "get",
        "delete_project": "delete",
        "list_cards_for_project": "list",
        "create_card": "create",
        "get_card": "get",
        "update_card": "update",
        "delete_card": "delete",
        "close_card": "transition",
        "list_watchers_for_card": "list",
        "add_watcher_for_card": "link",
        "list_users": "list",
        "get_user": "get",
        "search_cards": "search",
    }


def test_what_means_nothing_is_rejected_with_its_reason(domain: Domain) -> None:
    reasons = {one.id: one.reason for one in domain.rejected}
    assert reasons == {
        "getProjectStatistics": "statistic",
        "shuffleCard": "unknown_verb",
        "getPing": "unlisted_entity",
    }
    assert all(one.detail and one.locator for one in domain.rejected)


def test_list_parameters_page_filter_and_drop(domain: Domain) -> None:
    found = operation(domain, "list_cards_for_project")
    assert meanings(found) == {
        "project_id": ("parent", "project_id"),
        "assignee_id": ("filter", "assignee_id"),
        "due_on_before": ("filter", "due_on"),
        "limit": ("page_size", None),
        "cursor": ("cursor", None),
    }
    assert next(one.op for one in found.parameters if one.name == "due_on_before") == "lt"
    assert "dropped: mood" in found.evidence


def test_a_body_envelope_is_opened_and_unknown_fields_are_dropped(domain: Domain) -> None:
    assert meanings(operation(domain, "create_card")) == {
        "project_id": ("parent", "project_id"),
        "title": ("column", "title"),
        "notes": ("column", "notes"),
        "assignee_id": ("column", "assignee_id"),
    }
    assert "dropped: colour" in operation(domain, "create_card").evidence


def test_deleting_is_soft_only_where_a_flag_says_so(domain: Domain) -> None:
    assert operation(domain, "delete_card").target_state == {}


def test_a_trash_flag_makes_delete_soft(infer: Infer, make: Any) -> None:
    text = {"type": "string"}
    schemas = {
        "Note": {
            "type": "object",
            "properties": {"id": text, "title": text, "text": text, "in_trash": {"type": "boolean"}},
        }
    }
    paths = {
        "/notes": {"get": {"operationId": "listNotes", "responses": make.answer(make.many("Note"))}},
        "/notes/{note_id}": {
            "parameters": [make.path_parameter("note_id")],
            "delete": {"operationId": "deleteNote", "responses": make.answer(make.ref("Note"))},
        },
    }
    found = operation(infer(make.openapi(paths, schemas)), "delete_note")
    assert (found.verb, found.target_state) == ("delete", {"in_trash": True})


def test_a_transition_needs_a_state_that_has_the_value(domain: Domain) -> None:
    assert operation(domain, "close_card").target_state == {"status": "closed"}


def test_a_transition_without_such_a_state_is_rejected(infer: Infer, tracker: dict[str, str]) -> None:
    changed = {"api.json": tracker["api.json"].replace('"enum": ["open", "closed"]', '"enum": ["open", "gone"]')}
    reasons = {one.id: one.reason for one in infer(changed).rejected}
    assert reasons["closeCard"] == "no_state"


def test_links_go_through_their_table(domain: Domain) -> None:
    added = operation(domain, "add_watcher_for_card")
    assert added.table == "card_watchers"
    assert meanings(added) == {"card_id": ("parent", "card_id"), "watcher_id": ("key", "watcher_id")}
    listed = operation(domain, "list_watchers_for_card")
    assert meanings(listed) == {"card_id": ("parent", "card_watchers.card_id")}


def test_ids_carry_the_entity_they_are_of(domain: Domain) -> None:
    semantics = {p.name: p.semantic for one in domain.operations for p in one.parameters if p.semantic}
    assert semantics == {
        "project_id": "project.id",
        "card_id": "card.id",
        "user_id": "user.id",
        "assignee_id": "user.id",
        "watcher_id": "user.id",
    }


def test_changes_that_name_no_record_are_rejected(infer: Infer, make: Any, tracker: dict[str, str]) -> None:
    broken = {"api.json": tracker["api.json"].replace("/v1/cards/{card_id}/close", "/v1/cards/close")}
    assert {one.id: one.reason for one in infer(broken).rejected}["closeCard"] == "no_key"


def test_dropped_entities_take_their_operations_with_them(infer: Infer, tracker: dict[str, str]) -> None:
    domain = infer(tracker, drop=["card"])
    assert "cards" not in {table.name for table in domain.tables}
    assert all(one.entity != "card" for one in domain.operations)
    assert {"getCard", "createCard"} <= {one.id for one in domain.rejected if one.reason == "unlisted_entity"}


def test_generated_ids_get_readable_names(infer: Infer, make: Any) -> None:
    text = {"type": "string"}
    schemas = {"customer": {"type": "object", "properties": {"id": text, "name": text, "email": text, "phone": text}}}
    customer = [make.path_parameter("customer")]
    paths = {
        "/v1/customers": {"get": {"operationId": "GetCustomers", "responses": make.answer(make.many("customer"))}},
        "/v1/customers/{customer}": {
            "get": {
                "operationId": "GetCustomersCustomer",
                "parameters": customer,
                "responses": make.answer(make.ref("customer")),
            },
            "post": {
                "operationId": "PostCustomersCustomer",
                "parameters": customer,
                "requestBody": make.body({"email": text}),
                "responses": make.answer(make.ref("customer")),
            },
        },
    }
    found = infer(make.openapi(paths, schemas)).operations
    assert [(one.name, one.verb) for one in found] == [
        ("list_customers", "list"),
        ("get_customer", "get"),
        ("update_customer", "update"),
    ]
