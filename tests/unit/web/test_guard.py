"""Hostile URLs and the tricks of name servers, all blocked; every answer is injected, nothing is dialled."""

import re
from collections.abc import Sequence

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.core.errors import SourceError
from envforge.web.guard import MAX_URL, BlockedError, Guard, Target

PUBLIC = "93.184.215.14"

# (rule that must block, URL)
HOSTILE_URLS = [
    ("scheme", "ftp://shop.test/"),
    ("scheme", "file:///etc/passwd"),
    ("scheme", "gopher://shop.test/_x"),
    ("scheme", "data:text/html,hello"),
    ("scheme", "javascript://shop.test/%0aalert(1)"),
    ("scheme", "ws://shop.test/"),
    ("scheme", "dict://shop.test:80/"),
    ("scheme", "//shop.test/"),
    ("scheme", "shop.test/page"),
    ("scheme", "http:shop.test"),
    ("scheme", "http:/shop.test"),
    ("scheme", "view-source:http://shop.test/"),
    ("scheme", ""),
    ("host", "http://"),
    ("host", "http:///etc/passwd"),
    ("host", "http://?x=1"),
    ("host", "http://:80/"),
    ("credentials", "http://user@shop.test/"),
    ("credentials", "http://user:pass@shop.test/"),
    ("credentials", "http://shop.test@127.0.0.1/"),
    ("credentials", "http://@shop.test/"),
    ("credentials", "https://shop.test:80@169.254.169.254/"),
    ("characters", "http://shop.test\\@127.0.0.1/"),
    ("characters", "http:\\\\shop.test/"),
    ("characters", "http://shop.test/a b"),
    ("characters", "http://shop.test /"),
    ("characters", " http://shop.test/"),
    ("characters", "http://shop.test/\r\nHost: inside.test"),
    ("characters", "http://shop.test/\nX-Smuggled: 1"),
    ("characters", "http://shop.test/?q=1 HTTP/1.1\r\nGET /admin"),
    ("characters", "http://shop.test\t/"),
    ("characters", "http://shop.test/\x00"),
    ("characters", "http://shop.test/\x7f"),
    ("characters", "http://shop.test/\u202egnp.exe"),
    ("characters", "http://shop.test\u3000/"),
    ("port", "http://shop.test:22/"),
    ("port", "http://shop.test:6379/"),
    ("port", "http://shop.test:0/"),
    ("port", "http://shop.test:65616/"),  # 80 + 65536
    ("port", "http://shop.test:99999999999999999999/"),
    ("port", "http://shop.test:80:22/"),
    ("port", "http://shop.test:-80/"),
    ("port", "http://shop.test:٨٠/"),
    ("port", "http://shop.test:80a/"),
    ("number", "http://127.0.0.1/"),
    ("number", "http://8.8.8.8/"),
    ("number", "http://127.1/"),
    ("number", "http://2130706433/"),
    ("number", "http://0x7f000001/"),
    ("number", "http://0x7f.0x0.0x0.0x1/"),
    ("number", "http://0177.0.0.01/"),
    ("number", "http://017700000001/"),
    ("number", "http://0/"),
    ("number", "http://127.0.0.1.0x/"),
    ("number", "http://shop.test.1/"),
    ("number", "http://１２７.０.０.１/"),
    ("number", "http://127。0。0。1/"),
    ("number", "http://①②⑦.⓪.⓪.①/"),
    ("number", "http://[::1]/"),
    ("number", "http://[::ffff:127.0.0.1]/"),
    ("number", "http://[::ffff:7f00:1]:80/"),
    ("number", "http://[fe80::1%25eth0]/"),
    ("number", "http://[fe80::1%eth0]/"),
    ("number", "http://[64:ff9b::7f00:1]/"),
    ("number", "http://[]/"),
    ("number", "http://[v1.fe80::a+en1]/"),
    ("port", "http://::1/"),
    ("dot", "http://localhost./"),
    ("dot", "http://127.0.0.1./"),
    ("dot", "http://shop.test./"),
    ("dot", "http://shop.test。/"),
    ("dot", "http://./"),
    ("inside", "http://localhost/"),
    ("inside", "http://LOCALHOST/"),
    ("inside", "http://app.localhost/"),
    ("inside", "http://intranet/"),
    ("inside", "http://printer.local/"),
    ("inside", "http://metadata.internal/"),
    ("inside", "http://router.home.arpa/"),
    ("inside", "http://1.0.0.127.in-addr.arpa/"),
    ("inside", "http://ｌｏｃａｌｈｏｓｔ/"),
    ("characters", "http://loc\u00adalhost/"),
    ("host", "http://shop..test/"),
    ("host", "http://.shop.test/"),
    ("host", "http://-shop.test/"),
    ("host", "http://shop-.test/"),
    ("host", "http://127.0.0.1%2f.shop.test/"),
    ("host", "http://shop%2etest/"),
    ("host", "http://shop.test;x/"),
    ("host", "http://shop.test,127.0.0.1.test/"),
    ("host", "http://" + "a" * 64 + ".test/"),
    ("host", "http://" + ".".join(["a" * 60] * 5) + ".test/"),
    ("host", "http://*.shop.test/"),
    ("host", "http://$(id).test/"),
    ("idna", "http://xn--a.test/"),
    ("idna", "http://xn--.test/"),
    ("idna", "http://sh\u2024op.test/"),
    ("idna", "http://\u2488.test/"),
    ("idna", "http://shop\uff0ftest.test/"),
    ("length", "http://shop.test/" + "a" * MAX_URL),
]

