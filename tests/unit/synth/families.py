"""Three small goals over the library environment: a question, a change under a policy, a new row."""

from __future__ import annotations

from envforge.core.records.intent import IntentFamily

LENT_OUT = IntentFamily.model_validate(
    {
        "id": "lent-out",
        "kind": "question",
        "title": "What a member has at home",
        "parameter_sets": "SELECT id AS member FROM members",
        "mentions": {"card": {"sql": "SELECT :member", "say": "code"}},
        "target": "SELECT id, book_id FROM loans WHERE member_id = :member AND returned_at IS NULL",
        "readings": [{"bank": "open_only", "target": "SELECT id FROM loans WHERE member_id = :member"}],
        "answer": {
            "titles": {
                "sql": "SELECT b.title FROM loans l JOIN books b ON b.id = l.book_id "
                "WHERE l.member_id = :member AND l.returned_at IS NULL",
                "match": "set",
                "json_type": "array",
                "description": "Titles of the books that the member has at home.",
            },
            "count": {
                "sql": "SELECT count(*) FROM loans WHERE member_id = :member AND returned_at IS NULL",
                "match": "number",
                "json_type": "integer",
                "description": "How many books that are.",
            },
        },
        "gold": "loans = call('list_loans', member_id=card)['loans']\n"
        "books = [call('get_book', book_id=loan['book_id']) for loan in loans if loan['open']]\n"
        "return {'titles': [book['title'] for book in books], 'count': len(books)}",
        "wording": {
            "text": ["Which books {target}{open_only?}? {report}"],
            "target": ["does the holder of card {card} have"],
            "open_only": [" at home right now"],
            "report": ["Give me the titles and how many."],
        },
    }
)
TAKE_BACK = IntentFamily.model_validate(
    {
        "id": "take-back-overdue",
        "kind": "policy_change",
        "title": "Take back what is overdue",
        "parameter_sets": "SELECT id AS member FROM members",
        "mentions": {"card": {"sql": "SELECT :member", "say": "code"}},
        "constants": {"today": "2024-03-01"},
        "target": "SELECT id, due_on FROM loans WHERE member_id = :member AND returned_at IS NULL",
        "policy": "row.due_on < date_of(clock)",
        "sizes": [2, 20],
        "expect": [
            {
                "table": "loans",
                "change": "update",
                "rows": "SELECT id, round((julianday(date(:clock)) - julianday(due_on)) * 0.2, 2) AS fine FROM loans "
                "WHERE member_id = :member AND returned_at IS NULL AND due_on < date(:clock)",
                "free": ["returned_at"],
            }
        ],
        "answer": {
            "fines": {
                "sql": "SELECT sum(round((julianday(date(:clock)) - julianday(due_on)) * 0.2, 2)) FROM loans "
                "WHERE member_id = :member AND returned_at IS NULL AND due_on < date(:clock)",
                "match": "number",
                "tolerance": 0.005,
                "json_type": "number",
                "description": "All fines together.",
            }
        },
        "gold": "fines = 0\n"
        "for loan in call('list_loans', member_id=card)['loans']:\n"
        "    if loan['open'] and loan['due_on'] < today:\n"
        "        fines += call('return_book', loan_id=loan['id'])['fine']\n"
        "return {'fines': round(fines, 2)}",
        "wording": {
            "text": ["{change} {target} {policy} {report}"],
            "change": ["Take back"],
            "target": ["what card {card} has at home"],
            "policy": ["if it is overdue."],
            "report": ["What do the fines come to?"],
        },
    }
)
LEND = IntentFamily.model_validate(
    {
        "id": "lend-a-book",
        "kind": "state_change",
        "title": "Lend a book",
        "parameter_sets": "SELECT m.id AS member, b.id AS book FROM members m, books b "
        "WHERE m.active AND m.level = 'adult' AND b.copies > "
        "(SELECT count(*) FROM loans l WHERE l.book_id = b.id AND l.returned_at IS NULL)",
        "mentions": {"card": {"sql": "SELECT :member", "say": "code"}},
        "references": {
            "book": {
                "table": "books",
                "key": "SELECT :book",
                "by": [["author"], ["title"]],
                "say": {"author": "the book by {author|name}", "title": "{title|quoted}"},
            }
        },
        "target": "SELECT :book AS id",
        "expect": [
            {
                "table": "loans",
                "change": "insert",
                "rows": "SELECT :member AS member_id, :book AS book_id, date(:clock, '+21 days') AS due_on, "
                "NULL AS returned_at",
            }
        ],
        "answer": {
            "due": {"sql": "SELECT date(:clock, '+21 days')", "description": "The day it is due, as YYYY-MM-DD."}
        },
        "gold": "found = pages('search_books', query=book.get('author') or book['title'])\n"
        "assert len(found) == 1\n"
        "return {'due': call('borrow_book', member_id=card, book_id=found[0]['id'])['due_on']}",
        "wording": {
            "text": ["{change} {report}"],
            "change": ["Lend {book} to the holder of card {card}.{target?}"],
            "target": [""],
            "report": ["When is it due?"],
        },
    }
)
FAMILIES = (LENT_OUT, TAKE_BACK, LEND)
