"""Recording, replaying, comparing; what an audit of a shared worker catches, and what it cannot catch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError, StoreError, ToolFault
from envforge.core.records.episode import Episode, EpisodeCall
from envforge.store.episodes import read_episodes, write_episodes
from envforge.world.environment import Environment
from envforge.world.replay import (
    Player,
    Recorder,
    Replay,
    audit,
    compare,
    replay,
    replay_forked,
    sample_of,
    schema_problem,
    unlike_the_claim,
)
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session
from envforge.world.workers import OwnWorker

BORROW = {"member_id": "M-HHJ5", "book_id": 108}
NOTICE = {"name": "a", "text": "b"}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_book", {"book_id": 101}),
    ("borrow_book", BORROW),
    ("borrow_book", {"member_id": "nobody", "book_id": 108}),
    ("add_member", {"name": "Ada Quist", "level": "junior"}),
    ("post_notice", NOTICE),
    ("get_book", {"book_id": 108}),
)


TwoInOne = Callable[[Environment], tuple[Session, Session]]


def _recorded(session: Session, seed: int = 0, calls: tuple[tuple[str, dict[str, Any]], ...] = CALLS) -> Episode:
    recorder = Recorder(session, seed)
    for tool, arguments in calls:
        recorder.call(tool, arguments)
    return recorder.episode()


@pytest.fixture
def two_in_one() -> Iterator[Callable[[Environment], tuple[Session, Session]]]:
    """Two instances in one process: shared mode without the lint."""
    started: list[Session] = []

    def start(environment: Environment) -> tuple[Session, Session]:
        worker = OwnWorker(environment, Limits())
        started.extend([Session.open(environment, worker, seed=0), Session.open(environment, worker, seed=0)])
        return started[-2], started[-1]

    yield start
    for session in started:
        session.close()


@pytest.fixture
def hostile(copy: Path) -> Callable[[str], Environment]:
    """The library whose tool `get_book` begins with the given lines."""

    def make(lines: str) -> Environment:
        text = (copy / "tools.py").read_text(encoding="utf-8")
        start = 'book = _one(world, "books", book_id)\n    return'
        assert start in text
        body = "".join(f"    {line}\n" for line in lines.strip("\n").splitlines())
        text = text.replace(start, f"{body.lstrip()}    {start}")
        (copy / "tools.py").write_text(text, encoding="utf-8")
        return Environment.open(copy)

    return make


# ---- recording and replaying --------------------------------------------------------------------------------------


def test_a_recorded_episode_replays_to_the_same_digests(library: Environment, session: Session) -> None:
    session.call("borrow_book", {"member_id": "M-HHJ5", "book_id": 101})  # before the episode: no part of it
    episode = _recorded(session, seed=3)
    assert episode.digest == session.digest() and not session.diff().empty
    assert [call.tool for call in episode.calls] == [tool for tool, _ in CALLS]
    run = replay_forked(library, episode)
    assert run.digest == episode.digest
    assert list(run.observations) == [call.observation for call in episode.calls]
    assert replay(session, episode) == run


def test_the_seed_belongs_to_the_episode(library: Environment, session: Session) -> None:
    one, other = _recorded(session, 1), _recorded(session, 2)
    assert one.digest != other.digest
    assert replay_forked(library, one).digest == one.digest
    assert replay_forked(library, other).digest == other.digest


def test_players_take_turns(library: Environment, two_in_one: TwoInOne) -> None:
    first, second = two_in_one(library)
    episodes = [_recorded(first, 1), _recorded(second, 2, CALLS[::-1])]
    players = [Player(first, episodes[0]), Player(second, episodes[1])]
    while True:
        moved = [player.step() for player in players]
        if not any(moved):
            break
    assert [player.finish().digest for player in players] == [episode.digest for episode in episodes]


def test_arguments_that_are_no_json_cannot_be_recorded(session: Session) -> None:
    with pytest.raises(ConfigError, match="not JSON"):
        Recorder(session).call("get_book", {"book_id": object()})


def test_an_episode_of_another_environment_is_refused(session: Session) -> None:
    stranger = Episode(environment_hash="a" * 64, calls=())
    with pytest.raises(ConfigError, match="episode 0 is of the environment aaaaaaaaaaaaaaaa"):
        replay(session, stranger)
    with pytest.raises(ConfigError, match="episode 0"):
        audit(session.environment, [stranger])


# ---- the file ------------------------------------------------------------------------------------------------------


def test_episodes_are_written_and_read_back(session: Session, tmp_path: Path) -> None:
    episodes = [_recorded(session), _recorded(session, 2)]
    write_episodes(tmp_path / "episodes.jsonl", episodes)
    assert read_episodes(tmp_path / "episodes.jsonl") == episodes


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "line 2"),
        ("[]", "line 2"),
        ('{"environment_hash": ""}', "line 2: calls"),
        ('{"environment_hash": "x", "calls": []}', "line 2: environment_hash"),
        ('{"environment_hash": "", "calls": [{"arguments": {}}]}', "line 2: calls.0.tool"),
        ('{"environment_hash": "", "calls": [{"tool": "a", "arguments": []}]}', "line 2: calls.0.arguments"),
        ('{"environment_hash": "", "calls": [], "colour": 1}', "line 2: colour"),
        ('{"environment_hash": "", "calls": [], "digest": "zz"}', "line 2: digest"),
    ],
)
def test_a_malformed_line_is_named(line: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    good = json.dumps({"environment_hash": "", "calls": []})
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(StoreError) as caught:
        read_episodes(path)
    assert word in str(caught.value) and str(path) == caught.value.where


def test_a_file_without_episodes_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="no episode"):
        read_episodes(tmp_path / "empty.jsonl")
    with pytest.raises(StoreError, match="no such file"):
        read_episodes(tmp_path / "missing.jsonl")


# ---- comparing -----------------------------------------------------------------------------------------------------


def _run(session: Session, *calls: tuple[str, dict[str, Any]]) -> tuple[Episode, Replay]:
    episode = _recorded(session, calls=calls)
    return episode, replay(session, episode)


def test_equal_runs_agree(library: Environment, session: Session) -> None:
    episode, run = _run(session, *CALLS)
    assert compare(library, episode, run, replay_forked(library, episode)) is None


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (("borrow_book", BORROW), ("get_book", {"book_id": 108}), (1, "loans", "inserted | unchanged")),
        (
            ("post_notice", NOTICE),
            ("post_notice", {**NOTICE, "text": "c"}),
            (-1, "documents", "(None, 'b') | (None, 'c')"),
        ),
        (
            ("return_book", {"loan_id": "1b0a7f5e-2f0e-4a35-9a0c-3d1c2f7c1002"}),
            ("get_book", {"book_id": 108}),
            (1, "loans", "updated | unchanged"),
        ),
    ],
)
def test_the_first_row_that_differs_is_named(
    library: Environment,
    session: Session,
    one: tuple[str, dict[str, Any]],
    other: tuple[str, dict[str, Any]],
    told: tuple[int, str, str],
) -> None:
    episode, first = _run(session, CALLS[0], one)
    _, second = _run(session, CALLS[0], other)
    difference = compare(library, episode, first, second, number=7)
    assert difference is not None
    assert (difference.episode, difference.call, difference.table, difference.detail) == (7, *told)
    where = f"call 1 ({one[0]}), {told[1]}" if told[0] >= 0 else f"{told[1]} notices/a.md"
    assert str(difference).startswith(f"episode 7, {where}")


def test_the_column_that_differs_is_named(library: Environment, session: Session) -> None:
    episode, first = _run(session, ("add_member", {"name": "Ada", "level": "junior"}))
    _, second = _run(session, ("add_member", {"name": "Bea", "level": "junior"}))
    difference = compare(library, episode, first, second)
    assert difference is not None and difference.detail == "name is 'Ada' | 'Bea'"


def test_answers_alone_may_differ(library: Environment, session: Session) -> None:
    episode, first = _run(session, ("get_book", {"book_id": 101}))
    _, second = _run(session, ("get_book", {"book_id": 104}))
    difference = compare(library, episode, first, second)
    assert difference is not None and (difference.call, difference.table) == (0, "")


# ---- the audit -----------------------------------------------------------------------------------------------------


def test_honest_claims_hold(library: Environment) -> None:
    with library.share() as group:
        sessions = [group.start() for _ in range(3)]
        episodes = [_recorded(session, seed) for seed, session in enumerate(sessions)]
    assert audit(library, episodes, share=1.0) == []


def test_a_claim_without_digest_is_no_claim(library: Environment) -> None:
    episode = Episode(environment_hash="", calls=(EpisodeCall(tool="get_book", arguments={"book_id": 101}),))
    with pytest.raises(ConfigError, match="digest"):
        audit(library, [episode], share=1.0)


def test_a_wrong_claim_is_named(library: Environment, session: Session) -> None:
    episodes = [_recorded(session, seed) for seed in range(3)]
    episodes[1] = episodes[1].model_copy(update={"digest": "0" * 64})
    (found,) = audit(library, episodes, share=1.0)
    assert found.episode == 1 and "loans +1" in found.detail and "document notices/a.md" in found.detail
    calls = list(episodes[2].calls)
    calls[3] = calls[3].model_copy(update={"observation": "0" * 64})
    episodes[2] = episodes[2].model_copy(update={"calls": tuple(calls)})
    found = audit(library, episodes, share=1.0)[-1]
    assert (found.episode, found.call, found.tool) == (2, 3, "add_member")


def test_the_sample_is_seeded_and_rounded_up() -> None:
    assert sample_of(100, share=0.05, seed=1) == sample_of(100, share=0.05, seed=1)
    assert sample_of(100, share=0.05, seed=1) != sample_of(100, share=0.05, seed=2)
    assert len(sample_of(100, share=0.05, seed=1)) == 5
    assert len(sample_of(3, share=0.05, seed=1)) == 1
    assert sample_of(4, share=1.0, seed=1) == [0, 1, 2, 3]
    assert sample_of(4, share=0.0, seed=1) == sample_of(0, share=0.5, seed=1) == []
    with pytest.raises(ConfigError):
        sample_of(4, share=1.5, seed=1)


ESCAPE = "import statistics\nmodules = statistics.sys.modules\nkind = modules['envforge.world.live'].LiveWorld\n"
"""The way out of Python's rules that pure Python always leaves; the lint refuses it, the process holds it."""

