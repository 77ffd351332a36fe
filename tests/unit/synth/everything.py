"""A goal that uses all that a goal can have, what reaches it, and what goes too far."""

from __future__ import annotations

from typing import Any

from envforge.core.records.intent import Allowance, AnswerField, Expectation, Intent

OPEN = "member_id IN ('M-4KQ7', 'M-7TQ2') AND returned_at IS NULL"
EVERYTHING = Intent(
    family="everything",
    kind="batch",
    source="archetype",
    parameters={"level": "adult"},
    said={},
    spoken={},
    banks=(),
    candidates=3,
    chosen=3,
    expect=(
        Expectation(
            table="loans",
            change="update",
            rows=f"SELECT id, 0.1 + 0.2 AS fine, book_id FROM loans WHERE {OPEN}",
            free=("returned_at",),
        ),
        Expectation(
            table="members",
            change="insert",
            rows="SELECT 'Jo Vane' AS name, :level AS level UNION ALL SELECT 'Jo Vane', :level "
            "UNION ALL SELECT 'Ida Roe', :level",
            normalised=("name",),
        ),
        Expectation(table="members", change="delete", rows="SELECT id FROM members WHERE active = 0"),
        Expectation(table="books", change="update", rows="SELECT id, upper(title) AS title FROM books WHERE id = 105"),
        Expectation(table="books", change="update", rows="SELECT id, copies FROM books WHERE id = 107", free=("note",)),
    ),
    allow=(
        Allowance(
            table="loans",
            changes=("insert",),
            column="member_id",
            values="SELECT id FROM members WHERE level = 'junior'",
        ),
        Allowance(
            table="books", changes=("update",), column="author", values="SELECT 'Nora Whitfield'", columns=("note",)
        ),
    ),
    answer={
        "count": AnswerField(sql="SELECT count(*) FROM loans", match="number", json_type="integer", description="n"),
        "fine": AnswerField(sql="SELECT 1.5", match="number", tolerance=0.1, json_type="number", description="f"),
        "late": AnswerField(sql="SELECT 1 = 1", json_type="boolean", description="b"),
        "title": AnswerField(sql="SELECT title FROM books WHERE id = 103", match="normalised_text", description="t"),
        "nobody": AnswerField(sql="SELECT NULL", json_type="integer", optional=True, description="o"),
        "books": AnswerField(
            sql="SELECT title, copies FROM books WHERE id < 104",
            match="set",
            json_type="array",
            item_type="object",
            fields=("name", "copies"),
            description="s",
        ),
        "ids": AnswerField(
            sql="SELECT id FROM books WHERE id < 104 ORDER BY id DESC",
            match="ordered",
            json_type="array",
            item_type="integer",
            description="l",
        ),
    },
)
ANSWER: dict[str, Any] = {
    "count": 7,
    "fine": 1.55,
    "late": True,
    "title": "counting  rivers!",
    "nobody": None,
    "books": [
        {"name": "Counting Rivers", "copies": 3},
        {"name": "The Lighthouse Keeper's Atlas", "copies": 2},
        {"name": "Bread, Salt and Iron", "copies": 1.0},
    ],
    "ids": [103, 102, 101],
}
RIGHT = [
    f"UPDATE loans SET fine = 0.3, returned_at = '2024-03-01T09:00:00Z' WHERE {OPEN}",
    "INSERT INTO members VALUES ('M-0001', 'Jo Vane', NULL, 'adult', 1)",
    "INSERT INTO members VALUES ('M-0002', 'jo vane.', 'jo@example.org', 'adult', 0)",
    "INSERT INTO members VALUES ('M-0003', 'Ida Roe', NULL, 'adult', 1)",
    "DELETE FROM members WHERE active = 0 AND id NOT LIKE 'M-0%'",
    "UPDATE books SET title = 'NIGHT TRAINS' WHERE id = 105",
]
FREE = [
    "UPDATE books SET note = 'x' WHERE id IN (107, 101)",
    "INSERT INTO loans VALUES ('l-1', 'M-B3XE', 101, 'x', 'y', NULL, NULL)",
]
TOO_MUCH = {
    "another row": "UPDATE books SET copies = 9 WHERE id = 102",
    "another column of a named row": "UPDATE books SET copies = 9 WHERE id = 105",
    "a column of a row that is free in another": "UPDATE books SET copies = 9 WHERE id = 107",
    "another column of a free row": "UPDATE books SET note = 'x', copies = 9 WHERE id = 101",
    "out of what is free": "UPDATE books SET author = 'Nobody', note = 'x' WHERE id = 101",
    "a new row": "INSERT INTO loans VALUES ('l-1', 'M-HHJ5', 101, 'x', 'y', NULL, NULL)",
    "a deleted row": "DELETE FROM loans WHERE member_id = 'M-HHJ5'",
    "once more": "INSERT INTO members VALUES ('M-0004', 'Ida Roe', NULL, 'adult', 1)",
}
