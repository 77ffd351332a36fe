"""Solution programs: tools by verb and entity."""

from __future__ import annotations

import pytest

from envforge.core.programs import tools_of, with_tool_names
from envforge.core.records.environment import ToolSpec


def tool(name: str, verb: str, entity: str, *required: str) -> ToolSpec:
    return ToolSpec.model_validate(
        {
            "name": name,
            "verb": verb,
            "entity": entity,
            "description": name,
            "parameters": {"type": "object", "properties": {}, "required": list(required)},
            "returns": {},
            "reads": (),
            "writes": (),
            "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
        }
    )


TOOLS = (
    tool("list_loans", "list", "loan"),
    tool("patch_loan", "update", "loan", "loan_id"),
    tool("get_self", "get", "reader"),
    tool("get_reader", "get", "reader", "reader_id"),
    tool("find_shelf", "search", "shelf"),
    tool("find_shelves", "search", "shelf"),
)


def test_tools_are_named_by_verb_and_entity() -> None:
    body = "for loan in pages('list loan'):\n    call(\"update loan\", loan_id=loan['id'])\nreturn {}"
    assert tools_of(with_tool_names(body, TOOLS)) == {"list_loans", "patch_loan"}


def test_names_and_other_words_stay() -> None:
    body = "call('list_loans')\ncall('patch_loan', note='list loan')\nreturn {'said': 'update loan'}"
    assert with_tool_names(body, TOOLS) == body


def test_the_tool_that_asks_for_a_row_is_meant() -> None:
    assert tools_of(with_tool_names("return call('get reader', reader_id='r1')", TOOLS)) == {"get_reader"}


@pytest.mark.parametrize("words", ["delete loan", "search shelf"])
def test_words_that_fit_no_tool_or_several_stay(words: str) -> None:
    assert tools_of(with_tool_names(f"return call({words!r})", TOOLS)) == {words}
