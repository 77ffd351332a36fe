import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ConfigError
from envforge.core.ids import sha256_bytes
from envforge.core.records.source import Source
from envforge.mine.extract.narrow import keep_rows


def fetched(body: bytes) -> Fetched:
    source = Source(
        id="src-1", url="file:ferries.csv", url_status="none", retrieved_at="2026-01-01T00:00:00Z",
        sha256=sha256_bytes(body), mime="text/csv", bytes=len(body), path="ferries.csv",
    )  # fmt: skip
    return Fetched(source, body)


def test_only_wanted_rows_stay_and_the_source_says_so() -> None:
    kept = keep_rows(fetched(b'day,line\n1,"a, b"\n2,c\n1,d\n'), {"day": "1"})
    assert kept.body == b'day,line\n1,"a, b"\n1,d\n'
    assert kept.source.transform == "rows with day=1"


def test_a_file_of_wanted_rows_only_is_left_alone() -> None:
    whole = fetched(b"day,line\n1,a\n")
    assert keep_rows(whole, {"day": "1"}) is whole


def test_a_ragged_row_is_left_for_the_extractor_to_name() -> None:
    assert b"2,x,y" in keep_rows(fetched(b"day,line\n1,a\n2,b\n2,x,y\n"), {"day": "1"}).body


@pytest.mark.parametrize("wanted", [{"month": "1"}, {"day": "9"}])
def test_a_wrong_catalogue_entry_is_named(wanted: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"ferries\.csv"):
        keep_rows(fetched(b"day,line\n1,a\n"), wanted)
