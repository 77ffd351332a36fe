from envforge.core.ids import canonical_json, content_id, seeded_uuid
from envforge.core.seeds import derive_seed, stream


def test_streams_are_stable_and_independent() -> None:
    assert derive_seed(7, "a", 1) == derive_seed(7, "a", 1)
    assert len({derive_seed(7, "a"), derive_seed(7, "b"), derive_seed(8, "a"), derive_seed(7, "a", 0)}) == 4
    assert [stream(1, "x").random() for _ in range(2)] == [stream(1, "x").random()] * 2


def test_uuid_is_shaped_as_version_4() -> None:
    value = seeded_uuid("pages", 1)
    assert value == seeded_uuid("pages", 1) != seeded_uuid("pages", 2)
    assert value[14] == "4"
    assert value[19] in "89ab"


def test_content_id_ignores_key_order() -> None:
    assert content_id("x", {"a": 1, "b": 2}) == content_id("x", {"b": 2, "a": 1})
    assert canonical_json({"é": None}) == '{"é":null}'
