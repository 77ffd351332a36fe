"""Checks that a test makes with SQL of its own: which rows a select step finds, page by page."""

from __future__ import annotations

from envforge.build.unit_tests.checks import Lines
from envforge.build.unit_tests.probe import Call, Probed
from envforge.build.unit_tests.reference import Reference


def independent_checks(reference: Reference, call: Call, name: str) -> Lines:
    return []


def paging_test(reference: Reference, probed: Probed) -> tuple[str, Lines] | None:
    return None
