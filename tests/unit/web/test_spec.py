from __future__ import annotations

import pytest

from envforge.core.errors import ConfigError
from envforge.core.scrub import scrub
from envforge.web.paths import guess_mime, is_data, matches, unmatched
from envforge.web.spec import PackageUrl, Spec, package_url, parse_package_url, parse_spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("npm:shelf", Spec("npm", "shelf")),
        ("npm:@lib/shelf@1.2.3-rc.1", Spec("npm", "@lib/shelf", "1.2.3-rc.1")),
        ("pypi:Shelf_Data", Spec("pypi", "Shelf_Data")),
        ("pypi:shelf==1.0.post1", Spec("pypi", "shelf", "1.0.post1")),
        ("file:data/rows.csv", Spec("file", "data/rows.csv")),
        ("mcp:python 'my server.py' --stdio", Spec("mcp", "python 'my server.py' --stdio")),
        ("https://docs.example/a/", Spec("url", "https://docs.example/a/")),
    ],
)
def test_parses_the_five_forms(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec


@pytest.mark.parametrize(
    "text",
    [
        *("", "shelf", "npm:", "npm:./folder", "npm:../x", "npm:/abs", "npm:git+https://x.example/y", "npm:-g"),
        *("npm:shelf.tgz", "npm:a@file:../x", "npm:Me/You", "pypi:shelf>=1", "pypi:./x", "pypi:-r", "pypi:a @ b"),
        *("pypi:shelf[extra]", "file:", "ftp://x.example/a", "https://", "docker:x"),
        *("mcp:", "mcp:  ", "mcp:say 'no end"),
    ],
)
def test_refuses_all_else_and_names_the_forms(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(text)
    if text.startswith("mcp:"):
        assert caught.value.remedy
        return
    for form in ("npm:NAME", "pypi:NAME", "file:PATH", "mcp:COMMAND", "URL"):
        assert form in caught.value.remedy


@pytest.mark.parametrize(
    "said", ["--token=hunter2", "--token hunter2", "-v --api-key 'hunter2'", "x --password  hunter2"]
)
def test_a_command_with_a_token_is_refused_without_showing_it(said: str) -> None:
    with pytest.raises(ConfigError, match="credentials") as caught:
        parse_spec(f"mcp:desk {said}")
    assert "hunter2" not in str(caught.value) and "mcp:desk" in str(caught.value)


@pytest.mark.parametrize("said", ["--token --verbose", "--token-file keys.txt", "token 'a b'", "--password ''", "''"])
def test_a_command_that_holds_none_is_taken(said: str) -> None:
    assert parse_spec(f"mcp:desk {said}") == Spec("mcp", f"desk {said}")


def test_a_url_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec("https://me:hunter2@docs.example/")
    assert "hunter2" not in str(caught.value)


def test_package_urls_go_both_ways() -> None:
    purl = package_url("npm", "@lib/shelf", "1.2.3")
    assert purl == "pkg:npm/%40lib/shelf@1.2.3"
    assert parse_package_url(purl) == PackageUrl("npm", "@lib/shelf", "1.2.3")
    assert parse_package_url("https://x.example") is None
    assert PackageUrl("pypi", "shelf-data", "1").serves(Spec("pypi", "Shelf_Data"))
    assert not PackageUrl("pypi", "shelf-data", "1").serves(Spec("pypi", "shelf-data", "2"))
    assert not PackageUrl("pypi", "shelf", "1").serves(Spec("npm", "shelf"))


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("data/*.csv", "data/a.csv", True),
        ("data/*.csv", "data/x/a.csv", False),
        ("**/*.csv", "a.csv", True),
        ("**/*.csv", "x/y/a.csv", True),
        ("data/**", "data/x/y", True),
        ("src/{a,b}.d.ts", "src/b.d.ts", True),
        ("src/{a,b}.d.ts", "src/c.d.ts", False),
        ("a.csv", "aXcsv", False),
        ("f[12].csv", "f2.csv", True),
        ("f[!12].csv", "f2.csv", False),
        ("f?.csv", "f/.csv", False),
    ],
)
def test_globs(glob: str, path: str, expected: bool) -> None:
    assert matches(path, [glob]) is expected
    assert unmatched([path], [glob]) == ([] if expected else [glob])


def test_what_counts_as_data() -> None:
    good = ["a.json", "x/b.csv.zip", "t.parquet", "types/x.d.ts", "README.md", "s.sqlite", "x/y.yaml", "d.tsv.gz"]
    bad = ["package.json", "a.js", "x.ts", "tsconfig.build.json", ".github/a.yml", "a.js.map", "test/a.json", "a.zip"]
    assert [path for path in good if not is_data(path)] == []
    assert [path for path in bad if is_data(path)] == []
    assert guess_mime("a/b.CSV").startswith("text/csv")
    assert guess_mime("x.d.ts") == "application/typescript"
    assert guess_mime("x.bin") == "application/octet-stream"


@pytest.mark.parametrize(
    "text",
    [
        "GET https://user:hunter2@index.example/simple",
        "https://hunter2@index.example/simple",
        "//registry.example/:_authToken=hunter2",
        "Authorization: Bearer hunter2hunter2",
        "https://x.example/?access_token=hunter2&a=b",
        '_password = "hunter2"',
    ],
)
def test_scrub_hides_secrets(text: str) -> None:
    assert "hunter2" not in scrub(text)


def test_scrub_leaves_plain_text() -> None:
    text = "404 Not Found - GET https://registry.example/@lib%2fshelf"
    assert scrub(text) == text


@pytest.mark.parametrize("start", ["glpat-", "sk-", "sk-proj-", "sk_live_", "Authorization: Token ", "npm_"])
def test_scrub_knows_tokens_by_their_form(start: str) -> None:
    token = "a1B2" * 6
    assert token not in scrub(f"error: {start}{token} was refused")
    assert scrub("https://data.sk/sk-national-museum-open-data") == "https://data.sk/sk-national-museum-open-data"


@pytest.mark.parametrize("start", ["sk-proj-", "sk-svcacct-", "sk-or-v1-", "sk-ant-api03-", "hf_a1B2"])
def test_scrub_takes_the_keys_of_models_whole(start: str) -> None:
    dashed = "" if start.startswith("hf_") else "-x_y"
    assert scrub(f"key {start}a1B2{dashed}{'c3D4' * 5}{dashed}, refused") == "key ***, refused"
