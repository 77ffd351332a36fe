"""From an HTTP answer to hits: what is no answer becomes a typed error, never an empty list."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias, cast

from envforge.core.records.search import Hit
from envforge.core.scrub import scrub
from envforge.web.scrubbing.bodies import hide
from envforge.web.search.errors import (
    ProviderFaultError,
    QueryError,
    QuotaError,
    SearchKeyError,
    UnreadableAnswerError,
)

MAX_LIMIT = 100
MAX_QUERY = 400
MAX_SNIPPET = 600


class Answer(NamedTuple):
    """Status, headers (names in lower case) and body of an HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Get: TypeAlias = Callable[[str, Mapping[str, str]], Answer]
"""get(url, headers) → the answer, of whatever status. Raises SourceError when there is none."""


def checked_query(query: str, limit: int) -> str:
    """The query on one line. Raises QueryError."""
    if not 1 <= limit <= MAX_LIMIT:
        raise QueryError(f"{limit} hits cannot be asked for", where="limit", remedy=f"ask for 1 to {MAX_LIMIT}")
    words = " ".join(query.split())
    if not re.search(r"\w", words):
        raise QueryError("the query has no word", where="query", remedy="say what is looked for")
    if len(words) > MAX_QUERY:
        raise QueryError(f"the query is longer than {MAX_QUERY} characters", where="query", remedy="use fewer words")
    return words


def read_json(answer: Answer, where: str, *, key_remedy: str = "") -> Any:
    """The JSON of a good answer.

    Raises SearchKeyError (401, 403), QuotaError (402, 429), ProviderFaultError (any other status that is not 200) and
    UnreadableAnswerError.
    """
    _check_status(answer, where, key_remedy)
    text = answer.body.decode("utf-8-sig", "replace")
    if text.lstrip()[:1] == "<" or "html" in answer.headers.get("content-type", ""):
        raise UnreadableAnswerError(
            f"a page for people came, not JSON: {_excerpt(text)}",
            where=where,
            kind="html",
            remedy="is this the address of its API, and is its JSON format allowed?",
        )
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        said = f"no JSON ({scrub(str(error))}): {_excerpt(text)}"
        raise UnreadableAnswerError(said, where=where, kind="json", remedy="try again") from None


def _check_status(answer: Answer, where: str, key_remedy: str) -> None:
    status = answer.status
    if status == 200:
        return
    said = f"status {status}: {_excerpt(answer.body[:4096].decode('utf-8', 'replace'))}".rstrip(": ")
    if status in (401, 403):
        raise SearchKeyError(f"access is refused, {said}", where=where, remedy=key_remedy or "look at its settings")
    if status in (402, 429):
        raise QuotaError(f"the quota is used up, {said}", where=where, retry_after=_retry_after(answer.headers))
    raise ProviderFaultError(
        f"the provider answered with {said}",
        where=where,
        remedy="try again later, or take another --provider" if status >= 500 else "is this the address of its API?",
        retryable=status >= 500,
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds as a header tells them; a date is passed over, for the clock of the other side is not ours."""
    told = headers.get("retry-after", "").strip()
    return float(told) if re.fullmatch(r"\d{1,6}(?:\.\d+)?", told) else None


def field(value: Any, name: str, where: str) -> Any:
    """What an object holds under a name. Raises UnreadableAnswerError when it is no object, or holds no such thing."""
    if not isinstance(value, dict) or name not in cast("dict[str, Any]", value):
        raise wrong_shape(f"no {name!r}", where)
    return cast("dict[str, Any]", value)[name]


def listed(value: Any, where: str) -> list[Any]:
    """A list. Raises UnreadableAnswerError for anything else."""
    if not isinstance(value, list):
        raise wrong_shape("the results are no list", where)
    return cast("list[Any]", value)


def hits_of(found: list[Any], names: tuple[str, str, str], *, limit: int, provider: str, where: str) -> tuple[Hit, ...]:
    """Hits of a list of objects; `names` are those of title, address and snippet. Raises UnreadableAnswerError."""
    title, url, snippet = names
    kept: list[tuple[str, str, str]] = []
    for place, entry in enumerate(found):
        told = f"{where} result {place + 1}"
        address, said = field(entry, url, told), cast("dict[str, Any]", entry).get(snippet) or ""
        head = field(entry, title, told)
        if not isinstance(head, str) or not isinstance(address, str) or not isinstance(said, str):
            raise wrong_shape("title, address or text is no text", told)
        if not re.match(r"https?://[^\s/]", address):
            raise wrong_shape(f"{_excerpt(address)!r} is no web address", told)
        kept.append((head, address, said))
    return ranked(kept, limit=limit, provider=provider)


def ranked(found: Iterable[tuple[str, str, str]], *, limit: int, provider: str) -> tuple[Hit, ...]:
    """The first `limit` of (title, address, snippet), each address once."""
    hits: dict[str, Hit] = {}
    for title, url, snippet in found:
        if len(hits) == limit:
            break
        if url not in hits:
            shown, text = (hide(plain(part, length)).text for part, length in ((title, 200), (snippet, MAX_SNIPPET)))
            hits[url] = Hit(
                title=shown or scrub(url), url=scrub(url), snippet=text, rank=len(hits) + 1, provider=provider
            )
    return tuple(hits.values())


def plain(text: str, length: int) -> str:
    """Text on one line, without marks of HTML and control characters, cut at a word."""
    bare = html.unescape(re.sub(r"</?[a-zA-Z][^<>]*>", " ", text) if "<" in text else text)
    line = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", bare).split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[length // 2 :] else cut).rstrip() + "…"


def wrong_shape(what: str, where: str) -> UnreadableAnswerError:
    """The error for JSON that is not what this provider's API answers."""
    return UnreadableAnswerError(
        f"the answer has another shape than expected: {what}", where=where, kind="shape", remedy="has its API changed?"
    )


def _excerpt(text: str) -> str:
    return scrub(plain(text[:2000], 160))
