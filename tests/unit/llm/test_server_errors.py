from __future__ import annotations

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ModelError
from envforge.llm.server_errors import reported_error, retry_after, status_error

NEW_YEAR = "Thu, 01 Jan 2026 00:00:00 GMT"
EPOCH = 1767225600.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": NEW_YEAR}, 30.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, EPOCH - 30) == seconds


def test_a_date_that_has_passed_is_no_wait() -> None:
    assert retry_after({"retry-after": NEW_YEAR}, EPOCH + 30) == 0.0
    assert status_error(429, "slow", {"retry-after": "3"}).retry_after == 3.0


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 503, "message": "gone"}, errors.ServerFaultError),
        ({"code": "rate_limit_exceeded", "message": "slow"}, errors.RateLimitedError),
        ({"type": "timeout"}, errors.ModelTimeoutError),
        ({"code": 401, "message": "key"}, errors.AccessDeniedError),
        ({"status": 400, "message": "prompt is too long"}, errors.ContextTooLongError),
        ("something", errors.ServerFaultError),
        (["odd"], errors.ServerFaultError),
    ],
)
def test_errors_inside_of_bodies(error: object, kind: type[ModelError]) -> None:
    assert type(reported_error(error)) is kind


def test_what_a_server_says_is_cut_and_without_secrets() -> None:
    told = status_error(400, "token=abcdef123456 " + "long " * 200, {}).message
    assert "abcdef123456" not in told and len(told) < 300 and "\n" not in status_error(500, "a\nb", {}).message
