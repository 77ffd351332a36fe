"""Goals of chains that end in a change: a child for the row that the chain leads to, or another choice for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envforge.core.records.intent import Allowance, Expectation, IntentFamily, Mention
from envforge.synth.chain_goals import MOST_SETS, Draft, Goals, Words
from envforge.synth.chain_gold import Gold
from envforge.synth.chain_words import Owner, UnsayableError, asked, reached
from envforge.synth.chains import Chain
from envforge.synth.deeds import Deed
from envforge.synth.entities import Attribute
from envforge.synth.nouns import slug

_NOTES = (
    "Please have another look at this before the end of the week.",
    "I have a question about this. Can we talk on Thursday?",
    "Let us leave this as it is until everybody is back.",
    "Who can tell me where we are with this?",
    "This came up in the meeting again. Please don't lose sight of it.",
    "Good work. There is nothing to add from my side.",
    "Please wait for my call before you go on with this.",
    "The numbers are with accounts now.",
)
"""What somebody might leave as a comment on anything."""
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
                for one in [a for a in self.chain.last.attributes if a.nature == "choice" and a.columns[0][0] == "@"]:
                    yield lambda deed=deed, one=one: self.choice(deed, one)

    def child(self, deed: Deed) -> IntentFamily:
        """Leave a comment on the project that the task is linked to."""
        label = self.landscape.knowledge.blueprint.table(deed.table).label
        if label not in _SAID:
            raise UnsayableError(f"a {label} is more than a text")
        draft = self._draft(f"add-{label}", f"A {label} for a {self.chain.last.label}")
        draft.expect = (
            Expectation(
                table=deed.table,
                change="insert",
                rows=f'SELECT key AS "{deed.parent}", :words AS "{deed.column}" FROM ({self._keyed()})',  # noqa: S608
            ),
        )
        draft.mentions = {"words": Mention(sql="SELECT :words", say="quoted")}
        draft.gold = self._program(deed, "words")
        draft.other = self._program(deed, "words", other=True)
        draft.wording = self._words(
            lambda owner: f"leave this {label} on {owner.object}: {{words}}",
            lambda owner: f"add {{words}} as a {label} on {owner.object}",
        )
        notes = " UNION ALL ".join(f"SELECT {_quoted(text)} AS words, {n} AS n" for n, text in enumerate(_NOTES))
        starts = self.sets([*self.one_each(), *self.all_listed()])
        numbered = f"SELECT start, row_number() OVER (ORDER BY start) AS place FROM ({starts})"  # noqa: S608
        sets = (
            f"SELECT p.start AS start, w.words AS words FROM ({numbered}) p "  # noqa: S608
            f"JOIN ({notes}) w ON w.n = p.place % {len(_NOTES)} ORDER BY 1 LIMIT {MOST_SETS}"
        )
        return draft.family({"start": self.told}, sets)

    def choice(self, deed: Deed, attribute: Attribute) -> IntentFamily:
        """Set the stage of the project that the task is linked to to "On hold"."""
        bag = self.chain.last.bag
        assert bag is not None
        one = next(p for p in bag.properties if f"@{p.id}" == attribute.columns[0])
        word = asked(attribute)
        draft = self._draft(f"set-{slug(attribute.words)}", f"Another {attribute.words} for a {self.chain.last.label}")
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
        draft.gold = self._program(deed, "{field_name: wanted}")
        draft.other = self._program(deed, "{field_name: wanted}", other=True)
        if word.attribute.noun:
            draft.wording = self._words(
                lambda owner: f'set {owner.of(attribute.noun)} to "{{wanted}}"',
                lambda owner: f'change {owner.of(attribute.noun)} to "{{wanted}}"',
            )
        else:
            draft.wording = self._words(
                lambda owner: f'put "{{wanted}}" under "{{field_name}}" for {owner.object}',
                lambda owner: f'enter "{{wanted}}" under "{{field_name}}" for {owner.object}',
            )
        return draft.family({"start": self.told}, self._options(bag.options(one), attribute))

    def _options(self, options: str, attribute: Attribute) -> str:
        """SELECT of starts, each with an option that it has not."""
        last = self.chain.last
        keys = self.keys("p.start")
        now = f'(SELECT {attribute.sql} FROM "{last.table.name}" r WHERE {last.member(keys)})'  # noqa: S608
        starts = self.sets([*self.one_each(), *self.all_listed()])
        numbered = f"SELECT start, row_number() OVER (ORDER BY start) AS place FROM ({starts})"  # noqa: S608
        listed = f"SELECT name, row_number() OVER (ORDER BY name) AS n, count(*) OVER () AS total FROM ({options})"  # noqa: S608
        return (
            f"SELECT p.start AS start, o.name AS wanted FROM ({numbered}) p JOIN ({listed}) o "  # noqa: S608
            f"ON o.n = 1 + p.place % o.total WHERE {now} <> o.name ORDER BY 1 LIMIT {MOST_SETS}"
        )

    def _draft(self, what: str, title: str) -> Draft:
        draft = Draft(self.chain, what, f"{title}, from a {self.chain.start.label}", kind="state_change")
        draft.target = self._keyed()
        draft.sizes = (1, 1)
        return draft

    def _keyed(self) -> str:
        last = self.chain.last
        return f'SELECT r."{last.key}" AS key FROM "{last.table.name}" r WHERE {last.member(self.keys())}'  # noqa: S608

    def _program(self, deed: Deed, value: str, *, other: bool = False) -> list[str]:
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
        return [*gold.lines, f'call("{deed.tool}", {deed.parameter}={key}, {deed.value}={value})', "return {}"]

    def _words(self, *changes: Callable[[Owner], str]) -> Words:
        """A request in one sentence, or about a start that is named before."""
        place = len(self.chain.hops)
        near, far = reached(self.chain, place, self.it), reached(self.chain, place, self.start)
        here = [change(near) for change in changes]
        whole = [change(far).replace("{start}", "{target_name}") for change in changes]
        words = self.wording({
            "change": tuple(f"Please {one}." for one in here),
            "change/terse": tuple(f"{one[0].upper()}{one[1:]}." for one in here),
            "change/polite": tuple(f"Could you {one}?" for one in here) + tuple(f"Please {one}." for one in here),
            "change/rambling": tuple(f"What I would like you to do is {one}." for one in here),
            "change/implicit": tuple(f"It would be good if somebody could {one}." for one in here),
            "change_whole": tuple(f"Please {one}." for one in whole),
        })  # fmt: skip
        words["target/rambling"] = ("So I was going through {start} again.", "I finally got round to {start}.")
        words["target/implicit"] = ("I have been looking at {start}.", "I came across {start} just now.")
        words["text"] = ("{target} {change}", "{change_whole}")
        words["text/rambling"] = words["text/implicit"] = ("{target} {change}",)
        words["target_name"] = ("{start}",)
        return words


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
