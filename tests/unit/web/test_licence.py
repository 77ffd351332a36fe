from __future__ import annotations

import json

import pytest

from envforge.web.licence import is_open, licence_of_package, normalise, stated


@pytest.mark.parametrize(
    ("text", "spdx", "is_free"),
    [
        ("MIT", "MIT", True),
        ("CC0", "CC0-1.0", True),
        ("Apache 2.0", "Apache-2.0", True),
        ("Software available under the Apache 2 license", "Apache-2.0", True),
        ("ODbL-1.0", "ODbL-1.0", True),
        ("CC-BY-4.0", "CC-BY-4.0", True),
        ("PostgreSQL", "PostgreSQL", True),
        ("BSD", "BSD-3-Clause", True),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", "GPL-3.0-or-later WITH GCC-exception-3.1", True),
        ("MIT OR LicenseRef-Own", "MIT OR LicenseRef-Own", True),
        ("MIT AND LicenseRef-Own", "MIT AND LicenseRef-Own", False),
        ("CC-BY-NC-4.0", "CC-BY-NC-4.0", False),
        ("CC-BY-ND-4.0", "CC-BY-ND-4.0", False),
        ("(MIT OR LicenseRef-Own) AND LicenseRef-Other", "(MIT OR LicenseRef-Own) AND LicenseRef-Other", False),
    ],
)
def test_names_and_expressions(text: str, spdx: str, is_free: bool) -> None:
    assert normalise(text) == spdx
    assert is_open(spdx) is is_free
    assert stated(text, "here").status == ("stated-open" if is_free else "stated-other")


@pytest.mark.parametrize(
    "text", ["UNLICENSED", "Proprietary", "free for non-commercial use", "see our terms", "CC BY-NC"]
)
def test_what_is_not_known_is_other_with_its_words_as_evidence(text: str) -> None:
    found = stated(text, "package.json license")
    assert (found.status, found.spdx) == ("stated-other", None)
    assert text in found.evidence


def package_json(**fields: object) -> dict[str, bytes]:
    return {"package.json": json.dumps(fields).encode()}


def test_metadata_of_packages() -> None:
    assert licence_of_package(package_json(license="MIT")).spdx == "MIT"
    assert licence_of_package(package_json(license={"type": "ISC"})).spdx == "ISC"
    assert licence_of_package(package_json(licenses=[{"type": "MIT"}, {"type": "CC0-1.0"}])).spdx == "MIT OR CC0-1.0"
    expression = licence_of_package({"x-1.dist-info/METADATA": b"Name: x\nLicense-Expression: MPL-2.0\n\nText"})
    assert (expression.spdx, expression.evidence) == ("MPL-2.0", "METADATA License-Expression")
    classifier = licence_of_package({"PKG-INFO": b"Name: x\nClassifier: License :: OSI Approved :: MIT License\n"})
    assert classifier.spdx == "MIT"


def test_licence_texts() -> None:
    mit = b"Permission is hereby\n granted, free of charge, to any person"
    assert licence_of_package({**package_json(license="SEE LICENSE IN LICENSE"), "LICENSE": mit}).spdx == "MIT"
    own = licence_of_package({"LICENSE.txt": b"You may look but not touch."})
    assert (own.status, own.spdx) == ("stated-other", None)
    restricted = licence_of_package({"LICENSE": b"Attribution-NonCommercial 4.0 International"})
    assert restricted.status == "stated-other"


def test_nothing_stated_is_unstated() -> None:
    assert licence_of_package({}).status == "unstated"
    assert licence_of_package({"package.json": b"not json"}).status == "unstated"
    assert licence_of_package(package_json(name="x")).status == "unstated"
