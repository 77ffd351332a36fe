"""Goals of chains that end in a change: a child for the row that the chain leads to, or another choice for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envforge.core.records.intent import Allowance, Expectation, IntentFamily, Mention
from envforge.synth.chain_goals import MOST_SETS, Draft, Goals, Words
from envforge.synth.chain_gold import Gold
from envforge.synth.chain_measures import moves
from envforge.synth.chain_owner import Owner, UnsayableError
from envforge.synth.chain_ways import reached
from envforge.synth.chains import Chain
from envforge.synth.deeds import Deed
from envforge.synth.entities import Attribute
from envforge.synth.literals import sql_text
from envforge.synth.nouns import slug

_NOTES = (
    "Can we talk about this on Thursday?",
    "There is a question about this one. I will bring it up tomorrow.",
    "Please don't change anything here before Monday.",
    "Who is looking after this now?",
    "I will come back to this next week.",
    "Is this still up to date?",
    "Please read this again before our next meeting.",
    "Please let me know when this is settled.",
)
"""What somebody might leave as a comment on anything."""
_CHANGED = (
    "There is one small thing left from this morning.",
    "I have one small thing to ask before I go.",
    "I can't log in from here.",
    "I can't do it myself at the moment.",
    "I'm on the train and can't get at our lists.",
    "I said I would see to one small thing today and then forgot.",
    "I'm away from my desk for a while.",
    "One small thing has been on my list since yesterday.",
)
_PASSED = (
    "So I was going through {start} again.",
    "I finally got round to {start}.",
    "I was looking at {start} just now.",
)
_PLACES = frozenset({"stage", "step", "phase"})
"""States that things are moved to."""
_SAID = frozenset({"comment", "note", "reply", "message"})
"""Labels of children that are nothing but what somebody said."""


class DeedGoals(Goals):
    """Chains that lead to one row, and a deed that can be done to it."""

    def makers(self) -> Iterator[Callable[[], IntentFamily]]:
        """What makes each goal; it may raise UnsayableError or BlindError."""
        own = self.landscape.keys.kind_of_table.get(self.chain.last.table.name, "")
        for deed in self.landscape.deeds:
            if deed.kind != own:
                continue
            if deed.what == "child":
                yield lambda deed=deed: self.child(deed)
            if deed.what == "choice" and self.chain.last.collection is not None:
                for one in [a for a in self.chain.last.attributes if moves(a)]:
                    yield lambda deed=deed, one=one: self.choice(deed, one)

    def child(self, deed: Deed) -> IntentFamily:
        """Leave a comment on the project that the task belongs to."""
        label = self.landscape.knowledge.blueprint.table(deed.table).label
        if label not in _SAID:
            raise UnsayableError(f"a {label} is more than a text")
        draft = self.draft(f"add-{label}", f"A {label} for a {self.chain.last.label}")
        draft.expect = (
            Expectation(
                table=deed.table,
                change="insert",
                rows=f'SELECT key AS "{deed.parent}", :words AS "{deed.column}" FROM ({self.last_rows()})',  # noqa: S608
            ),
        )
        draft.mentions = {"words": Mention(sql="SELECT :words", say="quoted")}
        draft.gold = self.program(deed, "words")
        draft.other = self.program(deed, "words", other=True)
        draft.wording = self.words(
            lambda owner: f"leave this {label} on {owner.object}: {{words}}.",
            lambda owner: f"leave a {label} on {owner.object}? It should say {{words}}.",
        )
        notes = " UNION ALL ".join(f"SELECT {sql_text(text)} AS words, {n} AS n" for n, text in enumerate(_NOTES))
        starts = self.sets([*self.one_each(), *self.all_listed()])
        numbered = f"SELECT start, row_number() OVER (ORDER BY start) AS place FROM ({starts})"  # noqa: S608
        sets = (
            f"SELECT p.start AS start, w.words AS words FROM ({numbered}) p "  # noqa: S608
            f"JOIN ({notes}) w ON w.n = p.place % {len(_NOTES)} ORDER BY 1 LIMIT {MOST_SETS}"
        )
        return draft.family({"start": self.told}, sets)

    def choice(self, deed: Deed, attribute: Attribute) -> IntentFamily:
        """Set the stage to "On hold" for the project that the task belongs to."""
        bag = self.chain.last.bag
        assert bag is not None
        one = next(p for p in bag.properties if f"@{p.id}" == attribute.columns[0])
        draft = self.draft(f"set-{slug(attribute.words)}", f"Another {attribute.words} for a {self.chain.last.label}")
        draft.constants = {"field_name": one.name}
        option = f"(SELECT o.id FROM ({bag.options(one)}) o WHERE o.name = :wanted)"  # noqa: S608
        rows = f'SELECT {bag.key_columns("v")}, {option} AS "{bag.option_column}" FROM "{bag.value_table}" v '  # noqa: S608
        where = f'WHERE v."{bag.property_column}" = \'{one.id}\' AND v."{bag.item_column}" IN ({self.keys()})'
        draft.expect = (Expectation(table=bag.value_table, change="update", rows=rows + where),)
        draft.allow = (
            Allowance(
                table=deed.table, changes=("update",), column=self.chain.last.key, values=self.keys(), columns=deed.free
            ),
        )
        draft.mentions = {"wanted": Mention(sql="SELECT :wanted", say="label")}
        draft.gold = self.program(deed, "{field_name: wanted}")
        draft.other = self.program(deed, "{field_name: wanted}", other=True)

        def change(owner: Owner) -> str:
            if owner.words.endswith(" to"):
                return f'set the {attribute.noun} to "{{wanted}}" for {owner.object}'
            if attribute.noun in _PLACES:
                return f'move {owner.object} to the {attribute.noun} "{{wanted}}"'
            return f'set {owner.of(attribute.noun)} to "{{wanted}}"'

        draft.wording = self.words(lambda owner: f"{change(owner)}.", lambda owner: f"{change(owner)}?")
        return draft.family({"start": self.told}, self._options(bag.options(one), attribute))

    def _options(self, options: str, attribute: Attribute) -> str:
        """SELECT of starts, each with the option that comes after its own; after the last one, the one before."""
        last = self.chain.last
        keys = self.keys("p.start")
        now = f'(SELECT {attribute.sql} FROM "{last.table.name}" r WHERE {last.member(keys)})'  # noqa: S608
        starts = self.sets([*self.one_each(), *self.all_listed()])
        listed = (
            f"SELECT name, coalesce(lead(name) OVER (ORDER BY place), lag(name) OVER (ORDER BY place)) AS next "  # noqa: S608
            f"FROM ({options})"
        )
        return (
            f"SELECT p.start AS start, o.next AS wanted FROM ({starts}) p JOIN ({listed}) o ON o.name = {now} "  # noqa: S608
            f"WHERE o.next IS NOT NULL ORDER BY 1 LIMIT {MOST_SETS}"
        )

    def draft(self, what: str, title: str) -> Draft:
        """A change of one row."""
        draft = Draft(self.chain, what, f"{title}, from a {self.chain.start.label}", kind="state_change")
        draft.target = self.last_rows()
        draft.sizes = (1, 1)
        return draft

    def program(self, deed: Deed, value: str, *, other: bool = False) -> list[str]:
        """Calls up to the key of the last row, and the deed. `other`: the row itself is looked at first."""
        hops = self.chain.hops
        short = hops and hops[-1].link is not None and not hops[-1].listing and not other
        if short:
            before = Chain(self.chain.start, self.chain.finders, hops[:-1])
            gold = Gold(self.landscape, before, self.told)
            key = gold.key_over(hops[-1].link)
        else:
            gold = Gold(self.landscape, self.chain, self.told, other=other)
            key = gold.key_over(None)
        given = f", {deed.value}={value}" if deed.value else ""
        return [*gold.lines, f'call("{deed.tool}", {deed.parameter}={key}{given})', "return {}"]

    def words(self, told: Callable[[Owner], str], wished: Callable[[Owner], str]) -> Words:
        """A request in one sentence, or about a start that is named before. `wished`: what follows "could you"."""
        near = reached(self.chain, self.it)
        far = reached(self.chain, self.start)
        say, ask = (make(far).replace("{start}", "{target_name}") for make in (told, wished))
        words: Words = {
            "text": ("{change_whole}",),
            "text/rambling": ("{target} {change}", "{situation} {change_whole}"),
            "text/implicit": ("{situation} {change_whole}",),
            "situation": _CHANGED,
            "target": _PASSED,
            "target_name": ("{start}",),
            "change": (f"Could you {wished(near)}", f"Please {told(near)}"),
            "change_whole": (f"Please {say}",),
            "change_whole/terse": (f"{say[0].upper()}{say[1:]}",),
            "change_whole/polite": (f"[Could|Would] you {ask}", f"Please {say}"),
        }
        return words
