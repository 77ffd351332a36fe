"""A test that walks all pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envforge.build.unit_tests.checks import Lines
from envforge.build.unit_tests.literals import WIDTH, call_text, literal, text
from envforge.build.unit_tests.probe import Call, Probed
from envforge.build.unit_tests.reference import Reference, flat
from envforge.build.unit_tests.told import Found
from envforge.core.records.blueprint import Adapter, Operation, Select

_FEWEST, _MOST = 3, 60
HELPER = '''def _all_pages(tool, world, first, cursor, /, **arguments):
    """The items of all pages, from the first one on."""
    items, page = list(first["items"]), first
    while page["next_cursor"] is not None:
        page = tool(world, **arguments, **{cursor: page["next_cursor"]})
        items += page["items"]
    return items
'''


def paging_test(reference: Reference, probed: Probed) -> tuple[str, Lines] | None:
    """(docstring, statements) of a test that follows the cursors of a result of some length; None without pages."""
    names = page_parameters(probed.operation)
    call = _call_of_some_length(probed, names) if names else None
    if names is None or call is None:
        return None
    cursor, size = names
    total = _paged(call).total
    arguments = {name: value for name, value in call.arguments.items() if name not in names}
    few = max(total // 3, 1)
    whole = reference.run(probed.operation, {**arguments, size: total}).result
    if whole is None:  # the tool's pages are smaller than that
        return None

    tool = probed.operation

    def called(number: int, before: int) -> str:
        return call_text(tool, {**arguments, size: number}, indent=4, before=before)

    head = f"tools.{tool.name}, world, first, {text(cursor)}"
    given = [f"{name}={literal(value)}" for name, value in {**arguments, size: few}.items()]
    lines = [
        f"whole = {called(total, 8)}",
        f'assert len(whole["items"]) == {total}',
        'assert whole["has_more"] is False',
        'assert whole["next_cursor"] is None',
        f"first = {called(few, 8)}",
        f'assert first["items"] == whole["items"][:{few}]',
        'assert first["has_more"] is True',
        *wrapped_call("items = _all_pages", [head, *given]),
        'assert items == whole["items"]',
        f"most = {called(total - 1, 7)}",
        'assert most["has_more"] is True',
    ]
    return f"The pages of {few} together hold the same {total} items, in the same order.", lines


def wrapped_call(head: str, arguments: Sequence[str]) -> Lines:
    """A call on one line, or with its arguments on lines of their own."""
    flat_line = f"{head}({', '.join(arguments)})"
    if len(flat_line) + 4 <= WIDTH:
        return [flat_line]
    return [f"{head}(", *(f"    {argument}," for argument in arguments), ")"]


def page_parameters(operation: Operation) -> tuple[str, str] | None:
    """(cursor, page size) as the tool calls them."""
    given = {parameter.name for parameter in operation.parameters}
    for step in flat(operation.steps):
        names: tuple[Any, Any] = (None, None)
        if isinstance(step, Select) and step.page is not None:
            names = (step.page.cursor, step.page.size)
        elif isinstance(step, Adapter):
            names = (step.arguments.get("start_cursor"), step.arguments.get("page_size"))
        if names[0] in given and names[1] in given:
            return names
    return None


def _paged(call: Call) -> Found:
    """What the step with the pages found; steps after it only add to its items."""
    for found in reversed(call.told.found):
        if found.step is None or (isinstance(found.step, Select) and found.step.page is not None):
            return found
    return call.told.found[-1]


def _call_of_some_length(probed: Probed, names: tuple[str, str]) -> Call | None:
    fitting = [
        call for call in probed.tried if call.told.ok and call.told.found and _FEWEST <= _paged(call).total <= _MOST
    ]
    limit = next(
        (one.json_schema.get("maximum", _MOST) for one in probed.operation.parameters if one.name == names[1]), _MOST
    )
    fitting = [call for call in fitting if _paged(call).total <= limit]
    return min(fitting, key=lambda call: (abs(_paged(call).total - 8), len(call.arguments)), default=None)
