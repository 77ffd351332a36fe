"""Inference over real sources: what must hold for any Domain, and what a reader expects of two of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from envforge.core.outcome import Produced
from envforge.core.records.domain import BoundOperation, BoundParameter, Domain, Table
from envforge.core.records.source import Theme
from envforge.mine.extract.registry import extract_all
from envforge.mine.infer.api import infer_api
from envforge.web.fetch import open_fetcher

SNAPSHOT = os.environ.get("ENVFORGE_TEST_SNAPSHOT")
CATALOGUE = Path(__file__).parents[4] / "themes" / "catalogue"
pytestmark = [
    pytest.mark.snapshot,
    pytest.mark.skipif(
        SNAPSHOT is None, reason="set ENVFORGE_TEST_SNAPSHOT to a folder with snapshot.warc.gz and index.json"
    ),
]


def mine(slug: str, tmp_path_factory: pytest.TempPathFactory) -> Domain:
    assert SNAPSHOT is not None
    theme = Theme.model_validate(yaml.safe_load((CATALOGUE / f"{slug}.yaml").read_text()))
    folder = tmp_path_factory.mktemp(slug)
    fetcher = open_fetcher(workspace=folder, snapshot=Path(SNAPSHOT), cache=folder / "cache")
    fetched = [file for anchor in theme.anchors for file in fetcher.fetch(anchor)]
    return infer_api(theme, [one.value for one in extract_all(fetched) if isinstance(one, Produced)])


@pytest.fixture(scope="module", params=["notion", "github"])
def domain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return mine(request.param, tmp_path_factory)


@pytest.fixture(scope="module")
def notion(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return mine("notion", tmp_path_factory)


def test_every_reference_leads_to_a_column(domain: Domain) -> None:
    for table in domain.tables:
        names = [column.name for column in table.columns]
        assert len(names) == len(set(names))
        assert set(table.primary_key) <= set(names)
        for column in table.columns:
            if column.references is not None:
                assert domain.table(column.references.table).has(column.references.column)


def test_every_parameter_means_something_that_is_there(domain: Domain) -> None:
    names = [operation.name for operation in domain.operations]
    assert len(names) == len(set(names))
    for operation in domain.operations:
        table = domain.table(operation.table)
        assert all(table.has(column) for column in operation.target_state)
        assert len({one.name for one in operation.parameters}) == len(operation.parameters)
        for parameter in operation.parameters:
            if parameter.column is not None and "." in parameter.column:
                through, _, column = parameter.column.partition(".")
                assert domain.table(through).has(column)
            elif parameter.meaning == "scope":
                assert parameter.column and _next_in(domain, operation, parameter).has(parameter.column), parameter
            elif parameter.column is not None:
                assert table.has(parameter.column), (operation.name, parameter)
            if parameter.semantic is not None:
                entity, _, column = parameter.semantic.partition(".")
                assert domain.by_entity(entity).has(column)


def _next_in(domain: Domain, operation: BoundOperation, scope: BoundParameter) -> Table:
    """The table whose rows a scope leads to: that of the next scope, or the operation's own."""
    way = [parameter for parameter in operation.parameters if parameter.meaning == "scope"]
    after = way[way.index(scope) + 1 :]
    return domain.by_entity(str(after[0].semantic).partition(".")[0]) if after else domain.table(operation.table)


def test_changes_name_the_record_that_they_change(domain: Domain) -> None:
    for operation in domain.operations:
        if operation.verb in {"update", "delete", "transition", "transfer"}:
            assert any(parameter.meaning == "key" for parameter in operation.parameters), operation.name


def test_a_workspace_of_pages(notion: Domain) -> None:
    assert {table.entity for table in notion.tables if table.kind == "entity"} == {
        "user",
        "page",
        "block",
        "data_source",
        "database",
        "comment",
    }
    verbs = {operation.name: operation.verb for operation in notion.operations}
    expected = {
        "search": "search",
        "get_self": "get",
        "list_users": "list",
        "retrieve_user": "get",
        "retrieve_page": "get",
        "create_page": "create",
        "update_page": "update",
        "move_page": "transfer",
        "retrieve_page_property": "get",
        "retrieve_block": "get",
        "update_block": "update",
        "delete_block": "delete",
        "list_block_children": "list",
        "append_block_children": "create",
        "query_data_source": "filter",
        "create_comment": "create",
        "list_comments": "list",
    }
    assert expected.items() <= verbs.items()
    assert all(operation.reason in {"rendering", "unlisted_entity"} for operation in notion.rejected)


def test_pages_hang_on_pages_data_sources_or_the_workspace(notion: Domain) -> None:
    pages = notion.table("pages")
    assert pages.column("parent_type").enum == ("data_source", "page", "workspace")
    assert notion.table("blocks").column("parent_type").enum == ("page", "block")
    assert notion.bags[0].item_parent_column == "parent_data_source_id"
    assert pages.column("title").role == "title"
    assert not pages.has("archived")
