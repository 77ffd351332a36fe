import json
from pathlib import Path

import pytest

from envforge.core.errors import StoreError
from envforge.store.schemas import FORMATS, schema_of, validate, write_schemas

SHIPPED = Path(__file__).parents[3] / "validators" / "schemas"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_shipped_schema_is_in_step_with_its_record(name: str) -> None:
    shipped = json.loads((SHIPPED / f"{name}.schema.json").read_text(encoding="utf-8"))
    assert shipped == json.loads(json.dumps(schema_of(name))), "run: make schemas"


def test_no_schema_without_a_record(tmp_path: Path) -> None:
    write_schemas(tmp_path)
    assert {path.name for path in SHIPPED.iterdir()} == {path.name for path in tmp_path.iterdir()}


def test_unknown_field_is_refused_by_name() -> None:
    value = {"slug": "x", "title": "X", "kind": "domain", "colour": "red"}
    with pytest.raises(StoreError, match=r"themes/x\.yaml.*colour"):
        validate("theme", value, "themes/x.yaml")


def test_valid_theme_passes() -> None:
    validate("theme", {"slug": "x", "title": "X", "kind": "domain"}, "x")
