"""The standard library's types, as far as data can be of them."""

from __future__ import annotations

from envforge.core.records.extraction import ShapeField, TypeExpr
from envforge.mine.extract.type_algebra import ANY, Resolve, collapse, expand, members, union_of

_STRING = TypeExpr(kind="string")
_BINARY = TypeExpr(kind="string", format="binary")
_FIXED = {
    "Date": TypeExpr(kind="string", format="date-time"),
    "URL": TypeExpr(kind="string", format="uri"),
    "String": _STRING,
    "Number": TypeExpr(kind="number"),
    "Boolean": TypeExpr(kind="boolean"),
    "Object": TypeExpr(kind="object"),
    **dict.fromkeys(("Uppercase", "Lowercase", "Capitalize", "Uncapitalize"), _STRING),
    **dict.fromkeys(("Blob", "File", "Buffer", "ArrayBuffer", "Uint8Array", "ReadableStream", "FormData"), _BINARY),
    **dict.fromkeys(
        ("RegExp", "Error", "Function", "AsyncIterableIterator", "AsyncIterable", "AbortSignal", "Response", "Request",
         "ReturnType", "Parameters", "InstanceType", "ThisType", "RequestInit", "Headers", "URLSearchParams", "Symbol"),
        ANY,
    ),
}  # fmt: skip
_ARRAYS = ("Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable")
_SAME = ("Readonly", "Promise", "Awaited", "PromiseLike", "NonNullable")
_CHOOSING = ("Pick", "Omit", "Exclude", "Extract")
BUILTINS = frozenset({*_FIXED, *_ARRAYS, *_SAME, *_CHOOSING, "Partial", "Required", "Record", "Map", "ReadonlyMap"})


def builtin(name: str, given: list[TypeExpr], resolve: Resolve) -> TypeExpr:
    """The type a built-in stands for, its arguments applied."""
    if name in _FIXED:
        return _FIXED[name]
    first = given[0] if given else ANY
    if name in _ARRAYS:
        return TypeExpr(kind="array", items=first)
    if name == "NonNullable":
        return first.model_copy(update={"nullable": False})
    if name in _SAME:
        return first
    if name in ("Record", "Map", "ReadonlyMap"):
        return _record(first, given[1] if len(given) > 1 else ANY, resolve)
    if name in ("Partial", "Required"):
        return _with_required(first, name == "Required", resolve)
    return _choose(name, first, given[1] if len(given) > 1 else ANY, resolve)


def _record(key: TypeExpr, value: TypeExpr, resolve: Resolve) -> TypeExpr:
    known = expand(key, resolve)
    if known.enum:
        fields = [ShapeField(name=str(name), type=value, required=True) for name in known.enum]
        return TypeExpr(kind="object", fields=tuple(fields))
    return TypeExpr(kind="map", items=value)


def _with_required(expr: TypeExpr, required: bool, resolve: Resolve) -> TypeExpr:
    changed: list[TypeExpr] = []
    for member in members(expr, resolve):
        fields = [field.model_copy(update={"required": required}) for field in member.fields]
        changed.append(member.model_copy(update={"fields": tuple(fields), "name": None}) if fields else member)
    return union_of(changed) if changed else ANY


def _choose(name: str, expr: TypeExpr, keys: TypeExpr, resolve: Resolve) -> TypeExpr:
    """Pick and Omit over fields; Exclude and Extract over the members of a union."""
    wanted = {str(value) for value in expand(keys, resolve).enum}
    if name in ("Pick", "Omit"):
        whole = members(expr, resolve)
        merged = whole[0] if len(whole) == 1 else collapse(whole)
        fields = [field for field in merged.fields if (field.name in wanted) == (name == "Pick")]
        return merged.model_copy(update={"fields": tuple(fields), "name": None}) if merged.fields else merged
    whole = expand(expr, resolve)
    if whole.enum:
        left = tuple(value for value in whole.enum if (str(value) in wanted) == (name == "Extract"))
        return whole.model_copy(update={"enum": left, "name": None}) if left else ANY
    other = set(type_names(keys))
    kept = [v for v in whole.variants if (v.name in other) == (name == "Extract")]
    return union_of(kept) if kept and other else expr


def type_names(expr: TypeExpr) -> list[str]:
    """Names of the types a reference or union names."""
    return [part.name for part in (expr.variants or (expr,)) if part.name]
