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
from envforge.web.live.errors import StatusError
from envforge.web.live.naming import mime_of, path_of
from envforge.web.page_licence import licence_of_page
from envforge.web.paths import guess_mime, is_data, matches, near_paths
from envforge.web.scrubbing.bodies import HIDDEN_TRANSFORM, HiddenBody, hide_in_body, hide_in_exchange
from envforge.web.sources import make_fetched
from envforge.web.spec import parse_spec

_PAGES = frozenset({"text/html", "application/xhtml+xml"})


class LiveFetcher:
    """Fetches `http:` and `https:` anchors through the guarded client.

    `previous(url)` is what an earlier recording holds for a URL: the server is then asked for changes only, and if
    there are none, the earlier bytes and their time of retrieval stay. Secrets and persons are taken out of texts
    before anybody else has them.
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
        exchange = hide_in_exchange(exchange, mime)
        licence = anchor.licence or licence_of_page(
            exchange.body, link_header=exchange.header("link"), is_html=media_type(mime) in _PAGES
        )
        nested = open_nested(path, exchange.body, is_data, limits=self._limits)
        if nested is None:
            page = HiddenBody(exchange.body, exchange.hidden)
            return _chosen(anchor, [_fetched(exchange, exchange.url, page, path, mime, "none", licence)])
        if not nested.files:
            raise SourceError("the packed file holds no data file", where=anchor.spec, remedy="take another source")
        opened: list[Fetched] = []
        for kept, (inner, body) in nested.files.items():
            url, kind = f"{exchange.url}#{quote(inner)}", guess_mime(inner)
            file = hide_in_body(body, kind)
            opened.append(_fetched(exchange, url, file, kept, kind, nested.transform, licence))
        return _chosen(anchor, opened)

    def _answer(self, url: str) -> Exchange:
        before = self._previous(url) if self._previous is not None else None
        conditions = _conditions(before) if before is not None else {}
        try:
            answer = self._client.get(url, headers=conditions)
        except StatusError as error:  # the page of an error is recorded, too
            raise StatusError(hide_in_exchange(error.exchange)) from None
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
    exchange: Exchange, url: str, held: HiddenBody, path: str, mime: str, transform: str, licence: Licence
) -> Fetched:
    if held.findings:
        transform = HIDDEN_TRANSFORM if transform == "none" else f"{transform}, {HIDDEN_TRANSFORM}"
    fetched = make_fetched(
        held.body,
        url=url,
        url_status="fetched",
        retrieved_at=exchange.retrieved_at,
        mime=mime,
        path=path,
        title=path,
        transform=transform,
        licence=licence,
        hidden=held.findings,
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
