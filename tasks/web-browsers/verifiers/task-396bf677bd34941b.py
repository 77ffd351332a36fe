"""flag-what-is-argued-about: did the episode do what was asked, and nothing else?"""

import json
import math
import re
import unicodedata
from typing import Any

PARAMETERS = {"clock": "2026-10-05T09:00:00Z", "held": 317, "collection": "Audit list for the printed guide"}
EXPECTED_1 = """
SELECT i.entry AS feature_key, 'disputed' AS kind, 'open' AS state
FROM (SELECT i.item_id AS id, i.collection_id AS held, c.name AS collection, c.state AS state, i.feature_key AS entry, e.name AS name, e.status_baseline AS grp
FROM collection_items i
JOIN collections c ON c.collection_id = i.collection_id
JOIN features e ON e.key = i.feature_key) i
WHERE i.held = :held
AND EXISTS (SELECT 1
FROM (SELECT a.*
FROM (SELECT c.correction_id AS id, c.feature_key AS entry, e.name AS name, e.status_baseline AS grp, c.field AS field, c.proposed_value AS value, c.evidence AS evidence, c.state AS state, c.due_on AS due, c.filed_by AS author, c.reviewer_id AS judge, substr(c.filed_at, 1, 10) AS filed, substr(c.decided_at, 1, 10) AS decided
FROM corrections c
JOIN features e ON e.key = c.feature_key) a
WHERE a.state = 'open') o
WHERE o.entry = i.entry)
AND NOT EXISTS (SELECT 1
FROM (SELECT f.flag_id AS id, f.feature_key AS entry, e.name AS name, e.status_baseline AS grp, f.kind AS kind, substr(f.raised_at, 1, 10) AS day
FROM entry_flags f
JOIN features e ON e.key = f.feature_key
WHERE f.state = 'open') m
WHERE m.entry = i.entry
AND m.kind = 'disputed')
"""
ANSWER_NAMES = """
SELECT DISTINCT i.name
FROM (SELECT i.item_id AS id, i.collection_id AS held, c.name AS collection, c.state AS state, i.feature_key AS entry, e.name AS name, e.status_baseline AS grp
FROM collection_items i
JOIN collections c ON c.collection_id = i.collection_id
JOIN features e ON e.key = i.feature_key) i
WHERE i.held = :held
AND EXISTS (SELECT 1
FROM (SELECT a.*
FROM (SELECT c.correction_id AS id, c.feature_key AS entry, e.name AS name, e.status_baseline AS grp, c.field AS field, c.proposed_value AS value, c.evidence AS evidence, c.state AS state, c.due_on AS due, c.filed_by AS author, c.reviewer_id AS judge, substr(c.filed_at, 1, 10) AS filed, substr(c.decided_at, 1, 10) AS decided
FROM corrections c
JOIN features e ON e.key = c.feature_key) a
WHERE a.state = 'open') o
WHERE o.entry = i.entry)
AND EXISTS (SELECT 1
FROM (SELECT f.flag_id AS id, f.feature_key AS entry, e.name AS name, e.status_baseline AS grp, f.kind AS kind, substr(f.raised_at, 1, 10) AS day
FROM entry_flags f
JOIN features e ON e.key = f.feature_key
WHERE f.state = 'open') m
WHERE m.entry = i.entry
AND m.kind = 'disputed')
"""
ANSWER_RAISED = """
SELECT count(*)
FROM (SELECT i.item_id AS id, i.collection_id AS held, c.name AS collection, c.state AS state, i.feature_key AS entry, e.name AS name, e.status_baseline AS grp
FROM collection_items i
JOIN collections c ON c.collection_id = i.collection_id
JOIN features e ON e.key = i.feature_key) i
WHERE i.held = :held
AND EXISTS (SELECT 1
FROM (SELECT a.*
FROM (SELECT c.correction_id AS id, c.feature_key AS entry, e.name AS name, e.status_baseline AS grp, c.field AS field, c.proposed_value AS value, c.evidence AS evidence, c.state AS state, c.due_on AS due, c.filed_by AS author, c.reviewer_id AS judge, substr(c.filed_at, 1, 10) AS filed, substr(c.decided_at, 1, 10) AS decided
FROM corrections c
JOIN features e ON e.key = c.feature_key) a
WHERE a.state = 'open') o
WHERE o.entry = i.entry)
AND NOT EXISTS (SELECT 1
FROM (SELECT f.flag_id AS id, f.feature_key AS entry, e.name AS name, e.status_baseline AS grp, f.kind AS kind, substr(f.raised_at, 1, 10) AS day
FROM entry_flags f
JOIN features e ON e.key = f.feature_key
WHERE f.state = 'open') m
WHERE m.entry = i.entry
AND m.kind = 'disputed')
"""


