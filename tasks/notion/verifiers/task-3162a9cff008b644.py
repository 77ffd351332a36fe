"""halt-project: did the episode do what was asked, and nothing else?"""

import json
import math
import re
import unicodedata
from typing import Any

PARAMETERS = {
    "clock": "2025-03-11T09:30:00Z",
    "project": "bd282f6e-9b69-4d03-9dd3-38ed672c18c7",
    "stage": "On hold",
    "status": "Blocked",
    "note": "We come back to this in autumn.",
}
EXPECTED_1 = """
SELECT v.page_id AS page_id, v.property_id AS property_id, v.position AS position, (SELECT x.id
FROM (SELECT o.id AS id, o.name AS name, p.name AS field, c.title AS list
FROM property_options o
JOIN properties p ON p.id = o.property_id
JOIN data_sources c ON c.id = p.data_source_id) x
WHERE x.list = 'Projects'
AND x.field = 'Stage'
AND x.name = :stage) AS option_id
FROM property_values v
JOIN (SELECT p.id AS id, p.name AS name, c.title AS list
FROM properties p
JOIN data_sources c ON c.id = p.data_source_id) f ON f.id = v.property_id
AND f.name = 'Stage'
AND f.list = 'Projects'
WHERE v.page_id = :project
UNION ALL SELECT v.page_id, v.property_id, v.position, (SELECT x.id
FROM (SELECT o.id AS id, o.name AS name, p.name AS field, c.title AS list
FROM property_options o
JOIN properties p ON p.id = o.property_id
JOIN data_sources c ON c.id = p.data_source_id) x
WHERE x.list = 'Tasks'
AND x.field = 'Status'
AND x.name = :status)
FROM (SELECT d.id AS id, d.title AS title, d.is_archived AS archived, max(CASE p.name WHEN 'Status' THEN o.name END) AS status, max(CASE p.name WHEN 'Assignee' THEN v.user_id END) AS assignee, max(CASE p.name WHEN 'Part of' THEN v.related_page_id END) AS project, max(CASE p.name WHEN 'Due' THEN v.date_value END) AS due, max(CASE p.name WHEN 'Done on' THEN v.date_value END) AS done, max(CASE p.name WHEN 'Priority' THEN o.name END) AS priority, max(CASE p.name WHEN 'Estimate (h)' THEN v.number_value END) AS hours
FROM pages d
JOIN data_sources c ON c.id = d.parent_data_source_id
AND c.title = 'Tasks'
JOIN property_values v ON v.page_id = d.id
JOIN properties p ON p.id = v.property_id
LEFT JOIN property_options o ON o.id = v.option_id
WHERE 1
AND d.in_trash = 0
GROUP BY d.id) t
JOIN property_values v ON v.page_id = t.id
JOIN (SELECT p.id AS id, p.name AS name, c.title AS list
FROM properties p
JOIN data_sources c ON c.id = p.data_source_id) f ON f.id = v.property_id
AND f.name = 'Status'
WHERE t.project = :project
AND t.status NOT IN ('Done', 'Dropped')
"""
EXPECTED_2 = "SELECT :project AS parent_page_id, :note AS text"
ALLOWED_1 = """
SELECT :project
UNION SELECT t.id
FROM (SELECT d.id AS id, d.title AS title, d.is_archived AS archived, max(CASE p.name WHEN 'Status' THEN o.name END) AS status, max(CASE p.name WHEN 'Assignee' THEN v.user_id END) AS assignee, max(CASE p.name WHEN 'Part of' THEN v.related_page_id END) AS project, max(CASE p.name WHEN 'Due' THEN v.date_value END) AS due, max(CASE p.name WHEN 'Done on' THEN v.date_value END) AS done, max(CASE p.name WHEN 'Priority' THEN o.name END) AS priority, max(CASE p.name WHEN 'Estimate (h)' THEN v.number_value END) AS hours
FROM pages d
JOIN data_sources c ON c.id = d.parent_data_source_id
AND c.title = 'Tasks'
JOIN property_values v ON v.page_id = d.id
JOIN properties p ON p.id = v.property_id
LEFT JOIN property_options o ON o.id = v.option_id
WHERE 1
AND d.in_trash = 0
GROUP BY d.id) t
WHERE t.project = :project
AND t.status NOT IN ('Done', 'Dropped')
"""
ANSWER_PEOPLE = """
SELECT DISTINCT m.name
FROM (SELECT d.id AS id, d.title AS title, d.is_archived AS archived, max(CASE p.name WHEN 'Status' THEN o.name END) AS status, max(CASE p.name WHEN 'Assignee' THEN v.user_id END) AS assignee, max(CASE p.name WHEN 'Part of' THEN v.related_page_id END) AS project, max(CASE p.name WHEN 'Due' THEN v.date_value END) AS due, max(CASE p.name WHEN 'Done on' THEN v.date_value END) AS done, max(CASE p.name WHEN 'Priority' THEN o.name END) AS priority, max(CASE p.name WHEN 'Estimate (h)' THEN v.number_value END) AS hours
FROM pages d
JOIN data_sources c ON c.id = d.parent_data_source_id
AND c.title = 'Tasks'
JOIN property_values v ON v.page_id = d.id
JOIN properties p ON p.id = v.property_id
LEFT JOIN property_options o ON o.id = v.option_id
WHERE 1
AND d.in_trash = 0
GROUP BY d.id) t
JOIN users m ON m.id = t.assignee
WHERE t.project = :project
AND t.status NOT IN ('Done', 'Dropped')
"""


