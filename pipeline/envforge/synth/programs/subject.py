"""The subject of a goal: a table that a tool lists, with what its rows are called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from envforge.core.records.intent import Reference
from envforge.synth.nouns import is_people, plural, said, sayable
from envforge.synth.programs.facets import Facet, facets_of
from envforge.synth.programs.ground import Ground, Listing, Lookup


@dataclass(frozen=True)
class Subject:
    """A table whose rows goals are about: listed by a tool, named by their title, perhaps looked up one by one.

    `owner`: of parts ("releases of a browser") the column that says of what; their titles tell them apart only there.
    """

    ground: Ground
    table: str
    listing: Listing
    title: str
    owner: str = ""

    @property
    def key(self) -> str:
        """The column of its key."""
        return "rowid" if self.owner else self.ground.tables[self.table].primary_key[0]

    @property
    def within(self) -> str:
        """The column with the key of what it is in, where the tool lists what is in one only; else ""."""
        return self.listing.scope.column if self.listing.scope else ""

    @property
    def label(self) -> str:
        """One of its rows."""
        label = said(self.ground.tables[self.table].label) or self.ground.tables[self.table].label
        reference = self.ground.tables[self.table].column(self.owner).references if self.owner else None
        whole = self.ground.tables[reference.table].label if reference else ""
        return label.removeprefix(whole).strip() or label

    @property
    def plural(self) -> str:
        """Its rows."""
        return plural(self.label)

    @property
    def title_noun(self) -> str:
        """What its title is called: "title", "model"; "name" for every kind of name."""
        words = self.title.strip("_").split("_")
        coded = self.people or {"name", "code", "key", "id"} & set(words)
        return "name" if coded else sayable(" ".join(words)) or "name"

    @property
    def people(self) -> bool:
        """Its rows are people."""
        return is_people(self.ground.tables[self.table])

    @cached_property
    def lookup(self) -> Lookup | None:
        """The tool that shows one row."""
        return None if self.owner else self.ground.lookup(self.table)

    @cached_property
    def facets(self) -> tuple[Facet, ...]:
        """Facets that a tool shows."""
        shown = {*self.listing.fields, *(self.lookup.fields if self.lookup else ())}
        table = self.ground.tables[self.table]
        return tuple(one for one in facets_of(self.ground.keys, table) if one.column in shown)

    @cached_property
    def named(self) -> str:
        """How its rows are said: names that begin with a capital as they are, all others with their label."""
        titles = self.ground.keys.texts(self.table, self.title)
        return "name" if sum(one[0].isupper() for one in titles) >= 0.9 * len(titles) else "quoted"

    def reference(self, parameter: str) -> Reference:
        """A row of it by its title."""
        titles = self.ground.keys.texts(self.table, self.title)
        # A name in one word that begins with a letter is known as one: "surveyor-app", but the milestone "3.3".
        lead = "" if all(re.match(r"[A-Za-z][\w.-]+$", one) for one in titles) else f"the {self.label} "
        words = f"{{{self.title}|name}}" if self.named == "name" else f"{lead}{{{self.title}|quoted}}"
        return Reference(
            table=self.table, key=f"SELECT :{parameter}", by=((self.title,),), say={self.title: words},
            short=f"that {self.label}",
        )  # fmt: skip