def verify(initial, final, diff, answer):
    results = []
    rest = changes_of(diff)
    unnamed = {"state": "open", "note": None, "raised_by": None, "cleared_at": None}
    check_inserts(diff, rest, results, "entry_flags", initial.query(EXPECTED_1, PARAMETERS), unnamed=unnamed)
    wanted = {
        "names": values_of(initial.query(ANSWER_NAMES, PARAMETERS)),
        "raised": value_of(initial.query(ANSWER_RAISED, PARAMETERS)),
    }
    how = {"names": ("set", 0.0), "raised": ("number", 0.0)}
    check_answer(results, answer, wanted, how)
    check_nothing_else(results, rest)
    return results


def value_of(rows: list[dict[str, Any]]) -> Any:
    """What a query for one value found; None when it found nothing."""
    return next(iter(rows[0].values())) if rows else None


def values_of(rows: list[dict[str, Any]]) -> list[Any]:
    """What a query with one column found, without what is not known."""
    return [value for row in rows for value in row.values() if value is not None]


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


def explain(rest: list[dict[str, Any]], change: dict[str, Any], columns: Any) -> None:
    """Take `columns` of an update (None: all), or a whole insertion or deletion, out of what is left."""
    change["columns"] = set() if columns is None else change["columns"] - set(columns)
    if change["change"] != "update" or not change["columns"]:
        rest.remove(change)


def fits(row: dict[str, Any], wanted: dict[str, Any], normalised: tuple[str, ...]) -> bool:
    """Whether a row has the wanted values."""
    return all(
        same_text(row[name], value) if name in normalised else same(row[name], value) for name, value in wanted.items()
    )


def result(results: list[dict[str, Any]], name: str, passed: bool, detail: str) -> None:
    """Add a check; those of one name are numbered."""
    number = 1 + sum(one["id"].rpartition("-")[0] == name for one in results)
    results.append({"id": f"{name}-{number}", "passed": passed, "detail": "" if passed else detail})


def check_inserts(
    diff: dict[str, Any],
    rest: list[dict[str, Any]],
    results: list[dict[str, Any]],
    table: str,
    rows: list[dict[str, Any]],
    normalised: tuple[str, ...] = (),
    unnamed: Any = None,
    initial: Any = None,
    fresh: tuple[str, ...] = (),
    of_new: Any = None,
) -> None:
    """As many new rows with these values as were asked for; `unnamed` holds for columns that the rows do not name.

    `of_new`: columns that refer to a new row -> its table and key.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for named_row in rows:
        row = {**(unnamed or {}), **named_row}
        groups.setdefault(json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False), []).append(row)
    new = diff["tables"].get(table, {"inserted": []})["inserted"]
    columns = [name for name in fresh if not rows or name not in rows[0]]
    sound = [row for row in new if all(is_fresh(initial, table, name, row, new) for name in columns)]
    for name, (owner, key) in sorted((of_new or {}).items()):
        keys = [row[key] for row in diff["tables"].get(owner, {"inserted": []})["inserted"]]
        sound = [row for row in sound if any(same(one, row[name]) for one in keys)]
    for _, group in sorted(groups.items()):
        fitting = [row for row in sound if fits(row, group[0], normalised)]
        passed = len(fitting) == len(group)
        result(results, f"insert-{table}", passed, f"{table} has {len(fitting)} new {group[0]}, not {len(group)}")
        for change in [one for one in rest if one["table"] == table and one["change"] == "insert"]:
            if change["after"] in fitting:
                explain(rest, change, None)


def is_fresh(initial: Any, table: str, name: str, row: dict[str, Any], new: list[dict[str, Any]]) -> bool:
    """Whether no row had this value at first, and no other new row has it."""
    if row[name] is None or sum(same(other[name], row[name]) for other in new) > 1:
        return False
    return not initial.query(f'SELECT 1 FROM "{table}" WHERE "{name}" = ? LIMIT 1', [row[name]])


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
