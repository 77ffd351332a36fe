"""The toy as agent-world-model's generated servers are written: FastAPI, SQLAlchemy's ORM, a SQLite file, fastapi-mcp.

After its rules for generated code: one file, async handlers, a database session per call, models with examples, tables
created at start, no handling of errors. A process serves one episode.
"""

from __future__ import annotations

import os
from typing import List, Optional  # noqa: UP035 - its rules ask for these

from fastapi import FastAPI, Path, Query
from fastapi_mcp import FastApiMCP
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Column, Float, ForeignKey, Integer, Text, create_engine
from sqlalchemy.orm import declarative_base, relationship, sessionmaker

DATABASE_PATH = os.getenv("DATABASE_PATH", "sqlite:///ledger.db")
engine = create_engine(DATABASE_PATH, connect_args={"check_same_thread": False})
SessionLocal = sessionmaker(autocommit=False, autoflush=False, bind=engine)
Base = declarative_base()


class Warehouse(Base):
    """A warehouse."""

    __tablename__ = "warehouses"
    warehouse_id = Column(Integer, primary_key=True)
    name = Column(Text, nullable=False)
    city = Column(Text, nullable=False)
    opened_on = Column(Text, nullable=False)
    docks = Column(Integer, nullable=False)


class Supplier(Base):
    """A supplier."""

    __tablename__ = "suppliers"
    supplier_id = Column(Integer, primary_key=True)
    name = Column(Text, nullable=False)
    country = Column(Text, nullable=False)
    lead_days = Column(Integer, nullable=False)


class Item(Base):
    """An item."""

    __tablename__ = "items"
    item_id = Column(Integer, primary_key=True)
    name = Column(Text, nullable=False)
    supplier_id = Column(Integer, ForeignKey("suppliers.supplier_id"), nullable=False)
    unit = Column(Text, nullable=False)
    unit_price = Column(Float, nullable=False)
    reorder_level = Column(Integer, nullable=False)
    supplier = relationship("Supplier")


class Entry(Base):
    """An entry."""

    __tablename__ = "entries"
    entry_id = Column(Integer, primary_key=True)
    item_id = Column(Integer, ForeignKey("items.item_id"), nullable=False)
    warehouse_id = Column(Integer, ForeignKey("warehouses.warehouse_id"), nullable=False)
    kind = Column(Text, nullable=False)
    quantity = Column(Integer, nullable=False)
    booked_on = Column(Text, nullable=False)
    item = relationship("Item")
    warehouse = relationship("Warehouse")


Base.metadata.create_all(engine)


class ItemModel(BaseModel):
    """An item as it is answered."""

    model_config = ConfigDict(from_attributes=True)
    item_id: int = Field(..., description="Item id", example=7)
    name: str = Field(..., description="Name", example="brass anchor 16 mm, pack of 10")
    supplier_id: int = Field(..., description="Supplier id", example=4)
    unit: str = Field(..., description="Unit", example="box")
    unit_price: float = Field(..., description="Unit price", example=42.25)
    reorder_level: int = Field(..., description="Reorder level", example=40)


class ItemSummary(ItemModel):
    """An item in a list."""

    supplier_name: str = Field(..., description="Supplier name", example="Alder Metals")


class EntryModel(BaseModel):
    """An entry as it is answered."""

    model_config = ConfigDict(from_attributes=True)
    entry_id: int = Field(..., description="Entry id", example=12)
    item_id: int = Field(..., description="Item id", example=7)
    warehouse_id: int = Field(..., description="Warehouse id", example=3)
    kind: str = Field(..., description="Kind", example="receipt")
    quantity: int = Field(..., description="Quantity", example=10)
    booked_on: str = Field(..., description="Day", example="2024-05-01")


class EntrySummary(EntryModel):
    """An entry in a list."""

    item_name: str = Field(..., description="Item name", example="brass anchor 16 mm, pack of 10")
    warehouse_name: str = Field(..., description="Warehouse name", example="Porto depot")


class ItemResponse(BaseModel):
    """One item."""

    item: ItemModel = Field(..., description="The item")


class EntryResponse(BaseModel):
    """One entry."""

    entry: EntryModel = Field(..., description="The entry")


class ItemPage(BaseModel):
    """A page of items."""

    items: List[ItemSummary] = Field(..., description="Items")  # noqa: UP006
    next_cursor: Optional[str] = Field(None, description="Where the next page starts", example="after-20")  # noqa: UP045
    has_more: bool = Field(..., description="Whether there is a next page", example=True)


class EntryPage(BaseModel):
    """A page of entries."""

    items: List[EntrySummary] = Field(..., description="Entries")  # noqa: UP006
    next_cursor: Optional[str] = Field(None, description="Where the next page starts", example="after-20")  # noqa: UP045
    has_more: bool = Field(..., description="Whether there is a next page", example=True)


class NewEntry(BaseModel):
    """A new entry."""

    item_id: int = Field(..., description="Item id", example=7)
    warehouse_id: int = Field(..., description="Warehouse id", example=3)
    kind: str = Field(..., description="Kind", example="receipt")
    quantity: int = Field(..., description="Quantity", example=10)
    booked_on: str = Field(..., description="Day", example="2024-05-01")


