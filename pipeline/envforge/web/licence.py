"""What a package says about its licence, and where it says so."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from email.message import Message
from email.parser import HeaderParser
from typing import Any, cast

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from envforge.core.records.source import Licence, LicenceStatus

# Licences under which facts and texts may be passed on (some with attribution or share-alike).
_OPEN = {
    *("0BSD", "AFL-3.0", "AGPL-3.0", "Apache-1.1", "Apache-2.0", "Artistic-2.0", "blessing", "BlueOak-1.0.0"),
    *("BSD-1-Clause", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CDLA-Permissive-1.0"),
    *("CDLA-Permissive-2.0", "CDLA-Sharing-1.0", "EPL-1.0", "EPL-2.0", "EUPL-1.1", "EUPL-1.2"),
    *("GFDL-1.3", "GPL-2.0", "GPL-3.0", "ISC", "LGPL-2.0", "LGPL-2.1", "LGPL-3.0", "MIT", "MIT-0", "MPL-1.1"),
    *("MPL-2.0", "MS-PL", "MulanPSL-2.0", "NCSA", "ODbL-1.0", "ODC-By-1.0", "OFL-1.1", "OGL-UK-3.0", "PDDL-1.0"),
    *("PostgreSQL", "PSF-2.0", "Python-2.0", "Unlicense", "UPL-1.0", "W3C", "WTFPL", "X11", "Zlib", "ZPL-2.1"),
}
_OPEN_FAMILIES = re.compile(r"CC-BY(?:-SA)?-\d\.\d(?:-[A-Z]+)?")

# Common spellings that are no SPDX identifier; the first pattern that is found decides.
_SPELLINGS: tuple[tuple[str, str], ...] = (
    (r"\bcc[ -]?0\b|creative commons zero", "CC0-1.0"),
    (r"cc[ -]by[ -]sa[ -]?4|attribution-?share-?alike 4", "CC-BY-SA-4.0"),
    (r"cc[ -]by[ -]4|creative commons attribution 4", "CC-BY-4.0"),
    (r"\bodbl\b|open (?:data commons open )?database licen[cs]e", "ODbL-1.0"),
    (r"mozilla public licen[cs]e.{0,12}2|\bmpl[ -v]*2", "MPL-2.0"),
    (r"lesser general public licen[cs]e.{0,12}2\.1|\blgpl[ -v]*2\.1", "LGPL-2.1-or-later"),
    (r"lesser general public licen[cs]e.{0,12}3|\blgpl[ -v]*3", "LGPL-3.0-or-later"),
    (r"affero general public licen[cs]e.{0,12}3|\bagpl[ -v]*3", "AGPL-3.0-or-later"),
    (r"general public licen[cs]e.{0,12}3|\bgpl[ -v]*3", "GPL-3.0-or-later"),
    (r"general public licen[cs]e.{0,12}2|\bgpl[ -v]*2", "GPL-2.0-or-later"),
    (r"\bapache\b.{0,24}\b2(?:\.0)?\b", "Apache-2.0"),
    (r"\b3[- ]clause bsd|bsd[- ]3|new bsd|modified bsd", "BSD-3-Clause"),
    (r"\b2[- ]clause bsd|bsd[- ]2|simplified bsd", "BSD-2-Clause"),
    (r"\bisc\b", "ISC"),
    (r"\bunlicense\b", "Unlicense"),
    (r"python software foundation", "PSF-2.0"),
    (r"\bmit\b|\bexpat\b", "MIT"),
    (r"^(?:the )?bsd(?: licen[cs]e)?$|:: bsd license$", "BSD-3-Clause"),
)
# A few words by which each licence text is known.
_TEXTS: tuple[tuple[str, str], ...] = (
    (r"cc0 1\.0 universal", "CC0-1.0"),
    (r"open database license \(?\"?odbl|odc open database license", "ODbL-1.0"),
    (r"attribution-noncommercial|attribution-noderivatives", "LicenseRef-restricted"),
    (r"attribution-sharealike 4\.0 international", "CC-BY-SA-4.0"),
    (r"attribution 4\.0 international", "CC-BY-4.0"),
    (r"apache license\s+version 2\.0", "Apache-2.0"),
    (r"mozilla public license,? version 2\.0", "MPL-2.0"),
    (r"gnu affero general public license\s+version 3", "AGPL-3.0-only"),
    (r"gnu lesser general public license\s+version 2\.1", "LGPL-2.1-only"),
    (r"gnu lesser general public license\s+version 3", "LGPL-3.0-only"),
    (r"gnu general public license\s+version 3", "GPL-3.0-only"),
    (r"gnu general public license\s+version 2", "GPL-2.0-only"),
    (r"this is free and unencumbered software", "Unlicense"),
    (r"permission to use, copy, modify, and/or distribute this software", "ISC"),
    (r"postgresql (?:license|database management system)", "PostgreSQL"),
    (r"permission is hereby granted, free of charge", "MIT"),
    (r"redistribution and use in source and binary forms.*neither the name", "BSD-3-Clause"),
    (r"redistribution and use in source and binary forms", "BSD-2-Clause"),
)
_LICENCE_FILE = re.compile(r"(?:^|/)(?:LICEN[CS]E|COPYING|UNLICENSE)(?:[.-][^/]*)?$", re.IGNORECASE)


def is_statement(path: str) -> bool:
    """True for files of a package that may state its licence or repository."""
    if path in ("package.json", "PKG-INFO") or re.fullmatch(r"[^/]+\.dist-info/METADATA", path):
        return True
    return bool(_LICENCE_FILE.search(path)) and path.count("/") <= 2


def licence_of_package(files: Mapping[str, bytes]) -> Licence:
    """The licence that the statement files of a package name, metadata before licence texts."""
    for path in sorted(files):
        if path == "package.json":
            found = _from_package_json(files[path])
        elif path.endswith(("METADATA", "PKG-INFO")):
            found = _from_metadata(parse_metadata(files[path]), path)
        else:
            continue
        if found is not None:
            return found
    for path in sorted(
        (path for path in files if _LICENCE_FILE.search(path)), key=lambda path: (path.count("/"), path)
    ):
        text = re.sub(r"\s+", " ", files[path][:200_000].decode("utf-8", "replace")).lower()
        for pattern, spdx in _TEXTS:
            if re.search(pattern, text):
                return stated(spdx, f"text of {path}")
        return Licence(status="stated-other", evidence=f"text of {path}, not a licence known here")
    return Licence(status="unstated", evidence="no licence field, classifier or licence file in the package")


def stated(text: str, evidence: str) -> Licence:
    """A licence as somebody spelled it: open, or other (restricted, or not known here)."""
    spdx = normalise(text)
    if spdx is None:
        return Licence(status="stated-other", evidence=f"{evidence}: {text.strip()[:120]}")
    status: LicenceStatus = "stated-open" if is_open(spdx) else "stated-other"
    return Licence(status=status, spdx=spdx, evidence=evidence)


def normalise(text: str) -> str | None:
    """The SPDX expression for a licence's name; None when the name is not known."""
    try:
        return canonicalize_license_expression(text.strip())
    except InvalidLicenseExpression:
        pass
    low = text.strip().lower()
    if re.search(r"non-?commercial|no-?deriv|proprietary|\bnc\b|\bnd\b|all rights reserved", low):
        return None
    return next((spdx for pattern, spdx in _SPELLINGS if re.search(pattern, low)), None)


