from __future__ import annotations

from collections.abc import Callable

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.mine.extract.markdown import MarkdownExtractor, read_markdown
from envforge.mine.extract.pages import Link

Make = Callable[..., Fetched]
PAGE = """---
title: hidden
---
Harbour
=======

See [the **rules**](rules.md#one), [out](../../x.md), ![img](p.md) and [js](javascript:a.md).

## Berths ##

| Pier | Depth | Note |
|:-----|------:|------|
| N `a|b` | 4.5 | x\\|y |
| [South](s.md) | 6 |

```
# no heading
| a | b |
| - | - |
| 1 | 2 |
```

Text
---
- list
"""


def test_a_page_of_markdown(fetched: Make) -> None:
    page = read_markdown(fetched("docs/harbour.md", PAGE))
    assert page.markdown == PAGE
    assert [(part.level, part.heading) for part in page.sections] == [(1, "Harbour"), (2, "Berths"), (2, "Text")]
    assert page.links == (Link("docs/rules.md", "the rules"), Link("docs/s.md", "South"))
    assert [(table.title, table.header, table.rows) for table in page.tables] == [
        ("Berths", ("Pier", "Depth", "Note"), (("N a|b", "4.5", "x|y"), ("South", "6", "")))
    ]


def test_tables_are_typed_with_their_place(fetched: Make) -> None:
    table = MarkdownExtractor().extract(fetched("docs/harbour.md", PAGE)).tables[0]
    assert table.name == "berths"
    assert [(column.name, column.type) for column in table.columns] == [
        ("Pier", "text"),
        ("Depth", "real"),
        ("Note", "text"),
    ]
    assert table.locator.format(row=2) == "docs/harbour.md#table[1]/row=2"


def test_bytes_that_are_not_utf_8_are_an_error(fetched: Make) -> None:
    with pytest.raises(ExtractError) as caught:
        MarkdownExtractor().extract(fetched("a.md", b"# A\n\n\xff"))
    assert caught.value.where == "a.md:3"
