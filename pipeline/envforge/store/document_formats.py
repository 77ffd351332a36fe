"""Formats of documents as the host reads and writes them, with the libraries that know them.

What tools do with a document is told a second time here, by other means: PyYAML, `csv` and (in `markup_formats`)
`html.parser` against the small readers that are embedded in tools.py (`build.adapters.document_formats`). Unit tests
and oracles stand on this.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias, cast

import yaml

from envforge.store.markup_formats import CHECKS, FormatError

Data: TypeAlias = "dict[str, Any] | list[Any]"
MOST_CHARACTERS = 6_000
"""Of one document that is written by tools."""
MOST_LEVELS = 20
LONGEST_KEY = 100
"""Characters of a key in YAML; its readers find the colon behind a key only so far."""
UNWRITABLE = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
"""Signs that no document holds: control characters, what ends a line for some readers only, marks, half signs."""
_PLAIN = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_./@+() -]*[A-Za-z0-9_./@+()-])?")
_OTHERWISE = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})([.][0-9]{1,4})?")


def kept_text(path: str, text: str) -> str:
    """The text of a document in the plain form of the format that its path names. Raises FormatError."""
    kind = path.rpartition(".")[2]
    _refuse_signs(text)
    if not text.strip():
        raise FormatError("empty")
    if kind in _READERS:
        kept = plain_text(kind, _READERS[kind](text))
        _refuse_signs(kept, " by their escapes")
        return kept
    if kind not in CHECKS:
        raise FormatError("no format")
    CHECKS[kind](text)
    return text.rstrip() + "\n"


def _refuse_signs(text: str, how: str = "") -> None:
    """Before a text is read and after it was written: an escape in data may stand for any sign."""
    found = re.search(UNWRITABLE, text)
    if found:
        half = "\ud800" <= found[0] <= "\udfff"
        raise FormatError(("half signs" if half else "control characters") + how)


def read_data(path: str, text: str) -> Any:
    """What a document in CSV (rows of texts), JSON or YAML says. Raises FormatError."""
    return _READERS[path.rpartition(".")[2]](text)


def plain_text(kind: str, data: Any) -> str:
    """Data in the plain form of a format. Raises FormatError for what it cannot say."""
    if kind == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(data)
        return out.getvalue()
    try:
        if kind == "json":
            return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
        text = yaml.dump(data, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=1_000_000)
    except ValueError as error:
        raise FormatError("no finite number") from error
    if _yaml(text) != data:
        raise FormatError("no YAML says it")
    return text


def _csv(text: str) -> list[list[str]]:
    _quotes(text)
    rows = list(csv.reader(io.StringIO(text), strict=True))
    if not rows or "" in rows[0] or len({*rows[0]}) != len(rows[0]):
        raise FormatError("header")
    for row in rows:
        if not any(row):
            raise FormatError("empty row")
        if len(row) != len(rows[0]):
            raise FormatError("fields")
    return rows


def _quotes(text: str) -> None:
    """A field either has no quotes at all or is quoted from end to end."""
    bare = re.sub(r'(^|(?<=[,\n]))"[^"]*(""[^"]*)*"(?=,|\n|\Z)', "", text)
    if '"' in bare:
        raise FormatError("quotes")


def _json(text: str) -> Data:
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
        deep = _levels(data) > MOST_LEVELS
    except RecursionError as error:
        raise FormatError("too deep") from error
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError("no JSON") from error
    if not isinstance(data, dict | list):
        raise FormatError("no object or list")
    if deep:
        raise FormatError("too deep")
    return cast("Data", data)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise FormatError("key twice")
    return dict(pairs)


def _no_constant(_: str) -> Any:
    raise FormatError("no finite number")


def _levels(data: Any) -> int:
    if not isinstance(data, dict | list):
        return 0
    inner = cast("dict[str, Any]", data).values() if isinstance(data, dict) else cast("list[Any]", data)
    return 1 + max(map(_levels, inner), default=0)


class _Plain(yaml.SafeDumper):
    """Block style, double quotes wherever a text is not clearly text."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        """With the escapes that JSON has too; any other sign stands for itself."""
        del split
        self.write_indicator(json.dumps(text, ensure_ascii=False), True)  # pyright: ignore[reportUnknownMemberType]


def _text_node(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    plain = _PLAIN.fullmatch(value) and value.lower() not in _OTHERWISE
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else '"')  # pyright: ignore[reportUnknownMemberType]


_Plain.add_representer(str, _text_node)


def _yaml(text: str) -> Data:
    """Read by PyYAML, after every scalar was found to be written in a way that all its readers understand alike."""
    try:
        events = list(yaml.parse(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        for event, after in pairwise(events):
            _refuse_event(event, after)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise FormatError("no YAML") from error
    if not isinstance(data, dict | list):
        raise FormatError("no mapping or list")
    if "\t" in text:
        raise FormatError("tab")
    if re.search(r"^ {41,}\S", text, re.MULTILINE):
        raise FormatError("too deep")
    _refuse_comments(text)
    _refuse_twice(yaml.compose(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]
    return cast("Data", data)


def _refuse_event(event: Any, after: Any) -> None:
    if getattr(event, "anchor", None) or getattr(event, "tag", None) or getattr(event, "explicit", False):
        raise FormatError("anchor, tag or several documents")
    if getattr(event, "flow_style", False) and not isinstance(after, yaml.SequenceEndEvent | yaml.MappingEndEvent):
        raise FormatError("flow style")
    if not isinstance(event, yaml.ScalarEvent):
        return
    style, value = event.style, str(event.value)
    first, last = cast("Any", event.start_mark), cast("Any", event.end_mark)
    if style in ("|", ">") or first.line != last.line:
        raise FormatError("several lines")
    known = value in ("true", "false", "null") or _NUMBER.fullmatch(value)
    if style is None and not known and (not _PLAIN.fullmatch(value) or value.lower() in _OTHERWISE):
        raise FormatError("not clear without quotes")


def _refuse_comments(text: str) -> None:
    for token in reversed(list(yaml.scan(text, Loader=yaml.SafeLoader))):  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if isinstance(token, yaml.ScalarToken):
            text = text[: token.start_mark.index] + text[token.end_mark.index :]
    if "#" in text:
        raise FormatError("comment")


def _refuse_twice(node: Any) -> None:
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        if len({*keys}) != len(keys):
            raise FormatError("key twice")
        for key, _ in node.value:
            _refuse_key(key)
        for _, inner in node.value:
            _refuse_twice(inner)
    elif isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            if isinstance(inner, yaml.SequenceNode) and inner.value:
                raise FormatError("list in a list")
            _refuse_twice(inner)


def _refuse_key(key: Any) -> None:
    """Each fault by its own name: there is a test for each."""
    if key.tag != "tag:yaml.org,2002:str":
        raise FormatError("key that is no text")
    if not key.value or len(key.value) > LONGEST_KEY:
        raise FormatError("long key" if key.value else "empty key")
    if "\n" in key.value:
        raise FormatError("key of several lines")


_READERS: Mapping[str, Callable[[str], Any]] = {"csv": _csv, "json": _json, "yaml": _yaml}
READ = tuple(_READERS)
"""Formats whose texts are read as data."""
FORMATS = tuple(sorted([*_READERS, *CHECKS]))