def verify(initial, final, diff, answer):
    results = []
    rest = changes_of(diff)
    rows = initial.query(EXPECTED_1, PARAMETERS)
    check_updates(initial, final, rest, results, "property_values", ("page_id", "property_id", "position"), rows)
    unnamed = {"parent_page_id": None, "parent_block_id": None, "display_name": None}
    check_inserts(diff, rest, results, "comments", initial.query(EXPECTED_2, PARAMETERS), normalised=("text",), unnamed=unnamed, initial=initial, fresh=("discussion_id",))
    let_pass(rest, "pages", ("update",), "id", values_of(initial.query(ALLOWED_1, PARAMETERS)), columns=("last_edited_time", "last_edited_by"))
    wanted = {
        "people": values_of(initial.query(ANSWER_PEOPLE, PARAMETERS)),
    }
    how = {"people": ("set", 0.0)}
    check_answer(results, answer, wanted, how)
    check_nothing_else(results, rest)
    return results


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


def row_of(state: Any, table: str, key: dict[str, Any]) -> Any:
    """The row with this key, or None."""
    where = " AND ".join(f'"{name}" = ?' for name in key)
    rows = state.query(f'SELECT * FROM "{table}" WHERE {where}', list(key.values()))
    return rows[0] if rows else None


def fits(row: dict[str, Any], wanted: dict[str, Any], normalised: tuple[str, ...]) -> bool:
    """Whether a row has the wanted values."""
    return all(
        same_text(row[name], value) if name in normalised else same(row[name], value) for name, value in wanted.items()
    )


def result(results: list[dict[str, Any]], name: str, passed: bool, detail: str) -> None:
    """Add a check; those of one name are numbered."""
    number = 1 + sum(one["id"].rpartition("-")[0] == name for one in results)
    results.append({"id": f"{name}-{number}", "passed": passed, "detail": "" if passed else detail})


def by_key(rows: list[dict[str, Any]], key: tuple[str, ...]) -> list[dict[str, Any]]:
    """Rows in the order of their keys."""
    return sorted(rows, key=lambda row: [(type(row[name]).__name__, row[name]) for name in key])


def check_updates(
    initial: Any,
    final: Any,
    rest: list[dict[str, Any]],
    results: list[dict[str, Any]],
    table: str,
    key: tuple[str, ...],
    rows: list[dict[str, Any]],
    free: tuple[str, ...] = (),
    normalised: tuple[str, ...] = (),
) -> None:
    """Each row has its final values; `free` columns may have changed too. Rows that had them before are no check."""
    for wanted in by_key(rows, key):
        where = {name: wanted[name] for name in key}
        before, after = row_of(initial, table, where), row_of(final, table, where)
        idle = all(before[name] == value for name, value in wanted.items())
        if not idle:
            passed = after is not None and fits(after, wanted, normalised)
            result(results, f"update-{table}", passed, f"{table} {where} has not the values that were asked for")
        columns = set(free) if idle else {*wanted, *free}
        for change in [one for one in rest if one["table"] == table and one["change"] == "update"]:
            if all(change["before"][name] == where[name] for name in key):
                explain(rest, change, columns)


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


def let_pass(
    rest: list[dict[str, Any]],
    table: str,
    changes: tuple[str, ...],
    column: str = "",
    values: Any = (),
    columns: tuple[str, ...] = (),
) -> None:
    """Side effects that are free: of rows whose `column` has one of `values`, before and after."""
    for change in [one for one in rest if one["table"] == table and one["change"] in changes]:
        sides = [row for row in (change["before"], change["after"]) if row]
        if not column or all(any(same(row[column], value) for value in values) for row in sides):
            explain(rest, change, columns or None)


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
