"""Unions that hold themselves, or each other, or the same union many times over, have an end."""

from __future__ import annotations

from envforge.core.records.extraction import Shape, TypeExpr
from envforge.mine.infer.typeviews import Typed, Types, is_rich_text

TEXT = TypeExpr(kind="string")


def _ref(name: str) -> TypeExpr:
    return TypeExpr(kind="ref", name=name)


def _types(**shapes: TypeExpr) -> Types:
    return Types({name: Shape(name=name, type=expr, locator="#") for name, expr in shapes.items()})


def _union(*variants: TypeExpr) -> TypeExpr:
    return TypeExpr(kind="union", variants=variants)


def test_a_union_that_holds_itself() -> None:
    types = _types(A=_union(_ref("A"), _ref("B"), TEXT), B=_union(_ref("A"), _ref("B"), TypeExpr(kind="integer")))
    assert {member.kind for member in types.members(_ref("A"))} == {"string", "integer"}
    assert not is_rich_text(Typed(_ref("A"), types))


def test_a_union_of_the_same_union_many_times_over() -> None:
    deep = {f"U{n}": _union(_ref(f"U{n + 1}"), _ref(f"U{n + 1}")) for n in range(60)}
    types = _types(**deep, U60=_union(TEXT, TypeExpr(kind="null")))
    assert [member.kind for member in types.members(_ref("U0"))] == ["string"]
