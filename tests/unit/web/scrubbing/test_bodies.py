from __future__ import annotations

import pytest

from envforge.core.contracts import Exchange
from envforge.core.records.finding import Finding, FindingKind
from envforge.web.scrubbing.bodies import hide, hide_in_body, hide_in_exchange

DRAWN = "q7Zt4NvX0pLw3KsR9bHe6YdM"
PEM = "MIIEpAIBAAKCAQEAt1q9xZ" + "kQ2v8RfJ7mWc4HnL0bYs5TgUe3PdXo6" * 3

SECRETS: list[tuple[str, str, FindingKind]] = [
    (f"curl -H 'Authorization: Bearer {DRAWN}'", DRAWN, "key"),
    (f'"api_key": "{DRAWN}"', DRAWN, "key"),
    (f"see /data?access_token={DRAWN}&page=2", DRAWN, "key"),
    ("key gh" + "p_q7Zt4NvX0pLw3KsR9bHe6YdMq1Wj8CfT5uGa", "gh" + "p_q7Zt4NvX0pLw3KsR9bHe6YdMq1Wj8CfT5uGa", "key"),
    ("AKIA" + "Q7ZT4NVX2PLW3KSR", "AKIA" + "Q7ZT4NVX2PLW3KSR", "key"),
    ("SG." + "q7Zt4NvX0pLw3KsR9bHe6Y.q7Zt4NvX0pLw3KsR9bHe6YdMq1Wj8CfT5uGaVi2oKxE", "q7Zt4NvX0pLw3KsR9bHe6Y", "key"),
    (f"-----BEGIN RSA PRIVATE KEY-----\n{PEM}\n-----END RSA PRIVATE KEY-----", PEM, "private-key"),
    ("https://ivo:Hq7_kz92pL@db.harbour.org/x", "Hq7_kz92pL", "password"),
]
PERSONS: list[tuple[str, str, FindingKind]] = [
    ("<a href='mailto:ivo.marsh@harbour.org'>", "ivo.marsh@harbour.org", "e-mail"),
    ("https://harbour.org/form?mail=ivo.marsh@harbour.org", "ivo.marsh@harbour.org", "e-mail"),
    ("write to i.marsh+piers@mail.harbour.co.uk.", "i.marsh+piers@mail.harbour.co.uk", "e-mail"),
    ("ring +44 20 7946 1234 today", "+44 20 7946 1234", "telephone"),
    ("Tel: (212) 736-5000", "(212) 736-5000", "telephone"),
    ("Phone number 030 2270-9911", "030 2270-9911", "telephone"),
    ("Phone: 1800-10-3056", "1800-10-3056", "telephone"),
    ("Tel 2019-45-67", "2019-45-67", "telephone"),
]


@pytest.mark.parametrize(("text", "value", "kind"), [*SECRETS, *PERSONS])
def test_it_is_hidden_and_its_place_is_told(text: str, value: str, kind: FindingKind) -> None:
    found = hide(f"a line before\nÄ {text} and after")
    assert value not in found.text and "***" in found.text
    assert found.text.startswith("a line before\nÄ ") and found.text.endswith(" and after")
    assert [one.kind for one in found.findings] == [kind]
    assert found.findings[0].line >= 2 and value not in repr(found.findings)


