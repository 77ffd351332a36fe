from __future__ import annotations

import pytest

from envforge.core.records.domain import BoundOperation, Verb
from envforge.core.records.extraction import ApiOperation
from envforge.mine.infer.calls import Call, name_words, nouns, path_segments
from envforge.mine.infer.toolnames import one_word_for_getting, summary_words, tool_name, unique
from envforge.mine.infer.typeviews import Types, stripped


def call(*ids: str, path: str = "", method: str = "get", summary: str = "") -> Call:
    made = Call()
    for number, name in enumerate(ids):
        stated = ApiOperation(
            id=name,
            method=method,
            path=path if number == 0 else "",
            summary=summary if number == 0 else "",
            locator="x",
        )
        made.stated.append((stated, Types({}), f"src-{number}"))
    return made


@pytest.mark.parametrize(
    ("made", "verb", "entity", "expected"),
    [
        (call("retrieve-a-page"), "get", "page", "retrieve_page"),
        (call("retrieve-a-comment"), "list", "comment", "list_comments"),
        (call("get-user", "getUser", summary="Retrieve a user"), "get", "user", "retrieve_user"),
        (call("get-users", "listUsers", summary="List all users"), "list", "user", "list_users"),
        (call("get-self", "getSelf", summary="Retrieve your token's own bot user"), "get", "user", "get_self"),
        (call("patch-page", "updatePage", summary="Update page properties"), "update", "page", "update_page"),
        (call("post-search", "search", method="post", summary="Search by title"), "search", "page", "search"),
        (call("getTasksForProject"), "list", "task", "list_tasks_for_project"),
        (call("getAllDashboards"), "list", "dashboard", "list_dashboards"),
        (call("issues/list-for-repo"), "list", "issue", "list_issues_for_repo"),
        (call("gists/list-public"), "list", "gist", "list_public_gists"),
        (call("GetChargesSearch", path="/v1/charges/search"), "search", "charge", "search_charges"),
        (call("PostFeesIdCapture", method="post", path="/fees/{id}/capture"), "transition", "fee", "capture_fee"),
    ],
)  # fmt: skip
def test_tool_names(made: Call, verb: Verb, entity: str, expected: str) -> None:
    assert tool_name(made, verb, entity) == expected


def test_a_taken_name_gets_its_parent_or_is_refused() -> None:
    assert unique("list_tasks", ["get_task"], "project") == "list_tasks"
    assert unique("list_tasks", ["list_tasks"], "project") == "list_tasks_of_project"
    assert unique("list_tasks", ["list_tasks", "list_tasks_of_project"], "project") is None
    assert unique("list_tasks", ["list_tasks"], None) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("PageObjectResponse", "page"),
        ("PartialUserObjectResponse", "user"),
        ("full-repository", "repository"),
        ("TaskCompact", "task"),
        ("Response", "response"),
        ("IssueType", "issue_type"),
        ("com.example.api.CustomerDTO", "customer"),
    ],
)
def test_schema_names_lose_the_words_around_the_entity(name: str, expected: str) -> None:
    assert stripped(name) == expected


def test_paths_lose_versions_and_keep_parameters() -> None:
    found = [(one.kind, one.noun) for one in path_segments("/api/v2/Boards/{board_id}/cards.json")]
    assert found == [("word", "board"), ("param", "board_id"), ("word", "card")]


def test_words_and_nouns() -> None:
    assert name_words("issues/list-for-repo") == ("list", "for", "repo")
    assert nouns(("append", "block", "children")) == {"block", "child"}
    assert nouns(("patch", "block", "children")) == {"block", "child"}
    assert nouns(("get", "block")) == {"block"}
    assert nouns(("post", "search")) == nouns(("search",)) == {"search"}
    assert summary_words("Create a new page in the workspace") == ("create", "page")
    assert summary_words("One two three four five six seven") == ()


def _getter(name: str, entity: str) -> BoundOperation:
    return BoundOperation(id=name, name=name, verb="get", entity=entity, table=f"{entity}s")


def test_one_word_for_getting_follows_the_majority_and_leaves_other_names_alone() -> None:
    named = [("retrieve_page", "page"), ("retrieve_user", "user"), ("get_note", "note"), ("get_self", "user")]
    found = one_word_for_getting([_getter(*pair) for pair in named])
    assert [op.name for op in found] == ["retrieve_page", "retrieve_user", "retrieve_note", "get_self"]


def test_without_a_majority_names_stay() -> None:
    found = one_word_for_getting([_getter("retrieve_page", "page"), _getter("get_note", "note")])
    assert [op.name for op in found] == ["retrieve_page", "get_note"]
