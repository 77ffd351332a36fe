"""The workspace: the only place that knows which folder holds what."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

from envforge.core.errors import ConfigError

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Workspace:
    """`root` holds environments/, tasks/ and runs/; themes/ and validators/ there win over the package's."""

    root: Path

    @property
    def environments(self) -> Path:
        """Folder of environments."""
        return self.root / "environments"

    @property
    def tasks(self) -> Path:
        """Folder of tasks."""
        return self.root / "tasks"

    @property
    def runs(self) -> Path:
        """Folder of runs: fetched sources, journals, the ledger."""
        return self.root / "runs"

    def run(self, name: str) -> Path:
        """Folder of a run, given its id or a path to it. Raises ConfigError with what there is."""
        for candidate in (self.runs / name, Path(name)):
            if name and (candidate / "sources").is_dir():
                return candidate
        known = sorted(path.parent.name for path in self.runs.glob("*/sources"))
        raise ConfigError(
            f"no run {name!r} with recorded sources",
            where=str(self.runs),
            remedy=f"there are: {', '.join(known)}" if known else "record one with: envforge mine … --live",
        )

    def environment(self, name: str) -> Path:
        """Folder of an environment, given its id or a path to it. Raises ConfigError with what there is."""
        for candidate in (self.environments / name, Path(name)):
            if (candidate / "environment.json").is_file():
                return candidate
        known = sorted(path.parent.name for path in self.environments.glob("*/environment.json"))
        raise ConfigError(
            f"no environment {name!r}",
            where=str(self.environments),
            remedy=f"there are: {', '.join(known)}" if known else "build one with: envforge mine --theme SLUG",
        )

    def rejection(self, name: str) -> Path | None:
        """Folder of a specification that was refused, given its theme or a path to it; the latest one of a theme."""
        if (Path(name) / "rejection.json").is_file():
            return Path(name)
        if "/" in name:
            return None
        found = list(self.runs.glob(f"*/rejected/{glob.escape(name)}/rejection.json"))
        return max(found, key=lambda path: path.stat().st_mtime_ns).parent if found else None

    def tasks_of(self, environment: Path) -> Path:
        """Folder of the tasks of an environment's folder: tasks/<id> beside the environments/ that holds it."""
        here = environment.resolve()
        root = here.parent.parent if here.parent.name == "environments" else self.root
        return root / "tasks" / here.name

    def data_folders(self, name: str) -> list[Path]:
        """Existing folders of shipped data `name` (themes, validators): workspace first, then the package."""
        return [folder for folder in _candidates(self.root, name) if folder.is_dir()]

    def data_file(self, name: str) -> Path:
        """The first existing shipped file `name`, e.g. validators/gates/environment.json. Raises ConfigError."""
        first, _, rest = name.partition("/")
        for folder in self.data_folders(first):
            if (folder / rest).is_file():
                return folder / rest
        raise ConfigError(f"{name} is missing", where=str(self.root), remedy="reinstall envforge")


def _candidates(root: Path, name: str) -> list[Path]:
    # An editable install has the data beside pipeline/, a wheel carries it as package data.
    folders = [root / name, _PACKAGE / "data" / name, _PACKAGE.parent.parent / name]
    unique: dict[Path, Path] = {folder.resolve(): folder for folder in reversed(folders)}
    return [folder for folder in folders if unique.get(folder.resolve()) is folder]