KEPT = [
    # what documentation is full of
    "api_key = YOUR_API_KEY",
    "Authorization: Bearer <token>",
    "password=secret",
    "token: string",
    "the access_token: a string of up to 64 characters",
    "AKIAIOSFODNN7EXAMPLE",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "api_key=0123456789abcdef0123456789abcdef",
    "postgres://user:password1@localhost:5432/db",
    "https://alice:s3cret99@example.com/",
    "token_type: authorization_code",
    "secret: projects/harbour/secrets/pier-key",
    "-----BEGIN PRIVATE KEY-----\nYOUR KEY HERE" + " and so on" * 6 + "\n-----END PRIVATE KEY-----",
    # constants, versions, sums, times
    "0x7fffffff 1234567890123 2147483647 3.14159265358979 4111111111",
    "SHA-256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "uuid 3f2504e0-4f89-11d3-9a0c-0305e82c3301 version 10.2.4.118",
    "2013-01-17T07:05:00+0200 UTC+5 +14 days a+1234567890",
    "telephone numbers have 7 to 15 digits; call 3 times; the call 12 34",
    '"Next call": "2026-05-02" and "Last call":"2025-11-30T09:00:00Z"',
    "+1 212 555 0147",
    # addresses of nobody in particular
    "info@harbour.org sales@harbour.org no-reply@harbour.org pier-bugs@lists.harbour.org bugs@harbour.org",
    "jane.doe@harbour.org you@harbour.org user@example.com ivo@harbour.example a@b.test name@company.com",
    "git@code.harbour.org:piers/depths.git icon@2x.png pier@1.2.3 @decorator.name ivo@localhost",
    "ssh org-6811672@code.harbour.org:piers/x.git",
    "https://archive.harbour.org/message-id/DxR7kFYprcQ1tNcCT5D0@mail.harbour.org",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_and_nobodys_stays(text: str) -> None:
    assert hide(text).text == text and hide(text).findings == ()


def test_places_are_lines_and_columns() -> None:
    found = hide("x\n\n  ivo.marsh@harbour.org, ada.marsh@harbour.org")
    assert found.findings == (Finding(kind="e-mail", line=3, column=3), Finding(kind="e-mail", line=3, column=26))
    assert found.text == "x\n\n  ***, ***"


def test_hiding_twice_changes_nothing_more() -> None:
    for text, _, _ in (*SECRETS, *PERSONS):
        once = hide(text).text
        assert hide(once).text == once


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252", "shift_jis", "utf-16"])
def test_all_other_bytes_stay_whatever_the_charset(encoding: str) -> None:
    before, after = ("前 ", " 後") if encoding in ("utf-8", "shift_jis", "utf-16") else ("é ", " ü")
    body = f"{before}ivo.marsh@harbour.org{after}".encode(encoding)
    found = hide_in_body(body, "text/html")
    assert found.body == f"{before}***{after}".encode(encoding) and len(found.findings) == 1


@pytest.mark.parametrize("mime", ["image/png", "application/pdf", "application/zip", "application/octet-stream", ""])
def test_what_is_no_text_is_not_looked_at(mime: str) -> None:
    assert hide_in_body(b"ivo.marsh@harbour.org", mime).body == b"ivo.marsh@harbour.org"


@pytest.mark.parametrize(
    "mime", ["text/csv; charset=utf-8", "application/json", "application/ld+json", "image/svg+xml"]
)
def test_texts_of_all_kinds_are(mime: str) -> None:
    assert hide_in_body(b"ivo.marsh@harbour.org", mime).body == b"***"


@pytest.mark.parametrize("end", [b"b", b"\x00\xd8", b"\x00\xdcb"])
def test_a_broken_wide_text_loses_its_secrets_and_nothing_else(end: bytes) -> None:
    def broken(text: str) -> bytes:
        return b"\xff\xfe" + text.encode("utf-16-le") + end

    assert hide_in_body(broken("a"), "text/plain").body == broken("a")
    assert hide_in_body(broken("ivo.marsh@harbour.org "), "text/plain").body == broken("*** ")


def test_json_stays_json() -> None:
    import json

    body = json.dumps({"mail": "ivo.marsh@harbour.org", "api_key": DRAWN, "n": 1}).encode()
    assert json.loads(hide_in_body(body, "application/json").body) == {"mail": "***", "api_key": "***", "n": 1}


def test_an_answer_and_those_on_the_way_to_it() -> None:
    def answer(body: bytes, trail: tuple[Exchange, ...] = ()) -> Exchange:
        headers = (("Content-Type", "text/html"),)
        when = "2026-02-03T04:05:06Z"
        return Exchange(
            "https://a.example/", 200, "OK", headers, body, when, trail, (Finding(kind="key", line=1, column=1),)
        )

    found = hide_in_exchange(answer(b"ivo.marsh@harbour.org", (answer(b"+44 20 7946 1234"),)))
    assert (found.body, found.trail[0].body) == (b"***", b"***")
    assert [one.kind for one in found.hidden] == ["key", "e-mail"]


SIGNS = [
    *("@", "+1", "a.", "a@", "://", "//", "tel ", "token=", "eyJ", "eyJ.", "1 ", "a-", "(1", "aws", "sk-", "x"),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----a", "pypi-AgEIcHlwaS5vcmc", "xoxb-1-", "https://a "),
]


@pytest.mark.parametrize("sign", SIGNS)
def test_time_grows_with_the_length_only(sign: str) -> None:
    """A quarter of a million signs: what grows with the square takes minutes, and this test does not end."""
    hide(sign * (250_000 // len(sign)))