FORGED_WHEN_WARM = ESCAPE + (
    "statistics.seen = getattr(statistics, 'seen', 0) + 1\n"
    "if statistics.seen > 2:\n"
    "    kind.changeset = lambda self: b''\n"
)
FORGED_ALWAYS = ESCAPE + "kind.changeset = lambda self: b''\n"
FORGED_ROWS = ESCAPE + (
    "true = getattr(kind, 'true', kind.changeset)\n"
    "kind.true = true\n"
    "kind.changeset = lambda self: true(self).replace((108).to_bytes(8), (9108).to_bytes(8))\n"
)
MEDDLING = ESCAPE + (
    "kept = statistics.__dict__.setdefault('kept', [])\n"
    "kept.append(world)\n"
    "if any(one is not world for one in kept):\n"
    "    engine = kept[0]._engine\n"
    "    engine.own(\"UPDATE members SET name = 'stolen' WHERE id = 'M-HHJ5'\")\n"
)


@pytest.mark.parametrize("lines", [FORGED_WHEN_WARM, FORGED_ALWAYS, FORGED_ROWS, MEDDLING])
def test_no_forger_is_let_into_a_shared_worker(lines: str, hostile: Callable[[str], Environment]) -> None:
    with pytest.raises(ToolFault, match=r"line \d+: statistics.sys"):
        hostile(lines).share()


