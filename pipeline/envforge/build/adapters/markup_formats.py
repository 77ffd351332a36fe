"""HTML, TeX, SQL and Markdown as tools.py checks them: such a text is kept as it stands, or refused.

The checks know few elements and commands on purpose: what they do not know (scripts in HTML) is refused.
"""

from __future__ import annotations

HTML = (
    """
_HTML_PART = re.compile(
    r"<!doctype html>|<(/?)([a-z][a-z0-9]*)((?: (?:class|href|id|lang|charset|colspan)=\\"[^\\"<>]*\\")*)>"
    r"|[^<>&]+|&(?:amp|lt|gt|quot|#[0-9]{2,4});"
)
""",
    """
_HTML_VOID = ("br", "hr", "meta")
""",
    """
_HTML_NAMES = ("html", "head", "title", "body", "main", "section", "h1", "h2", "h3", "h4", "p", "ul", "ol", "li") + (
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "a", "b", "em", "strong", "code", "span", "div", "time"),
)
""",
    '''
def _html_check(text: str) -> None:
    """Refuse HTML whose elements are unknown or not closed in their order."""
    opened, place = [], 0
    while place < len(text):
        part = _HTML_PART.match(text, place)
        line = text.count("\\n", 0, place) + 1
        if part is None or (part[2] and part[2] not in _HTML_NAMES and part[2] not in _HTML_VOID):
            raise ValueError(f"line {line}: {text[place : place + 20]!r} is no plain element, text or entity")
        names = re.findall(r' ([a-z]+)="[^"]*"', part[3] or "")
        if len(set(names)) < len(names) or (part[1] and names):
            raise ValueError(f"line {line}: {part[0]!r:.60} has an attribute too many")
        if part[1]:
            if not opened or opened.pop() != part[2]:
                raise ValueError(f"line {line}: </{part[2]}> closes what is not open")
        elif part[2] and part[2] not in _HTML_VOID:
            opened.append(part[2])
        place = part.end()
    if opened:
        raise ValueError(f"<{opened[-1]}> is not closed")
''',
)

TEX = (
    """
_TEX_PART = re.compile(r"%[^\\n]*|\\\\(begin|end)[{]([a-z]+[*]?)[}]|\\\\([A-Za-z]+|[^A-Za-z])|[^%\\\\]")
""",
    """
_TEX_REFUSED = ("input", "include", "openin", "openout", "read", "write", "def", "catcode", "csname", "begin", "end")
""",
    """
_TEX_PAIRS = {"{": "}", "$": "$", r"\\(": r"\\)", r"\\[": r"\\]"}
""",
    '''
def _tex_check(text: str) -> None:
    """Refuse TeX whose braces, environments or formulas are not closed, and signs that stand where TeX stops."""
    opened = []
    for part in _TEX_PART.finditer(text):
        sign, line = part[0], text.count("\\n", 0, part.start()) + 1
        closes = part[1] == "end" or (sign in _TEX_PAIRS.values() and not (sign == "$" and opened[-1:] != ["$"]))
        if closes:
            if not opened or (opened[-1] != part[2] if part[2] else _TEX_PAIRS.get(opened[-1]) != sign):
                raise ValueError(f"line {line}: {sign} closes what is not open")
            opened.pop()
        elif part[1] == "begin" or sign in _TEX_PAIRS:
            opened.append(part[2] or sign)
        elif part[3] in _TEX_REFUSED:
            raise ValueError(f"line {line}: {sign} is not allowed, or has no name behind it")
        elif sign == "#" or (sign == "&" and "tabular" not in opened):
            raise ValueError(f"line {line}: {sign} must have a backslash before it")
        elif sign in ("_", "^") and not any(one in opened for one in ("$", r"\\(", r"\\[")):
            raise ValueError(f"line {line}: {sign} must have a backslash before it")
    if opened:
        raise ValueError(f"{opened[-1]} is not closed")
''',
)

SQL = (
    """
_SQL_PART = re.compile(
    r"[ \\t\\n]+|--[^\\n]*|'(?:[^']|'')*'|\\"[^\\"]+\\""
    r"|([A-Za-z_][A-Za-z0-9_]*)|[0-9]+(?:[.][0-9]+)?|([(),;])|[.=<>+*/|-]"
)
""",
    """
_SQL_VERBS = ("ALTER", "BEGIN", "COMMIT", "CREATE", "DELETE", "DROP", "INSERT", "UPDATE")
""",
    '''
def _sql_check(text: str) -> None:
    """Refuse SQL that is no row of statements, each with its brackets closed and a semicolon behind it."""
    place, depth, begun, done = 0, 0, False, 0
    while place < len(text):
        part = _SQL_PART.match(text, place)
        line = text.count("\\n", 0, place) + 1
        if part is None:
            raise ValueError(f"line {line}: {text[place : place + 20]!r} is no SQL, or a quote is not closed")
        place = part.end()
        if part[0].isspace() or part[0].startswith("--"):
            continue
        if not begun and (part[1] or "").upper() not in _SQL_VERBS:
            raise ValueError(f"line {line}: a statement begins with {', '.join(_SQL_VERBS)}")
        depth += {"(": 1, ")": -1}.get(part[0], 0)
        begun = part[2] != ";"
        done += not begun
        if depth < 0 or (depth > 0 and not begun):
            raise ValueError(f"line {line}: the brackets are not closed in their order")
    if begun or not done:
        raise ValueError("a statement has no semicolon behind it")
''',
)

MD = (
    '''
def _md_check(text: str) -> None:
    """Refuse Markdown with a block of code that is not closed."""
    if sum(line.startswith("```") for line in text.split("\\n")) % 2:
        raise ValueError("a block of code is not closed")
''',
)
