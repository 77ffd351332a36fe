"""`check --forked`: equal modes agree; what differs is named by test, or by episode, call and row."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.episode import Episode
from envforge.factory.modes import ModesReport, check_modes
from envforge.gates.episodes import episodes_of
from envforge.store.episodes import write_episodes
from envforge.store.workspace import Workspace
from envforge.world.environment import Environment
from envforge.world.replay import Recorder
from envforge.world.tests_apart import run_apart

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"
Check = Callable[..., ModesReport]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "environments" / "library"
    shutil.copytree(LIBRARY, folder)
    return folder


@pytest.fixture
def check(tmp_path: Path, folder: Path) -> Check:
    def run(episodes: Path | None = None, sample: int = 20, seed: int = 0) -> ModesReport:
        place = Workspace(tmp_path)
        return check_modes(place, folder.name, episodes=episodes, sample=sample, seed=seed, progress=_silent)

    return run


def _plant(folder: Path, old: str, new: str, addition: str = "") -> None:
    path = folder / "tools.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1) + addition, encoding="utf-8")


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


COUNTED = "\n\ndef _count(seen=[]):\n    seen.append(1)\n    return len(seen)\n"


def _recorded(folder: Path, count: int = 3) -> list[Episode]:
    episodes: list[Episode] = []
    with Environment.open(folder).start() as session:
        for seed in range(count):
            recorder = Recorder(session, seed)
            recorder.call("get_book", {"book_id": 101})
            recorder.call("borrow_book", {"member_id": "M-HHJ5", "book_id": 108})
            episodes.append(recorder.episode())
    return episodes


# ---- episodes made of tests ----------------------------------------------------------------------------------------


def test_episodes_touch_every_tool_and_mix_reads_writes_and_errors() -> None:
    tests = (LIBRARY / "tests" / "test_tools.py").read_text(encoding="utf-8")
    episodes = episodes_of(tests, "", seed=1, calls_of_an_episode=4)
    assert {call.tool for one in episodes for call in one.calls} == {t.name for t in Environment.open(LIBRARY).tools}
    assert len(episodes) > 2 and max(len(one.calls) for one in episodes) == 4
    assert all(len({call.tool for call in one.calls}) > 1 for one in episodes)
    assert episodes == episodes_of(tests, "", seed=1, calls_of_an_episode=4)
    assert episodes != episodes_of(tests, "", seed=2, calls_of_an_episode=4)


def test_of_a_tool_at_most_so_many_calls_half_of_them_failing() -> None:
    tests = (LIBRARY / "tests" / "test_tools.py").read_text(encoding="utf-8")
    episodes = episodes_of(tests, "", calls_of_a_tool=2)
    calls = [call for one in episodes for call in one.calls if call.tool == "borrow_book"]
    assert len(calls) == 2 and len([one for one in calls if one.arguments["book_id"] == 108]) <= 1


# ---- agreement -----------------------------------------------------------------------------------------------------


def test_the_library_does_the_same_in_both_modes(check: Check) -> None:
    report = check()
    assert report.agrees and not report.recorded
    assert report.shared_tests.passed == report.forked_tests.passed != ()
    assert dict(report.shared_tests.changesets) == dict(report.forked_tests.changesets)
    assert any(report.forked_tests.changesets.values()), "some tests write"


def test_recorded_episodes_that_hold(check: Check, folder: Path, tmp_path: Path) -> None:
    write_episodes(tmp_path / "episodes.jsonl", _recorded(folder, 5))
    report = check(tmp_path / "episodes.jsonl", sample=2)
    assert report.agrees and report.recorded
    assert (report.episodes, len(report.sampled), report.calls) == (5, 2, 4)
    assert check(tmp_path / "episodes.jsonl", sample=2).sampled == report.sampled
    assert check(tmp_path / "episodes.jsonl", sample=99).sampled == (0, 1, 2, 3, 4)


# ---- what must be found --------------------------------------------------------------------------------------------


def test_a_forged_record_is_named_by_its_number_in_the_file(check: Check, folder: Path, tmp_path: Path) -> None:
    episodes = _recorded(folder, 4)
    episodes[3] = episodes[3].model_copy(update={"digest": "0" * 64})
    write_episodes(tmp_path / "episodes.jsonl", episodes)
    (found,) = check(tmp_path / "episodes.jsonl").disagreements
    assert found.episode == 3 and "recorded changes 0000000000000000" in found.detail
    caught = [seed for seed in range(10) if not check(tmp_path / "episodes.jsonl", sample=1, seed=seed).agrees]
    assert 0 < len(caught) < 10, "the sample is drawn by the seed"


def test_rows_that_depend_on_the_process_are_named(check: Check, folder: Path, tmp_path: Path) -> None:
    write_episodes(tmp_path / "episodes.jsonl", [one.model_copy(update={"digest": ""}) for one in _recorded(folder)])
    _plant(folder, "now = world.now()\n    loan_id", "now = f'2024-03-{_count():02}T09:00:00Z'\n    loan_id", COUNTED)
    report = check(tmp_path / "episodes.jsonl")
    assert not report.agrees and report.left_behind == ("_count",)
    assert any("the default of _count's seen is changed" in one for one in report.findings)
    found = next(one for one in report.disagreements if one.episode == 1)
    assert (found.call, found.tool, found.table) == (1, "borrow_book", "loans")
    assert "borrowed_at is '2024-03-" in found.detail and "| '2024-03-01T09:00:00Z'" in found.detail
    tests = {one.test: one.detail for one in report.test_differences}
    assert any("loans" in detail and "borrowed_at" in detail for detail in tests.values()), tests


def test_a_test_that_passes_in_one_mode_only_is_named(check: Check, folder: Path) -> None:
    once = "\n\ndef _once(seen=[]):\n    seen.append(1)\n    if len(seen) > 1:\n        raise ToolError('gone', 'x')\n"
    line = '_one(world, "members", member_id)\n'
    _plant(folder, f"{line}    if", f"{line}    _once()\n    if", once)
    report = check()
    assert not report.agrees
    assert any("forked: passes" in one.detail and "gone" in one.detail for one in report.test_differences)


def test_a_test_that_fails_in_both_modes_does_not_agree(check: Check, folder: Path) -> None:
    path = folder / "tests" / "test_tools.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n\ndef test_x(world):\n    assert not world.now()\n", "utf-8")
    report = check()
    assert not report.agrees and report.test_differences == ()
    assert set(report.shared_tests.failed) == set(report.forked_tests.failed) == {"test_x"}


def test_a_test_that_costs_its_process_fails_alone(folder: Path) -> None:
    path = folder / "tests" / "test_tools.py"
    text = path.read_text(encoding="utf-8")
    body = "    import statistics\n    statistics.sys.modules['os']._exit(3)\n"
    text = text.replace("def test_add_member", f"def test_x(world):\n{body}\n\ndef test_add_member", 1)
    path.write_text(text, encoding="utf-8")
    run = run_apart(Environment.open(folder))
    assert list(run.failed) == ["test_x"] and "the worker ended" in run.failed["test_x"]
    assert "test_add_member__success" in run.passed


# ---- bad input -----------------------------------------------------------------------------------------------------


def test_episodes_of_another_environment_are_refused(check: Check, folder: Path, tmp_path: Path) -> None:
    stranger = _recorded(folder, 2)[1].model_copy(update={"environment_hash": "a" * 64})
    write_episodes(tmp_path / "episodes.jsonl", [*_recorded(folder, 1), stranger])
    with pytest.raises(ConfigError, match="episode 1 is of the environment aaaaaaaaaaaaaaaa") as caught:
        check(tmp_path / "episodes.jsonl")
    assert caught.value.where.endswith("episodes.jsonl")


def test_a_missing_file_and_tests_without_calls_are_errors(check: Check, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        check(tmp_path / "none.jsonl")
    (folder / "tests" / "test_tools.py").write_text("def test_x(world):\n    pass\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="literal arguments"):
        check()
