"""Web browsers and the web platform: the tools.

One function per tool. A tool changes nothing but the World it is given: the World makes each call
one transaction, so a ToolError leaves no trace.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from envforge.world.api import ToolError, World

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_CURSOR = re.compile(r"after-(\d{1,9})", re.ASCII)
_STATUS_CHOICES = ("beta", "current", "esr", "nightly", "planned", "retired")
_ENGINE_CHOICES = ("Blink", "EdgeHTML", "Gecko", "Presto", "Trident", "V8", "WebKit")


def _invalid(name: str, rule: str, value: object) -> ToolError:
    """The error for an argument that breaks a rule."""
    return ToolError("invalid_argument", f"{name} must be {rule}, not {value!r:.80}.", f"Give {rule}.")


def _check_text(name: str, value: object, shortest: int = 1, longest: int = 20_000) -> None:
    """Refuse what is not text of a sensible length."""
    if not isinstance(value, str):
        raise _invalid(name, "text", value)
    if shortest and not value.strip():
        raise _invalid(name, "text that is not empty", value)
    if not shortest <= len(value) <= longest:
        raise _invalid(name, f"text of {shortest} to {longest} characters", value)


def _check_choice(name: str, value: object, allowed: tuple) -> None:
    """Refuse what is not one of the allowed values."""
    if isinstance(value, bool) or value not in allowed:
        choices = ", ".join(str(choice) for choice in allowed)
        raise ToolError("invalid_argument", f"{name} cannot be {value!r:.80}.", f"Allowed values: {choices}.")


def _check_flag(name: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise _invalid(name, "true or false", value)


def _check_integer(name: str, value: object, least: int | None = None, most: int | None = None) -> None:
    """Refuse what is not a whole number in the range."""
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise _invalid(name, "a whole number", value)
    _check_range(name, value, least, most)


def _check_range(name: str, value: float, least: float | None, most: float | None) -> None:
    """Refuse a number outside of the range."""
    if least is not None and value < least:
        raise _invalid(name, f"at least {least}", value)
    if most is not None and value > most:
        raise _invalid(name, f"at most {most}", value)


def _check_date(name: str, value: object) -> None:
    """Refuse what is not a calendar date."""
    if not _is_date(value):
        raise _invalid(name, "a date written as YYYY-MM-DD", value)


def _is_date(value: object) -> bool:
    """True for a calendar date written as YYYY-MM-DD."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _shifted(text: str, step: timedelta) -> str:
    """A date or timestamp moved by `step`, written as the text was."""
    if len(text) == 10:
        return (datetime.fromisoformat(text) + step).date().isoformat()
    return (datetime.fromisoformat(text) + step).isoformat().replace("+00:00", "Z")


def _add_days(text: str, days: float) -> str:
    """The date or timestamp that many days later."""
    return _shifted(text, timedelta(days=days))


def _date_of(text: str) -> str:
    """The date of a timestamp, YYYY-MM-DD."""
    return text[:10]


def _like(text: str) -> str:
    """Text for a LIKE pattern (ESCAPE '!') that stands for itself."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _where_all(conditions: list[str]) -> str:
    """The WHERE clause for conditions that all must hold; empty if there are none."""
    return "WHERE " + "\n  AND ".join(conditions) if conditions else ""


def _offset_of(cursor: object) -> int:
    """The position where a page starts; the beginning without a cursor."""
    if cursor is None:
        return 0
    match = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if match is None:
        raise ToolError(
            "invalid_argument",
            f"{cursor!r:.80} is not a cursor.",
            "Pass the next_cursor of the page before, or leave it out to start at the beginning.",
        )
    return int(match[1])


def _page(rows: list[dict], size: int, offset: int) -> dict:
    """One page out of a query that asked for one row more than the page holds."""
    has_more = len(rows) > size
    return {
        "items": rows[:size],
        "next_cursor": f"after-{offset + size}" if has_more else None,
        "has_more": has_more,
    }


def _collection_details(row: dict) -> dict:
    """The details of a collection that results show."""
    return {
        "collection_id": row["collection_id"],
        "name": row["name"],
        "owner_id": row["owner_id"],
        "state": row["state"],
        "created_at": row["created_at"],
        "published_at": row["published_at"],
    }


def _correction_details(row: dict) -> dict:
    """The details of a correction that results show."""
    return {
        "correction_id": row["correction_id"],
        "feature_key": row["feature_key"],
        "field": row["field"],
        "proposed_value": row["proposed_value"],
        "evidence": row["evidence"],
        "state": row["state"],
        "filed_by": row["filed_by"],
        "reviewer_id": row["reviewer_id"],
        "due_on": row["due_on"],
        "ground": row["ground"],
        "filed_at": row["filed_at"],
        "decided_at": row["decided_at"],
    }


def _flag_details(row: dict) -> dict:
    """The details of a flag that results show."""
    return {
        "flag_id": row["flag_id"],
        "feature_key": row["feature_key"],
        "kind": row["kind"],
        "state": row["state"],
        "note": row["note"],
        "raised_by": row["raised_by"],
        "raised_at": row["raised_at"],
        "cleared_at": row["cleared_at"],
    }


def _browser_details(row: dict) -> dict:
    """The details of a browser that results show."""
    return {
        "key": row["key"],
        "accepts_flags": bool(row["accepts_flags"]),
        "accepts_webextensions": bool(row["accepts_webextensions"]),
        "name": row["name"],
        "type": row["type"],
        "pref_url": row["pref_url"],
        "preview_name": row["preview_name"],
        "upstream": row["upstream"],
    }


def _browser_release_summary(row: dict) -> dict:
    """The summary of a browser release that results show."""
    return {
        "browser_key": row["browser_key"],
        "code": row["code"],
        "index_": row["index_"],
        "release_date": row["release_date"],
        "release_notes": row["release_notes"],
        "status": row["status"],
        "engine": row["engine"],
        "engine_version": row["engine_version"],
        "browser_name": row["browser_name"],
    }


def _feature_details(row: dict) -> dict:
    """The details of a feature that results show."""
    return {
        "key": row["key"],
        "kind": row["kind"],
        "name": row["name"],
        "status_baseline": row["status_baseline"],
        "status_baseline_high_date": row["status_baseline_high_date"],
        "status_baseline_low_date": row["status_baseline_low_date"],
        "discouraged_removal_date": row["discouraged_removal_date"],
        "redirect_target": row["redirect_target"],
    }


def _feature_snapshot_summary(row: dict) -> dict:
    """The summary of a feature snapshot that results show."""
    return {
        "feature_key": row["feature_key"],
        "position": row["position"],
        "snapshot": row["snapshot"],
        "feature_name": row["feature_name"],
        "snapshot_name": row["snapshot_name"],
    }


def _feature_status_support_summary(row: dict) -> dict:
    """The summary of a feature status support that results show."""
    return {
        "feature_key": row["feature_key"],
        "code": row["code"],
        "value": row["value"],
        "feature_name": row["feature_name"],
        "code_name": row["code_name"],
    }


def _snapshot_details(row: dict) -> dict:
    """The details of a snapshot that results show."""
    return {
        "key": row["key"],
        "name": row["name"],
        "spec": row["spec"],
    }


def _get_collection(world: World, collection_id: int) -> dict:
    """The collection with this collection id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM collections WHERE collection_id = ?", (collection_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no collection {collection_id}.",
            "Find it with search_collections.",
        )
    return rows[0]