def is_open(expression: str) -> bool:
    """True if the expression lets its reader pass the content on: any side of OR, every side of AND."""
    flat = expression.replace("(", " ").replace(")", " ")
    if "(" in expression and " AND " in flat and " OR " in flat:
        # Mixed and nested: open only if every part is, which errs on the careful side.
        return all(_is_open_part(part) for part in re.split(r" AND | OR ", flat))
    return any(all(_is_open_part(part) for part in side.split(" AND ")) for side in flat.split(" OR "))


def _is_open_part(part: str) -> bool:
    name = part.strip().split(" WITH ")[0].strip().removesuffix("+")
    name = name.removesuffix("-only").removesuffix("-or-later")
    return name in _OPEN or bool(_OPEN_FAMILIES.fullmatch(name))


def parse_metadata(body: bytes) -> Message:
    """The headers of a METADATA or PKG-INFO file."""
    return HeaderParser().parsestr(body.decode("utf-8", "replace"))


def parse_package_json(body: bytes) -> dict[str, Any]:
    """The object in a package.json; empty when it is not one (the archive may be anything)."""
    try:
        value = json.loads(body.decode("utf-8-sig"))
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _from_package_json(body: bytes) -> Licence | None:
    manifest = parse_package_json(body)
    stated_as: Any = manifest.get("license") or manifest.get("licence") or manifest.get("licenses")
    if isinstance(stated_as, Sequence) and not isinstance(stated_as, str):
        names = [name for item in cast("Sequence[Any]", stated_as) if (name := _licence_name(item))]
        if not names:
            return None
        spelled = [normalise(name) for name in names]
        joined = " OR ".join(name for name in spelled if name) if all(spelled) else ", ".join(names)
        return stated(joined, "package.json licenses")
    name = _licence_name(stated_as)
    if name is None or name.upper().startswith("SEE LICEN"):
        return None
    return stated(name, "package.json license")


def _licence_name(value: Any) -> str | None:
    if isinstance(value, Mapping):
        value = cast("Mapping[str, Any]", value).get("type")
    return value if isinstance(value, str) and value.strip() else None


def _from_metadata(headers: Message, path: str) -> Licence | None:
    name = path.rsplit("/", 1)[-1]
    if expression := headers.get("License-Expression"):
        return stated(expression, f"{name} License-Expression")
    if (text := headers.get("License", "")).strip() and text.strip().upper() not in ("UNKNOWN", "NONE"):
        return stated(" ".join(text.split()), f"{name} License")
    for classifier in sorted(headers.get_all("Classifier", [])):
        if classifier.startswith("License ::") and classifier != "License :: OSI Approved":
            return stated(classifier, f"{name} classifier {classifier}")
    return None
