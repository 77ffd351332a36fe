from __future__ import annotations

import gzip
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envforge.core.errors import SourceError
from envforge.web.archive import Limits, open_nested, read_archive

MakeArchive = Callable[..., Path]
SMALL = Limits(max_file=1 << 20, max_total=2 << 20, max_members=50, ratio_floor=64 << 10, max_ratio=20)


def everything(_: str) -> bool:
    return True


def entry(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


def test_reads_what_is_selected_without_the_top_folder(make_tar: MakeArchive) -> None:
    path = make_tar("a.tgz", {"package/a.json": b"1", "package/b/c.csv": b"x", "package/d.js": b"y"})
    contents = read_archive(path, lambda name: not name.endswith(".js"))
    assert contents.bodies == {"a.json": b"1", "b/c.csv": b"x"}
    assert contents.paths == ("a.json", "b/c.csv", "d.js")


def test_keeps_a_top_folder_that_is_not_shared(make_tar: MakeArchive) -> None:
    assert list(read_archive(make_tar("a.tgz", {"x/a": b"1", "b": b"2"}), everything).bodies) == ["b", "x/a"]


@pytest.mark.parametrize("name", ["../evil.json", "package/../../evil.json", "/etc/evil.json", "C:\\evil", "a\\..\\b"])
def test_refuses_paths_outside_in_tar_and_zip(make_tar: MakeArchive, make_zip: MakeArchive, name: str) -> None:
    for path in (make_tar("a.tgz", {"package/ok": b"1", name: b"2"}), make_zip("a.zip", {"ok": b"1", name: b"2"})):
        with pytest.raises(SourceError, match="outside itself"):
            read_archive(path, everything)


@pytest.mark.parametrize(
    ("kind", "target"),
    [(tarfile.SYMTYPE, "../../etc/passwd"), (tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "../secret")],
)
def test_refuses_links_outside(make_tar: MakeArchive, kind: bytes, target: str) -> None:
    path = make_tar("a.tgz", {"package/a.json": b"1"}, [entry("package/link.json", kind, target)])
    with pytest.raises(SourceError, match="outside itself"):
        read_archive(path, everything)


def test_follows_a_link_inside(make_tar: MakeArchive) -> None:
    path = make_tar("a.tgz", {"package/a.json": b"1"}, [entry("package/link.json", tarfile.SYMTYPE, "a.json")])
    assert read_archive(path, everything).bodies["link.json"] == b"1"


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_refuses_devices(make_tar: MakeArchive, kind: bytes) -> None:
    with pytest.raises(SourceError, match="device or a pipe"):
        read_archive(make_tar("a.tgz", {}, [entry("package/null", kind)]), everything)


def test_refuses_a_link_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("link.json")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(SourceError, match="links in zip files"):
        read_archive(path, everything)


def test_refuses_a_bomb_even_if_it_is_not_selected(make_tar: MakeArchive, make_zip: MakeArchive) -> None:
    bomb = bytes(8 << 20)
    with pytest.raises(SourceError, match="unpacks to more than"):
        read_archive(make_tar("a.tgz", {"p/bomb.bin": bomb, "p/a": b"1"}), lambda path: path == "a", limits=SMALL)
    with pytest.raises(SourceError, match="unpacks to more than"):
        read_archive(make_zip("a.zip", {"bomb.csv": bomb}), everything, limits=SMALL)


def test_bounds_the_sum_of_files_and_their_number(make_tar: MakeArchive) -> None:
    import random

    noise = random.Random(1).randbytes(900 << 10)
    with pytest.raises(SourceError, match="unpacks to more than"):
        read_archive(make_tar("a.tgz", {f"p/{n}": noise for n in range(3)}), everything, limits=SMALL)
    with pytest.raises(SourceError, match="more than 50 entries"):
        read_archive(make_tar("b.tgz", {f"p/{n}": b"" for n in range(51)}), everything, limits=SMALL)


def test_refuses_the_same_path_twice(make_tar: MakeArchive) -> None:
    with pytest.raises(SourceError, match="twice"):
        read_archive(make_tar("a.tgz", {"p/a": b"1", "p/./a": b"2"}), everything)


BROKEN = {
    "empty": b"",
    "text": b"no archive at all",
    "no tar": gzip.compress(b"no tar in here", mtime=0),
    "cut": b"\x1f\x8b\x08broken",
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_names_a_broken_archive(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "broken.tgz"
    path.write_bytes(body)
    with pytest.raises(SourceError, match=r"broken\.tgz"):
        read_archive(path, everything)


def test_a_cut_archive_is_an_error(make_tar: MakeArchive) -> None:
    import random

    path = make_tar("cut.tgz", {"p/a": random.Random(1).randbytes(50_000)})
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(SourceError, match="cannot be read"):
        read_archive(path, everything)


def test_opens_packed_files_one_level(packed: Callable[[Mapping[str, bytes]], bytes]) -> None:
    one = open_nested("d/f.csv.zip", packed({"f.csv": b"a\n1\n"}), everything)
    assert one is not None
    assert (one.transform, one.files) == ("unzip", {"d/f.csv.zip": ("f.csv", b"a\n1\n")})
    two = open_nested("d/f.zip", packed({"b.csv": b"2", "a.csv": b"1"}), everything)
    assert two is not None
    assert list(two.files) == ["d/f.zip/a.csv", "d/f.zip/b.csv"]
    gz = open_nested("s.json.gz", gzip.compress(b"{}", mtime=0), everything)
    assert gz is not None
    assert (gz.transform, gz.files) == ("gunzip", {"s.json.gz": ("s.json", b"{}")})
    assert open_nested("a.csv", b"1", everything) is None


def test_packed_files_obey_the_same_rules(packed: Callable[[Mapping[str, bytes]], bytes]) -> None:
    with pytest.raises(SourceError, match="unpacks to more than"):
        open_nested("f.csv.gz", gzip.compress(bytes(8 << 20), mtime=0), everything, limits=SMALL)
    with pytest.raises(SourceError, match="outside itself"):
        open_nested("f.zip", packed({"../f.csv": b"1"}), everything)
    with pytest.raises(SourceError, match="cannot be read"):
        open_nested("f.zip", b"not a zip", everything)
