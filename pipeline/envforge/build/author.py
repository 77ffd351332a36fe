"""The compiled tool author: draws a blueprint, lowers it, and tests the tools. No model, same input same text."""

from __future__ import annotations

from pathlib import Path

from envforge.build.blueprint import draw_blueprint
from envforge.build.lower import lower
from envforge.build.unit_tests import write_tests
from envforge.core.contracts import Database, Tools
from envforge.core.errors import BuildError, StoreError
from envforge.core.outcome import Failed, Outcome, Produced, Rejected
from envforge.store.files import write_json, write_text


class CompiledToolAuthor:
    """Implements contracts.ToolAuthor."""

    name = "compiled"

    def write(self, database: Database, folder: Path, *, max_tools: int | None) -> Outcome[Tools]:
        """Tools for the database, written into the draft `folder` together with their tests.

        Rejected when nothing in the domain can become a tool; Failed with the type, place and remedy of an error.
        """
        try:
            return _write(database, folder, max_tools)
        except (BuildError, StoreError) as error:
            return Failed.from_error(error)


def _write(database: Database, folder: Path, max_tools: int | None) -> Outcome[Tools]:
    blueprint, rejected = draw_blueprint(database, max_tools=max_tools)
    if not blueprint.operations:
        reasons = sorted({str(item.get("reason", "")) for item in rejected})
        return Rejected("no operation of the domain becomes a tool", {"reasons": reasons, "rejected": len(rejected)})
    module, specs = lower(blueprint)
    # The tests are found by calling the tools, so the draft must be a working environment first.
    write_text(folder / "tools.py", module)
    write_json(folder / "tools.json", [spec.to_json() for spec in specs], sort_keys=False)
    tests = write_tests(blueprint, specs, database, folder)
    write_text(folder / "tests" / "test_tools.py", tests)
    return Produced(Tools(blueprint, module, specs, tests, tuple(rejected)))
