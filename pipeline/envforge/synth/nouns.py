"""Words for tables, columns and properties that people use; "" for what nobody would say."""

from __future__ import annotations

import re

from envforge.core.records.domain import Column, Table


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_UNITS = {"miles": "miles", "km": "kilometres", "kg": "kilograms", "minutes": "minutes", "hours": "hours", "ft": "feet"}
_WORDS = {"email": "e-mail address", "phone": "phone number", "telephone": "telephone number", "locator": "locator"}
_WHOLE = {"birth_date": "date of birth", "kind": "kind"}
_TECHNICAL = _set(
    "id uuid json hash token url uri icon cover timezone letters raw slug version position discussion display object "
    "inline locked trash archived parent format html latitude longitude elevation piece leg factor"
)
_PARTICLES = _set(
    "on by for into through of to at in with about below above from over under after before up out off as"
)
_NO_NOUNS = _set("due about concerns done open new sort")
_SHORT = _set("a an of in on by to at no id is as")
_LOOSE_ENDS = _set("since until on by for from to at in of with due")
_OF_STATUS = _set("reason code text message note detail details")
_LABELS = {"pull": "pull request", "pull request review": "review", "issue comment": "comment"}
_UNSAID = _set("block property properties option value")
_SAME = frozenset({"aircraft", "series", "staff", "equipment"})
_PLURALS = ((r"(?<=[^aeiou])y$", "ies"), (r"(s|x|z|ch|sh)$", r"\1es"), (r"$", "s"))
_SINGULARS = ((r"ies$", "y"), (r"(ss|x|z|ch|sh)es$", r"\1"), (r"(?<!s)s$", ""))


def said(label: str) -> str:
    """What people call a row of a table with this label; "" where nobody talks of such rows."""
    return "" if label.split()[-1:] and label.split()[-1] in _UNSAID else _LABELS.get(label, label)


def plural(words: str) -> str:
    """More than one of it; the head of "entry in the calendar" is its first word."""
    found = re.search(r" (in|of) ", words)
    head, rest = (words[: found.start()], words[found.start() :]) if found else (words, "")
    if head in _SAME:
        return words
    pattern, ending = next(pair for pair in _PLURALS if re.search(pair[0], head))
    return re.sub(pattern, ending, head, count=1) + rest


def singular(title: str) -> str:
    """One item of a collection that is called so: "Tasks" holds tasks, "Content calendar" entries."""
    words = lowered(title)
    last = words.split()[-1]
    for pattern, ending in _SINGULARS:
        if len(last) > 3 and re.search(pattern, last):
            return words[: len(words) - len(last)] + re.sub(pattern, ending, last)
    return f"entry in the {words}"


def lowered(name: str) -> str:
    """A name as it stands in a sentence: small letters, but for words that are all capitals."""
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in name.split())


def column_noun(table: Table, column: Column) -> str:
    """What people call the column, without its unit: "e-mail address", "points balance", "distance"."""
    if column.role == "email":
        lead = column.name.removesuffix("email").strip("_").replace("_", " ")
        return f"{lead} e-mail address".strip()
    if column.role == "title":
        named = is_people(table) or "name" in column.name.split("_")
        return "name" if named else column.name.replace("_", " ")
    if column.name in _WHOLE:
        return _WHOLE[column.name]
    words = column.name.split("_")
    if _TECHNICAL & set(words) or words[-1] in ("at", "time", "by", "local", "code"):
        return ""
    if (
        words[0] == "status" and len(words) > 1 and words[1] not in _OF_STATUS
    ):  # of a record inside: its date, and the "baseline status"
        words = words[1:] if _dated(column) else [*words[1:], words[0]]
    unit = _UNITS.get(words[-1], "") if len(words) > 1 else ""
    words = words[:-1] if unit else words
    words[-1] = _WORDS.get(words[-1], words[-1])
    if re.search(r"(ed|ing)$", words[-1]):
        return ""
    counted = column.type in ("integer", "real") and re.search(r"[^s]s$", words[-1])
    return f"number of {' '.join(words)}" if counted else " ".join(words)


def _dated(column: Column) -> bool:
    return column.type == "date" or column.format == "date" or column.name.endswith("_date")


def column_unit(column: Column) -> str:
    """The unit of its values, stated or in its name."""
    return _UNITS.get(column.name.rpartition("_")[2], "") or column.unit or ""


def property_noun(name: str, kind: str) -> str:
    """A property's name as a noun: "target date", "hiring manager"; "" where it is none ("Waiting for")."""
    words = lowered(re.sub(r"\s*\([^)]*\)$", "", name)).split()
    edges = {words[0], words[-1]} if words else set[str]()
    if (
        not words
        or edges & (_PARTICLES | _NO_NOUNS)
        or re.search(r"(ed|ing)$", words[-1])
        or words[0] in ("no", "times")
    ):
        return ""
    noun = " ".join(words)
    if kind == "date" and "date" not in words:
        return f"{noun} date" if len(words) == 1 else ""
    if kind == "phone_number" and "number" not in words:
        return f"{noun} number"
    return f"{noun} address" if kind == "email" and noun.endswith("e-mail") else noun


def property_unit(name: str) -> str:
    """What stands in brackets at the end of a property's name: GBP, h, weeks."""
    found = re.search(r"\(([^)]*)\)$", name)
    return found.group(1) if found else ""


def is_people(table: Table) -> bool:
    """Rows of the table are people: they have a full name, or a name and an address of their own."""
    names = {column.name for column in table.columns}
    named = {"first_name", "last_name"} <= names or "full_name" in names
    return named or (any(c.role == "email" for c in table.columns) and "name" in names)


def slug(words: str) -> str:
    """A name for a field or parameter: small letters and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", words.lower().replace("e-mail", "email")).strip("_")


def sayable(noun: str) -> str:
    """A noun with its abbreviations in capitals: "UN regional group"; "" where a word of it is a code."""
    words: list[str] = []
    for word in noun.split():
        if re.search(r"\d", word) or (len(word) == 1 and word != "a"):
            return ""
        if len(word) > 2 and not re.search(r"[aeiouy]", word):
            return ""
        words.append(word.upper() if len(word) == 2 and word not in _SHORT else word)
    return "" if not words or words[-1].lower() in _LOOSE_ENDS else " ".join(words)