def _get_correction(world: World, correction_id: int) -> dict:
    """The correction with this correction id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM corrections WHERE correction_id = ?", (correction_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no correction {correction_id}.",
            "Find it with search_corrections.",
        )
    return rows[0]


def _get_curator(world: World, curator_id: int) -> dict:
    """The curator with this curator id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM curators WHERE curator_id = ?", (curator_id,))
    if not rows:
        raise ToolError("not_found", f"There is no curator {curator_id}.", "Find people with list_curators.")
    return rows[0]


def _get_feature(world: World, key: str) -> dict:
    """The feature with this key. Raises ToolError(not_found)."""
    rows = world.query('SELECT * FROM features WHERE "key" = ?', (key,))
    if not rows:
        raise ToolError("not_found", f"There is no feature {key}.", "Find it in the catalogue first.")
    return rows[0]


def list_overrides(
    world: World,
    feature_key: str | None = None,
    field: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List accepted corrections in force, the latest first.

    An override holds instead of what the source says of the field; the feature itself shows what the
    source says.

    Args:
        feature_key: Only those of this feature.
        field: Only those of this field.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with feature_key, field, value, correction_id, since.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if feature_key is not None:
        _check_text("feature_key", feature_key)
    if field is not None:
        _check_text("field", field)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if feature_key is not None:
        where.append("feature_key = ?")
        values.append(feature_key)
    if field is not None:
        where.append("field = ?")
        values.append(field)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT *
        FROM overrides
        {_where_all(where)}
        ORDER BY since DESC, override_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [
            {
                "feature_key": row["feature_key"],
                "field": row["field"],
                "value": row["value"],
                "correction_id": row["correction_id"],
                "since": row["since"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def search_corrections(
    world: World,
    feature_key: str | None = None,
    field: str | None = None,
    state: str | None = None,
    reviewer_id: int | None = None,
    filed_by: int | None = None,
    due_before: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search corrections, those due first at the top; all given conditions must hold.

    Args:
        feature_key: Only those about this feature.
        field: Only those about this field.
        state: Only those in this state. One of: open, accepted, rejected, withdrawn.
        reviewer_id: Only those of this reviewer.
        filed_by: Only those that this editor asked for.
        due_before: Only those due before this day.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with correction_id, feature_key, name, field, proposed_value, evidence,
            state, filed_by, reviewer_id, due_on, ground, filed_at, decided_at.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if feature_key is not None:
        _check_text("feature_key", feature_key)
    if field is not None:
        _check_text("field", field)
    if state is not None:
        _check_choice("state", state, ("open", "accepted", "rejected", "withdrawn"))
    if reviewer_id is not None:
        _check_integer("reviewer_id", reviewer_id)
    if filed_by is not None:
        _check_integer("filed_by", filed_by)
    if due_before is not None:
        _check_date("due_before", due_before)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if feature_key is not None:
        where.append("corrections.feature_key = ?")
        values.append(feature_key)
    if field is not None:
        where.append("corrections.field = ?")
        values.append(field)
    if state is not None:
        where.append("corrections.state = ?")
        values.append(state)
    if reviewer_id is not None:
        where.append("corrections.reviewer_id = ?")
        values.append(reviewer_id)
    if filed_by is not None:
        where.append("corrections.filed_by = ?")
        values.append(filed_by)
    if due_before is not None:
        where.append("corrections.due_on < ?")
        values.append(due_before)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT corrections.correction_id, corrections.feature_key, corrections.field,
               corrections.proposed_value, corrections.evidence, corrections.state,
               corrections.filed_by, corrections.reviewer_id, corrections.due_on,
               corrections.ground, corrections.filed_at, corrections.decided_at, e.name AS title
        FROM corrections
        JOIN features AS e ON e."key" = corrections.feature_key
        {_where_all(where)}
        ORDER BY corrections.due_on, corrections.correction_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [
            {
                "correction_id": row["correction_id"],
                "feature_key": row["feature_key"],
                "name": row["title"],
                "field": row["field"],
                "proposed_value": row["proposed_value"],
                "evidence": row["evidence"],
                "state": row["state"],
                "filed_by": row["filed_by"],
                "reviewer_id": row["reviewer_id"],
                "due_on": row["due_on"],
                "ground": row["ground"],
                "filed_at": row["filed_at"],
                "decided_at": row["decided_at"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def file_correction(
    world: World,
    feature_key: str,
    field: str,
    proposed_value: str,
    evidence: str,
    filed_by: int,
) -> dict:
    """Ask that a field of a feature should read otherwise; it is due in fourteen days.

    The feature itself never changes: what is accepted becomes an override, see list_overrides.

    Args:
        feature_key: The feature.
        field: The field as the feature shows it.
        proposed_value: What it should say.
        evidence: What stands behind it. One of: official, secondary, none.
        filed_by: The active editor who asks for it.

    Returns:
        correction: an object with correction_id, feature_key, field, proposed_value, evidence, state,
            filed_by, reviewer_id, due_on, ground, filed_at, decided_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. <field>
                is no field that is corrected. <field> is a day, <proposed_value> is none.
                <proposed_value> is none of the <kinds> values of <field>.
            not_found: There is no feature <feature_key>. There is no curator <filed_by>.
            not_allowed: <full_name> is no active editor.
            conflict: Correction <correction_id> of this field is open already. The field has an
                override already.
    """
    _check_text("feature_key", feature_key)
    _check_text("field", field, longest=80)
    _check_text("proposed_value", proposed_value, longest=200)
    _check_choice("evidence", evidence, ("official", "secondary", "none"))
    _check_integer("filed_by", filed_by)

    subject = _get_feature(world, feature_key)
    author = _get_curator(world, filed_by)
    if author["duty"] != "editor" or author["status"] != "active":
        raise ToolError(
            "not_allowed",
            f"{author['full_name']} is no active editor.",
            "Choose one with list_curators.",
        )
    seen = world.query(
        """
        SELECT count(*) AS asked, count(DISTINCT proposed_value) AS kinds, coalesce(sum(proposed_value = :value), 0) AS alike, coalesce(sum(proposed_value GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'), 0) AS days
        FROM corrections
        WHERE field = :field
        """,
        {"field": field, "value": proposed_value},
    )[0]
    if seen["asked"] <= 0:
        raise ToolError(
            "invalid_argument",
            f"{field} is no field that is corrected.",
            "search_corrections shows the fields that are.",
        )
    if seen["days"] >= seen["asked"] and not _is_date(proposed_value):
        raise ToolError(
            "invalid_argument",
            f"{field} is a day, {proposed_value} is none.",
            "Write it as YYYY-MM-DD.",
        )
    if seen["days"] != seen["asked"] and seen["asked"] >= 8 * seen["kinds"] and seen["alike"] <= 0:
        raise ToolError(
            "invalid_argument",
            f"{proposed_value} is none of the {seen['kinds']} values of {field}.",
            "search_corrections with this field shows them.",
        )
    rows = world.query(
        """
        SELECT correction_id
        FROM corrections
        WHERE feature_key = :entry AND field = :field AND state = 'open'
        ORDER BY correction_id
        LIMIT 1
        """,
        {"entry": subject["key"], "field": field},
    )
    same = rows[0] if rows else None
    if same is not None:
        raise ToolError(
            "conflict",
            f"Correction {same['correction_id']} of this field is open already.",
            "Wait until it is decided; see search_corrections.",
        )
    rows = world.query("SELECT * FROM overrides WHERE feature_key = ? AND field = ?", (subject["key"], field))
    settled = rows[0] if rows else None
    if settled is not None:
        raise ToolError("conflict", "The field has an override already.", "See list_overrides.")
    made = {
        "correction_id": world.new_id("corrections"),
        "feature_key": subject["key"],
        "field": field,
        "proposed_value": proposed_value,
        "evidence": evidence,
        "state": "open",
        "filed_by": author["curator_id"],
        "due_on": _add_days(_date_of(world.now()), 14),
        "filed_at": world.now(),
    }
    world.execute(
        """
        INSERT INTO corrections (correction_id, feature_key, field, proposed_value, evidence, state,
                                 filed_by, due_on, filed_at)
        VALUES (:correction_id, :feature_key, :field, :proposed_value, :evidence, :state, :filed_by,
                :due_on, :filed_at)
        """,
        made,
    )
    stored = world.query("SELECT * FROM corrections WHERE correction_id = ?", (made["correction_id"],))[0]

    return {"correction": _correction_details(stored)}


def assign_correction(world: World, correction_id: int, reviewer_id: int) -> dict:
    """Give an open correction to a reviewer; its due day stays.

    Args:
        correction_id: The correction.
        reviewer_id: The active reviewer.

    Returns:
        correction: an object with correction_id, feature_key, field, proposed_value, evidence, state,
            filed_by, reviewer_id, due_on, ground, filed_at, decided_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no correction <correction_id>. There is no curator <reviewer_id>.
            not_allowed: Correction <correction_id> is <state>. <full_name> is no active reviewer.
    """
    _check_integer("correction_id", correction_id)
    _check_integer("reviewer_id", reviewer_id)

    asked = _get_correction(world, correction_id)
    if asked["state"] != "open":
        raise ToolError(
            "not_allowed",
            f"Correction {correction_id} is {asked['state']}.",
            "Only an open one can be decided; search_corrections finds them.",
        )
    judge = _get_curator(world, reviewer_id)
    if judge["duty"] != "reviewer" or judge["status"] != "active":
        raise ToolError(
            "not_allowed",
            f"{judge['full_name']} is no active reviewer.",
            "Choose one with list_curators.",
        )
    world.execute(
        "UPDATE corrections SET reviewer_id = ? WHERE correction_id = ?",
        (judge["curator_id"], asked["correction_id"]),
    )
    stored = world.query("SELECT * FROM corrections WHERE correction_id = ?", (asked["correction_id"],))[0]

    return {"correction": _correction_details(stored)}


def accept_correction(world: World, correction_id: int) -> dict:
    """Accept an open correction; from now on it is an override.

    Args:
        correction_id: The correction.

    Returns:
        correction: an object with correction_id, feature_key, field, proposed_value, evidence, state,
            filed_by, reviewer_id, due_on, ground, filed_at, decided_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no correction <correction_id>.
            conflict: Correction <correction_id> is accepted already.
            not_allowed: Correction <correction_id> is <state>. Nothing stands behind correction
                <correction_id>.
    """
    _check_integer("correction_id", correction_id)

    asked = _get_correction(world, correction_id)
    if asked["state"] == "accepted":
        raise ToolError(
            "conflict",
            f"Correction {correction_id} is accepted already.",
            "Nothing needs to be done.",
        )
    if asked["state"] != "open":
        raise ToolError(
            "not_allowed",
            f"Correction {correction_id} is {asked['state']}.",
            "Only an open one can be decided; search_corrections finds them.",
        )
    if asked["evidence"] == "none":
        raise ToolError(
            "not_allowed",
            f"Nothing stands behind correction {correction_id}.",
            "Without evidence it can only be rejected or withdrawn.",
        )
    world.execute(
        "UPDATE corrections SET state = ?, decided_at = ? WHERE correction_id = ?",
        ("accepted", world.now(), asked["correction_id"]),
    )
    made = {
        "override_id": world.new_id("overrides"),
        "feature_key": asked["feature_key"],
        "field": asked["field"],
        "value": asked["proposed_value"],
        "correction_id": asked["correction_id"],
        "since": world.now(),
    }
    world.execute(
        """
        INSERT INTO overrides (override_id, feature_key, field, value, correction_id, since)
        VALUES (:override_id, :feature_key, :field, :value, :correction_id, :since)
        """,
        made,
    )
    stored = world.query("SELECT * FROM corrections WHERE correction_id = ?", (asked["correction_id"],))[0]

    return {"correction": _correction_details(stored)}


def reject_correction(world: World, correction_id: int, ground: str) -> dict:
    """Reject an open correction.

    Args:
        correction_id: The correction.
        ground: Why it is rejected. One of: no_evidence, out_of_scope, already_right, duplicate.

    Returns:
        correction: an object with correction_id, feature_key, field, proposed_value, evidence, state,
            filed_by, reviewer_id, due_on, ground, filed_at, decided_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no correction <correction_id>.
            conflict: Correction <correction_id> is rejected already.
            not_allowed: Correction <correction_id> is <state>.
    """
    _check_integer("correction_id", correction_id)
    _check_choice("ground", ground, ("no_evidence", "out_of_scope", "already_right", "duplicate"))

    asked = _get_correction(world, correction_id)
    if asked["state"] == "rejected":
        raise ToolError(
            "conflict",
            f"Correction {correction_id} is rejected already.",
            "Nothing needs to be done.",
        )
    if asked["state"] != "open":
        raise ToolError(
            "not_allowed",
            f"Correction {correction_id} is {asked['state']}.",
            "Only an open one can be decided; search_corrections finds them.",
        )
    world.execute(
        "UPDATE corrections SET state = ?, ground = ?, decided_at = ? WHERE correction_id = ?",
        ("rejected", ground, world.now(), asked["correction_id"]),
    )
    stored = world.query("SELECT * FROM corrections WHERE correction_id = ?", (asked["correction_id"],))[0]

    return {"correction": _correction_details(stored)}


def withdraw_correction(world: World, correction_id: int) -> dict:
    """Withdraw an open correction, as the editor who asked for it wants.

    Args:
        correction_id: The correction.

    Returns:
        correction: an object with correction_id, feature_key, field, proposed_value, evidence, state,
            filed_by, reviewer_id, due_on, ground, filed_at, decided_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no correction <correction_id>.
            conflict: Correction <correction_id> is withdrawn already.
            not_allowed: Correction <correction_id> is <state>.
    """
    _check_integer("correction_id", correction_id)

    asked = _get_correction(world, correction_id)
    if asked["state"] == "withdrawn":
        raise ToolError(
            "conflict",
            f"Correction {correction_id} is withdrawn already.",
            "Nothing needs to be done.",
        )
    if asked["state"] != "open":
        raise ToolError(
            "not_allowed",
            f"Correction {correction_id} is {asked['state']}.",
            "Only an open one can be decided; search_corrections finds them.",
        )
    world.execute(
        "UPDATE corrections SET state = ?, decided_at = ? WHERE correction_id = ?",
        ("withdrawn", world.now(), asked["correction_id"]),
    )
    stored = world.query("SELECT * FROM corrections WHERE correction_id = ?", (asked["correction_id"],))[0]

    return {"correction": _correction_details(stored)}


def search_features(
    world: World,
    name: str | None = None,
    discouraged_removal_date: str | None = None,
    kind: str | None = None,
    status_baseline: str | None = None,
    status_baseline_high_date: str | None = None,
    status_baseline_low_date: str | None = None,
    redirect_target: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search features; all given conditions must hold.

    Args:
        name: Text that the name of the feature contains.
        discouraged_removal_date: The discouraged removal date of the feature.
        kind: The kind of the feature. One of: feature, moved, split.
        status_baseline: The status baseline of the feature. One of: false, high, low.
        status_baseline_high_date: Text that the status baseline high date of the feature contains.
        status_baseline_low_date: Text that the status baseline low date of the feature contains.
        redirect_target: Text that the redirect target of the feature contains.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with key, kind, name, status_baseline, status_baseline_high_date,
            status_baseline_low_date, discouraged_removal_date, redirect_target.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if name is not None:
        _check_text("name", name)
    if discouraged_removal_date is not None:
        _check_date("discouraged_removal_date", discouraged_removal_date)
    if kind is not None:
        _check_choice("kind", kind, ("feature", "moved", "split"))
    if status_baseline is not None:
        _check_choice("status_baseline", status_baseline, ("false", "high", "low"))
    if status_baseline_high_date is not None:
        _check_text("status_baseline_high_date", status_baseline_high_date)
    if status_baseline_low_date is not None:
        _check_text("status_baseline_low_date", status_baseline_low_date)
    if redirect_target is not None:
        _check_text("redirect_target", redirect_target)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if name is not None:
        where.append("name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(name)}%")
    if discouraged_removal_date is not None:
        where.append("discouraged_removal_date = ?")
        values.append(discouraged_removal_date)
    if kind is not None:
        where.append("kind = ?")
        values.append(kind)
    if status_baseline is not None:
        where.append("status_baseline = ?")
        values.append(status_baseline)
    if status_baseline_high_date is not None:
        where.append("status_baseline_high_date LIKE ? ESCAPE '!'")
        values.append(f"%{_like(status_baseline_high_date)}%")
    if status_baseline_low_date is not None:
        where.append("status_baseline_low_date LIKE ? ESCAPE '!'")
        values.append(f"%{_like(status_baseline_low_date)}%")
    if redirect_target is not None:
        where.append("redirect_target LIKE ? ESCAPE '!'")
        values.append(f"%{_like(redirect_target)}%")
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT "key", kind, name, status_baseline, status_baseline_high_date,
               status_baseline_low_date, discouraged_removal_date, redirect_target
        FROM features
        {_where_all(where)}
        ORDER BY discouraged_removal_date, "key"
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_feature_details(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_feature(world: World, feature_key: str) -> dict:
    """Get a feature in detail.

    Args:
        feature_key: The key of the feature.

    Returns:
        feature: an object with key, kind, name, status_baseline, status_baseline_high_date,
            status_baseline_low_date, discouraged_removal_date, redirect_target.
        snapshots: a list of objects with snapshot, snapshot_name.
        status_supports: a list of objects with code, value, code_name.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no feature with key <feature_key>.
    """
    _check_text("feature_key", feature_key)

    rows = world.query('SELECT * FROM features WHERE "key" = ?', (feature_key,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no feature with key {feature_key}.",
            "Use search_features to find feature keys.",
        )
    feature = rows[0]
    snapshots = world.query(
        """
        SELECT feature_snapshots.feature_key, feature_snapshots.position,
               feature_snapshots.snapshot, snapshot.name AS snapshot_name
        FROM feature_snapshots
        LEFT JOIN snapshots AS snapshot ON snapshot."key" = feature_snapshots.snapshot
        WHERE feature_snapshots.feature_key = ?
        ORDER BY feature_snapshots.position, feature_snapshots.feature_key
        """,
        (feature["key"],),
    )
    status_supports = world.query(
        """
        SELECT feature_status_supports.feature_key, feature_status_supports.code,
               feature_status_supports.value, code.name AS code_name
        FROM feature_status_supports
        LEFT JOIN browsers AS code ON code."key" = feature_status_supports.code
        WHERE feature_status_supports.feature_key = ?
        ORDER BY feature_status_supports.feature_key, feature_status_supports.code
        """,
        (feature["key"],),
    )

    return {
        "feature": _feature_details(feature),
        "snapshots": [
            {"snapshot": row["snapshot"], "snapshot_name": row["snapshot_name"]}
            for row in snapshots
        ],
        "status_supports": [
            {"code": row["code"], "value": row["value"], "code_name": row["code_name"]}
            for row in status_supports
        ],
    }


def summarize_features(
    world: World,
    group_by: str,
    name: str | None = None,
    discouraged_removal_date: str | None = None,
    kind: str | None = None,
    status_baseline: str | None = None,
    status_baseline_high_date: str | None = None,
    status_baseline_low_date: str | None = None,
) -> dict:
    """Count features per group.

    Counts only rows for which all given conditions hold; the largest group comes first.

    Args:
        group_by: What to group by. One of: kind, status_baseline, status_baseline_high_date,
            status_baseline_low_date.
        name: Text that the name of the feature contains.
        discouraged_removal_date: The discouraged removal date of the feature.
        kind: The kind of the feature. One of: feature, moved, split.
        status_baseline: The status baseline of the feature. One of: false, high, low.
        status_baseline_high_date: Text that the status baseline high date of the feature contains.
        status_baseline_low_date: Text that the status baseline low date of the feature contains.

    Returns:
        groups: a list of objects with group, count.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
    """
    _check_choice(
        "group_by",
        group_by,
        ("kind", "status_baseline", "status_baseline_high_date", "status_baseline_low_date"),
    )
    if name is not None:
        _check_text("name", name)
    if discouraged_removal_date is not None:
        _check_date("discouraged_removal_date", discouraged_removal_date)
    if kind is not None:
        _check_choice("kind", kind, ("feature", "moved", "split"))
    if status_baseline is not None:
        _check_choice("status_baseline", status_baseline, ("false", "high", "low"))
    if status_baseline_high_date is not None:
        _check_text("status_baseline_high_date", status_baseline_high_date)
    if status_baseline_low_date is not None:
        _check_text("status_baseline_low_date", status_baseline_low_date)

    groups = world.query(
        """
        SELECT
          CASE :group_by
            WHEN 'kind' THEN kind
            WHEN 'status_baseline' THEN status_baseline
            WHEN 'status_baseline_high_date' THEN status_baseline_high_date
            WHEN 'status_baseline_low_date' THEN status_baseline_low_date
          END AS group_value,
          count(*) AS count
        FROM features
        WHERE (:name IS NULL OR instr(lower(name), lower(:name)) > 0)
          AND (:discouraged_removal_date IS NULL OR discouraged_removal_date = :discouraged_removal_date)
          AND (:kind IS NULL OR kind = :kind)
          AND (:status_baseline IS NULL OR status_baseline = :status_baseline)
          AND (:status_baseline_high_date IS NULL OR instr(lower(status_baseline_high_date), lower(:status_baseline_high_date)) > 0)
          AND (:status_baseline_low_date IS NULL OR instr(lower(status_baseline_low_date), lower(:status_baseline_low_date)) > 0)
        GROUP BY group_value
        ORDER BY count DESC, group_value
        """,
        {
            "group_by": group_by,
            "name": name,
            "discouraged_removal_date": discouraged_removal_date,
            "kind": kind,
            "status_baseline": status_baseline,
            "status_baseline_high_date": status_baseline_high_date,
            "status_baseline_low_date": status_baseline_low_date,
        },
    )

    return {"groups": [{"group": row["group_value"], "count": row["count"]} for row in groups]}


def list_collection_items(
    world: World,
    collection_id: int,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List the features that a collection holds, in their order.

    Args:
        collection_id: The collection.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with feature_key, name, status_baseline, place, added_at.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
            not_found: There is no collection <collection_id>.
    """
    _check_integer("collection_id", collection_id)
    _check_integer("page_size", page_size, least=1, most=50)

    held = _get_collection(world, collection_id)
    offset = _offset_of(start_cursor)
    rows = world.query(
        """
        SELECT collection_items.feature_key, collection_items.place, collection_items.added_at,
               e.name AS title, e.status_baseline AS grouped
        FROM collection_items
        JOIN features AS e ON e."key" = collection_items.feature_key
        WHERE collection_items.collection_id = ?
        ORDER BY collection_items.place, collection_items.item_id
        LIMIT ? OFFSET ?
        """,
        (held["collection_id"], page_size + 1, offset),
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [
            {
                "feature_key": row["feature_key"],
                "name": row["title"],
                "status_baseline": row["grouped"],
                "place": row["place"],
                "added_at": row["added_at"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def search_collections(
    world: World,
    query: str | None = None,
    state: str | None = None,
    owner_id: int | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search collections; all given conditions must hold.

    Args:
        query: A part of the name.
        state: Only those in this state. One of: draft, published, archived.
        owner_id: Only those that this curator keeps.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with collection_id, name, owner_id, state, created_at, published_at.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if query is not None:
        _check_text("query", query)
    if state is not None:
        _check_choice("state", state, ("draft", "published", "archived"))
    if owner_id is not None:
        _check_integer("owner_id", owner_id)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if query is not None:
        where.append("name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(query)}%")
    if state is not None:
        where.append("state = ?")
        values.append(state)
    if owner_id is not None:
        where.append("owner_id = ?")
        values.append(owner_id)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT *
        FROM collections
        {_where_all(where)}
        ORDER BY name, collection_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_collection_details(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def create_collection(world: World, name: str, owner_id: int) -> dict:
    """Begin a collection; it is an empty draft.

    Args:
        name: What it is called; no other may be called the same.
        owner_id: The active editor who keeps it.

    Returns:
        collection: an object with collection_id, name, owner_id, state, created_at, published_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no curator <owner_id>.
            not_allowed: <full_name> is no active editor.
            conflict: There is a collection of that name already: <collection_id>.
    """
    _check_text("name", name, shortest=3, longest=120)
    _check_integer("owner_id", owner_id)

    owner = _get_curator(world, owner_id)
    if owner["duty"] != "editor" or owner["status"] != "active":
        raise ToolError(
            "not_allowed",
            f"{owner['full_name']} is no active editor.",
            "Choose one with list_curators.",
        )
    rows = world.query(
        """
        SELECT collection_id
        FROM collections
        WHERE lower(name) = lower(:name)
        ORDER BY collection_id
        LIMIT 1
        """,
        {"name": name.strip()},
    )
    same = rows[0] if rows else None
    if same is not None:
        raise ToolError(
            "conflict",
            f"There is a collection of that name already: {same['collection_id']}.",
            "Choose another name.",
        )
    made = {
        "collection_id": world.new_id("collections"),
        "name": name.strip(),
        "owner_id": owner["curator_id"],
        "state": "draft",
        "created_at": world.now(),
    }
    world.execute(
        """
        INSERT INTO collections (collection_id, name, owner_id, state, created_at)
        VALUES (:collection_id, :name, :owner_id, :state, :created_at)
        """,
        made,
    )
    stored = world.query("SELECT * FROM collections WHERE collection_id = ?", (made["collection_id"],))[0]

    return {"collection": _collection_details(stored)}


def publish_collection(world: World, collection_id: int) -> dict:
    """Publish a draft in which no feature is disputed.

    Args:
        collection_id: The collection.

    Returns:
        collection: an object with collection_id, name, owner_id, state, created_at, published_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no collection <collection_id>.
            conflict: Collection <collection_id> is published already.
            not_allowed: Collection <collection_id> is <state>. Collection <collection_id> holds <n>
                features. <n> of its features are disputed.
    """
    _check_integer("collection_id", collection_id)

    held = _get_collection(world, collection_id)
    if held["state"] == "published":
        raise ToolError(
            "conflict",
            f"Collection {held['collection_id']} is published already.",
            "Nothing needs to be done.",
        )
    if held["state"] != "draft":
        state_words = "a draft" if held["state"] == "draft" else held["state"]
        raise ToolError(
            "not_allowed",
            f"Collection {held['collection_id']} is {state_words}.",
            "Only a draft can be changed; search_collections finds drafts.",
        )
    inside = world.query(
        "SELECT count(*) AS n FROM collection_items WHERE collection_id = :held",
        {"held": held["collection_id"]},
    )[0]
    if inside["n"] < 3:
        raise ToolError(
            "not_allowed",
            f"Collection {held['collection_id']} holds {inside['n']} features.",
            "Three are needed; add_to_collection puts more in.",
        )
    doubt = world.query(
        """
        SELECT count(*) AS n
        FROM collection_items i
        JOIN entry_flags f ON f.feature_key = i.feature_key
        WHERE i.collection_id = :held AND f.state = 'open' AND f.kind = 'disputed'
        """,
        {"held": held["collection_id"]},
    )[0]
    if doubt["n"] != 0:
        raise ToolError(
            "not_allowed",
            f"{doubt['n']} of its features are disputed.",
            "Clear their flags or take them out; list_flags shows what is disputed.",
        )
    world.execute(
        "UPDATE collections SET state = ?, published_at = ? WHERE collection_id = ?",
        ("published", world.now(), held["collection_id"]),
    )
    stored = world.query("SELECT * FROM collections WHERE collection_id = ?", (held["collection_id"],))[0]

    return {"collection": _collection_details(stored)}


def add_to_collection(world: World, collection_id: int, feature_key: str) -> dict:
    """Put a feature at the end of a draft.

    Args:
        collection_id: The collection.
        feature_key: The feature.

    Returns:
        collection_id: a whole number.
        feature_key: text.
        place: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no collection <collection_id>. There is no feature <feature_key>.
            not_allowed: Collection <collection_id> is <state>.
            conflict: <feature_key> is in collection <collection_id> already.
    """
    _check_integer("collection_id", collection_id)
    _check_text("feature_key", feature_key)

    held = _get_collection(world, collection_id)
    subject = _get_feature(world, feature_key)
    if held["state"] != "draft":
        state_words = "a draft" if held["state"] == "draft" else held["state"]
        raise ToolError(
            "not_allowed",
            f"Collection {held['collection_id']} is {state_words}.",
            "Only a draft can be changed; search_collections finds drafts.",
        )
    rows = world.query(
        "SELECT * FROM collection_items WHERE collection_id = ? AND feature_key = ?",
        (held["collection_id"], subject["key"]),
    )
    there = rows[0] if rows else None
    if there is not None:
        raise ToolError(
            "conflict",
            f"{feature_key} is in collection {held['collection_id']} already.",
            "See list_collection_items.",
        )
    last = world.query(
        """
        SELECT coalesce(max(place), 0) AS place
        FROM collection_items
        WHERE collection_id = :held
        """,
        {"held": held["collection_id"]},
    )[0]
    made = {
        "item_id": world.new_id("collection_items"),
        "collection_id": held["collection_id"],
        "feature_key": subject["key"],
        "place": last["place"] + 1,
        "added_at": world.now(),
    }
    world.execute(
        """
        INSERT INTO collection_items (item_id, collection_id, feature_key, place, added_at)
        VALUES (:item_id, :collection_id, :feature_key, :place, :added_at)
        """,
        made,
    )

    return {"collection_id": held["collection_id"], "feature_key": subject["key"], "place": made["place"]}


def remove_from_collection(world: World, collection_id: int, feature_key: str) -> dict:
    """Take a feature out of a draft; the others keep their places.

    Args:
        collection_id: The collection.
        feature_key: The feature.

    Returns:
        collection_id: a whole number.
        feature_key: text.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no collection <collection_id>. <feature_key> is not in collection
                <collection_id>.
            not_allowed: Collection <collection_id> is <state>.
    """
    _check_integer("collection_id", collection_id)
    _check_text("feature_key", feature_key)

    held = _get_collection(world, collection_id)
    if held["state"] != "draft":
        state_words = "a draft" if held["state"] == "draft" else held["state"]
        raise ToolError(
            "not_allowed",
            f"Collection {held['collection_id']} is {state_words}.",
            "Only a draft can be changed; search_collections finds drafts.",
        )
    rows = world.query(
        "SELECT * FROM collection_items WHERE collection_id = ? AND feature_key = ?",
        (held["collection_id"], feature_key),
    )
    if not rows:
        raise ToolError(
            "not_found",
            f"{feature_key} is not in collection {held['collection_id']}.",
            "See list_collection_items.",
        )
    there = rows[0]
    world.execute("DELETE FROM collection_items WHERE item_id = ?", (there["item_id"],))

    return {"collection_id": held["collection_id"], "feature_key": there["feature_key"]}


def list_flags(
    world: World,
    feature_key: str | None = None,
    kind: str | None = None,
    state: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List flags on features, the oldest first; all given conditions must hold.

    Args:
        feature_key: Only those on this feature.
        kind: Only those of this kind. One of: stale, disputed, incomplete, unclear.
        state: Only those in this state. One of: open, cleared.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with flag_id, feature_key, name, kind, state, note, raised_by,
            raised_at, cleared_at.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if feature_key is not None:
        _check_text("feature_key", feature_key)
    if kind is not None:
        _check_choice("kind", kind, ("stale", "disputed", "incomplete", "unclear"))
    if state is not None:
        _check_choice("state", state, ("open", "cleared"))
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if feature_key is not None:
        where.append("entry_flags.feature_key = ?")
        values.append(feature_key)
    if kind is not None:
        where.append("entry_flags.kind = ?")
        values.append(kind)
    if state is not None:
        where.append("entry_flags.state = ?")
        values.append(state)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT entry_flags.flag_id, entry_flags.feature_key, entry_flags.kind, entry_flags.state,
               entry_flags.note, entry_flags.raised_by, entry_flags.raised_at,
               entry_flags.cleared_at, e.name AS title
        FROM entry_flags
        JOIN features AS e ON e."key" = entry_flags.feature_key
        {_where_all(where)}
        ORDER BY entry_flags.raised_at, entry_flags.flag_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [
            {
                "flag_id": row["flag_id"],
                "feature_key": row["feature_key"],
                "name": row["title"],
                "kind": row["kind"],
                "state": row["state"],
                "note": row["note"],
                "raised_by": row["raised_by"],
                "raised_at": row["raised_at"],
                "cleared_at": row["cleared_at"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def raise_flag(world: World, feature_key: str, kind: str, note: str | None = None) -> dict:
    """Raise a flag on a feature.

    Args:
        feature_key: The feature.
        kind: What is the matter with it. One of: stale, disputed, incomplete, unclear.
        note: What is noted with it.

    Returns:
        flag: an object with flag_id, feature_key, kind, state, note, raised_by, raised_at, cleared_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no feature <feature_key>.
            conflict: It has an open flag of this kind already: <flag_id>.
    """
    _check_text("feature_key", feature_key)
    _check_choice("kind", kind, ("stale", "disputed", "incomplete", "unclear"))
    if note is not None:
        _check_text("note", note, longest=300)

    subject = _get_feature(world, feature_key)
    rows = world.query(
        """
        SELECT flag_id
        FROM entry_flags
        WHERE feature_key = :entry AND kind = :kind AND state = 'open'
        ORDER BY flag_id
        LIMIT 1
        """,
        {"entry": subject["key"], "kind": kind},
    )
    same = rows[0] if rows else None
    if same is not None:
        raise ToolError(
            "conflict",
            f"It has an open flag of this kind already: {same['flag_id']}.",
            "See list_flags.",
        )
    made = {
        "flag_id": world.new_id("entry_flags"),
        "feature_key": subject["key"],
        "kind": kind,
        "state": "open",
        "note": note,
        "raised_at": world.now(),
    }
    world.execute(
        """
        INSERT INTO entry_flags (flag_id, feature_key, kind, state, note, raised_at)
        VALUES (:flag_id, :feature_key, :kind, :state, :note, :raised_at)
        """,
        made,
    )
    stored = world.query("SELECT * FROM entry_flags WHERE flag_id = ?", (made["flag_id"],))[0]

    return {"flag": _flag_details(stored)}


def clear_flag(world: World, flag_id: int) -> dict:
    """Clear an open flag.

    Args:
        flag_id: The flag.

    Returns:
        flag: an object with flag_id, feature_key, kind, state, note, raised_by, raised_at, cleared_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no flag <flag_id>.
            conflict: Flag <flag_id> is cleared already.
    """
    _check_integer("flag_id", flag_id)

    rows = world.query("SELECT * FROM entry_flags WHERE flag_id = ?", (flag_id,))
    if not rows:
        raise ToolError("not_found", f"There is no flag {flag_id}.", "Find it with list_flags.")
    mark = rows[0]
    if mark["state"] != "open":
        raise ToolError(
            "conflict",
            f"Flag {flag_id} is cleared already.",
            "Nothing needs to be done; list_flags finds open ones.",
        )
    world.execute(
        "UPDATE entry_flags SET state = ?, cleared_at = ? WHERE flag_id = ?",
        ("cleared", world.now(), mark["flag_id"]),
    )
    stored = world.query("SELECT * FROM entry_flags WHERE flag_id = ?", (mark["flag_id"],))[0]

    return {"flag": _flag_details(stored)}


def list_curators(
    world: World,
    query: str | None = None,
    duty: str | None = None,
    status: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List the people who look after the catalogue.

    Args:
        query: A part of the name.
        duty: Only those with this duty. One of: editor, reviewer.
        status: Only those of this status. One of: active, away, left.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with curator_id, full_name, email, duty, status.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if query is not None:
        _check_text("query", query)
    if duty is not None:
        _check_choice("duty", duty, ("editor", "reviewer"))
    if status is not None:
        _check_choice("status", status, ("active", "away", "left"))
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if query is not None:
        where.append("full_name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(query)}%")
    if duty is not None:
        where.append("duty = ?")
        values.append(duty)
    if status is not None:
        where.append("status = ?")
        values.append(status)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT *
        FROM curators
        {_where_all(where)}
        ORDER BY full_name, curator_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [
            {
                "curator_id": row["curator_id"],
                "full_name": row["full_name"],
                "email": row["email"],
                "duty": row["duty"],
                "status": row["status"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def search_browsers(
    world: World,
    name: str | None = None,
    accepts_flags: bool | None = None,
    accepts_webextensions: bool | None = None,
    type: str | None = None,
    pref_url: str | None = None,
    preview_name: str | None = None,
    upstream: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search browsers; all given conditions must hold.

    Args:
        name: Text that the name of the browser contains.
        accepts_flags: Whether it is accepts flags.
        accepts_webextensions: Whether it is accepts webextensions.
        type: Text that the type of the browser contains.
        pref_url: Text that the pref url of the browser contains.
        preview_name: Text that the preview name of the browser contains.
        upstream: Text that the upstream of the browser contains.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with key, accepts_flags, accepts_webextensions, name, type, pref_url,
            preview_name, upstream.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if name is not None:
        _check_text("name", name)
    if accepts_flags is not None:
        _check_flag("accepts_flags", accepts_flags)
    if accepts_webextensions is not None:
        _check_flag("accepts_webextensions", accepts_webextensions)
    if type is not None:
        _check_text("type", type)
    if pref_url is not None:
        _check_text("pref_url", pref_url)
    if preview_name is not None:
        _check_text("preview_name", preview_name)
    if upstream is not None:
        _check_text("upstream", upstream)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if name is not None:
        where.append("name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(name)}%")
    if accepts_flags is not None:
        where.append("accepts_flags = ?")
        values.append(accepts_flags)
    if accepts_webextensions is not None:
        where.append("accepts_webextensions = ?")
        values.append(accepts_webextensions)
    if type is not None:
        where.append("type LIKE ? ESCAPE '!'")
        values.append(f"%{_like(type)}%")
    if pref_url is not None:
        where.append("pref_url LIKE ? ESCAPE '!'")
        values.append(f"%{_like(pref_url)}%")
    if preview_name is not None:
        where.append("preview_name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(preview_name)}%")
    if upstream is not None:
        where.append("upstream LIKE ? ESCAPE '!'")
        values.append(f"%{_like(upstream)}%")
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT "key", accepts_flags, accepts_webextensions, name, type, pref_url, preview_name,
               upstream
        FROM browsers
        {_where_all(where)}
        ORDER BY name, "key"
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_browser_details(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_browser(world: World, browser_key: str) -> dict:
    """Get a browser in detail.

    Args:
        browser_key: The key of the browser.

    Returns:
        browser: an object with key, accepts_flags, accepts_webextensions, name, type, pref_url,
            preview_name, upstream.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no browser with key <browser_key>.
    """
    _check_text("browser_key", browser_key)

    rows = world.query('SELECT * FROM browsers WHERE "key" = ?', (browser_key,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no browser with key {browser_key}.",
            "Use search_browsers to find browser keys.",
        )
    browser = rows[0]

    return {"browser": _browser_details(browser)}


def search_snapshots(
    world: World,
    name: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search snapshots; all given conditions must hold.

    Args:
        name: Text that the name of the snapshot contains.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with key, name, spec.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if name is not None:
        _check_text("name", name)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if name is not None:
        where.append("name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(name)}%")
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT "key", name, spec
        FROM snapshots
        {_where_all(where)}
        ORDER BY name, "key"
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_snapshot_details(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_snapshot(world: World, snapshot_key: str) -> dict:
    """Get a snapshot in detail.

    Args:
        snapshot_key: The key of the snapshot.

    Returns:
        snapshot: an object with key, name, spec.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no snapshot with key <snapshot_key>.
    """
    _check_text("snapshot_key", snapshot_key)

    rows = world.query('SELECT * FROM snapshots WHERE "key" = ?', (snapshot_key,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no snapshot with key {snapshot_key}.",
            "Use search_snapshots to find snapshot keys.",
        )
    snapshot = rows[0]

    return {"snapshot": _snapshot_details(snapshot)}


def search_feature_status_supports(
    world: World,
    feature_key: str | None = None,
    code: str | None = None,
    value: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search feature status supports; all given conditions must hold.

    Args:
        feature_key: The feature key of the feature status support.
        code: The code of the feature status support.
        value: Text that the value of the feature status support contains.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with feature_key, code, value, feature_name, code_name.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if feature_key is not None:
        _check_text("feature_key", feature_key)
    if code is not None:
        _check_text("code", code)
    if value is not None:
        _check_text("value", value)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if feature_key is not None:
        where.append("feature_status_supports.feature_key = ?")
        values.append(feature_key)
    if code is not None:
        where.append("feature_status_supports.code = ?")
        values.append(code)
    if value is not None:
        where.append("feature_status_supports.value LIKE ? ESCAPE '!'")
        values.append(f"%{_like(value)}%")
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT feature_status_supports.feature_key, feature_status_supports.code,
               feature_status_supports.value, feature.name AS feature_name, code.name AS code_name
        FROM feature_status_supports
        LEFT JOIN features AS feature ON feature."key" = feature_status_supports.feature_key
        LEFT JOIN browsers AS code ON code."key" = feature_status_supports.code
        {_where_all(where)}
        ORDER BY feature_status_supports.feature_key, feature_status_supports.code
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_feature_status_support_summary(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def search_feature_snapshots(
    world: World,
    feature_key: str | None = None,
    snapshot: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search feature snapshots; all given conditions must hold.

    Args:
        feature_key: The feature key of the feature snapshot.
        snapshot: The snapshot of the feature snapshot.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with feature_key, position, snapshot, feature_name, snapshot_name.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if feature_key is not None:
        _check_text("feature_key", feature_key)
    if snapshot is not None:
        _check_text("snapshot", snapshot)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if feature_key is not None:
        where.append("feature_snapshots.feature_key = ?")
        values.append(feature_key)
    if snapshot is not None:
        where.append("feature_snapshots.snapshot = ?")
        values.append(snapshot)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT feature_snapshots.feature_key, feature_snapshots.position,
               feature_snapshots.snapshot, feature.name AS feature_name,
               snapshot.name AS snapshot_name
        FROM feature_snapshots
        LEFT JOIN features AS feature ON feature."key" = feature_snapshots.feature_key
        LEFT JOIN snapshots AS snapshot ON snapshot."key" = feature_snapshots.snapshot
        {_where_all(where)}
        ORDER BY feature_snapshots.feature_key, feature_snapshots.position
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_feature_snapshot_summary(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def search_browser_releases(
    world: World,
    browser_key: str | None = None,
    release_date: str | None = None,
    status: str | None = None,
    engine: str | None = None,
    code: str | None = None,
    engine_version: str | None = None,
    min_index_: int | None = None,
    max_index_: int | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search browser releases; all given conditions must hold.

    Args:
        browser_key: The browser key of the browser release.
        release_date: The release date of the browser release.
        status: The status of the browser release. One of: beta, current, esr, nightly, planned,
            retired.
        engine: The engine of the browser release. One of: Blink, EdgeHTML, Gecko, Presto, Trident, V8,
            WebKit.
        code: Text that the code of the browser release contains.
        engine_version: Text that the engine version of the browser release contains.
        min_index_: Lower limit for the index , inclusive.
        max_index_: Upper limit for the index , inclusive.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with browser_key, code, index_, release_date, release_notes, status,
            engine, engine_version, browser_name.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if browser_key is not None:
        _check_text("browser_key", browser_key)
    if release_date is not None:
        _check_date("release_date", release_date)
    if status is not None:
        _check_choice("status", status, _STATUS_CHOICES)
    if engine is not None:
        _check_choice("engine", engine, _ENGINE_CHOICES)
    if code is not None:
        _check_text("code", code)
    if engine_version is not None:
        _check_text("engine_version", engine_version)
    if min_index_ is not None:
        _check_integer("min_index_", min_index_)
    if max_index_ is not None:
        _check_integer("max_index_", max_index_)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if browser_key is not None:
        where.append("browser_releases.browser_key = ?")
        values.append(browser_key)
    if release_date is not None:
        where.append("browser_releases.release_date = ?")
        values.append(release_date)
    if status is not None:
        where.append("browser_releases.status = ?")
        values.append(status)
    if engine is not None:
        where.append("browser_releases.engine = ?")
        values.append(engine)
    if code is not None:
        where.append("browser_releases.code LIKE ? ESCAPE '!'")
        values.append(f"%{_like(code)}%")
    if engine_version is not None:
        where.append("browser_releases.engine_version LIKE ? ESCAPE '!'")
        values.append(f"%{_like(engine_version)}%")
    if min_index_ is not None:
        where.append("browser_releases.index_ >= ?")
        values.append(min_index_)
    if max_index_ is not None:
        where.append("browser_releases.index_ <= ?")
        values.append(max_index_)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT browser_releases.browser_key, browser_releases.code, browser_releases.index_,
               browser_releases.release_date, browser_releases.release_notes,
               browser_releases.status, browser_releases.engine, browser_releases.engine_version,
               browser.name AS browser_name
        FROM browser_releases
        LEFT JOIN browsers AS browser ON browser."key" = browser_releases.browser_key
        {_where_all(where)}
        ORDER BY browser_releases.release_date, browser_releases.browser_key, browser_releases.code
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_browser_release_summary(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }
