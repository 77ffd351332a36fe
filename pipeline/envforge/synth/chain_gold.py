"""Gold programs of chains: calls over the walk's tools, from what the text says to the rows that are asked about."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.programs import BUILTINS, GIVEN
from envforge.core.records.environment import ToolSpec
from envforge.core.records.intent import Reference
from envforge.synth.chains import Chain, Hop
from envforge.synth.entities import Attribute, Link
from envforge.synth.landscape import Landscape
from envforge.synth.nouns import slug
from envforge.synth.paging import paging_of
from envforge.synth.sights import Field, Sight

_TAKEN = frozenset(
    {*GIVEN, *BUILTINS, "start", "other", "wanted", "words", "field_name", "key", "x", "top", "first", "second"}
)
"""Names that mean something else in a program."""


class BlindError(ValueError):
    """A record does not show what the next step needs."""


def access(record: str, field: Field) -> str:
    """The field of a record, as Python."""
    return record + "".join(f'["{name}"]' for name in field)


class Gold:
    """Writes the body of a program, line by line. `variable`: the record or list where it stands.

    `other`: another way to the same: found by less, looked at whole, row by row.
    """

    def __init__(
        self,
        landscape: Landscape,
        chain: Chain,
        told: Reference,
        said: str = "start",
        tag: str = "",
        *,
        other: bool = False,
    ) -> None:
        self._other = other
        self._tools = {tool.name: tool for tool in landscape.environment.tools}
        self._landscape, self._chain, self._said, self._tag = landscape, chain, said, tag
        self.lines: list[str] = []
        self._names: set[str] = set()
        self.variable, self.many = "", False
        self.sight: Sight | None = None
        self._key = ""
        self._begin(told)
        for hop in chain.hops:
            self._follow(hop)

    def value(self, attribute: Attribute, record: str = "") -> str:
        """The attribute of the record, as Python. Raises BlindError when it is not shown."""
        record = record or self.variable
        fields = [self._shown(column) for column in attribute.columns]
        return ' + " " + '.join(access(record, field) for field in fields)

    def shows(self, attribute: Attribute) -> bool:
        """The records show the attribute."""
        return self.sight is not None and set(attribute.columns) <= set(self.sight.fields)

    @property
    def item(self) -> str:
        """A name for one of the records."""
        return "x" if len(self.variable) < 3 else self.variable[0]

    def key(self, record: str) -> str:
        """The key of a record, as Python."""
        assert self.sight is not None
        return access(record, self.sight.identity)

    def key_over(self, link: Link | None) -> str:
        """The key that a link of the record at hand holds, as Python. Raises BlindError when it is not shown."""
        if self._key:
            return self._key
        shown = access(self.variable, self._link_field(link))
        return f"{shown}[0]" if link is not None and link.property is not None and link.property.many else shown

    def detailed(self) -> None:
        """One more call per record, to the tool that shows it whole. Raises BlindError when there is none."""
        kind = self.sight.kind if self.sight is not None else ""
        found = [r for r in self._landscape.reaches if r.kind == kind and not r.by and r.sight.kind == kind]
        if not found or self.sight == found[0].sight:
            raise BlindError(f"nothing shows more of {kind}")
        self._follow(Hop(None, found[0], self._chain.last))

    def _begin(self, told: Reference) -> None:
        if not self._chain.finders:
            self._key = access(self._said, told.by[0])
            return
        said = told.by[0]
        finders = [finder for finder in self._chain.finders if finder.column in said]
        finders = finders[-1:] if self._other else finders
        chosen = finders or [finder for finder in self._chain.finders if finder.match == "all"]
        if not chosen:
            raise BlindError(f"no tool finds {self._chain.start.label} by what is said")
        arguments = [f"{k}={v!r}" for k, v in sorted(chosen[0].constants.items())]
        arguments += [f'{one.parameter}={self._said}["{one.column}"]' for one in finders]
        self.sight = chosen[0].sight
        self.variable = self._name(self._chain.start.label, "found")
        tests = [self._is(column, optional=column not in said) for column in _all_columns(told)]
        source = self._listing(chosen[0].tool, self.sight, ", ".join(arguments))
        self.lines.append(f"{self.variable} = next(x for x in {source} if {' and '.join(tests)})")
        if self._other:
            self._look_closer()

    def _look_closer(self) -> None:
        """The start as the tool shows it that shows one row, where that shows what comes next."""
        link = self._chain.hops[0].link if self._chain.hops else None
        for reach in self._landscape.reaches:
            shown = reach.sight.fields
            own = self.sight is not None and reach.kind == self.sight.kind and not reach.by
            if own and reach.sight != self.sight and (link is None or link.column in shown):
                self._follow(Hop(None, reach, self._chain.start))
                return

    def _is(self, column: str, *, optional: bool) -> str:
        shown = access("x", self._shown(column))
        if optional:
            return f'{shown} == {self._said}.get("{column}", {shown})'
        return f'{shown} == {self._said}["{column}"]'

    def _follow(self, hop: Hop) -> None:
        tool = self._tools[hop.reach.tool]
        fan = hop.link is not None and hop.link.many
        if self.many or fan:
            keys = self._keys(hop.link)
            source = self._read(hop, tool, "key")
            name = self._name(hop.entity.plural, "rows")
            self._gather(name, keys, source, hop)
            self._stand(name, True, hop)
            return
        self._stand_on(hop, tool)

    def _gather(self, name: str, keys: str, source: str, hop: Hop) -> None:
        """One call per key, rows in one list."""
        if self._other:
            add = f"{name}.extend({source})" if hop.listing else f"{name}.append({source})"
            self.lines += [f"{name} = []", f"for key in {keys}:", f"    {add}"]
            return
        flat = f"[x for key in {keys} for x in {source}]" if hop.listing else f"[{source} for key in {keys}]"
        self.lines.append(f"{name} = {flat}")

    def _stand_on(self, hop: Hop, tool: ToolSpec) -> None:
        key = self._key or access(self.variable, self._link_field(hop.link))
        if hop.link is not None and hop.link.property is not None and hop.link.property.many:
            key += "[0]"
        source = self._read(hop, tool, key)
        name = self._name(hop.entity.plural if hop.listing else hop.entity.label, "row")
        if self._other and hop.listing:
            self.lines += [f"{name} = []", f"for x in {source}:", f"    {name}.append(x)"]
        else:
            self.lines.append(f"{name} = {source}")
        self._stand(name, hop.listing, hop)

    def _stand(self, name: str, many: bool, hop: Hop) -> None:
        self.variable, self.many, self.sight, self._key = name, many, hop.reach.sight, ""
        if many and hop.reach.repeats:
            own = access("x", hop.reach.sight.identity)
            self.lines.append(f"{name} = list({{{own}: x for x in {name}}}.values())")

    def _read(self, hop: Hop, tool: ToolSpec, key: str) -> str:
        argument = f"{hop.reach.parameter}={key}"
        if hop.listing:
            return self._listing(tool.name, hop.reach.sight, argument)
        return f'call("{tool.name}", {argument})'

    def _listing(self, name: str, sight: Sight, arguments: str) -> str:
        tool = self._tools[name]
        given = f", {arguments}" if arguments else ""
        paging = paging_of(tool)
        if paging.cursor and sight.path == (paging.items,):
            return f'pages("{name}"{given})'
        return access(f'call("{name}"{given})', sight.path)

    def _keys(self, link: Link | None) -> str:
        """Distinct keys of the records at hand, in order."""
        field = self._link_field(link)
        if link is not None and link.property is not None and link.property.many:
            if not self.many:
                return access(self.variable, field)
            return f"sorted({{key for x in {self.variable} for key in {access('x', field)}}})"
        if self._key:
            raise BlindError("a code leads to one row")
        shown = access("x", field)
        nullable = "" if link is None else f" if {shown} is not None"
        return f"sorted({{{shown} for x in {self.variable}{nullable}}})"

    def _link_field(self, link: Link | None) -> Field:
        if self.sight is None:
            return ()
        return self.sight.identity if link is None else self._shown(link.column)

    def _shown(self, column: str) -> Field:
        if self.sight is None or column not in self.sight.fields:
            raise BlindError(f"{column} is not shown")
        return self.sight.fields[column]

    def _name(self, words: str, otherwise: str) -> str:
        """A variable of its own, from the words for what it holds."""
        name = slug(words.rpartition(" in ")[0] or words) or otherwise
        name = f"{otherwise if name in _TAKEN else name}{self._tag}"
        while name in self._names:
            name = f"more_{name}"
        self._names.add(name)
        return name


def _all_columns(told: Reference) -> Sequence[str]:
    return list(dict.fromkeys(column for columns in told.by for column in columns))
