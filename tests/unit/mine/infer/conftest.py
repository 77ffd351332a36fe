"""A small made-up API, described twice: in OpenAPI with untyped answers, and in a client's declarations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from envforge.core.contracts import Fetched
from envforge.core.outcome import Produced
from envforge.core.records.domain import Domain
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Source, Theme
from envforge.mine.extract.registry import extract_all
from envforge.mine.infer.api import infer_api

Infer = Callable[..., Domain]


def _fetched(text: str, path: str) -> Fetched:
    body = text.encode()
    digest = hashlib.sha256(body).hexdigest()
    source = Source(
        id=f"src-{digest[:16]}",
        url="",
        url_status="none",
        retrieved_at="2026-01-01T00:00:00Z",
        sha256=digest,
        mime="application/json" if path.endswith("json") else "text/plain",
        bytes=len(body),
        package="pkg:npm/made-up@1",
        path=path,
    )
    return Fetched(source, body)


def extract(files: dict[str, str]) -> list[Extraction]:
    outcomes = extract_all([_fetched(text, path) for path, text in files.items()])
    found: list[Extraction] = []
    for outcome in outcomes:
        assert isinstance(outcome, Produced), outcome
        found.append(outcome.value)
    return found


@pytest.fixture
def infer() -> Infer:
    """Infers a Domain from the texts of files, by path."""

    def run(files: dict[str, str], drop: Sequence[str] = (), keep: Sequence[str] = ()) -> Domain:
        theme = Theme(
            slug="made-up", title="Made up", kind="product", drop_entities=tuple(drop), keep_entities=tuple(keep)
        )
        return infer_api(theme, extract(files))

    return run


def openapi(paths: dict[str, Any], schemas: dict[str, Any] | None = None) -> dict[str, str]:
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Made up", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas or {}},
    }
    return {"api.json": json.dumps(document)}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def many(name: str) -> dict[str, Any]:
    return {"type": "array", "items": ref(name)}


def answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}


def path_parameter(name: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": kind, **more}}


def body(properties: dict[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"content": {"application/json": {"schema": schema}}}


class Make:
    """The builders of small descriptions, as one namespace."""

    openapi = staticmethod(openapi)
    ref = staticmethod(ref)
    many = staticmethod(many)
    answer = staticmethod(answer)
    path_parameter = staticmethod(path_parameter)
    body = staticmethod(body)


@pytest.fixture
def make() -> Any:
    """The builders of small descriptions, as one namespace."""

    return Make


@pytest.fixture
def tracker(make: Any) -> dict[str, str]:
    """Projects with cards, labels, people: nesting, links, envelopes, transitions, soft deletes."""
    text = {"type": "string"}
    schemas = {
        "ProjectResponse": {
            "type": "object",
            "required": ["id", "name", "created_at"],
            "properties": {
                "id": {"type": "string", "format": "uuid"},
                "name": text,
                "owner": make.ref("UserCompact"),
                "archived": {"type": "boolean"},
                "created_at": {"type": "string", "format": "date-time"},
            },
        },
        "CardResponse": {
            "type": "object",
            "required": ["id", "title", "status"],
            "properties": {
                "id": text,
                "title": text,
                "notes": text,
                "html_notes": text,
                "status": {"type": "string", "enum": ["open", "closed"]},
                "due_on": {"type": "string", "format": "date"},
                "assignee": make.ref("UserCompact"),
                "watchers": make.many("UserCompact"),
                "labels_url": text,
                "num_comments": {"type": "integer"},
            },
        },
        "UserCompact": {"type": "object", "properties": {"id": text, "name": text}},
        "UserResponse": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": text, "name": text, "email": {"type": "string", "format": "email"}, "city": text},
        },
        "Ping": {"type": "object", "properties": {"id": text, "ok": {"type": "boolean"}}},
    }
    project, card = make.path_parameter("project_id"), make.path_parameter("card_id")
    page = [
        {"name": "limit", "in": "query", "schema": {"type": "integer"}},
        {"name": "cursor", "in": "query", "schema": text},
    ]
    data = {"type": "object", "properties": {"data": make.many("CardResponse"), "next_cursor": text}}
    one_card = make.answer({"type": "object", "properties": {"data": make.ref("CardResponse")}})
    card_body = make.body(
        {
            "data": {
                "type": "object",
                "properties": {"title": text, "notes": text, "assignee": text, "colour": text},
            }
        }
    )
    paths = {
        "/v1/projects": {
            "get": {"operationId": "getProjects", "responses": make.answer(make.many("ProjectResponse"))},
            "post": {
                "operationId": "createProject",
                "requestBody": make.body({"name": text}, ["name"]),
                "responses": make.answer(make.ref("ProjectResponse")),
            },
        },
        "/v1/projects/{project_id}": {
            "parameters": [project],
            "get": {"operationId": "getProject", "responses": make.answer(make.ref("ProjectResponse"))},
            "delete": {"operationId": "deleteProject", "responses": {"204": {"description": "gone"}}},
        },
        "/v1/projects/{project_id}/cards": {
            "parameters": [project],
            "get": {
                "operationId": "getCardsForProject",
                "parameters": [
                    *page,
                    {"name": "assignee", "in": "query", "schema": text},
                    {"name": "due_on_before", "in": "query", "schema": text},
                    {"name": "mood", "in": "query", "schema": text},
                    {"name": "opt_fields", "in": "query", "schema": text},
                ],
                "responses": make.answer(data),
            },
            "post": {"operationId": "createCard", "requestBody": card_body, "responses": one_card},
        },
        "/v1/projects/{project_id}/statistics": {
            "parameters": [project],
            "get": {"operationId": "getProjectStatistics", "responses": make.answer(make.ref("Ping"))},
        },
        "/v1/cards/{card_id}": {
            "parameters": [card],
            "get": {"operationId": "getCard", "responses": one_card},
            "put": {"operationId": "updateCard", "requestBody": card_body, "responses": one_card},
            "delete": {"operationId": "deleteCard", "responses": {"204": {"description": "gone"}}},
        },
        "/v1/cards/{card_id}/close": {
            "parameters": [card],
            "post": {"operationId": "closeCard", "responses": one_card},
        },
        "/v1/cards/{card_id}/shuffle": {
            "parameters": [card],
            "post": {"operationId": "shuffleCard", "responses": one_card},
        },
        "/v1/cards/{card_id}/watchers": {
            "parameters": [card],
            "get": {"operationId": "getWatchersForCard", "responses": make.answer(make.many("UserCompact"))},
        },
        "/v1/cards/{card_id}/addWatcher": {
            "parameters": [card],
            "post": {
                "operationId": "addWatcherForCard",
                "requestBody": make.body({"watcher": text}, ["watcher"]),
                "responses": one_card,
            },
        },
        "/v1/users": {"get": {"operationId": "getUsers", "responses": make.answer(make.many("UserResponse"))}},
        "/v1/users/{user_id}": {
            "parameters": [make.path_parameter("user_id")],
            "get": {"operationId": "getUser", "responses": make.answer(make.ref("UserResponse"))},
        },
        "/v1/ping": {"get": {"operationId": "getPing", "responses": make.answer(make.ref("Ping"))}},
        "/v1/cards/search": {
            "get": {
                "operationId": "searchCards",
                "parameters": [{"name": "q", "in": "query", "required": True, "schema": text}],
                "responses": make.answer(data),
            }
        },
    }
    return make.openapi(paths, schemas)
