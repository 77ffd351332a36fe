"""A workshop: customers bring jobs, jobs take parts, and both may be called off. Goals are found by walks over it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.world.environment import Environment

from .library_domain import to_table

SCHEMA = """CREATE TABLE customers (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL
) STRICT;
CREATE TABLE jobs (
  id TEXT NOT NULL PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers (id),
  status TEXT NOT NULL
) STRICT;
CREATE TABLE parts (
  id TEXT NOT NULL PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES jobs (id),
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  price INTEGER NOT NULL
) STRICT;
"""
CUSTOMERS = ("Ada Moor", "Ben Falk", "Cleo Wren", "Dora Lind", "Emil Voss", "Fay Holm")
CALLED_OFF_JOB = "J-EF34"
"""The second job of Cleo Wren."""
CALLED_OFF_PART = "P-GH05"
"""Of the second job of Dora Lind."""
JOBS = {
    "C-QM2X": ("J-AB11", "J-AB12"),
    "C-QM3X": ("J-CD21", "J-CD22"),
    "C-QM4X": ("J-EF33", "J-EF34"),
    "C-QM5X": ("J-GH43", "J-GH44"),
    "C-QM6X": ("J-KL51", "J-KL52"),
    "C-QM7X": ("J-MN61", "J-MN62"),
}
PARTS = ("Chain", "Brake cable", "Saddle")


def _rows() -> dict[str, str]:
    customers, jobs, parts = ["id,name,email"], ["id,customer_id,status"], ["id,job_id,name,status,price"]
    for (customer, brought), name in zip(JOBS.items(), CUSTOMERS, strict=True):
        customers.append(f"{customer},{name},{name.split()[0].lower()}@workshop.example")
        for job in brought:
            status = "cancelled" if job == CALLED_OFF_JOB else "finished" if job.endswith("1") else "started"
            jobs.append(f"{job},{customer},{status}")
            for number, part in enumerate(PARTS):
                key = f"P-{job[2:4]}{3 * brought.index(job) + number:02d}"
                state = "cancelled" if key == CALLED_OFF_PART else ("fitted", "ordered")[number % 2]
                parts.append(f"{key},{job},{part},{state},{10 + 7 * len(parts)}")
    tables = {"customers": customers, "jobs": jobs, "parts": parts}
    return {name: "\n".join(lines) + "\n" for name, lines in tables.items()}


TOOLS = '''"""Tools of a workshop."""

from __future__ import annotations

from envforge.world.api import World


def list_jobs(world: World, customer_id: str) -> dict:
    """List the jobs of a customer.

    Args:
        customer_id: the customer's id.
    """
    return {"items": world.query("SELECT * FROM jobs WHERE customer_id = ? ORDER BY id", (customer_id,))}


def list_parts(world: World, job_id: str) -> dict:
    """List the parts of a job.

    Args:
        job_id: the job's id.
    """
    return {"items": world.query("SELECT * FROM parts WHERE job_id = ? ORDER BY id", (job_id,))}


def list_customer_parts(world: World, customer_id: str) -> dict:
    """List the parts of all jobs of a customer.

    Args:
        customer_id: the customer's id.
    """
    sql = "SELECT p.* FROM parts p JOIN jobs j ON j.id = p.job_id WHERE j.customer_id = ? ORDER BY p.id"
    return {"items": world.query(sql, (customer_id,))}


def get_part(world: World, part_id: str) -> dict:
    """Show a part.

    Args:
        part_id: the part's id.
    """
    return {"part": world.query("SELECT * FROM parts WHERE id = ?", (part_id,))[0]}
'''


def _tool(
    name: str, verb: str, entity: str, key: str, shown: dict[str, str], returns: dict[str, Any]
) -> dict[str, Any]:
    return {
        "name": name,
        "verb": verb,
        "entity": entity,
        "description": name.replace("_", " ").capitalize() + ".",
        "parameters": {
            "type": "object",
            "properties": {f"{key}_id": {"type": "string"}},
            "required": [f"{key}_id"],
            "additionalProperties": False,
        },
        "returns": {"type": "object", "properties": returns},
        "reads": ["customers", "jobs", "parts"],
        "writes": [],
        "consumes": {f"{key}_id": f"{key}.id"},
        "produces": shown,
        "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    }


def workshop(folder: Path) -> Environment:
    """The environment, written to `folder` and opened."""
    items: dict[str, Any] = {"items": {"type": "array", "items": {"type": "object"}}}
    jobs = {"items[].id": "job.id", "items[].customer_id": "customer.id"}
    parts = {"items[].id": "part.id", "items[].job_id": "job.id"}
    tools = [
        _tool("list_jobs", "list", "job", "customer", jobs, items),
        _tool("list_parts", "list", "part", "job", parts, items),
        _tool("list_customer_parts", "list", "part", "customer", parts, items),
        _tool(
            "get_part", "get", "part", "part",
            {"part.id": "part.id", "part.job_id": "job.id"}, {"part": {"type": "object"}},
        ),
    ]  # fmt: skip
    manifest: dict[str, Any] = {
        "id": "workshop",
        "theme": "workshop",
        "family": "workshop-000000000000",
        "database_seed": 0,
        "title": "A workshop",
        "licence": "CC0-1.0",
        "sources": [],
        "clock": {"epoch": "2024-03-01T09:00:00Z", "step_seconds": 60},
        "ids": {},
        "authors": {},
        "grounding": "spec",
    }
    (folder / "data").mkdir(parents=True)
    texts = {f"data/{name}.csv": text for name, text in _rows().items()}
    texts |= {"environment.json": json.dumps(manifest), "tools.json": json.dumps(tools)}
    for name, text in {**texts, "schema.sql": SCHEMA, "tools.py": TOOLS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Environment.open(folder)


def _table(name: str, *columns: Column) -> Table:
    label = name.removesuffix("s")
    key = Column(name="id", type="text", role="id")
    return Table(name=name, entity=label, label=label, primary_key=("id",), columns=(key, *columns))


TABLES = (
    _table(
        "customers", Column(name="name", type="text", role="title"), Column(name="email", type="text", role="email")
    ),
    _table(
        "jobs",
        Column(name="customer_id", type="text", role="owner", references=to_table("customers")),
        Column(name="status", type="text", role="state"),
    ),
    _table(
        "parts",
        Column(name="job_id", type="text", role="parent", references=to_table("jobs")),
        Column(name="name", type="text", role="title"),
        Column(name="status", type="text", role="state"),
        Column(name="price", type="integer", role="amount"),
    ),
)
DOMAIN = EnvironmentBlueprint(blueprint=Blueprint(theme="workshop", title="A workshop", tables=TABLES, operations=()))
