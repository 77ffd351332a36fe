"""JSON, CSV and YAML as tools.py reads and writes them: a text becomes data, and data one plain text.

Only what the standard library of the sandbox has is used, so CSV and YAML are read here. What the reader of YAML does
not know (anchors, flow style) is refused, never passed through.
"""

from __future__ import annotations

from envforge.store.document_formats import LONGEST_KEY

JSON = (
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

CSV = (
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

YAML = (
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
