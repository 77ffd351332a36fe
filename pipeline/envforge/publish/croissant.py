"""croissant.json: the tables of a set described for search engines and loaders (Croissant 1.0, JSON-LD)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envforge.core.ids import sha256_bytes
from envforge.core.records.training import SPLITS
from envforge.publish.published import Published
from envforge.publish.tables.configs import TABLES, table_path
from envforge.publish.tables.rows import COLUMNS, Kind

_TYPES: Mapping[Kind, str] = {
    "string": "sc:Text", "json": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean",
}  # fmt: skip
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{name: f"cr:{name}" for name in (
        "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet",
        "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
        "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
    )},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}  # fmt: skip


def croissant(published: Published, folder: Path) -> dict[str, Any]:
    """The description of the tables that lie in `folder`."""
    files = [path for table in TABLES for split in SPLITS if (folder / (path := table_path(table, split))).is_file()]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": published.repo.partition("/")[2],
        "description": _description(published),
        "creator": {"@type": "sc:Organization", "name": published.repo.partition("/")[0]},
        "license": published.licences,
        "url": published.url,
        "version": published.version,
        "distribution": [_file(folder, path) for path in files],
        "recordSet": [_records(path) for path in files],
    }


def _description(published: Published) -> str:
    tasks = sum(len(one.tasks.tasks) for one in published.environments if one.tasks)
    named = ", ".join(one.manifest.title for one in published.environments)
    return f"Environments with tools and {tasks} checked tasks for training agents that call tools: {named}."


def _file(folder: Path, path: str) -> dict[str, Any]:
    data = (folder / path).read_bytes()
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{len(data)} B",
        "encodingFormat": "application/x-parquet",
        "sha256": sha256_bytes(data),
    }


def _records(path: str) -> dict[str, Any]:
    _, table, file = path.split("/")
    name = f"{table}-{file.removesuffix('.parquet')}"
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "description": "JSON" if kind == "json" else "",
            "dataType": _TYPES[kind],
            "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
        }
        for column, kind in COLUMNS[table].items()
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}
