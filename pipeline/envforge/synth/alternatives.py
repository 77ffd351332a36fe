"""Alternatives: other solutions of the same goal, made from the gold without knowing how the task is scored.

Operators: family (the family's own other programs), page-size, order-of-items, order-of-writes, order-of-loops,
extra-reads, other-entry, free-text, two-steps, write-again. Not each is a solution everywhere: one that does something
else than the gold is none, and the gates leave it out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from envforge.core.contracts import TaskCandidate
from envforge.gates.atoms import atoms, lists
from envforge.gates.solutions import Played, Variant
from envforge.synth.manners import Again, Deferred, Entry, Listed, LooksFirst, OtherText, Pages, Reversed, Split
from envforge.synth.paging import paging_of
from envforge.synth.semantics import Semantics

SMALL_PAGE = 7


def alternatives(semantics: Semantics, candidate: TaskCandidate, gold: Played) -> list[Variant]:
    """At most one of each operator, the family's own all."""
    found = [
        Variant(f"family-{number}", "family", f"alternatives[{number}]", program=program)
        for number, program in enumerate(candidate.alternatives)
    ]
    for operator, build in BUILDERS.items():
        for variant in build(_Given(semantics, candidate, gold)):
            found.append(Variant(operator, operator, variant.place, variant.make, variant.program))
            break
    return found


@dataclass(frozen=True)
class _Given:
    semantics: Semantics
    candidate: TaskCandidate
    gold: Played

    @property
    def writing(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.semantics.tools.values() if not tool.annotations.read_only)


def _page_size(given: _Given) -> Iterator[Variant]:
    paging = {name: paging_of(given.semantics.tools[name]) for name in {step.tool for step in given.gold.steps}}
    paged = {name: found for name, found in paging.items() if found.cursor and found.size_parameter}
    if paged:
        yield Variant("", "", f"pages of {SMALL_PAGE}", partial(Pages, paged, SMALL_PAGE))


def _items(given: _Given) -> Iterator[Variant]:
    if any(
        len(items) > 1 for step in given.gold.steps if not step.writes for _, items in lists(step.seen.result or {})
    ):
        yield Variant("", "", "lists of reads", partial(Reversed, given.writing))


def _writes(given: _Given) -> Iterator[Variant]:
    writes = [step for step in given.gold.steps if step.writes]
    if len(writes) > 1:
        yield Variant("", "", f"{len(writes)} writes", partial(Deferred, writes))


def _loops(given: _Given) -> Iterator[Variant]:
    """`for x in items` becomes `for x in reversed(list(items))` in the outermost loops of the body."""
    tree = ast.parse(given.candidate.program)
    solve = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "solve"), None)
    loops = [node for node in solve.body if isinstance(node, ast.For)] if solve else []
    for loop in loops:
        listed = ast.Call(ast.Name("list", ast.Load()), [loop.iter], [])
        loop.iter = ast.Call(ast.Name("reversed", ast.Load()), [listed], [])
    if loops:
        yield Variant("", "", f"{len(loops)} loops", program=ast.unparse(ast.fix_missing_locations(tree)))


def _reads(given: _Given) -> Iterator[Variant]:
    if any(not step.writes for step in given.gold.steps):
        yield Variant("", "", "before writes", partial(LooksFirst, given.writing))


def _other_entry(given: _Given) -> Iterator[Variant]:
    """A row that the gold looks up by its key is found in a list that needs no key."""
    entries: dict[str, Entry] = {}
    for tool in dict.fromkeys(step.tool for step in given.gold.steps if not step.writes):
        entry = _entry(given.semantics, tool)
        if entry is not None:
            entries[tool] = entry
    if entries:
        lists_used = ", ".join(sorted(entry.listing for entry in entries.values()))
        yield Variant("", "", lists_used, partial(Listed, entries))


def _entry(semantics: Semantics, tool: str) -> Entry | None:
    """The list that shows what `tool` gives for its one key."""
    spec = semantics.tools[tool]
    keys, fields = list(spec.consumes.items()), list(spec.returns.get("properties", {}))
    if len(spec.parameters.get("properties", {})) != 1 or len(keys) != 1 or not fields:
        return None
    for other in semantics.tools.values():
        paging = paging_of(other)
        if not other.annotations.read_only or other.parameters.get("required") or not paging.items:
            continue
        for path, kind in other.produces.items():
            name = path.removeprefix(f"{paging.items}[].")
            if other.entity == spec.entity and kind == keys[0][1] and name != path and "." not in name:
                return Entry(keys[0][0], other.name, paging, name, fields[0])
    return None


def _again(given: _Given) -> Iterator[Variant]:
    if given.gold.writes:
        yield Variant("", "", "each write", partial(Again, given.writing))


def _split(given: _Given) -> Iterator[Variant]:
    parts: dict[str, list[str]] = {}
    for tool in {step.tool for step in given.gold.steps if step.writes}:
        spec = given.semantics.tools[tool]
        if spec.verb == "update":
            required = set(spec.parameters.get("required", ()))
            parts[tool] = [name for name in spec.parameters.get("properties", {}) if name not in required]
    if parts:
        yield Variant("", "", ", ".join(sorted(parts)), partial(Split, parts))


def _free_text(given: _Given) -> Iterator[Variant]:
    """A text of the gold that is neither said, nor seen, nor a choice of the tool."""
    seen = {value for step in given.gold.steps for _, value in atoms(step.seen.result or {}) if isinstance(value, str)}
    said = given.candidate.instruction.casefold()
    for step in given.gold.steps:
        for path, value in atoms(dict(step.arguments)) if step.writes else ():
            if not isinstance(value, str) or " " not in value or value in seen or value.casefold() in said:
                continue
            if not given.semantics.schema(step.tool, path).get("enum"):
                yield Variant("", "", f"{value!r}"[:80], partial(OtherText, value, "As we agreed on the phone."))


_Builder = Callable[[_Given], Iterator[Variant]]
BUILDERS: Mapping[str, _Builder] = {
    "page-size": _page_size,
    "order-of-items": _items,
    "order-of-writes": _writes,
    "order-of-loops": _loops,
    "extra-reads": _reads,
    "other-entry": _other_entry,
    "write-again": _again,
    "two-steps": _split,
    "free-text": _free_text,
}