# What a name server may answer for a host that is let through.
HOSTILE_ANSWERS = [
    ["127.0.0.1"],
    ["10.0.0.7"],
    ["172.16.9.9"],
    ["192.168.1.1"],
    ["169.254.169.254"],
    ["100.100.100.200"],
    ["192.0.0.192"],
    ["168.63.129.16"],
    ["198.18.0.1"],
    ["192.0.2.1"],
    ["192.88.99.1"],
    ["0.0.0.0"],
    ["224.0.0.251"],
    ["239.255.255.250"],
    ["240.0.0.1"],
    ["255.255.255.255"],
    ["::"],
    ["::1"],
    ["::127.0.0.1"],
    ["::8.8.8.8"],
    ["::ffff:127.0.0.1"],
    ["::ffff:10.1.2.3"],
    ["::ffff:0:192.168.0.1"],
    ["::ffff:0:8.8.8.8"],
    ["64:ff9b::10.0.0.1"],
    ["64:ff9b:1::8.8.8.8"],
    ["2002:7f00:1::"],
    ["2002:c0a8:101::1"],
    ["2001:0:7f00:1::f7f7:f7f7"],  # Teredo, server on loopback
    ["2001:0:808:808::80ff:fffe"],  # Teredo, client 127.0.0.1
    ["2606:4700::5efe:10.0.0.1"],  # ISATAP
    ["2606:4700::200:5efe:192.168.0.1"],
    ["2001:db8::1"],
    ["3fff::1"],
    ["2001:20::1"],
    ["5f00::1"],
    ["4000::1"],
    ["fc00::1"],
    ["fd00:ec2::254"],
    ["fe80::1"],
    ["fe80::1%eth0"],
    ["2606:4700::1111%1"],
    ["fec0::1"],
    ["ff02::1"],
    ["100::1"],
    [PUBLIC, "127.0.0.1"],
    ["127.0.0.1", PUBLIC],
    [PUBLIC, "::1"],
    ["2606:4700::1111", "fd00::1"],
    ["localhost"],
    ["0x7f000001"],
    ["127.1"],
    ["010.0.0.1"],
    [""],
]


def guard(answers: Sequence[str] = (PUBLIC,), asked: list[tuple[str, int]] | None = None) -> Guard:
    def resolve(host: str, port: int) -> Sequence[str]:
        if asked is not None:
            asked.append((host, port))
        return answers

    return Guard(resolve=resolve)


def test_there_are_enough_of_each_kind() -> None:
    assert len(HOSTILE_URLS) >= 60 and len(HOSTILE_ANSWERS) >= 50


@pytest.mark.parametrize(("rule", "url"), HOSTILE_URLS, ids=[repr(url)[:60] for _, url in HOSTILE_URLS])
def test_a_hostile_url_is_blocked(rule: str, url: str) -> None:
    asked: list[tuple[str, int]] = []
    with pytest.raises(BlockedError) as caught:
        guard(asked=asked).check(url)
    assert caught.value.rule == rule
    assert caught.value.remedy and not asked
    assert str(caught.value).isprintable() and len(str(caught.value)) < 400


@pytest.mark.parametrize("answers", HOSTILE_ANSWERS, ids=["+".join(answers) or "empty" for answers in HOSTILE_ANSWERS])
def test_a_hostile_answer_is_blocked(answers: list[str]) -> None:
    with pytest.raises(BlockedError, match="resolves to") as caught:
        guard(answers).address("shop.test", 80)
    assert caught.value.rule == "address"


