"""Formats of documents that tools write: strict readers and plain writers, embedded in tools.py.

A text is read whole before it is kept, and kept in one plain form, so that equal contents are equal texts. The readers
are small on purpose: what they do not know (anchors in YAML, scripts in HTML) is refused, never passed through.
Only what the standard library of the sandbox has is used: YAML, CSV, HTML, TeX and SQL are read here.
"""

from __future__ import annotations

from collections.abc import Sequence

from envforge.store.document_formats import LONGEST_KEY, MOST_CHARACTERS, UNWRITABLE

_JSON = (
    '''
def _json_object(pairs: list) -> dict:
    """A JSON object, if no key stands in it twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands in an object twice")
    return found
''',
    '''
def _json_data(text: str) -> dict | list:
    """What a JSON text says: an object or a list of finite values."""
    depth = 0
    for sign in re.sub(r'"(?:[^"\\\\]|\\\\.?)*"?', "", text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(sign, 0)
        if depth > 20:
            raise ValueError("it is nested too deep")
    data = json.loads(text, object_pairs_hook=_json_object)
    if not isinstance(data, dict | list):
        raise ValueError("it must be an object or a list")
    return data
''',
    '''
def _json_text(data: dict | list) -> str:
    """JSON with two blanks per level."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\\n"
''',
)

_CSV = (
    """
_CSV_FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\\n]*))(,|\\n|\\Z)')
""",
    '''
def _csv_data(text: str) -> list[list[str]]:
    """The rows of a CSV text: a header of different names, and as many fields in every row."""
    rows, row, place = [], [], 0
    while place < len(text):
        field = _CSV_FIELD.match(text, place)
        if field is None:
            raise ValueError(f"a double quote stands where none may stand in row {len(rows) + 1}")
        row.append(field[2] if field[1] is None else field[1].replace('""', '"'))
        place = field.end()
        if field[3] != ",":
            rows.append(row)
            row = []
    if row:
        rows.append([*row, ""])
    if not rows or "" in rows[0] or len(set(rows[0])) < len(rows[0]):
        raise ValueError("the first row must name every column, each differently")
    for number, row in enumerate(rows, 1):
        if not any(row):
            raise ValueError(f"row {number} is empty")
        if len(row) != len(rows[0]):
            raise ValueError(f"row {number} has {len(row)} fields, the header {len(rows[0])}")
    return rows
''',
    '''
def _csv_field(value: str) -> str:
    """A value as it stands in a CSV row."""
    return '"' + value.replace('"', '""') + '"' if re.search('[",\\n]', value) else value
''',
    '''
def _csv_text(rows: list[list[str]]) -> str:
    """CSV with quotes only where they are needed."""
    return "".join(",".join(_csv_field(value) for value in row) + "\\n" for row in rows)
''',
)

