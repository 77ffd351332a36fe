"""Branches: all states that the solutions of a task lead to, as one tree, so that what they share runs once.

Worlds are deterministic: the same calls from the same start give the same answers and the same rows. A node stands for
a sequence of successful writing calls; reads are remembered at their node, and a write that was made there before
leads to the node that is there already. A mutant of a solution so costs only what comes after its change.

An instance moves on with its episode; only the episode that others start from (the gold's) leaves some behind. Where
none is left, one is forked off the nearest state before and the calls in between are made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from envforge.core.errors import SandboxError
from envforge.core.ids import canonical_json
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.session import Session

MOST_LIVE = 96
"""Instances held at once; the states of the others are made again when they are needed."""
MOST_REMEMBERED = 32 << 20
"""Bytes of JSON (calls and answers) and of changesets that are remembered of all states together.

What was asked for the longest time ago is forgotten first: it is made again when it is needed.
"""
_OF_AN_ENTRY = 1000
"""About what a node and its places in the tree take beside texts."""
_CHANGESET = ""
"""Stands for a state's changeset where a call would be named."""


def _reads() -> dict[str, Observation]:
    return {}


def _following() -> dict[str, tuple[Node, Observation]]:
    return {}


@dataclass(eq=False)
class Node:
    """A state: what led to it, what was seen in it. `session` is there while it is held; `kept`: it stays."""

    before: Node | None = None
    made_by: tuple[str, Mapping[str, Any]] | None = None
    session: Session | None = None
    kept: bool = False
    depth: int = 0
    reads: dict[str, Observation] = field(default_factory=_reads)
    following: dict[str, tuple[Node, Observation]] = field(default_factory=_following)
    changeset: bytes | None = None

    def forget(self, name: str) -> None:
        """What a call answered here, and the state that it led to; or the changeset."""
        if name == _CHANGESET:
            self.changeset = None
        elif self.reads.pop(name, None) is None:
            self.following.pop(name, None)


class Branch:
    """One episode in the tree: a place that moves on with each successful writing call."""

    def __init__(self, branches: Branches, node: Node, keep_every: int = 0) -> None:
        self._branches = branches
        self._keep_every = keep_every
        self.node = node

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Observation:
        """As Session.call. Raises SandboxError only."""
        before = self.node
        observation, self.node = self._branches.step(before, tool, arguments)
        if self._keep_every and self.node is not before and not self.node.depth % self._keep_every:
            self.node.kept = True
        return observation

    def changeset(self) -> bytes:
        """As Session.changeset."""
        return self._branches.changeset(self.node)


class Branches:
    """The tree over one environment and one episode seed. It lives as long as a worker; `forget` prunes it."""

    def __init__(self, environment: Environment, seed: int = 0) -> None:
        """Raises SandboxError, ToolFault."""
        self.environment = environment
        self.seed = seed
        self._root = Node(session=environment.start(seed), kept=True, changeset=b"")
        self._read_only = {tool.name: tool.annotations.read_only for tool in environment.tools}
        self._live: dict[Node, None] = {}
        self._sizes: dict[tuple[Node, str], int] = {}
        """What is remembered, as it was last asked for."""
        self.remembered = 0
        """Sum of these sizes; see MOST_REMEMBERED."""
        self.calls_made = 0
        """Calls that ran; `calls_asked` less these were remembered."""
        self.calls_asked = 0

    def start(self, *, keep_every: int = 0) -> Branch:
        """An episode at the start. `keep_every`: after so many writes an instance is left behind for others."""
        return Branch(self, self._root, keep_every)

    def step(self, node: Node, tool: str, arguments: Mapping[str, Any]) -> tuple[Observation, Node]:
        """What a call answers in a state, and the state after it."""
        self.calls_asked += 1
        name = f"{tool} {canonical_json(dict(arguments))}"
        known = self._known(node, name)
        if known is not None:
            return known
        self.calls_made += 1
        try:
            if not self._read_only.get(tool, True):
                return self._write(node, name, tool, arguments)
            observation = self._session(node).call(tool, arguments)
        except SandboxError:
            self._start_over()
            raise
        node.reads[name] = observation
        self._remember(node, name, len(name) + observation.size)
        return observation, node

    def _known(self, node: Node, name: str) -> tuple[Observation, Node] | None:
        if (node, name) not in self._sizes:
            return None
        self._sizes[node, name] = self._sizes.pop((node, name))  # the last one now
        if name in node.reads:
            return node.reads[name], node
        after, observation = node.following[name]
        return observation, after

    def _remember(self, node: Node, name: str, size: int) -> None:
        self._sizes[node, name] = size + _OF_AN_ENTRY
        self.remembered += size + _OF_AN_ENTRY
        while self.remembered > MOST_REMEMBERED:
            oldest = next(iter(self._sizes))
            self.remembered -= self._sizes.pop(oldest)
            oldest[0].forget(oldest[1])

    def changeset(self, node: Node) -> bytes:
        """What changed since the start."""
        if node.changeset is not None:
            return node.changeset
        node.changeset = found = self._session(node).changeset()
        self._remember(node, _CHANGESET, len(found))
        return found

    def forget(self) -> None:
        """Drop all states but the initial one, whose reads are kept."""
        self._root.following.clear()
        for node in self._live:
            _end(node)
        self._live.clear()
        root, reads = self._root, self._root.reads
        self._sizes = {key: size for key, size in self._sizes.items() if key[0] is root and key[1] in reads}
        self.remembered = sum(self._sizes.values())

    def close(self) -> None:
        """End the worker."""
        self.forget()
        _end(self._root)

    def __enter__(self) -> Branches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, node: Node, name: str, tool: str, arguments: Mapping[str, Any]) -> tuple[Observation, Node]:
        session = self._session(node)
        if node.kept:
            session = session.fork()
        observation = session.call(tool, arguments)
        if not observation.ok:
            # A call is one transaction: what failed left rows, clock and ids as they were.
            if node.kept:
                session.close()
            node.reads[name] = observation
            self._remember(node, name, len(name) + observation.size)
            return observation, node
        if not node.kept:
            node.session = None
            self._live.pop(node, None)
        after = Node(node, (tool, dict(arguments)), session, depth=node.depth + 1)
        node.following[name] = (after, observation)
        self._hold(after)
        self._remember(node, name, 2 * len(name) + observation.size)  # the state keeps the arguments too
        return observation, after

    def _session(self, node: Node) -> Session:
        if node.session is None:
            calls: list[tuple[str, Mapping[str, Any]]] = []
            nearest = node
            while nearest.session is None:
                if nearest.before is None or nearest.made_by is None:
                    raise RuntimeError("the tree is closed")
                calls.append(nearest.made_by)
                nearest = nearest.before
            node.session = nearest.session.fork()
            for tool, arguments in reversed(calls):
                node.session.call(tool, arguments)
        if node is not self._root:
            self._hold(node)
        return node.session

    def _start_over(self) -> None:
        """A new worker, after the last one died with all instances in it."""
        self.forget()
        if self._root.session is not None:
            self._root.session.restart()

    def _hold(self, node: Node) -> None:
        """Keep a live instance, and end the one that was used the longest time ago when they are too many."""
        self._live.pop(node, None)
        self._live[node] = None
        if len(self._live) > MOST_LIVE:
            oldest = next(iter(self._live))
            del self._live[oldest]
            _end(oldest)


def _end(node: Node) -> None:
    if node.session is not None:
        node.session.close()
        node.session = None