@pytest.mark.parametrize(
    ("host", "port", "rule"),
    [
        ("127.0.0.1", 80, "number"),
        ("::1", 80, "number"),
        ("fe80::1%eth0", 80, "number"),
        ("localhost", 80, "inside"),
        ("shop.test.", 80, "dot"),
        ("shop.test", 8080, "port"),
        ("shop.test\r\nX", 80, "host"),
        ("shop.test/", 80, "host"),
    ],
)
def test_address_needs_no_check_before_it(host: str, port: int, rule: str) -> None:
    asked: list[tuple[str, int]] = []
    with pytest.raises(BlockedError) as caught:
        guard(asked=asked).address(host, port)
    assert caught.value.rule == rule and not asked


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://shop.test", Target("http", "shop.test", 80, "/")),
        ("HTTPS://Shop.TEST:443/a?b=c#d", Target("https", "shop.test", 443, "/a?b=c")),
        ("http://shop.test?q=@x:y", Target("http", "shop.test", 80, "/?q=@x:y")),
        ("http://shop.test:/x", Target("http", "shop.test", 80, "/x")),
        ("https://bücher.test/ü", Target("https", "xn--bcher-kva.test", 443, "/ü")),
        ("https://xn--bcher-kva.test/", Target("https", "xn--bcher-kva.test", 443, "/")),
        ("https://my_shop.a-b.test/", Target("https", "my_shop.a-b.test", 443, "/")),
        ("https://shop.test:80/", Target("https", "shop.test", 80, "/")),
    ],
)
def test_a_plain_url_is_let_through_in_one_spelling(url: str, target: Target) -> None:
    assert guard().check(url) == target
    assert guard().check(target.url) == target


def test_the_url_says_the_port_only_where_it_must() -> None:
    assert guard().check("https://shop.test:443/a").url == "https://shop.test/a"
    assert guard().check("https://shop.test:80/a").url == "https://shop.test:80/a"


@pytest.mark.parametrize(
    ("answers", "dialled"),
    [
        ([PUBLIC, "8.8.8.8"], PUBLIC),
        (["2606:4700::1111"], "2606:4700::1111"),
        (["::ffff:8.8.8.8"], "8.8.8.8"),
        (["64:ff9b::808:808"], "64:ff9b::808:808"),
    ],
)
def test_a_public_host_is_resolved_once(answers: list[str], dialled: str) -> None:
    asked: list[tuple[str, int]] = []
    assert guard(answers, asked).address("Shop.test", 443) == dialled
    assert asked == [("shop.test", 443)]


def test_a_host_without_an_address_is_an_error_that_may_pass() -> None:
    with pytest.raises(SourceError, match="has no address") as caught:
        guard(()).address("shop.test", 80)
    assert caught.value.retryable and not isinstance(caught.value, BlockedError)

    def broken(host: str, port: int) -> Sequence[str]:
        raise OSError(-2, "Name or service not known")

    with pytest.raises(SourceError, match="Name or service not known"):
        Guard(resolve=broken).address("shop.test", 80)


def test_a_blocked_url_with_a_password_does_not_show_it() -> None:
    with pytest.raises(BlockedError) as caught:
        guard().check("http://user:hunter2@shop.test/")
    assert "hunter2" not in str(caught.value)


_PIECES = st.sampled_from(
    [*"/:@?#[].%\\;,-_=&+ \t\r\n\x00", "http://", "https://", "//", "xn--", "127.0.0.1", "localhost", "shop.test"]
    + ["0x7f", "１", "。", "ß", "\u200d", "ﬀ", "%2e", "%00", ":80", ":443", "[::1]", "user@", "test"]
)
_TEXTS = st.lists(_PIECES | st.text(max_size=3), max_size=8).map("".join)


@settings(max_examples=150, deadline=None, database=None)
@given(_TEXTS, st.sampled_from(["", "http://", "https://"]))
def test_what_is_let_through_is_read_by_the_client_as_it_was_judged(text: str, prefix: str) -> None:
    """Two readers of one URL that disagree about its host are how guards are passed."""
    try:
        target = guard().check(prefix + text)
    except BlockedError:
        return
    assert re.fullmatch(r"(?:[a-z0-9_-]+\.)+[a-z0-9_-]*[a-z_-][a-z0-9_-]*", target.host)
    assert guard().check(target.url) == target
    seen = httpx2.URL(target.url)
    assert (seen.scheme, seen.raw_host.decode(), seen.userinfo) == (target.scheme, target.host, b"")
    assert (seen.port or {"http": 80, "https": 443}[seen.scheme]) == target.port
    assert not {b"\r", b"\n", b" "} & {bytes([byte]) for byte in seen.raw_path}
