from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envforge.core.records.domain import Domain

Infer = Callable[..., Domain]
TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def record(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def entities(domain: Domain) -> set[str]:
    return {table.entity for table in domain.tables if table.kind == "entity"}


def test_the_path_names_what_a_schema_shows_in_more_words(infer: Infer, make: Any) -> None:
    schemas = {
        "OrderSummaryView": record(id=TEXT, placed_on=TEXT, state=TEXT),
        "OrderCompletePrivate": record(id=TEXT, placed_on=TEXT, state=TEXT, notes=TEXT, total=NUMBER),
    }
    paths = {
        "/orders": {"get": {"operationId": "listOrders", "responses": make.answer(make.many("OrderSummaryView"))}},
        "/orders/{id}": {
            "parameters": [make.path_parameter("id")],
            "get": {"operationId": "getOrder", "responses": make.answer(make.ref("OrderCompletePrivate"))},
            "delete": {"operationId": "deleteOrder", "responses": {"204": {"description": "gone"}}},
        },
    }
    domain = infer(make.openapi(paths, schemas))
    assert entities(domain) == {"order"}
    assert {op.name for op in domain.operations} == {"list_orders", "get_order", "delete_order"}
    assert domain.by_entity("order").has("notes")


def test_words_that_say_whose_record_it_is_are_kept(infer: Infer, make: Any) -> None:
    schemas = {
        "IssueComment": record(id=TEXT, body=TEXT, issue=TEXT, at=TEXT),
        "PlanComment": record(id=TEXT, body=TEXT, plan=TEXT, at=TEXT),
    }
    paths = {
        f"/{place}/comments": {
            "get": {"operationId": f"list_{place}", "responses": make.answer(make.many(name))},
        }
        for place, name in (("issues", "IssueComment"), ("plans", "PlanComment"))
    }
    assert entities(infer(make.openapi(paths, schemas))) == {"issue_comment", "plan_comment"}


def test_the_path_says_which_field_is_the_id(infer: Infer, make: Any) -> None:
    schemas = {
        "Shelf": record(code=TEXT, room=TEXT, rows=NUMBER, height=NUMBER),
        "Mailbox": record(name=TEXT, login=TEXT, size=NUMBER, host=TEXT),
        "Crate": record(Id=TEXT, Weight=NUMBER, Colour=TEXT, Owner=TEXT),
    }
    paths: dict[str, Any] = {}
    for plural, name, parameter in (("shelves", "Shelf", "code"), ("mailboxes", "Mailbox", "mailboxName")):
        paths[f"/{plural}"] = {"get": {"operationId": f"list_{plural}", "responses": make.answer(make.many(name))}}
        paths[f"/{plural}/{{{parameter}}}"] = {
            "parameters": [make.path_parameter(parameter)],
            "get": {"operationId": f"get_{name}", "responses": make.answer(make.ref(name))},
        }
    paths["/crates"] = {"get": {"operationId": "list_crates", "responses": make.answer(make.many("Crate"))}}
    domain = infer(make.openapi(paths, schemas))
    keys = {table.entity: table.primary_key for table in domain.tables}
    assert keys == {"shelf": ("code",), "mailbox": ("name",), "crate": ("id",)}


def test_an_id_that_is_deprecated_is_an_id_all_the_same(infer: Infer, make: Any) -> None:
    fields = {"id": {**TEXT, "deprecated": True}, "name": TEXT, "tier": TEXT, "city": TEXT}
    paths = {"/members": {"get": {"operationId": "list_members", "responses": make.answer(make.many("Member"))}}}
    domain = infer(make.openapi(paths, {"Member": {"type": "object", "properties": fields}}))
    assert domain.by_entity("member").primary_key == ("id",)
    assert domain.by_entity("member").column("id").role == "id"


def test_a_change_that_answers_a_receipt_is_about_what_its_path_names(infer: Infer, make: Any) -> None:
    schemas = {"Bill": record(id=TEXT, amount=NUMBER, payee=TEXT, due=TEXT), "Receipt": record(id=TEXT, at=TEXT)}
    paths = {
        "/bills": {
            "get": {"operationId": "listBills", "responses": make.answer(make.many("Bill"))},
            "post": {
                "operationId": "addBill",
                "requestBody": make.body({"amount": NUMBER, "payee": TEXT}),
                "responses": make.answer(make.ref("Receipt")),
            },
        },
        "/bills/{id}": {
            "parameters": [make.path_parameter("id")],
            "put": {
                "operationId": "changeBill",
                "requestBody": make.body({"amount": NUMBER}),
                "responses": make.answer(record(message=TEXT)),
            },
        },
    }
    verbs = {op.id: (op.verb, op.entity) for op in infer(make.openapi(paths, schemas)).operations}
    assert verbs == {
        "listBills": ("list", "bill"), "addBill": ("create", "bill"), "changeBill": ("update", "bill")
    }  # fmt: skip


def test_a_schema_whose_name_says_nothing_is_called_what_its_path_says(infer: Infer, make: Any) -> None:
    fields = record(id=TEXT, title=TEXT, author=TEXT, colour=TEXT)
    schemas = {"ChartRestApi.get_list": fields, "ChartRestApi.get": fields}
    paths = {
        "/chart/": {
            "get": {"operationId": "get_chart", "responses": make.answer(make.many("ChartRestApi.get_list"))},
        },
        "/chart/{pk}": {
            "parameters": [make.path_parameter("pk")],
            "get": {"operationId": "get_chart_pk", "responses": make.answer(make.ref("ChartRestApi.get"))},
        },
    }
    assert entities(infer(make.openapi(paths, schemas))) == {"chart"}


def test_in_a_collection_the_id_is_named_after_it(infer: Infer, make: Any) -> None:
    schemas = {"UserAccount": record(userId=TEXT, roleId=TEXT, email=TEXT, city=TEXT)}
    paths = {"/users": {"get": {"operationId": "getUsers", "responses": make.answer(make.many("UserAccount"))}}}
    assert infer(make.openapi(paths, schemas)).by_entity("user_account").primary_key == ("user_id",)


def test_a_query_in_the_path_is_no_word_of_it(infer: Infer, make: Any) -> None:
    schemas = {"Ride": record(id=TEXT, origin=TEXT, goal=TEXT, at=TEXT)}
    paths = {
        "/rides?page={page}": {
            "parameters": [make.path_parameter("page")],
            "get": {"operationId": "getRides", "responses": make.answer(make.many("Ride"))},
        }
    }
    assert [op.name for op in infer(make.openapi(paths, schemas)).operations] == ["list_rides"]


def test_a_collection_named_by_part_of_its_records_name_means_them(infer: Infer, make: Any) -> None:
    schemas = {"UserAccount": record(userId=TEXT, roleId=TEXT, email=TEXT, city=TEXT)}
    paths = {
        "/users": {
            "get": {"operationId": "getUsers", "responses": make.answer(make.many("UserAccount"))},
            "post": {
                "operationId": "addUser",
                "requestBody": make.body({"email": TEXT, "city": TEXT}),
                "responses": {"204": {"description": "made"}},
            },
        },
        "/users/{userId}": {
            "parameters": [make.path_parameter("userId")],
            "delete": {"operationId": "deleteUser", "responses": {"204": {"description": "gone"}}},
        },
    }
    verbs = {op.id: (op.verb, op.entity) for op in infer(make.openapi(paths, schemas)).operations}
    assert verbs == {
        "getUsers": ("list", "user_account"),
        "addUser": ("create", "user_account"),
        "deleteUser": ("delete", "user_account"),
    }


def test_a_parent_of_the_same_kind_does_not_take_the_place_of_the_id(infer: Infer, make: Any) -> None:
    inner = record(group_id=NUMBER, group_name=TEXT)
    schemas = {"Group": record(parent_group=inner, group_id=NUMBER, group_name=TEXT, colour=TEXT)}
    paths = {"/groups": {"get": {"operationId": "getGroups", "responses": make.answer(make.many("Group"))}}}
    table = infer(make.openapi(paths, schemas)).by_entity("group")
    key = table.column("group_id")
    assert (key.role, key.nullable, key.references) == ("id", False, None)


def test_a_word_for_anything_is_a_name_where_the_path_says_it_too(infer: Infer, make: Any) -> None:
    """A library lends items; an `Item` under another path is only what its list holds."""
    schemas = {"Item": record(id=TEXT, barcode=TEXT, shelf=TEXT, bought_at=TEXT)}

    def told(path: str) -> set[str]:
        listed = {"get": {"operationId": "listThem", "responses": make.answer(make.many("Item"))}}
        single = {
            "parameters": [make.path_parameter("id")],
            "get": {"operationId": "getOne", "responses": make.answer(make.ref("Item"))},
        }
        return entities(infer(make.openapi({path: listed, f"{path}/{{id}}": single}, schemas)))

    assert told("/items") == {"item"}
    assert told("/v1/library/items") == {"item"}
    assert "item" not in told("/ledger")
