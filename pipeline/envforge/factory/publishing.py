"""`envforge publish`: read, judge, write the folder of the set, and upload what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.environment import EnvironmentManifest
from envforge.core.records.published import ChangelogEntry, PublishedSet
from envforge.core.records.trajectory import Trajectory
from envforge.publish.card.writing import write_card
from envforge.publish.hub import Hub, Unfinished
from envforge.publish.hub_errors import HubUnreachableError, NameClashError
from envforge.publish.layout import content_hashes, members_of, write_set
from envforge.publish.published import Published, PublishedEnvironment
from envforge.publish.reading import read_environment, read_manifest, refuse_strangers
from envforge.publish.refusal import Refusal
from envforge.publish.refusals.registry import refusals_of, refusals_of_file
from envforge.publish.splitting import assign_splits
from envforge.publish.versions import DERIVED, next_entry, raised
from envforge.rollout.trajectory_log import read_trajectories, trajectories_file
from envforge.store.files import staged_folder
from envforge.store.workspace import Workspace


@dataclass(frozen=True)
class PublishConfig:
    """What is to be published, and where."""

    environments: tuple[str, ...]
    repo: str
    private: bool = False
    revision: str | None = None
    dry_run: bool = False
    trajectories: tuple[Path, ...] = ()


@dataclass(frozen=True)
class PublishReport:
    """What was written, refused and uploaded."""

    repo: str
    refusals: tuple[Refusal, ...]
    folder: Path | None = None
    """Nothing was written where something is refused."""
    published: PublishedSet | None = None
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    uploaded: bool = False
    unchanged: bool = False
    """The last version has these very files."""
    note: str = ""


@dataclass(frozen=True)
class _Gathered:
    """The folders that are to be published, by id."""

    environments: Mapping[str, Path]
    tasks: Mapping[str, Path | None]


def publish(workspace: Workspace, config: PublishConfig, hub: Hub, progress: Progress) -> PublishReport:
    """Publish environments with their tasks as one set; with `dry_run`, only write its folder and say what would be.

    Nothing is uploaded where something is refused. What is published gets its version's tag when all of it is there:
    an upload that broke off goes on when it is called again. Raises ConfigError, StoreError, HubError.
    """
    gathered = _gathered(workspace, config.environments)
    progress("look for what must not be published", 0, None)
    names = list(gathered.environments)
    refusals = refusals_of([gathered.environments[n] for n in names], [gathered.tasks[n] for n in names])
    refusals += tuple(one for path in config.trajectories for one in refusals_of_file(trajectories_file(path)))
    if refusals and not config.dry_run:
        return PublishReport(config.repo, refusals)
    state, note = _state(hub, config, progress)
    before = state if isinstance(state, PublishedSet) else None
    try:
        environments = _read(gathered, config.trajectories, before)
    except StoreError:
        if refusals:  # They name the file already, and what else is wrong.
            return PublishReport(config.repo, refusals, note=note)
        raise
    report = _written(workspace, config, environments, before, progress)
    report = replace(report, refusals=refusals, note=note)
    _refuse_clash(hub, state, report)
    return report if config.dry_run else _uploaded(hub, config, state, report, progress)


def _gathered(workspace: Workspace, names: Sequence[str]) -> _Gathered:
    found: dict[str, Path] = {}
    for name in names:
        folder = workspace.environment(name).resolve()
        if found.setdefault(folder.name, folder) != folder:
            remedy = "publish one of them, or each in a set of its own"
            raise ConfigError(f"two environments have the id {folder.name}", where=str(folder), remedy=remedy)
    ordered = dict(sorted(found.items()))
    tasks = {name: workspace.tasks_of(folder) for name, folder in ordered.items()}
    return _Gathered(
        ordered, {name: folder if (folder / "tasks.jsonl").is_file() else None for name, folder in tasks.items()}
    )


def _state(hub: Hub, config: PublishConfig, progress: Progress) -> tuple[PublishedSet | Unfinished | None, str]:
    progress(f"ask the Hub for {config.repo}", 0, None)
    try:
        return hub.state(), ""
    except HubUnreachableError as error:
        if not config.dry_run:
            raise
        return None, f"The Hub could not be asked, so this is told as a first version: {error.message}"


def _read(gathered: _Gathered, files: Sequence[Path], before: PublishedSet | None) -> tuple[PublishedEnvironment, ...]:
    manifests = [_manifest(folder) for folder in gathered.environments.values()]
    splits = assign_splits(manifests, before)
    episodes: list[Trajectory] = [one for path in files for one in read_trajectories(path)]
    refuse_strangers(episodes, {one.environment_hash: one.id for one in manifests})
    return tuple(
        read_environment(folder, gathered.tasks[name], splits[name], episodes)
        for name, folder in gathered.environments.items()
    )


def _manifest(folder: Path) -> EnvironmentManifest:
    """Tasks are found, and files are placed, by a name that is the same everywhere."""
    manifest = read_manifest(folder)
    if manifest.id != folder.name:
        remedy = f"give the folder the name {manifest.id} again"
        raise ConfigError(f"is called {folder.name} and holds {manifest.id}", where=str(folder), remedy=remedy)
    return manifest


def _written(
    workspace: Workspace,
    config: PublishConfig,
    environments: tuple[PublishedEnvironment, ...],
    before: PublishedSet | None,
    progress: Progress,
) -> PublishReport:
    """Write the folder of the set, under the version that it deserves."""
    progress("write the set", 0, None)
    folder = workspace.runs / "publish" / config.repo.replace("/", "--")
    entry = next_entry(members_of(environments), content_hashes(environments), before, config.revision)
    published = _set(config.repo, entry, before, environments)
    found = _write(folder, published)
    if entry is None and before is not None:
        if found == before and config.revision in (None, before.version):
            return PublishReport(config.repo, (), folder, found, unchanged=True)
        derived = ChangelogEntry(version=raised(before, 2, config.revision), changes=(DERIVED,))
        found = _write(folder, _set(config.repo, derived, before, environments))
    last = before.files if before else {}
    return PublishReport(
        config.repo, (), folder, found,
        added=tuple(sorted(set(found.files) - set(last))),
        changed=tuple(sorted(path for path in found.files if last.get(path, found.files[path]) != found.files[path])),
        removed=tuple(sorted(set(last) - set(found.files))),
    )  # fmt: skip


def _set(
    repo: str,
    entry: ChangelogEntry | None,
    before: PublishedSet | None,
    environments: tuple[PublishedEnvironment, ...],
) -> Published:
    changelog = [*([entry] if entry else []), *(before.changelog if before else ())]
    return Published(repo, changelog[0].version, tuple(changelog), environments)


def _write(folder: Path, published: Published) -> PublishedSet:
    with staged_folder(folder) as scratch:
        return write_set(scratch, published, write_card)


def _refuse_clash(hub: Hub, state: PublishedSet | Unfinished | None, report: PublishReport) -> None:
    """What lies in a repository without a set must be ours: from an upload that broke off."""
    known = report.published.files if report.published else {}
    strange = [path for path in state.files if path not in known] if isinstance(state, Unfinished) else []
    if strange:
        remedy = "take another name for --repo, or empty that repository yourself"
        what = f"there is a dataset of that name which envforge did not publish (it holds {strange[0]})"
        raise NameClashError(what, where=hub.repo, remedy=remedy)


def _uploaded(
    hub: Hub,
    config: PublishConfig,
    state: PublishedSet | Unfinished | None,
    report: PublishReport,
    progress: Progress,
) -> PublishReport:
    assert report.folder is not None
    assert report.published is not None
    version = report.published.version
    tagged = None if state is None else hub.published_as(version)
    if tagged is not None and tagged != report.published:
        remedy = "give another --revision, or take that tag or branch away yourself"
        raise NameClashError(f"{version} is there already, with other files", where=hub.repo, remedy=remedy)
    if tagged is not None and report.unchanged:
        return report
    if state is None:
        progress(f"create {hub.repo}", 0, None)
        hub.create(private=config.private)
    progress(f"upload {hub.repo} {version}", 0, None)
    commit = hub.upload(report.folder, version)
    if tagged is None:
        hub.tag(version, commit)
    return replace(report, uploaded=True)
