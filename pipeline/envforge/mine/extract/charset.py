"""The characters of a web page: what byte order mark, HTTP header or page declare, checked against the bytes."""

from __future__ import annotations

import codecs
import re

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.mine.extract.parse import decoded

_HEAD = 4096
_IN_MIME = re.compile(r"charset=[\"']?([\w.:-]{2,40})", re.IGNORECASE)
_IN_PAGE = re.compile(
    rb"<\?xml[^>]{0,200}?encoding=[\"']([\w.:-]{2,40})|<meta[^>]{0,300}?charset=[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE
)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# A page that declares Latin-1 means the superset that browsers read it as.
_AS_BROWSERS = {"iso8859-1": "cp1252", "ascii": "utf-8", "latin-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk"}
_CHARSETS = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255"}
) | {"cp1256", "cp1257", "cp1258", "koi8-r", "koi8-u", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr"} | {
    "cp949", "gbk", "gb18030", "big5", "big5hkscs", "mac-roman", "tis-620", *(f"iso8859-{n}" for n in range(2, 17)),
}  # fmt: skip


def decode_page(fetched: Fetched) -> tuple[str, str]:
    """The text of a page, and a remark when its declared charset is not that of its bytes (else empty).

    Raises ExtractError naming the charset and the line of the first byte that it does not have.
    """
    body, where = fetched.body, fetched.source.path
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return _strict(body[len(mark) :], charset, where), ""
    declared = _declared(fetched, where) or ["utf-8"]
    if not body.isascii() and not declared[0].startswith(("utf-16", "iso2022")):
        # Text of another charset is UTF-8 by chance practically never: read otherwise it would be mojibake.
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            wrong = declared[0] != "utf-8"
            return text, f"declares {declared[0]}, but its bytes are UTF-8; read as UTF-8" if wrong else ""
    for charset in declared[1:]:
        # What a server or a file's name says of all its pages is often wrong for one; the page knows better.
        try:
            body.decode(declared[0])
        except UnicodeDecodeError:
            return _strict(body, charset, where), f"is not {declared[0]}, but {charset} as the page says; read so"
    return _strict(body, declared[0], where), ""


def _declared(fetched: Fetched, where: str) -> list[str]:
    """What the MIME type and the page declare, in this order. Raises ExtractError for a charset nobody knows."""
    in_mime = _IN_MIME.search(fetched.source.mime)
    in_page = _IN_PAGE.search(fetched.body[:_HEAD])
    names = [_known(in_mime[1], where)] if in_mime else []
    if in_page:
        name = _known((in_page[1] or in_page[2]).decode("ascii"), where)
        # A declaration that could be read as ASCII cannot stand in UTF-16.
        names.append("utf-8" if name.startswith("utf-16") else name)
    return list(dict.fromkeys(names))


def _known(label: str, where: str) -> str:
    try:
        name = codecs.lookup(label).name
    except LookupError:
        name = label.lower()
    name = _AS_BROWSERS.get(name, name)
    if name not in _CHARSETS:
        raise ExtractError(
            f"declares the unknown charset {label!r}", where=f"{where}:1", remedy="convert the page to UTF-8"
        )
    return name


def _strict(body: bytes, charset: str, where: str) -> str:
    remedy = "the page states no charset or a wrong one: convert it to UTF-8 (iconv -f CHARSET -t UTF-8 FILE)"
    return decoded(body, charset, where, remedy=remedy)
