"""The wide catalogue: themes that nobody has built yet, the taxonomy over them, and decisions about both."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record

SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"

AnchorKind = Literal[
    "mcp-server", "client-package", "type-declarations", "api-specification", "documentation", "data-package"
]
Reviewer = Literal["person", "model"]
AuditVerdict = Literal["clean", "obscure", "mixed", "duplicate", "wrong"]


class ThemeAnchor(Record):
    """One place where a miner can begin."""

    kind: AnchorKind
    spec: str = Field(pattern=r"^(npm:|pypi:|https://)\S+$", description="npm:NAME, pypi:NAME or an https URL")
    include: tuple[str, ...] = Field(default=(), description="globs of paths inside the package; empty = all")


class Demand(Record):
    """How much a theme is asked for, as package registries show it; absent where they say nothing."""

    npm_downloads_month: int | None = Field(default=None, ge=0)
    pypi_rank: int | None = Field(default=None, ge=1, description="best rank among the most downloaded packages")
    packages: int | None = Field(default=None, ge=0, description="packages that name the theme")
    mcp_servers: int | None = Field(default=None, ge=0, description="MCP servers among them")


class CatalogTheme(Record):
    """A theme of catalog.jsonl: what it is, where it stands and where its facts are to be had."""

    slug: str = Field(pattern=SLUG)
    title: str = Field(min_length=1, max_length=80)
    kind: Literal["product", "domain"]
    gloss: str = Field(min_length=10, max_length=240, description="what it is, in one neutral line")
    category: str = Field(pattern=SLUG, description="id of a second-level class of the taxonomy")
    parent: str | None = Field(default=None, description="slug of the theme that this one is a part of")
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    language: str = Field(default="en", pattern=r"^[a-z]{2}$", description="of its users, ISO 639-1")
    demand: Demand = Demand()
    anchors: tuple[ThemeAnchor, ...] = Field(min_length=1)
    evidence: str = Field(default="", description="how it came into the catalogue")


class Category(Record):
    """A class of the taxonomy. Its id never changes; its title may."""

    id: str = Field(pattern=SLUG)
    title: str = Field(min_length=1, max_length=60)
    parent: str | None = Field(default=None, description="id of the first-level class; none at the first level")
    description: str = ""


class Taxonomy(Record):
    """Two levels of classes; the themes are the leaves."""

    categories: tuple[Category, ...]


class ThemeDecision(Record):
    """What a reviewer said about a theme or a class. Decisions are only ever appended, and outlive every re-run."""

    action: Literal["accept", "move", "rename", "split", "merge", "label", "reject", "audit"]
    subject: str = Field(pattern=SLUG, description="slug of a theme, or id of a class for rename and split")
    value: str = Field(
        default="",
        description="accept, move, label: class id; rename: title; split: new id, title; merge: slug; audit: verdict",
    )
    members: tuple[str, ...] = Field(default=(), description="slugs that a split takes into the new class")
    reviewer: Reviewer
    round: int = Field(default=1, ge=1, description="which pass over the catalogue; agreement compares two of them")
    note: str = ""


class ClassifierFile(Record):
    """What was learnt about the vectors of glosses, one signed byte a number, in base64."""

    model: str = Field(description="embedding model whose vectors these are about")
    classes: tuple[str, ...] = Field(min_length=1, description="ids of second-level classes, one a row")
    ridge: str = Field(description="rows of weights, the last of each added always")
    ridge_scale: float = Field(gt=0, description="what a step of one means")
    centroids: str = Field(description="rows of mean vectors of length one")
    centroid_scale: float = Field(gt=0)
    themes: int = Field(ge=1, description="labelled themes it was learnt from")
    learnt_from: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of their texts and classes")
