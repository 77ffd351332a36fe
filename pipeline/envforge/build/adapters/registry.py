"""The adapters there are. A new one is a new file and its line here."""

from __future__ import annotations

from envforge.build.adapters.bag_query import QUERY_ITEMS
from envforge.build.adapters.children import APPEND_CHILDREN
from envforge.build.adapters.containers import IN_TRASH, TOUCH_CONTAINER
from envforge.build.adapters.document_writing import WRITERS
from envforge.build.adapters.documents import LIST_DOCUMENTS, READ_DOCUMENT, SEARCH_DOCUMENTS
from envforge.build.adapters.paging import PAGE_OF_ROWS
from envforge.build.adapters.property_bag import (
    CARRY_PROPERTIES,
    DEFINE_PROPERTIES,
    DESCRIBE_PROPERTIES,
    READ_PROPERTIES,
    WRITE_PROPERTIES,
)
from envforge.build.adapters.spec import AdapterSpec

ADAPTERS: dict[str, AdapterSpec] = {
    adapter.name: adapter
    for adapter in (
        APPEND_CHILDREN,
        CARRY_PROPERTIES,
        DEFINE_PROPERTIES,
        DESCRIBE_PROPERTIES,
        IN_TRASH,
        LIST_DOCUMENTS,
        PAGE_OF_ROWS,
        QUERY_ITEMS,
        READ_DOCUMENT,
        READ_PROPERTIES,
        SEARCH_DOCUMENTS,
        TOUCH_CONTAINER,
        WRITE_PROPERTIES,
        *WRITERS,
    )
}
