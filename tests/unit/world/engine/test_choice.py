"""Which engine is used, and what a machine without apsw does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError
from envforge.world.engine import available_engines, chosen_engine, new_engine
from envforge.world.environment import Environment

from ..conftest import LIBRARY

_WITHOUT_APSW = """
import sys
sys.modules["apsw"] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "apsw" else find(name, package)
from envforge.world.engine import available_engines
assert available_engines() == ("deserialize",), available_engines()
from envforge.world.environment import Environment
from envforge.world.live import LiveWorld
environment = Environment.open(sys.argv[1])
world = LiveWorld(environment.plan, environment.fresh_engine())
world.run(lambda world: {"n": world.execute("UPDATE books SET copies = 5 WHERE id = 101")}, {})
print(type(world.engine).__name__, len(world.changes()["books"].updated), len(environment.template.tables))
world.close()
environment.reader.close()
with environment.start() as session:
    print(session.call("get_book", {"book_id": 101}).ok, session.query("SELECT count(*) AS n FROM books")[0]["n"])
"""


def test_the_variable_names_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENVFORGE_ENGINE", raising=False)
    assert chosen_engine() == available_engines()[0] == "copy-on-write"
    monkeypatch.setenv("ENVFORGE_ENGINE", "deserialize")
    assert chosen_engine() == "deserialize"
    monkeypatch.setenv("ENVFORGE_ENGINE", "steam")
    with pytest.raises(ConfigError, match=r"ENVFORGE_ENGINE.*steam.*copy-on-write, deserialize"):
        chosen_engine()
    with pytest.raises(ConfigError, match="steam"):
        new_engine(b"", engine="steam")


@pytest.mark.parametrize("engine", ["copy-on-write", "deserialize"])
def test_an_environment_opens_with_either(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVFORGE_ENGINE", engine)
    environment = Environment.open(LIBRARY)
    assert environment.plan.engine == engine
    with environment.start() as session:
        assert session.call("borrow_book", {"member_id": "M-HHJ5", "book_id": 108}).ok
        assert len(session.diff().to_json()["tables"]["loans"]["inserted"]) == 1


def test_a_machine_without_apsw(tmp_path: Path) -> None:
    script = tmp_path / "without.py"
    script.write_text(_WITHOUT_APSW, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "ENVFORGE_ENGINE"}
    done = subprocess.run(
        [sys.executable, str(script), str(LIBRARY)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "DeserializedEngine 1 4\nTrue 8\n"


def test_the_contract_is_light() -> None:
    """What the worker's zygote imports first brings neither library along."""
    code = "import sys, envforge.world.engine; print(sorted({'apsw', 'sqlite3', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
