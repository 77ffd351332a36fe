from envforge.core.contracts import Row
from envforge.core.records.domain import Column, IdStyle, Table
from envforge.mine.scenario.minting import Minter


def table(style: IdStyle | None = None) -> Table:
    key = Column(name="code", type="text", nullable=False)
    return Table(name="trips", entity="trip", label="trip", columns=(key,), primary_key=("code",), id_style=style)


def minted(*codes: str, count: int = 3, style: IdStyle | None = None) -> list[str]:
    minter = Minter(7, "test")
    rows: list[Row] = [{"code": code} for code in codes]
    return [str(minter.mint(table(style), rows)) for _ in range(count)]


def test_codes_look_like_the_ones_that_are_there() -> None:
    found = minted("NL240302000", "SK240302100")
    assert len(set(found)) == 3
    assert all(code[:2] in {"NL", "SK"} and len(code) == 11 and code[2:].isdigit() for code in found)


def test_the_same_seed_mints_the_same_codes() -> None:
    assert minted("NL240302000") == minted("NL240302000")


def test_a_code_that_is_taken_is_not_minted_again() -> None:
    codes = [f"A{number:03d}" for number in range(990)]
    assert set(minted(*codes, count=10)).isdisjoint(codes)


def test_names_and_uuids_say_nothing_of_numbers() -> None:
    uuid = "00903962-1c1d-4c39-a0ab-0d6a44a2b1ce"
    for codes in (["harbour"], [uuid], []):
        assert all(len(code) == 36 for code in minted(*codes))


def test_a_stated_style_wins() -> None:
    assert minted("NL240302000", count=1, style=IdStyle(kind="code", prefix="T-", length=4))[0].startswith("T-")
