"""Search: one provider of `web/search`, chosen by the person who started the run."""

from __future__ import annotations

from typing import Any

from envforge.agents.assignment import Seen, ToolUse
from envforge.agents.known import KnownAddresses
from envforge.core.contracts import SearchProvider

_MOST_HITS = 8
_LONGEST_QUERY = 300
_SNIPPET = 200


class Search:
    """Hits become addresses that may be opened."""

    name = "search"
    description = "find pages and files by a few words"
    wants_code = ""

    def __init__(self, provider: SearchProvider, known: KnownAddresses) -> None:
        self._provider, self._known = provider, known

    @property
    def parameters(self) -> dict[str, Any]:
        """The query."""
        return {"query": {"type": "string"}}

    def use(self, use: ToolUse) -> Seen:
        """Title, address and snippet of the best hits. Raises ConfigError, SourceError."""
        query = " ".join(str(use.arguments["query"]).split())[:_LONGEST_QUERY]
        if not query:
            return Seen("The query is empty.", ok=False)
        hits = self._provider.search(query, limit=_MOST_HITS)
        self._known.add(use.step, [hit.url for hit in hits])
        if not hits:
            return Seen("Nothing was found. Try fewer or other words.", ok=False)
        return Seen("\n".join(f"{hit.rank}. {hit.title} | {hit.url} | {hit.snippet[:_SNIPPET]}" for hit in hits))
