"""Containers: how a parameter that names a parent reaches the records inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.records.domain import BoundParameter, Column
from envforge.mine.infer.addressing import addressed_column
from envforge.mine.infer.calls import CallParameter
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.lexicon import VERB_WORDS
from envforge.mine.infer.links import Link, is_child_role
from envforge.mine.infer.names import label, safe_identifier
from envforge.mine.infer.parameters import id_parameter_name, json_of
from envforge.mine.infer.parents import parent_targets
from envforge.mine.infer.typeviews import Typed


class Containers:
    """Finds the column, or the link table, between a record and what contains it."""

    def __init__(
        self, drafts: Mapping[str, TableDraft], links: Sequence[Link], lone_listings: Mapping[str, int]
    ) -> None:
        self._drafts = drafts
        self._links = links
        self._lone = lone_listings

    def parents(
        self,
        draft: TableDraft,
        noun: str,
        name: str,
        text: str,
        *,
        required: bool,
        spread: bool,
        typed: Typed | None = None,
    ) -> list[BoundParameter]:
        """`name` as the id of the containing `noun`; empty if nothing leads from there to `draft`.

        With `spread`, a lone listing serves every kind of parent: one optional parameter for each.
        """
        choice = draft.parent
        if choice is not None and noun in choice.targets and choice.type_column is not None:
            alone = spread and self._lone.get(draft.entity.name, 0) <= 1
            targets = [one for one in choice.targets if one in self._drafts] if alone else [noun]
            made: list[BoundParameter] = []
            for target in targets:
                column = draft.find(choice.column_of(target))
                if column is not None:
                    one = self.reference(column, f"{target}_id", "parent", text, required and len(targets) == 1)
                    made.append(one.model_copy(update={"source_name": name}))
            return made
        column = self._column_to(draft, noun)
        if column is not None:
            one = self.reference(column, id_parameter_name(name, noun), "parent", text, required)
            held = addressed_column(self._drafts[noun], name, typed)
            told = {"source_name": name, "semantic": f"{noun}.{held.name}", "json_type": json_of(held)}
            return [one.model_copy(update=told)]
        links = [link for link in self._links if noun != draft.entity.name]
        return self._through(links, draft, noun, name, text, required)

    def by_role(self, draft: TableDraft, noun: str, name: str, text: str, role: str) -> list[BoundParameter] | None:
        """A listing under a relation's own name (`/tasks/{x}/followers`) goes by that relation, or not at all.

        None if `role` is just the records' own name, so that any way in will do.
        """
        own = set(draft.entity.name.split("_"))
        named = own <= set(role.split("_")) or draft.entity.name.endswith(f"_{role}")
        if not role or named or is_child_role(role, draft.entity.name):
            return None
        links = [link for link in self._links if link.holder == noun and role in {link.role, link.member}]
        if links:
            return self._through(links, draft, noun, name, text, True)
        return [] if noun == draft.entity.name and role not in VERB_WORDS else None

    def chosen(self, parameter: CallParameter, draft: TableDraft) -> list[BoundParameter]:
        """A body field that chooses the parent, as one parameter per kind of parent."""
        choice = draft.parent
        if choice is None:
            return []
        stated: set[str] = set()
        for typed in parameter.alternatives:
            stated.update(parent_targets(typed, self._drafts) or {})
        made: list[BoundParameter] = []
        for target in choice.targets:
            column = draft.find(choice.column_of(target)) if target in self._drafts else None
            if column is not None and (target in stated or not stated):
                needed = parameter.required and choice.targets == (target,)
                one = self.reference(column, column.name, "parent", "", needed)
                made.append(one.model_copy(update={"source_name": f"{parameter.name}.{target}_id"}))
        return made

    def reference(self, column: Column, name: str, meaning: str, text: str, required: bool) -> BoundParameter:
        """The id of the record that `column` refers to."""
        assert column.references is not None
        target = next(draft for draft in self._drafts.values() if draft.entity.table == column.references.table)
        return BoundParameter(
            name=name,
            source_name=column.source_name,
            meaning=meaning,
            json_type=json_of(column),
            required=required,
            description=text or f"Id of the {label(target.entity.name)}.",
            column=column.name,
            semantic=f"{target.entity.name}.{column.references.column}",
        )

    def leads_to(self, draft: TableDraft, noun: str) -> bool:
        """True if `draft` has a column that refers to `noun`."""
        return self._column_to(draft, noun) is not None

    def _column_to(self, draft: TableDraft, noun: str) -> Column | None:
        """The column of `draft` that refers to `noun`: the parent's before the one of that name, then any."""
        if noun not in self._drafts:
            return None
        table = self._drafts[noun].entity.table
        found = [one for one in draft.columns if one.references is not None and one.references.table == table]
        return min(
            found, key=lambda one: (one.role != "parent", one.name != f"{noun}_id", one.role == "editor"), default=None
        )

    def _through(
        self, links: Sequence[Link], draft: TableDraft, noun: str, name: str, text: str, required: bool
    ) -> list[BoundParameter]:
        """The container is reached through a link table: the column is `<link table>.<its key>`."""
        for link in links:
            ends = {link.member: link.member_column, link.holder: link.holder_column}
            if ends.keys() != {noun, draft.entity.name}:
                continue
            key = safe_identifier(self._drafts[noun].entity.key)
            return [
                BoundParameter(
                    name=id_parameter_name(name, noun),
                    source_name=name,
                    meaning="parent",
                    json_type={"type": "string"},
                    required=required,
                    description=text or f"Id of the {label(noun)}.",
                    column=f"{link.table.name}.{ends[noun]}",
                    semantic=f"{noun}.{key}",
                )
            ]
        return []