class ItemChanges(BaseModel):
    """What changes of an item."""

    reorder_level: Optional[int] = Field(None, description="Reorder level", example=40)  # noqa: UP045
    unit_price: Optional[float] = Field(None, description="Unit price", example=42.25)  # noqa: UP045


app = FastAPI(title="Stock ledger")


@app.get(
    "/items/{item_id}",
    summary="Get one item",
    description="Retrieve an item by its id.",
    tags=["items"],
    operation_id="get_item",
    response_model=ItemResponse,
)
async def get_item(item_id: int = Path(..., description="Item id")):
    """Get one item."""
    session = SessionLocal()
    item = session.query(Item).filter(Item.item_id == item_id).first()
    result = ItemResponse(item=ItemModel.model_validate(item))
    session.close()
    return result


@app.get(
    "/entries/{entry_id}",
    summary="Get one entry",
    description="Retrieve an entry by its id.",
    tags=["entries"],
    operation_id="get_entry",
    response_model=EntryResponse,
)
async def get_entry(entry_id: int = Path(..., description="Entry id")):
    """Get one entry."""
    session = SessionLocal()
    entry = session.query(Entry).filter(Entry.entry_id == entry_id).first()
    result = EntryResponse(entry=EntryModel.model_validate(entry))
    session.close()
    return result


@app.get(
    "/items",
    summary="List items",
    description="List items by name, a page at a time.",
    tags=["items"],
    operation_id="list_items",
    response_model=ItemPage,
)
async def list_items(
    supplier_id: Optional[int] = Query(None, description="Supplier id"),  # noqa: UP045
    page: Optional[str] = Query(None, description="Cursor"),  # noqa: UP045
    page_size: int = Query(20, description="Page size"),
):
    """List items."""
    session = SessionLocal()
    offset = int(page.removeprefix("after-")) if page else 0
    query = session.query(Item, Supplier.name).join(Supplier, Item.supplier_id == Supplier.supplier_id)
    if supplier_id is not None:
        query = query.filter(Item.supplier_id == supplier_id)
    found = query.order_by(Item.name, Item.item_id).offset(offset).limit(page_size + 1).all()
    items = [
        ItemSummary(**ItemModel.model_validate(item).model_dump(), supplier_name=name)
        for item, name in found[:page_size]
    ]
    more = len(found) > page_size
    result = ItemPage(items=items, next_cursor=f"after-{offset + page_size}" if more else None, has_more=more)
    session.close()
    return result


@app.get(
    "/entries",
    summary="List entries",
    description="List entries, oldest first, a page at a time.",
    tags=["entries"],
    operation_id="list_entries",
    response_model=EntryPage,
)
async def list_entries(
    item_id: Optional[int] = Query(None, description="Item id"),  # noqa: UP045
    page: Optional[str] = Query(None, description="Cursor"),  # noqa: UP045
    page_size: int = Query(20, description="Page size"),
):
    """List entries."""
    session = SessionLocal()
    offset = int(page.removeprefix("after-")) if page else 0
    query = session.query(Entry, Item.name, Warehouse.name)
    query = query.join(Item, Entry.item_id == Item.item_id)
    query = query.join(Warehouse, Entry.warehouse_id == Warehouse.warehouse_id)
    if item_id is not None:
        query = query.filter(Entry.item_id == item_id)
    found = query.order_by(Entry.entry_id).offset(offset).limit(page_size + 1).all()
    items = [
        EntrySummary(**EntryModel.model_validate(entry).model_dump(), item_name=item, warehouse_name=warehouse)
        for entry, item, warehouse in found[:page_size]
    ]
    more = len(found) > page_size
    result = EntryPage(items=items, next_cursor=f"after-{offset + page_size}" if more else None, has_more=more)
    session.close()
    return result


@app.post(
    "/entries",
    summary="Create an entry",
    description="Create a new entry.",
    tags=["entries"],
    operation_id="create_entry",
    response_model=EntryResponse,
)
async def create_entry(body: NewEntry):
    """Create an entry."""
    session = SessionLocal()
    entry = Entry(**body.model_dump())
    session.add(entry)
    session.commit()
    result = EntryResponse(entry=EntryModel.model_validate(entry))
    session.close()
    return result


@app.patch(
    "/items/{item_id}",
    summary="Update an item",
    description="Change an item; only what is given changes.",
    tags=["items"],
    operation_id="update_item",
    response_model=ItemResponse,
)
async def update_item(body: ItemChanges, item_id: int = Path(..., description="Item id")):
    """Update an item."""
    session = SessionLocal()
    item = session.query(Item).filter(Item.item_id == item_id).first()
    if body.reorder_level is not None:
        item.reorder_level = body.reorder_level
    if body.unit_price is not None:
        item.unit_price = body.unit_price
    session.commit()
    result = ItemResponse(item=ItemModel.model_validate(item))
    session.close()
    return result


if __name__ == "__main__":
    import uvicorn

    mcp = FastApiMCP(app)
    mcp.mount_http()
    uvicorn.run(app, host=os.getenv("HOST", "127.0.0.1"), port=int(os.getenv("PORT", "8000")))
