"""Edits that goals say of documents: what they lead to, the same as the tools', and what is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from envforge.build.adapters.document_formats import format_functions
from envforge.core.errors import ConfigError
from envforge.store.document_formats import FORMATS
from envforge.synth.document_edits import with_whole_texts
from envforge.world.api import ToolError

TEXTS = {
    "a.json": '{\n  "items": [\n    {\n      "cents": 5\n    }\n  ]\n}\n',
    "a.yaml": "order:\n  most: 30\nnames:\n- one\n",
    "a.csv": 'code,name,counted\nA-1,"Cup, blue",4\nB-1,Cup,5\nB-1,Cup again,6\n',
    "a.md": "# All\n\nx\n\n## One\n\nold\n\n### Inside\n\nold\n\n## Two\n\ny\n",
    "a.html": "<html>\n<body>\n<h2>One</h2>\n<p>old</p>\n</body>\n</html>\n",
    "a.tex": "\\begin{document}\n\\section{One}\nold\n\\end{document}\n",
}


def edited(*rows: dict[str, Any]) -> dict[str, str]:
    return {row["path"]: row["text"] for row in with_whole_texts(rows, TEXTS.get, "family x")}


@pytest.mark.parametrize(
    ("row", "piece"),
    [
        ({"path": "a.json", "place": "items/0/cents", "value": 7}, '"cents": 7'),
        ({"path": "a.json", "place": "items/0/code", "value": "A"}, '"cents": 5,\n      "code": "A"'),
        ({"path": "a.yaml", "place": "order/most", "value": "no"}, 'most: "no"\n'),
        ({"path": "a.yaml", "place": "names/0", "value": "two"}, "names:\n- two\n"),
        ({"path": "a.csv", "row": '{"counted": 0, "code": "C-1", "name": "a, b"}'}, 'C-1,"a, b",0\n'),
        ({"path": "a.csv", "key": "B-1", "changes": '{"counted": 9}'}, "B-1,Cup,9\nB-1,Cup again,9\n"),
        ({"path": "a.md", "section": "One", "text": "new"}, "## One\n\nnew\n\n## Two"),
        ({"path": "a.html", "section": "One", "text": "<p>new</p>"}, "<h2>One</h2>\n\n<p>new</p>\n\n</body>"),
        ({"path": "a.tex", "section": "One", "text": "new"}, "\\section{One}\n\nnew\n\n\\end{document}"),
    ],
)
def test_an_edit_leads_to_a_whole_text_in_its_plain_form(row: dict[str, Any], piece: str) -> None:
    (text,) = edited(row).values()
    assert piece in text
    names: dict[str, Any] = {"re": re, "json": json, "ToolError": ToolError}
    exec("\n\n".join(format_functions(FORMATS).values()), names)
    assert names["_kept_document"](row["path"], text) == text, "a tool leaves the same bytes"


def test_edits_of_one_document_follow_each_other() -> None:
    first = {"path": "a.yaml", "place": "order/most", "value": 1}
    second = {"path": "a.yaml", "place": "order/least", "value": 2}
    assert edited(first, second) == {"a.yaml": "order:\n  most: 1\n  least: 2\nnames:\n- one\n"}
    assert edited(second, first) == {"a.yaml": "order:\n  most: 1\n  least: 2\nnames:\n- one\n"}


@pytest.mark.parametrize(
    "row",
    [
        {"path": "gone.json", "place": "a", "value": 1},
        {"path": "a.json", "place": "items/1/cents", "value": 1},
        {"path": "a.json", "place": "items/cents", "value": 1},
        {"path": "a.csv", "row": '{"code": "C-1"}'},
        {"path": "a.csv", "row": "no JSON"},
        {"path": "a.csv", "key": "Z", "changes": '{"counted": 9}'},
        {"path": "a.csv", "key": "B-1", "changes": '{"pieces": 9}'},
        {"path": "a.md", "section": "Three", "text": "new"},
        {"path": "a.html", "section": "One", "text": "<p>new"},
        {"path": "a.html", "where": "One"},
    ],
)
def test_an_edit_that_its_document_does_not_take_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        edited(row)
    assert row["path"] in str(caught.value)
    assert "family x" in str(caught.value)