_YAML = (
    """
_YAML_ENTRY = re.compile(r'([A-Za-z_](?:[\\w./@+() -]*[\\w./@+()-])?|"(?:[^"\\\\]|\\\\.)*"):(?: +(.*))?', re.ASCII)
""",
    """
_YAML_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})([.][0-9]{1,4})?")
""",
    """
_YAML_PLAIN = re.compile(
    r"(?!(?i:y|n|yes|no|on|off|true|false|null)\\Z)[A-Za-z_](?:[\\w./@+() -]*[\\w./@+()-])?", re.ASCII
)
""",
    '''
def _yaml_scalar(text: str, number: int) -> object:
    """What one value says. Text that readers of YAML take for something else must be quoted."""
    if text in ("true", "false", "null", "[]", "{}") or _YAML_NUMBER.fullmatch(text):
        return json.loads(text)
    if text.startswith('"'):
        if re.search(r"(?<!\\\\)(?:\\\\\\\\)*\\\\u[dD][89a-fA-F]", text):
            raise ValueError(f"line {number}: write a sign itself, not half of it")
        return json.loads(text)
    if re.fullmatch("'(?:[^']|'')*'", text):
        return text[1:-1].replace("''", "'")
    if not _YAML_PLAIN.fullmatch(text):
        raise ValueError(f"line {number}: {text!r:.60} must be text in double quotes, a number, true, false or null")
    return text
''',
    '''
def _yaml_lines(text: str) -> list[tuple[int, str, int]]:
    """Indentation, content and number of every line that holds something."""
    lines = []
    for number, line in enumerate(text.split("\\n"), 1):
        content = line.strip(" ")
        if "\\t" in line:
            raise ValueError(f"line {number}: write blanks, or \\\\t in double quotes, for tabs")
        if content.startswith("#"):
            raise ValueError(f"line {number}: comments are not kept; say it in a value")
        indent = len(line.rstrip(" ")) - len(content)
        if indent > 40:
            raise ValueError(f"line {number}: it is nested too deep")
        if content:
            lines.append((indent, content, number))
    return lines
''',
    '''
def _yaml_list(lines: list, at: int) -> tuple[list, int]:
    """The list that begins at a line, and the line behind it. An entry is a value, or a mapping behind its dash."""
    indent, items = lines[at][0], []
    while at < len(lines) and lines[at][0] == indent and lines[at][1].startswith("- "):
        number, content = lines[at][2], lines[at][1][1:].strip(" ")
        if _YAML_ENTRY.fullmatch(content):
            lines[at] = (indent + len(lines[at][1]) - len(content), content, number)
            item, at = _yaml_block(lines, at)
        else:
            item, at = _yaml_scalar(content, number), at + 1
        items.append(item)
    return items, at
''',
    '''
def _yaml_mapping(lines: list, at: int) -> tuple[dict, int]:
    """The mapping that begins at a line, and the line behind it."""
    indent, found = lines[at][0], {}
    while at < len(lines) and lines[at][0] == indent:
        entry, number = _YAML_ENTRY.fullmatch(lines[at][1]), lines[at][2]
        if entry is None:
            raise ValueError(f"line {number}: expected a key with a colon behind it")
        key = _yaml_scalar(entry[1], number)
        if not isinstance(key, str) or not 0 < len(key) <= @LONGEST_KEY@ or "\\n" in key:
            raise ValueError(f"line {number}: a key is one line of text, of 1 to @LONGEST_KEY@ characters")
        if key in found:
            raise ValueError(f"line {number}: the key {key!r:.60} stands twice")
        at += 1
        if entry[2]:
            found[key] = _yaml_scalar(entry[2], number)
        elif at < len(lines) and (lines[at][0] > indent or lines[at][0] == indent and lines[at][1][:2] == "- "):
            found[key], at = _yaml_block(lines, at)
        else:
            raise ValueError(f"line {number}: {key!r:.60} has no value; write null for none")
    return found, at
'''.replace("@LONGEST_KEY@", str(LONGEST_KEY)),
    '''
def _yaml_block(lines: list, at: int) -> tuple[object, int]:
    """The list or mapping that begins at a line, and the line behind it."""
    indent = lines[at][0]
    found, after = _yaml_list(lines, at) if lines[at][1].startswith("- ") else _yaml_mapping(lines, at)
    if after < len(lines) and lines[after][0] > indent:
        raise ValueError(f"line {lines[after][2]}: the indentation fits nothing above it")
    return found, after
''',
    '''
def _yaml_data(text: str) -> dict | list:
    """What a YAML text says: mappings and lists in block style, one value to a line."""
    lines = _yaml_lines(text)
    found, after = _yaml_block(lines, 0)
    if after < len(lines):
        raise ValueError(f"line {lines[after][2]}: a list goes on as something else")
    return found
''',
    '''
def _yaml_word(value: object) -> str:
    """A key or value on one line: plain where that is clear, else in double quotes."""
    plain = isinstance(value, str) and _YAML_PLAIN.fullmatch(value)
    return value if plain else json.dumps(value, ensure_ascii=False, allow_nan=False)
''',
    '''
def _yaml_rows(value: dict | list, indent: int) -> list[str]:
    """The lines of a mapping or list."""
    rows = []
    for key in value:
        inner = value[key] if isinstance(value, dict) else key
        head = " " * indent + (f"{_yaml_word(key)}: " if isinstance(value, dict) else "- ")
        if not isinstance(inner, dict | list) or not inner:
            rows.append(head + _yaml_word(inner))
        elif isinstance(value, dict):
            rows += [head.rstrip(" "), *_yaml_rows(inner, indent if isinstance(inner, list) else indent + 2)]
        else:
            first, *others = _yaml_rows(inner, indent + 2)
            rows += [head + first.strip(" "), *others]
    return rows
''',
    '''
def _yaml_text(data: dict | list) -> str:
    """YAML in block style; what a reader would not understand as it was meant is refused."""
    text = "\\n".join(_yaml_rows(data, 0)) + "\\n"
    if _yaml_data(text) != data:
        raise ValueError("a value cannot be written in YAML")
    return text
''',
)