def test_a_changeset_forged_in_the_warm_process_is_caught(
    hostile: Callable[[str], Environment], two_in_one: TwoInOne
) -> None:
    environment = hostile(FORGED_WHEN_WARM)
    first, second = two_in_one(environment)
    episodes = [_recorded(first), _recorded(second)]
    assert episodes[0].digest != episodes[1].digest, "the second episode is forged"
    (found,) = audit(environment, episodes, share=1.0)
    assert found.episode == 1 and "loans +1" in found.detail


def test_another_instance_that_was_tampered_with_is_caught(
    hostile: Callable[[str], Environment], two_in_one: TwoInOne
) -> None:
    environment = hostile(MEDDLING)
    first, second = two_in_one(environment)
    recorder = Recorder(first)
    recorder.call("get_book", {"book_id": 101})
    _recorded(second)
    (found,) = audit(environment, [recorder.episode()], share=1.0)
    assert found.episode == 0 and "nothing changed" in found.detail


def test_rows_that_no_sql_could_leave_are_caught_even_when_forged_in_both_modes(
    hostile: Callable[[str], Environment],
) -> None:
    environment = hostile(FORGED_ROWS)
    with environment.start() as session:
        episode = _recorded(session)
    run = replay_forked(environment, episode)
    assert run.digest == episode.digest, "forked mode alone agrees with the forger"
    (found,) = audit(environment, [episode], share=1.0)
    assert "schema" in found.detail
    assert schema_problem(environment, run.changeset) and not schema_problem(environment, b"")


def test_consistent_forging_within_the_schema_is_beyond_an_audit(hostile: Callable[[str], Environment]) -> None:
    """The limit that `audit` states: such a tool is wrong in every mode, and that is what unit tests are for."""
    environment = hostile(FORGED_ALWAYS)
    with environment.start() as session:
        episode = _recorded(session)
        assert session.diff().empty
    assert audit(environment, [episode], share=1.0) == []
    assert unlike_the_claim(environment, episode, replay_forked(environment, episode)) is None
