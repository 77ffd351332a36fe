"""What the generated site says: a harbour shop with tables, pages, linked data, and everything that goes wrong."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

from tests.sites.browsing import BROWSED

ROBOTS = b"""User-agent: *
Disallow: /

User-agent: envforge
Disallow: /private/
Disallow: /*?session=
Allow: /
Crawl-delay: 2
"""

BOATS = [
    {"id": n, "name": name, "berth": berth, "metres": metres}
    for n, (name, berth, metres) in enumerate(
        [
            ("Otter", "A1", 9.5),
            ("Tern", "A2", 7.0),
            ("Plover", "B1", 12.0),
            ("Dunlin", "B2", 6.5),
            ("Scoter", "C1", 8.0),
        ],
        start=1,
    )
]


def _document(title: str, body: str, head: str = "") -> bytes:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body><h1>{title}</h1>{body}</body></html>"
    ).encode()


def _rows(page: int) -> str:
    shown = BOATS[(page - 1) * 3 : page * 3]
    cells = "".join(
        f"<tr><td>{b['id']}</td><td>{b['name']}</td><td>{b['berth']}</td><td>{b['metres']}</td></tr>" for b in shown
    )
    return f"<table><tr><th>id</th><th>name</th><th>berth</th><th>metres</th></tr>{cells}</table>"


_CC = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'
_LINKED = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Anchor, 12 kg",
    "sku": "AN-12",
    "license": "https://creativecommons.org/publicdomain/zero/1.0/",
    "offers": {"@type": "Offer", "price": "89.00", "priceCurrency": "EUR"},
}
_SCRIPT = """<ul id="boats"></ul><script>
fetch('/api/boats.json').then(r => r.json()).then(boats => {
  for (const boat of boats) {
    const item = document.createElement('li'); item.textContent = boat.name + ' at ' + boat.berth;
    document.getElementById('boats').append(item);
  }
});</script><noscript>This list needs JavaScript.</noscript>"""
HTML = "text/html; charset=utf-8"

PAGES: dict[str, tuple[str, bytes]] = {
    "/": (HTML, _document("Harbour", '<p><a href="/boats.html">Boats</a> <a href="/anchor.html">Anchor</a></p>', _CC)),
    "/boats.html": (HTML, _document("Boats", _rows(1) + '<a rel="next" href="/boats.html?page=2">Next</a>', _CC)),
    "/boats.html?page=2": (HTML, _document("Boats", _rows(2) + '<a rel="prev" href="/boats.html">Back</a>', _CC)),
    "/anchor.html": (
        HTML,
        _document("Anchor", "<p>Holds.</p>", f'<script type="application/ld+json">{json.dumps(_LINKED)}</script>'),
    ),
    "/scripted.html": (HTML, _document("Boats by script", _SCRIPT)),
    "/api/boats.json": ("application/json", json.dumps(BOATS).encode()),
    "/boats.csv": ("text/plain", b"id,name\n1,Otter\n2,Tern\n"),
    "/untyped.csv": ("", b"id,name\n1,Otter\n"),
    "/untyped.bin": ("application/octet-stream", b"\x00\x01"),
    "/picture.png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "/private/log.html": (HTML, _document("Log", "<p>Nobody reads this.</p>")),
    # The header says UTF-8, the page says Latin-1, and so do its bytes.
    "/charset.html": (HTML, '<html><head><meta charset="iso-8859-1"></head><p>Möwe</p></html>'.encode("latin-1")),
    "/empty.html": (HTML, b" \n"),
    "/hello.html": (HTML, _document("Hello", "<p>From the host that was asked for.</p>")),
    **BROWSED,
}


def zipped() -> bytes:
    """A zip file with one CSV file in a folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("data/boats.csv"), b"id,name\n1,Otter\n")
    return out.getvalue()


def zip_bomb() -> bytes:
    """64 MiB of zeros in a zip file of 64 KiB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros.csv", "w") as member:
        for _ in range(64):
            member.write(bytes(1 << 20))
    return out.getvalue()


def gzip_bomb() -> bytes:
    """16 MiB of zeros as 16 KiB."""
    return gzip.compress(bytes(16 << 20), mtime=0)
