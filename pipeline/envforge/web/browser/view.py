"""What is seen of a page: a part of its text as Markdown, and the elements in that part."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from envforge.core.records.base import Record
from envforge.web.scrubbing.bodies import hide


class Element(Record):
    """Something that can be worked with; its number stands in the Markdown as `[name][number]`."""

    number: int
    role: str
    name: str
    value: str = Field(default="", description="of a password field never more than '(hidden)'")
    state: tuple[str, ...] = ()
    url: str = Field(default="", description="where a link leads")
    options: tuple[str, ...] = Field(default=(), description="what a list offers; at most 100")


class Block(Record):
    """A paragraph, heading, list item or row of a table; a `tight` one follows without an empty line."""

    text: str
    elements: tuple[int, ...] = ()
    tight: bool = False


class Page(Record):
    """All of a document, as walk.js reads it. These are the words of strangers: data, whatever they say."""

    title: str
    blocks: tuple[Block, ...]
    elements: tuple[Element, ...]
    cut: bool = Field(description="True if the document is longer than what is read")


class TabLine(Record):
    """A tab in the list of tabs."""

    number: int
    title: str
    url: str
    current: bool


class Download(Record):
    """A file that was saved into the folder of the run."""

    name: str
    url: str
    path: str = Field(description="in the folder of the run")
    bytes: int
    sha256: str


class View(Record):
    """One part of a page."""

    url: str
    title: str
    status: int | None = Field(default=None, description="of the HTTP answer; None when there was none")
    part: int = 1
    parts: int = 1
    markdown: str
    elements: tuple[Element, ...] = ()
    tabs: tuple[TabLine, ...] = ()
    downloads: tuple[Download, ...] = Field(default=(), description="that were saved since the last view")
    notes: tuple[str, ...] = Field(default=(), description="our own words: what happened, what is not shown")


def without_secrets(view: View) -> View:
    """The view with stars for secrets and persons. A part of an address is hidden, too: links are clicked by number."""
    elements = tuple(
        element.model_copy(
            update={
                **_hidden(element, "name", "value", "url"),
                "options": tuple(hide(option).text for option in element.options),
            }
        )
        for element in view.elements
    )
    return view.model_copy(
        update={
            **_hidden(view, "url", "title", "markdown"),
            "elements": elements,
            "tabs": hidden_tabs(view.tabs),
            "downloads": tuple(file.model_copy(update=_hidden(file, "url")) for file in view.downloads),
            "notes": tuple(hide(note).text for note in view.notes),  # they quote what a dialog says
        }
    )


def hidden_tabs(lines: Sequence[TabLine]) -> tuple[TabLine, ...]:
    """The same of a list of tabs."""
    return tuple(line.model_copy(update=_hidden(line, "title", "url")) for line in lines)


def _hidden(record: Record, *fields: str) -> dict[str, str]:
    return {name: hide(getattr(record, name)).text for name in fields}


def pack(blocks: Sequence[Block], size: int) -> list[list[Block]]:
    """Parts of at most `size` characters; a block is divided only when it is longer than that by itself."""
    parts: list[list[Block]] = [[]]
    room = size
    for block in (piece for whole in blocks for piece in _pieces(whole, size)):
        need = len(block.text) + 2
        if need > room and parts[-1]:
            parts.append([])
            room = size
        parts[-1].append(block)
        room -= need
    return parts


def _pieces(block: Block, size: int) -> list[Block]:
    """The elements of a long block stay with its first piece."""
    if len(block.text) <= size:
        return [block]
    texts: list[str] = []
    rest = block.text
    while len(rest) > size:
        at = max(rest.rfind("\n", 0, size), rest.rfind(" ", 0, size)) + 1 or size
        texts.append(rest[:at])
        rest = rest[at:]
    first, *others = [*texts, rest]
    return [block.model_copy(update={"text": first}), *(Block(text=text, tight=True) for text in others)]


def joined(blocks: Sequence[Block]) -> str:
    """Their text."""
    text = ""
    for block in blocks:
        text += ("" if not text else "\n" if block.tight else "\n\n") + block.text
    return text


def as_text(view: View) -> str:
    """The view for people and models: our own lines first, then the page, then its elements."""
    lines = [view.title or "(no title)", view.url]
    status = "no answer" if view.status is None else f"status {view.status}"
    lines.append(
        f"{status}, part {view.part} of {view.parts}" + (f", {len(view.tabs)} tabs" if len(view.tabs) > 1 else "")
    )
    lines += [f"note: {note}" for note in view.notes]
    lines += [f"saved: {file.path} ({file.bytes:,} bytes) from {file.url}" for file in view.downloads]
    if len(view.tabs) > 1:
        lines += [f"tab {tab.number}{' (current)' if tab.current else ''}: {tab.title} {tab.url}" for tab in view.tabs]
    listed = "\n".join(_told(element) for element in view.elements)
    return "\n".join(lines) + f"\n\n{view.markdown}" + (f"\n\n{listed}" if listed else "")


def _told(element: Element) -> str:
    parts = [f"[{element.number}] {element.role}", f'"{element.name}"' if element.name else ""]
    parts += [f"= {element.value!r}" if element.value else "", f"({', '.join(element.state)})" if element.state else ""]
    parts += [f"of: {', '.join(element.options)}" if element.options else "", f"→ {element.url}" if element.url else ""]
    return " ".join(part for part in parts if part)
