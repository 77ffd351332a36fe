"""Scalars: the column that a single value becomes."""

from __future__ import annotations

from envforge.core.records.domain import Column, Limits
from envforge.core.records.extraction import ColumnType, ShapeField, TypeExpr
from envforge.mine.infer.lexicon import ROLES
from envforge.mine.infer.names import safe_identifier, snake
from envforge.mine.infer.typeviews import ObjectView

_MAX_ENUM = 80


def scalar_column(name: str, expr: TypeExpr, one: ShapeField, nullable: bool) -> Column:
    """A column for a scalar field."""
    kind = scalar_type(name, expr)
    enum = tuple(str(value) for value in expr.enum) if kind == "text" and 1 < len(expr.enum) <= _MAX_ENUM else ()
    return Column(
        name=safe_identifier(name),
        type=kind,
        nullable=nullable,
        enum=enum,
        format=expr.format if expr.format not in {"date-time", "date", "unix-time", "int32", "int64"} else None,
        default=expr.default if not isinstance(expr.default, dict | list) else None,
        description=one.description or expr.description,
        source_name=name,
        evidence=f"declared {expr.format or expr.kind}",
        limits=_limits(expr),
    )


def _limits(expr: TypeExpr) -> Limits | None:
    stated = Limits(pattern=expr.pattern, minimum=expr.minimum, maximum=expr.maximum, max_length=expr.max_length)
    return stated if stated != Limits() else None


def scalar_type(name: str, expr: TypeExpr) -> ColumnType:
    """The SQL type of a scalar: times are told by format, or by name where the source has none."""
    plain = snake(name)
    if expr.kind == "boolean":
        return "boolean"
    if expr.format in {"date-time", "unix-time", "timestamp"} or (
        expr.kind in {"string", "integer"}
        and not expr.enum
        and expr.format in {None, "unix-time"}
        and (plain.endswith(("_time", "_at", "_timestamp")) or ROLES.get(plain) in {"created_at", "updated_at"})
    ):
        return "timestamp"
    if expr.format == "date" or (expr.kind == "string" and plain.endswith(("_on", "_date")) and not expr.enum):
        return "date"
    if expr.kind == "integer":
        return "integer"
    return "real" if expr.kind == "number" else "text"


def flat_scalars(view: ObjectView) -> dict[str, TypeExpr]:
    """The scalar fields of an object."""
    found: dict[str, TypeExpr] = {}
    for name in view.fields:
        expr = view.typed(name).resolved()
        if expr.kind in {"string", "integer", "number", "boolean"} and view.const(name) is None:
            found[name] = expr
    return found
