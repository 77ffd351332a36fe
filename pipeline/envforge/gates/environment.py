"""Gates on the environment as a whole: size, balance, keys, provenance, reachability of ids."""

from __future__ import annotations

from collections import Counter

from envforge.core.contracts import GateContext
from envforge.core.errors import StoreError
from envforge.core.records.domain import READ_VERBS
from envforge.core.records.environment import GateResult
from envforge.gates.folder import Folder, quoted
from envforge.gates.gate import number, verdict
from envforge.store.provenance import coverage_problems


class MinimalValidity:
    """Enough tools, tables and writing tools, no verb class that dominates.

    The paper's bar is one tool and one test (arXiv 2604.18292, 3.2); ours stands in the thresholds.
    """

    name = "minimal_validity"

    def check(self, context: GateContext) -> GateResult:
        """Count tools, tables and verbs; every entity that its source lets one write has a writing tool."""
        folder = Folder(context.folder)
        tools, tables = folder.tools, folder.tables
        least_tools = number(context.thresholds, self.name, "tools")
        least_tables = number(context.thresholds, self.name, "tables")
        most_share = number(context.thresholds, self.name, "verb_share")
        verbs = Counter(tool.verb for tool in tools)
        share = max(verbs.values(), default=0) / max(len(tools), 1)
        written = {tool.entity for tool in tools if tool.verb not in READ_VERBS and tool.writes}
        reasons = [
            f"{found} {what}, at least {int(least)} are needed"
            for what, found, least in [("tools", len(tools), least_tools), ("tables", len(tables), least_tables)]
            if found < least
        ]
        if share > most_share:
            verb, count = verbs.most_common(1)[0]
            reasons.append(f"{count} of {len(tools)} tools are of the verb {verb}, at most {most_share:.0%} may be")
        reasons += [
            f"entity {entity} can be written in its source, but no tool writes it"
            for entity in folder.knowledge.blueprint.writable
            if entity not in written
        ]
        return verdict(
            self.name,
            reasons,
            measured={"tools": len(tools), "tables": len(tables), "verbs": dict(sorted(verbs.items()))},
            threshold={"tools": least_tools, "tables": least_tables, "verb_share": most_share},
        )


class ForeignKeys:
    """Rows fit the schema: types, keys, checks, and every enforced reference resolves."""

    name = "foreign_keys"

    def check(self, context: GateContext) -> GateResult:
        """Load the CSVs into SQLite with constraints on, then ask SQLite for broken references."""
        folder = Folder(context.folder)
        try:
            _ = folder.database
        except StoreError as error:
            # Only the path inside the folder: a certificate holds nothing of the machine.
            place = error.where.removeprefix(str(context.folder)).lstrip("/")
            return verdict(self.name, [f"{place}: {error.message}"], measured={})
        broken = folder.pragma("foreign_key_check")
        names = folder.column("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        enforced = sum(len(folder.pragma("foreign_key_list", name)) for name in names)
        keyless = [name for name in names if not any(row[5] for row in folder.pragma("table_info", name))]
        reasons = [f"{table} row {rowid} refers to a missing row of {parent}" for table, rowid, parent, _ in broken]
        reasons += [f"table {name} has no primary key" for name in keyless]
        return verdict(self.name, reasons, measured={"enforced": enforced, "broken": len(broken)})


class Provenance:
    """Every row has exactly one provenance entry, and every entry names a known source."""

    name = "provenance"

    def check(self, context: GateContext) -> GateResult:
        """Expand all entries over the real keys."""
        folder = Folder(context.folder)
        keys = {
            table.name: folder.rows(
                f"SELECT {', '.join(map(quoted, table.primary_key))} FROM {quoted(table.name)}"  # noqa: S608
            )
            for table in folder.tables
        }
        reasons = coverage_problems(folder.provenance, keys)
        known = set(folder.manifest.sources)
        for entry in folder.provenance:
            prefix = entry.source.split(":", 1)[0]
            if entry.source not in known and prefix not in {"archetype", "operator", "shape"}:
                reasons.append(f"{entry.table}: unknown source {entry.source}")
        kinds = Counter[str]()
        for entry in folder.provenance:
            kinds[entry.kind] += entry.count
        return verdict(self.name, reasons, measured={"rows": sum(kinds.values()), **dict(sorted(kinds.items()))})


class Reachability:
    """Each id type that a tool requires is yielded by a tool of the environment."""

    name = "reachability"

    def check(self, context: GateContext) -> GateResult:
        """Grow the set of reachable tools from those that need no id; whatever stays outside is named."""
        folder = Folder(context.folder)
        have: set[str] = set()
        reached: set[str] = set()
        grown = True
        while grown:
            grown = False
            for tool in folder.tools:
                required = set(tool.parameters.get("required", ()))
                needs = {kind for parameter, kind in tool.consumes.items() if parameter in required}
                if tool.name not in reached and needs <= have:
                    reached.add(tool.name)
                    have |= set(tool.produces.values())
                    grown = True
        reasons = [
            f"{tool.name} needs {', '.join(sorted(set(tool.consumes.values()) - have))}, which no reachable tool yields"
            for tool in folder.tools
            if tool.name not in reached
        ]
        return verdict(self.name, reasons, measured={"reachable": len(reached), "semantic_types": len(have)})
