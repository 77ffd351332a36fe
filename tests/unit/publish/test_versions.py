"""Which version a set gets, and what its changelog says."""

from __future__ import annotations

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.published import ChangelogEntry, PublishedMember, PublishedSet
from envforge.publish.versions import changelog_text, next_entry, number_of


def _member(name: str, *, digest: str = "a" * 64, tasks: int = 2) -> PublishedMember:
    return PublishedMember(
        id=name, family=f"{name}-0", database_seed=0, environment_hash=digest, split="train", tasks=tasks
    )


def _before(*members: PublishedMember, files: dict[str, str]) -> PublishedSet:
    log = (ChangelogEntry(version="1.2.3", changes=("Before.",)),)
    return PublishedSet(repo="o/n", version="1.2.3", canary="c", members=members, changelog=log, files=files)


FILES = {"environments/a/tools.py": "1", "tasks/a/tasks.jsonl": "2", "README.md": "3"}


def test_the_first_version_is_one() -> None:
    entry = next_entry([_member("a")], FILES, None, None)
    assert entry == ChangelogEntry(version="1.0.0", changes=("First version.", "a: 2 tasks."))


def test_the_same_environments_and_tasks_are_no_new_version() -> None:
    content = {path: digest for path, digest in FILES.items() if path != "README.md"}
    assert next_entry([_member("a")], content, _before(_member("a"), files=FILES), None) is None


@pytest.mark.parametrize(
    ("members", "content", "version", "told"),
    [
        ([_member("a"), _member("b")], FILES, "1.3.0", "b: new, with 2 tasks."),
        ([_member("a", digest="b" * 64)], FILES, "2.0.0", "a: another environment"),
        ([_member("b")], {}, "2.0.0", "a: removed."),
        ([_member("a", tasks=3)], {**FILES, "tasks/a/tasks.jsonl": "9"}, "1.3.0", "(2 before, 3 now)"),
        ([_member("a")], {**FILES, "tasks/a/measured.jsonl": "9"}, "1.2.4", "tasks/a/measured.jsonl written anew"),
    ],
)
def test_what_changed_decides_the_number(
    members: list[PublishedMember], content: dict[str, str], version: str, told: str
) -> None:
    entry = next_entry(members, content, _before(_member("a"), files=FILES), None)
    assert entry is not None
    assert entry.version == version
    assert told in " ".join(entry.changes)


@pytest.mark.parametrize("wanted", ["1.2.3", "1.2.2", "0.9.9"])
def test_a_version_is_never_lowered(wanted: str) -> None:
    with pytest.raises(ConfigError, match=r"above 1\.2\.3"):
        next_entry([_member("b")], {}, _before(_member("a"), files=FILES), wanted)


def test_a_higher_version_may_be_asked_for() -> None:
    entry = next_entry([_member("b")], {}, _before(_member("a"), files=FILES), "10.0.0")
    assert entry is not None
    assert entry.version == "10.0.0"


@pytest.mark.parametrize("wrong", ["1", "v1.0.0", "01.0.0", "1.0.0-rc1", ""])
def test_what_is_no_version_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match=r"like 1\.2\.3|like 1\.2\.0"):
        number_of(wrong, "--revision")


def test_the_changelog_has_the_newest_first() -> None:
    log = (ChangelogEntry(version="1.1.0", changes=("b",)), ChangelogEntry(version="1.0.0", changes=("a", "c")))
    assert changelog_text(log) == "# Changelog\n\n## 1.1.0\n- b\n\n## 1.0.0\n- a\n- c\n"
