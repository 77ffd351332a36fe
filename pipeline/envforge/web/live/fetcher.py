"""LiveFetcher: URLs of the live web as sources with provenance."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from urllib.parse import quote

from envforge.core.contracts import Exchange, Fetched
from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.source import Anchor, Licence
from envforge.web.archive import DEFAULT_LIMITS, Limits, open_nested
from envforge.web.live.body import media_type
from envforge.web.live.client import GuardedClient
from envforge.web.live.naming import mime_of, path_of
from envforge.web.page_licence import licence_of_page
from envforge.web.paths import guess_mime, is_data, matches, near_paths
from envforge.web.sources import make_fetched
from envforge.web.spec import parse_spec

_PAGES = frozenset({"text/html", "application/xhtml+xml"})


class LiveFetcher:
    """Fetches `http:` and `https:` anchors through the guarded client.

    `previous(url)` is what an earlier recording holds for a URL: the server is then asked for changes only, and if
    there are none, the earlier bytes and their time of retrieval stay.
    """

    def __init__(
        self,
        client: GuardedClient,
        *,
        previous: Callable[[str], Exchange | None] | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._client = client
        self._previous = previous
        self._limits = limits

    def accepts(self, spec: str) -> bool:
        """True for URLs; whether one may be fetched is decided when it is."""
        try:
            return parse_spec(spec).kind == "url"
        except ConfigError:
            return False

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """The page or file at the URL; of a packed file the data files inside.

        Raises:
            SourceError: what `GuardedClient.get` raises, or a packed file is not safe or holds nothing that is wanted.
        """
        exchange = self._answer(parse_spec(anchor.spec).name)
        path = path_of(exchange)
        mime = mime_of(exchange, path)
        licence = anchor.licence or licence_of_page(
            exchange.body, link_header=exchange.header("link"), is_html=media_type(mime) in _PAGES
        )
        nested = open_nested(path, exchange.body, is_data, limits=self._limits)
        if nested is None:
            return _chosen(anchor, [_fetched(exchange, exchange.url, exchange.body, path, mime, "none", licence)])
        if not nested.files:
            raise SourceError("the packed file holds no data file", where=anchor.spec, remedy="take another source")
        return _chosen(
            anchor,
            [
                _fetched(
                    exchange, f"{exchange.url}#{quote(inner)}", body, kept, guess_mime(inner), nested.transform, licence
                )
                for kept, (inner, body) in nested.files.items()
            ],
        )

    def _answer(self, url: str) -> Exchange:
        before = self._previous(url) if self._previous is not None else None
        conditions = _conditions(before) if before is not None else {}
        answer = self._client.get(url, headers=conditions)
        if answer.status != 304 or before is None:
            return answer
        return dataclasses.replace(before, reason="OK", trail=answer.trail)


def _conditions(before: Exchange) -> dict[str, str]:
    """The headers that ask for changes since an earlier answer; none if it was no success."""
    if before.status != 200:
        return {}
    tag, date = before.header("etag"), before.header("last-modified")
    return {name: value for name, value in (("If-None-Match", tag), ("If-Modified-Since", date)) if value}


def _fetched(
    exchange: Exchange, url: str, body: bytes, path: str, mime: str, transform: str, licence: Licence
) -> Fetched:
    fetched = make_fetched(
        body,
        url=url,
        url_status="fetched",
        retrieved_at=exchange.retrieved_at,
        mime=mime,
        path=path,
        title=path,
        transform=transform,
        licence=licence,
    )
    return dataclasses.replace(fetched, exchange=exchange)


def _chosen(anchor: Anchor, files: list[Fetched]) -> list[Fetched]:
    """Those that `include` selects, in path order."""
    paths = [item.source.path for item in files]
    kept = [item for item in files if not anchor.include or matches(item.source.path, anchor.include)]
    if not kept:
        near = ", ".join(near_paths(anchor.include[0], paths))
        raise SourceError(
            f"holds no file for include {anchor.include[0]!r}", where=anchor.spec, remedy=f"it holds {near}"
        )
    return sorted(kept, key=lambda item: item.source.path)