_HTML = (
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

_TEX = (
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

_SQL = (
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

_MD = (
    '''
def _md_check(text: str) -> None:
    """Refuse Markdown with a block of code that is not closed."""
    if sum(line.startswith("```") for line in text.split("\\n")) % 2:
        raise ValueError("a block of code is not closed")
''',
)

FORMATS = {"csv": _CSV, "html": _HTML, "json": _JSON, "md": _MD, "sql": _SQL, "tex": _TEX, "yaml": _YAML}
DATA = ("csv", "json", "yaml")
"""Formats whose texts are read as data and written anew; the others keep their text as it is."""
SECTIONED = ("html", "md", "tex")
"""Formats that have headings."""

_KEPT = f'''
def _kept_document(path: str, text: str) -> str:
    """The text as it is kept: valid in the format that its path names, in its plain form. Refuses anything else."""
    kind = path.rpartition(".")[2]
    try:
        if not text.strip():
            raise ValueError("it is empty")
        _check_signs(text)
@BRANCHES@
        _check_signs(text)
    except ValueError as fault:
        raise ToolError(
            "invalid_argument",
            f"{{path}} would be no valid {{kind}}: {{fault}}.",
            "Nothing is changed. Correct the text and send it again.",
        ) from None
    if len(text) > {MOST_CHARACTERS}:
        raise ToolError(
            "limit_exceeded",
            f"{{path}} would have {{len(text)}} characters, more than {MOST_CHARACTERS}.",
            "Shorten it, or put a part of it into another document.",
        )
    return text
'''
_SIGNS = f'''
def _check_signs(text: str) -> None:
    """Refuse control characters, a mark of byte order, and signs that end a line for some readers only."""
    found = re.search(r"{UNWRITABLE}", text)
    if found:
        raise ValueError(f"the sign {{found[0]!a}} may not stand in a document")
'''
_OTHERWISE = """
        else:
            raise ValueError("documents end in @KINDS@")
"""


def format_functions(formats: Sequence[str]) -> dict[str, str]:
    """The readers and writers of the formats, and `_kept_document` over them."""
    pieces = [piece.lstrip("\n") for kind in formats for piece in FORMATS[kind]]
    named = {piece.removeprefix("def ").split("(")[0].split(" ")[0]: piece for piece in pieces}
    lines: list[str] = []
    for number, kind in enumerate(formats):
        lines.append(f'        {"elif" if number else "if"} kind == "{kind}":')
        if kind in DATA:
            lines.append(f"            text = _{kind}_text(_{kind}_data(text))")
        else:
            lines += [f"            _{kind}_check(text)", '            text = text.rstrip() + "\\n"']
    otherwise = _OTHERWISE.replace("@KINDS@", ", ".join(f".{kind}" for kind in formats)).strip("\n")
    named["_check_signs"] = _SIGNS.lstrip("\n")
    return {**named, "_kept_document": _KEPT.lstrip("\n").replace("@BRANCHES@", "\n".join([*lines, otherwise]))}
