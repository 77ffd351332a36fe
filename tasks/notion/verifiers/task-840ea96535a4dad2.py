"""walk-compare-kick-off-date-project-project-176a42: did the episode do what was asked, and nothing else?"""

import math
import re
import unicodedata
from typing import Any

PARAMETERS = {
    "clock": "2025-03-11T09:30:00Z",
    "start": "6775880b-dce8-465f-933b-9ff18e88b047",
    "other": "9fb805f9-6caf-451f-9c37-ddf20237e84d",
}
ANSWER_DIFFERENCE = """
SELECT CAST(abs(julianday((SELECT (SELECT v."date_value"
FROM "property_values" v
WHERE v."page_id" = r."id"
AND v."property_id" = 'rkku'
AND v."date_value" IS NOT NULL
LIMIT 1)
FROM "pages" r
WHERE r."id" IN (SELECT :start))) - julianday((SELECT (SELECT v."date_value"
FROM "property_values" v
WHERE v."page_id" = r."id"
AND v."property_id" = 'rkku'
AND v."date_value" IS NOT NULL
LIMIT 1)
FROM "pages" r
WHERE r."id" IN (SELECT :other)))) AS INTEGER)
"""
ANSWER_IS_FIRST = """
SELECT (SELECT (SELECT v."date_value"
FROM "property_values" v
WHERE v."page_id" = r."id"
AND v."property_id" = 'rkku'
AND v."date_value" IS NOT NULL
LIMIT 1)
FROM "pages" r
WHERE r."id" IN (SELECT :start)) < (SELECT (SELECT v."date_value"
FROM "property_values" v
WHERE v."page_id" = r."id"
AND v."property_id" = 'rkku'
AND v."date_value" IS NOT NULL
LIMIT 1)
FROM "pages" r
WHERE r."id" IN (SELECT :other))
"""


def verify(initial, final, diff, answer):
    results = []
    rest = changes_of(diff)
    wanted = {
        "difference": value_of(initial.query(ANSWER_DIFFERENCE, PARAMETERS)),
        "is_first": truth_of(initial.query(ANSWER_IS_FIRST, PARAMETERS)),
    }
    how = {"difference": ("number", 0.0), "is_first": ("exact", 0.0)}
    check_answer(results, answer, wanted, how)
    check_nothing_else(results, rest)
    return results


def value_of(rows: list[dict[str, Any]]) -> Any:
    """What a query for one value found; None when it found nothing."""
    return next(iter(rows[0].values())) if rows else None


def truth_of(rows: list[dict[str, Any]]) -> Any:
    """What a query for one condition found, as true or false."""
    value = value_of(rows)
    return None if value is None else bool(value)


def is_number(value: Any) -> bool:
    """True and false are no numbers; endless ones are none either."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def same(value: Any, wanted: Any, tolerance: float = 0.0) -> bool:
    """Equal values of one kind; numbers `tolerance` apart, reals a billionth of the larger more."""
    if is_number(value) and is_number(wanted):
        real = isinstance(value, float) or isinstance(wanted, float)
        try:
            return abs(value - wanted) <= tolerance + (1e-9 * max(abs(value), abs(wanted)) if real else 0)
        except OverflowError:
            return False
    return type(value) is type(wanted) and isinstance(value, str | bool | None) and value == wanted


def plain(text: str) -> str:
    """Without case, spacing and punctuation."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def same_text(value: Any, wanted: Any) -> bool:
    """Equal but for case, spacing and punctuation; text that is nothing else is compared as it is."""
    if not isinstance(value, str) or not isinstance(wanted, str):
        return same(value, wanted)
    first, second = plain(value), plain(wanted)
    return first == second if first or second else value.strip() == wanted.strip()


def same_item(value: Any, wanted: Any, tolerance: float) -> bool:
    """A value, or an object with exactly the same fields."""
    if not isinstance(wanted, dict):
        return same(value, wanted, tolerance)
    if not isinstance(value, dict) or set(value) != set(wanted):
        return False
    return all(same(value[name], wanted[name], tolerance) for name in wanted)


def same_set(values: list[Any], wanted: list[Any], tolerance: float) -> bool:
    """Each wanted item has a value of its own that equals it, in any order."""
    fitting = [[at for at, value in enumerate(values) if same_item(value, item, tolerance)] for item in wanted]
    owner: dict[int, int] = {}
    for item, places in enumerate(fitting):
        free = next((at for at in places if at not in owner), None)
        if free is not None:
            owner[free] = item
        elif not tolerance or not make_room(item, fitting, owner):
            return False
    return len(values) == len(wanted)


def make_room(item: int, fitting: list[list[int]], owner: dict[int, int]) -> bool:
    """Place an item whose places are all taken, by moving others to places that fit them as well."""
    came_from: dict[int, int] = {}
    waiting = [item]
    for one in waiting:
        for at in fitting[one]:
            if at in came_from:
                continue
            came_from[at] = one
            if at in owner:
                waiting.append(owner[at])
                continue
            while True:  # back along the way, each moves to the place that it found
                mover = came_from[at]
                left = next((place for place, holder in owner.items() if holder == mover), None)
                owner[at] = mover
                if left is None:
                    return True
                at = left
    return False


def answered(value: Any, wanted: Any, match: str, tolerance: float) -> bool:
    """Whether a field of the answer is as wanted."""
    if match == "normalised_text":
        return same_text(value, wanted)
    if match == "number":
        return (wanted is None or is_number(wanted)) and same(value, wanted, tolerance)
    if match == "exact":
        return same(value, wanted)
    if not isinstance(value, list) or not isinstance(wanted, list):
        return False
    if match == "set":
        return same_set(value, wanted, tolerance)
    pairs = zip(value, wanted, strict=False)
    return len(value) == len(wanted) and all(same_item(one, other, tolerance) for one, other in pairs)


def changes_of(diff: dict[str, Any]) -> list[dict[str, Any]]:
    """Every change of the episode; of an update, the columns that changed."""
    found: list[dict[str, Any]] = []
    for table, changes in diff["tables"].items():
        for row in changes["inserted"]:
            found.append({"table": table, "change": "insert", "before": {}, "after": row, "columns": set()})
        for row in changes["deleted"]:
            found.append({"table": table, "change": "delete", "before": row, "after": {}, "columns": set()})
        for pair in changes["updated"]:
            before, after = pair["before"], pair["after"]
            columns = {name for name in after if before[name] != after[name]}
            found.append({"table": table, "change": "update", "before": before, "after": after, "columns": columns})
    for document in diff["documents"]:
        found.append({"table": "", "change": "document", "before": document, "after": document, "columns": set()})
    return found


def check_answer(results: list[dict[str, Any]], answer: Any, wanted: dict[str, Any], how: dict[str, Any]) -> None:
    """The answer is an object with exactly the wanted fields, each compared as `how` says: (match, tolerance)."""
    shape = isinstance(answer, dict) and set(answer) == set(wanted)
    for name, value in wanted.items():
        passed = shape and answered(answer[name], value, *how[name])
        detail = "" if passed else "is not what was asked for" if shape else "the answer has not the fields asked for"
        results.append({"id": f"answer-{name}", "passed": passed, "detail": detail})


def check_nothing_else(results: list[dict[str, Any]], rest: list[dict[str, Any]]) -> None:
    """Whatever no check explains must not have happened."""
    seen = sorted({f"{change['change']} {change['table']}".strip() for change in rest})
    results.append({"id": "unchanged", "passed": not rest, "detail": ", ".join(seen)})
