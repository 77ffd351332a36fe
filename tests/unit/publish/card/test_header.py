from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

from envforge.core.records.source import Licence
from envforge.publish.card.header import header
from envforge.publish.published import Published
from envforge.publish.tables.configs import table_path


def read(published: Published, folder: Path) -> dict[str, Any]:
    before, text, after = header(published, folder).split("---\n")
    assert before == "" and after == ""
    return yaml.safe_load(text)


def test_the_hub_finds_what_it_looks_for(published: Published, tmp_path: Path) -> None:
    path = tmp_path / table_path("tasks", "train")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PAR1")
    found = read(published, tmp_path)
    assert found["task_categories"] == ["reinforcement-learning"] and found["license"] == ["cc0-1.0", "mit"]
    assert found["size_categories"] == ["n<1K"] and found["pretty_name"] == "first-set"
    (config,) = found["configs"]
    assert config["config_name"] == "tasks" and config["default"] is True
    assert config["data_files"] == [{"split": "train", "path": table_path("tasks", "train")}]


@pytest.mark.parametrize(
    ("spdx", "told"),
    [
        ("MIT", "mit"),
        ("ODbL-1.0", "odbl"),
        ("GPL-3.0-or-later", "gpl-3.0"),
        ("Apache-2.0 WITH LLVM-exception", "apache-2.0"),
        ("(MIT OR Apache-2.0) AND CC0-1.0", ["apache-2.0", "cc0-1.0", "mit"]),
        ("CC-BY-NC-4.0", "other"),
        (None, "other"),
    ],
)
def test_licences_have_the_names_of_the_hub(
    published: Published, tmp_path: Path, spdx: str | None, told: object
) -> None:
    first = published.environments[0]
    source = first.sources[0].model_copy(update={"licence": Licence(spdx=spdx)})
    one = dataclasses.replace(published, environments=(dataclasses.replace(first, sources=(source,)),))
    found = read(one, tmp_path)
    assert found["license"] == told and ("license_name" in found) == (told == "other")
