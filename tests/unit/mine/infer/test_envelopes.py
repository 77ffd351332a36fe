from __future__ import annotations

import pytest

from envforge.core.records.extraction import ShapeField, TypeExpr
from envforge.mine.infer.envelopes import unwrap
from envforge.mine.infer.typeviews import Typed, Types

TEXT = TypeExpr(kind="string")
NUMBER = TypeExpr(kind="integer")


def object_of(**fields: TypeExpr) -> TypeExpr:
    return TypeExpr(
        kind="object", fields=tuple(ShapeField(name=name.strip("_"), type=one) for name, one in fields.items())
    )


def many(item: TypeExpr) -> TypeExpr:
    return TypeExpr(kind="array", items=item)


BERTH = object_of(id=TEXT, name=TEXT, depth=NUMBER).model_copy(update={"name": "Berth"})
CRANE = object_of(id=TEXT, reach=NUMBER, lifts=NUMBER).model_copy(update={"name": "Crane"})


def unwrapped(expr: TypeExpr, about: str = "") -> tuple[str | None, bool] | None:
    found = unwrap(Typed(expr, Types({})), about)
    if found is None:
        return None
    view = found.item.view()
    return (view.name if view is not None else None, found.many)


@pytest.mark.parametrize(
    "envelope",
    [
        object_of(data=many(BERTH), total=NUMBER, per_page=NUMBER),
        object_of(status_code=NUMBER, status=TEXT, service=TEXT, resource=TEXT, operation=TEXT, data=many(BERTH)),
        object_of(Data=many(BERTH), Links=object_of(next=TEXT), Meta=object_of(pages=NUMBER), Risk=object_of(a=TEXT)),
        object_of(berths=many(BERTH), start_at=NUMBER, max_results=NUMBER, total=NUMBER, hint=TEXT, expand=TEXT),
        object_of(_embedded=object_of(berths=many(BERTH)), _links=object_of(self=TEXT)),
        object_of(result=many(BERTH), count=NUMBER, ids=many(NUMBER), columns=many(TEXT), title=TEXT, order=many(TEXT)),
    ],
)
def test_a_page_of_records_is_unwrapped(envelope: TypeExpr) -> None:
    assert unwrapped(envelope) == ("Berth", True)


def test_one_record_beside_how_the_call_went_is_unwrapped() -> None:
    assert unwrapped(object_of(ok=TypeExpr(kind="boolean"), error=TEXT, berth=BERTH)) == ("Berth", False)


def test_a_record_that_has_a_list_stays_a_record() -> None:
    quay = object_of(id=TEXT, name=TEXT, result=TEXT, items=TEXT, berths=many(BERTH)).model_copy(
        update={"name": "Quay"}
    )
    assert unwrapped(quay) == ("Quay", False)
    payroll = object_of(id=TEXT, title=TEXT, rows=many(BERTH)).model_copy(update={"name": "Payroll"})
    assert unwrapped(payroll) == ("Payroll", False)


def test_of_several_lists_the_path_tells_which_one_is_meant() -> None:
    both = object_of(berths=many(BERTH), cranes=many(CRANE), position=NUMBER).model_copy(update={"name": "Both"})
    assert unwrapped(both, "crane") == ("Crane", True)
    assert unwrapped(both, "harbour") == ("Both", False)


def test_a_list_whose_items_are_wrapped_each_is_a_list_of_what_they_hold() -> None:
    assert unwrapped(many(object_of(berth=BERTH))) == ("Berth", True)
    assert unwrapped(many(object_of(id=TEXT, berth=BERTH))) == (None, True)


def test_a_list_is_no_word_about_the_call_where_the_path_asks_for_it() -> None:
    """`messages` beside a page is what `/rooms/{id}/messages` lists, and what went wrong anywhere else."""
    page = object_of(messages=many(BERTH), meta=object_of(page=NUMBER, page_size=NUMBER))
    assert unwrapped(page, "message") == ("Berth", True)
    record = object_of(id=TEXT, name=TEXT, depth=NUMBER, messages=many(CRANE)).model_copy(update={"name": "Quay"})
    assert unwrapped(record, "quay") == ("Quay", False)
