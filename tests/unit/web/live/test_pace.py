"""Manners over threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from tests.sites.server import Site
from tests.unit.web.live.conftest import FakeTime, MakeClient

from envforge.web.live.pace import HostQueues


def test_a_host_is_asked_one_request_at_a_time(time: FakeTime) -> None:
    queues = HostQueues(time.pace)
    inside: list[int] = []
    most: list[int] = []

    def ask(n: int) -> None:
        with queues.turn("shop.test", 2.0):
            inside.append(n)
            most.append(len(inside))
            inside.remove(n)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(24)))
    assert max(most) == 1 and time.slept == [2.0] * 23


def test_an_error_gives_the_turn_back_and_keeps_the_pause(time: FakeTime) -> None:
    queues = HostQueues(time.pace)
    try:
        with queues.turn("shop.test", 3.0):
            raise OSError
    except OSError:
        pass
    with queues.turn("shop.test", 3.0), queues.turn("other.test", 3.0):
        assert time.slept == [3.0]


def test_a_slow_host_holds_up_nobody_else(client: MakeClient, site: Site) -> None:
    """Another host is served while the robots.txt of the first one does not come."""
    one, answer, begun = client(), threading.Event(), threading.Event()

    def robots() -> tuple[int, bytes]:
        if site.asked[-1][0] == "shop.test":
            begun.set()
            assert answer.wait(20)
        return 404, b""

    site.robots = robots
    with ThreadPoolExecutor(2) as pool:
        slow = [pool.submit(one.get, f"http://shop.test/{page}") for page in ("boats.html", "anchor.html")]
        assert begun.wait(20)
        assert one.get("http://other.test/hello.html").status == 200
        answer.set()
        assert [done.result(20).status for done in slow] == [200, 200]
    assert site.counts["/robots.txt"] == 2
