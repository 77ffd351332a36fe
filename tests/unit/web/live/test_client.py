"""GuardedClient against the loopback site: what is fetched, what is refused, and how politely."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from tests.sites.pages import PAGES
from tests.sites.server import PUBLIC, Site
from tests.unit.web.live.conftest import NOW, FakeTime, MakeClient

from envforge.core.errors import DeniedError
from envforge.web.guard import BlockedError
from envforge.web.live.errors import FetchError, LimitError, RobotsError, StatusError

SHOP = "http://shop.test"


def test_a_page_comes_with_its_headers_and_what_was_on_the_way(client: MakeClient, site: Site) -> None:
    answer = client().get(f"{SHOP}/to-boats")
    assert (answer.url, answer.status, answer.body) == (f"{SHOP}/boats.html", 200, PAGES["/boats.html"][1])
    assert answer.header("content-type") == "text/html; charset=utf-8" and answer.retrieved_at == NOW
    assert [(hop.url, hop.status) for hop in answer.trail] == [(f"{SHOP}/robots.txt", 200), (f"{SHOP}/to-boats", 302)]
    assert set(site.dialled) == {(PUBLIC, 80)} and set(site.resolved) == {"shop.test"}


def test_it_says_who_it_is_and_takes_nothing_from_the_environment(
    client: MakeClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://10.0.0.9:3128")
    client(contact="https://lab.example/crawling").get(f"{SHOP}/echo")
    sent = site.headers[-1]
    assert sent["User-Agent"].startswith("envforge/") and sent["User-Agent"].endswith("(+https://lab.example/crawling)")
    assert sent["Accept-Encoding"] == "gzip, deflate" and "Cookie" not in sent and "Authorization" not in sent
    assert set(site.dialled) == {(PUBLIC, 80)}


def test_a_secure_host_is_dialled_by_address_and_known_by_name(client: MakeClient, site: Site) -> None:
    assert client().get("https://shop.test/boats.html").status == 200
    assert set(site.dialled) == {(PUBLIC, 443)}
    with pytest.raises(RobotsError, match=r"certificate is not valid for 'other\.test'"):
        client().get("https://other.test/hello.html")
    with pytest.raises(FetchError, match=r"certificate is not valid for 'other\.test'"):
        client().get("https://other.test/hello.html", robots=False)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/to-loopback", "number"),
        ("/to-loopback-in-hex", "number"),
        ("/to-private", "number"),
        ("/to-metadata", "number"),
        ("/to-ipv6", "number"),
        ("/to-inside", "address"),
        ("/to-file", "scheme"),
        ("/to-port", "port"),
        ("/to-credentials", "credentials"),
        ("/to-nonsense", "port"),
    ],
)
def test_a_redirect_is_judged_like_the_first_url(client: MakeClient, site: Site, path: str, rule: str) -> None:
    with pytest.raises(BlockedError) as caught:
        client().get(SHOP + path)
    assert caught.value.rule == rule
    assert {address for address, _ in site.dialled} == {PUBLIC}


def test_robots_of_the_next_host_are_asked_too(client: MakeClient, site: Site) -> None:
    assert client().get(f"{SHOP}/to-other").url == "http://other.test/hello.html"
    assert ("other.test", "/robots.txt") in site.asked
    with pytest.raises(RobotsError, match="does not allow"):
        client().get(f"{SHOP}/to-private-page")
    assert ("shop.test", "/private/log.html") not in site.asked


def test_who_may_not_ask_every_host_does_not_come_there_by_a_redirect(client: MakeClient, site: Site) -> None:
    def shop_only(url: str) -> None:
        if not url.startswith(f"{SHOP}/"):
            raise DeniedError("is not the shop", where=url)

    whole = client()
    narrowed = whole.within(shop_only)
    assert narrowed.get(f"{SHOP}/boats.html").status == 200
    for address in (f"{SHOP}/to-other", "http://other.test/hello.html"):
        with pytest.raises(DeniedError, match="not the shop"):
            narrowed.get(address)
    assert {host for host, _ in site.asked} == {"shop.test"}
    assert whole.get(f"{SHOP}/to-other").url == "http://other.test/hello.html"


def test_one_private_answer_among_public_ones_is_enough(client: MakeClient, site: Site) -> None:
    with pytest.raises(BlockedError):
        client().get("http://half.test/")
    assert not site.dialled


def test_a_name_that_changes_its_answer_gains_nothing(client: MakeClient, site: Site) -> None:
    """The only resolution for robots.txt is public, the next is not: nothing is dialled on an older answer."""
    with pytest.raises(BlockedError):
        client().get("http://flip.test/hello.html")
    assert site.dialled == [(PUBLIC, 80)] and site.resolved == ["flip.test", "flip.test"]
    site.answers["flip.test"] = [[PUBLIC], ["127.0.0.1"]]
    assert client().get("http://flip.test/hello.html", robots=False).status == 200
    assert site.dialled[1:] == [(PUBLIC, 80)]


def test_redirects_are_counted(client: MakeClient) -> None:
    assert client().get(f"{SHOP}/chain/4").url == f"{SHOP}/boats.html"
    for path in ("/chain/5", "/loop"):
        with pytest.raises(LimitError, match="more than 5 times") as caught:
            client().get(SHOP + path)
        assert caught.value.limit == "redirects" and caught.value.where == SHOP + path
    assert client(redirects=10).get(f"{SHOP}/chain/9").status == 200


@pytest.mark.parametrize(
    ("path", "limit", "settings"),
    [
        ("/slow", "total_seconds", {"total_seconds": 0.3}),
        ("/slow-headers", "total_seconds", {"total_seconds": 0.3}),
        ("/silent", "idle_seconds", {"idle_seconds": 0.2}),
        ("/endless", "body_bytes", {}),
        ("/huge.csv", "body_bytes", {}),
        ("/huge-unsaid.csv", "body_bytes", {}),
        ("/bomb", "ratio", {}),
        ("/bomb", "unpacked_bytes", {"unpacked_bytes": 1 << 19}),
    ],
)
def test_an_answer_may_cost_so_much(client: MakeClient, path: str, limit: str, settings: dict[str, float]) -> None:
    tracemalloc.start()
    with pytest.raises(LimitError) as caught:
        client(**{"body_bytes": 4 << 20, **settings}).get(SHOP + path, robots=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert caught.value.limit == limit and limit in caught.value.remedy
    assert peak < 40 << 20


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/bomb-br", "packed as 'br', which was not asked for"),
        ("/bomb-twice", "packed as 'gzip, gzip'"),
        ("/gzip-cut", "it ends too early"),
        ("/gzip-lie", "the packed answer is broken"),
        ("/cut", "the connection failed"),
        ("/part", "a part only"),
        ("/empty.html", "the answer is empty"),
        ("/picture.png", "'image/png', which is not taken"),
        ("/untyped.bin", "'application/octet-stream', which is not taken"),
    ],
)
def test_what_is_no_usable_answer_is_an_error(client: MakeClient, path: str, message: str) -> None:
    with pytest.raises(FetchError, match=message) as caught:
        client().get(SHOP + path)
    assert not isinstance(caught.value, (StatusError, LimitError)) and caught.value.remedy


def test_bytes_without_a_type_are_taken_if_their_ending_is_known(client: MakeClient) -> None:
    assert client().get(f"{SHOP}/untyped.csv").body.startswith(b"id,name")
    assert client().get(f"{SHOP}/gzipped").body == PAGES["/boats.html"][1]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 500, 501, 503])
def test_an_error_status_is_an_error_with_its_page(client: MakeClient, status: int) -> None:
    with pytest.raises(StatusError, match=f"status {status}") as caught:
        client().get(f"{SHOP}/status/{status}")
    assert (caught.value.status, caught.value.exchange.body) == (status, b"<p>An error page.</p>")
    assert caught.value.retryable == (status in (500, 503))


def test_a_change_of_protocol_is_no_answer(client: MakeClient) -> None:
    with pytest.raises(FetchError):
        client().get(f"{SHOP}/switched")


def test_a_304_that_nobody_asked_for_is_an_error(client: MakeClient) -> None:
    with pytest.raises(StatusError, match="status 304"):
        client().get(f"{SHOP}/unasked")
    with pytest.raises(StatusError, match="status 304"):  # the condition stays with the first origin
        client().get(f"{SHOP}/to-unasked", headers={"If-None-Match": '"v1"'})
    assert client().get(f"{SHOP}/tagged", headers={"If-None-Match": '"v1"'}).status == 304


def test_cookies_go_back_to_their_host_only_and_are_forgotten(client: MakeClient, site: Site) -> None:
    one = client()
    answer = one.get(f"{SHOP}/cookie-wall")
    assert answer.body == b"<p>Behind the wall.</p>"
    assert not any(name.lower() == "set-cookie" for hop in (answer, *answer.trail) for name, _ in hop.headers)
    one.get(f"{SHOP}/echo")
    assert "Cookie" not in site.headers[-1]
    one.get(f"{SHOP}/wall-then-other")
    assert site.asked[-1] == ("other.test", "/echo") and "Cookie" not in site.headers[-1]


def test_headers_of_the_caller_stay_with_the_first_origin(client: MakeClient, site: Site) -> None:
    client().get(f"{SHOP}/to-other", headers={"X-Key": "k"})
    sent = {asked: headers.get("X-Key") for asked, headers in zip(site.asked, site.headers, strict=True)}
    assert sent["shop.test", "/to-other"] == "k" and sent["other.test", "/hello.html"] is None
    assert sent["shop.test", "/robots.txt"] is None
    with pytest.raises(FetchError, match="cannot be asked for"):
        client().get(f"{SHOP}/echo", headers={"X-Key": "k\r\nX-Smuggled: 1"})


def test_a_secret_in_a_redirect_is_not_shown(client: MakeClient) -> None:
    with pytest.raises(StatusError) as caught:
        client().get(f"{SHOP}/to-secret")
    hops = [*caught.value.exchange.trail, caught.value.exchange]
    assert [hop.status for hop in hops] == [200, 302, 200, 404]
    assert "abcdef123456" not in f"{caught.value} {hops}"


class TestManners:
    def test_robots_are_read_once_and_their_delay_is_kept(self, client: MakeClient, site: Site, time: FakeTime) -> None:
        one = client()
        for path in ("/boats.html", "/boats.html?page=2", "/anchor.html"):
            one.get(SHOP + path)
        assert [path for _, path in site.asked].count("/robots.txt") == 1
        assert time.slept == [1.0, 2.0, 2.0]  # after robots.txt our own delay, then the host's

    @pytest.mark.parametrize("path", ["/private/log.html", "/boats.html?session=1"])
    def test_what_robots_forbid_is_not_asked(self, client: MakeClient, site: Site, path: str) -> None:
        with pytest.raises(RobotsError, match="does not allow it"):
            client().get(SHOP + path)
        with pytest.raises(RobotsError):
            client().allows(SHOP + path)
        assert {asked for _, asked in site.asked} == {"/robots.txt"}
        client().allows(f"{SHOP}/boats.html")

    @pytest.mark.parametrize(
        ("status", "allowed"), [(404, True), (403, True), (410, True), (429, False), (500, False), (503, False)]
    )
    def test_a_host_without_robots_allows_all_and_a_failing_one_nothing(
        self, client: MakeClient, site: Site, status: int, allowed: bool
    ) -> None:
        site.robots = lambda: (status, b"User-agent: *\nDisallow: /\n")
        if allowed:
            assert client().get(f"{SHOP}/private/log.html").status == 200
        else:
            with pytest.raises(RobotsError, match="cannot be read") as caught:
                client().get(f"{SHOP}/boats.html")
            assert caught.value.retryable

    @pytest.mark.parametrize(
        ("body", "packing", "why"),
        [
            (gzip.compress(b"User-agent: *\nDisallow: /\n", mtime=0)[:-12], "gzip", "ends too early"),
            (b"User-agent: *\nDisallow: /\n", "gzip", "broken"),
            (bytes(99), "br", "not asked for"),
        ],
        ids=["cut", "not packed", "packed otherwise"],
    )
    def test_robots_of_which_a_part_cannot_be_read_allow_nothing(
        self, client: MakeClient, site: Site, body: bytes, packing: str, why: str
    ) -> None:
        """What is missing may be the very line that forbids."""
        site.robots, site.robots_packing = lambda: (200, body), packing
        with pytest.raises(RobotsError, match=f"cannot be read.*{why}"):
            client().get(f"{SHOP}/boats.html")
        assert {path for _, path in site.asked} == {"/robots.txt"}

    def test_only_the_beginning_of_endless_robots_is_read(self, client: MakeClient, site: Site) -> None:
        site.robots = lambda: (200, b"User-agent: *\nDisallow: /private/\n" + b"# more\n" * 100_000)
        with pytest.raises(RobotsError):
            client(robots_bytes=1000).get(f"{SHOP}/private/log.html")

    def test_a_delay_that_is_too_long_is_refused(self, client: MakeClient, site: Site) -> None:
        site.robots = lambda: (200, b"User-agent: *\nCrawl-delay: 3600\n")
        with pytest.raises(LimitError, match="3600 seconds") as caught:
            client().get(f"{SHOP}/boats.html")
        assert caught.value.limit == "longest_delay_seconds"

    def test_retry_after_is_waited_for(self, client: MakeClient, site: Site, time: FakeTime) -> None:
        assert client().get(f"{SHOP}/busy-once", robots=False).status == 200
        assert time.slept == [7.0]

    def test_a_retry_after_that_is_too_long_is_an_error_at_once(
        self, client: MakeClient, site: Site, time: FakeTime
    ) -> None:
        with pytest.raises(StatusError, match="in 1800 seconds") as caught:
            client().get(f"{SHOP}/busy-until", robots=False)
        assert caught.value.retry_after == 1800 and not time.slept and site.counts["/busy-until"] == 1

    def test_a_host_that_stays_busy_is_given_up(self, client: MakeClient, site: Site, time: FakeTime) -> None:
        with pytest.raises(StatusError, match="status 503"):
            client(tries=3).get(f"{SHOP}/status/503", robots=False)
        assert site.counts["/status/503"] == 3 and time.slept == [2.0, 4.0]

    def test_hosts_do_not_wait_for_each_other(self, client: MakeClient, time: FakeTime) -> None:
        one = client()
        one.get(f"{SHOP}/boats.html", robots=False)
        one.get("http://other.test/hello.html", robots=False)
        assert not time.slept


def test_a_dial_that_fails_is_an_error_that_may_pass(client: MakeClient, site: Site) -> None:
    site.answers["down.test"] = [["8.8.8.8"]]
    with pytest.raises(FetchError, match="Connection refused") as caught:
        client().get("http://down.test/", robots=False)
    assert caught.value.retryable and site.dialled == [("8.8.8.8", 80)]
