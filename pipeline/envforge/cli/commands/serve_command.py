"""`envforge serve`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError, StoreError
from envforge.store.files import read_text
from envforge.store.workspace import Workspace
from envforge.world.admission import certificate_fits
from envforge.world.environment import Environment
from envforge.world.serve.keys import LEAST_TOKEN
from envforge.world.serve.offer import Offer

if TYPE_CHECKING:
    from envforge.world.serve.server import Isolation, Ready


def run(
    names: list[str],
    given: Mapping[str, Any],
    *,
    tasks: bool,
    uncertified: bool,
    token_file: Path | None,
    shared: SharedOptions,
) -> None:
    """Serve over HTTP until a signal. `given`: fields of `ServeConfig`."""
    from envforge.world.serve.server import ServeConfig, open_listener, serve

    token = read_token(token_file) if token_file is not None else None
    config = ServeConfig(**given, token=token)
    listener = open_listener(config)
    offers = [_offer(shared, name, tasks=tasks, uncertified=uncertified) for name in names]
    serve(offers, config, listener, lambda ready: _tell(ready, shared))


def run_stdio(
    names: list[str],
    *,
    task: str | None,
    seed: int,
    isolation: Isolation,
    record: Path | None,
    uncertified: bool,
    shared: SharedOptions,
) -> None:
    """Serve one episode over standard input and output."""
    from envforge.world.serve.stdio import StdioConfig, serve_stdio

    if len(names) != 1:
        raise ConfigError(f"--stdio serves one environment, not {len(names)}", remedy="name one")
    offer = _offer(shared, names[0], tasks=task is not None, uncertified=uncertified)
    found = offer.find_task(task) if task is not None and offer.find_task is not None else None
    serve_stdio(offer, StdioConfig(task=found, seed=seed, isolation=isolation, record=record))


def _offer(shared: SharedOptions, name: str, *, tasks: bool, uncertified: bool) -> Offer:
    """An environment that is what its certificate says. Raises ConfigError, StoreError."""
    place = Workspace(shared.workspace)
    if not tasks:
        environment, offer = Environment.open(place.environment(name)), None
    else:
        from envforge.factory.opened_tasks import open_tasks

        opened = open_tasks(place, name)
        environment = opened.environment
        offer = Offer(environment, {task.id: task for task in opened.tasks.tasks}, opened.tasks.task)
    if not uncertified and not certificate_fits(environment):
        what = "the certificate does not hold, or is of other files"
        remedy = f"look with: envforge check {name}; or serve it all the same with --uncertified"
        raise StoreError(what, where=str(environment.folder), remedy=remedy)
    return offer or Offer(environment)


def read_token(path: Path) -> str:
    """The token in a file. Raises StoreError for none, ConfigError for one that is short or has blanks in it."""
    token = read_text(path, 10_000).strip()
    if len(token) < LEAST_TOKEN or not token.isascii() or any(not 33 <= ord(sign) <= 126 for sign in token):
        what = f"holds no token: {LEAST_TOKEN} or more visible ASCII characters without blanks"
        raise ConfigError(what, where=str(path), remedy="e.g. openssl rand -hex 32")
    return token


def _tell(ready: Ready, shared: SharedOptions) -> None:
    """One line, whoever reads it: programs wait for it."""
    if shared.json_output:
        told: dict[str, Any] = {"ready": True, "url": ready.url, "environments": list(ready.environments)}
        told |= {"max_live": ready.max_live, "idle_seconds": ready.idle_seconds, "token": ready.token}
        print(json.dumps(told), flush=True)
        return
    token = f"; token {ready.token}" if ready.token is not None else ""
    print(f"serving {', '.join(ready.environments)} at {ready.url}{token}", flush=True)
