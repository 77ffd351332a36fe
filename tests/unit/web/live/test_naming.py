import pytest

from envforge.core.contracts import Exchange
from envforge.web.live.naming import mime_of, path_of


def answer(url: str, kind: str) -> Exchange:
    return Exchange(url, 200, "OK", (("Content-Type", kind),), b"", "2024-05-01T08:00:00Z")


@pytest.mark.parametrize(
    ("url", "kind", "path"),
    [
        ("https://a.test", "text/html", "a.test/index.html"),
        ("https://a.test/x/", "text/html", "a.test/x/index.html"),
        ("https://a.test/x", "application/json", "a.test/x.json"),
        ("https://a.test/list.php?page=2&sort=name", "text/html", "a.test/list--page-2-sort-name.html"),
        ("https://a.test/rows.csv?raw=1", "text/plain", "a.test/rows--raw-1.csv"),
        ("https://a.test/v1.2/spec", "application/yaml", "a.test/v1.2/spec.yaml"),
        ("https://a.test/v1.2", "text/html", "a.test/v1.html"),
        ("https://a.test/types.d.ts", "text/plain", "a.test/types.d.ts"),
        ("https://a.test/%2e%2e/%2e%2e/etc/passwd", "text/plain", "a.test/etc/passwd.txt"),
        ("https://a.test/a%2Fb%00c/d", "text/html", "a.test/a-b-c/d.html"),
        ("https://a.test/f%C3%A4hre.html", "text/html", "a.test/fähre.html"),
        ("https://a.test/x", "application/unheard-of", "a.test/x"),
    ],
)
def test_paths_are_tame_and_end_in_what_they_are(url: str, kind: str, path: str) -> None:
    assert path_of(answer(url, kind)) == path


def test_long_names_stay_apart() -> None:
    one, two = (path_of(answer(f"https://a.test/x?q={'a' * 300}{n}", "text/html")) for n in (1, 2))
    assert one != two and len(one) < 160 and one.endswith(".html")


@pytest.mark.parametrize(
    ("kind", "path", "mime"),
    [
        ("text/html; charset=ISO-8859-1", "x.csv", "text/html; charset=ISO-8859-1"),
        ("text/plain", "x.csv", "text/csv; charset=utf-8"),
        ("text/plain", "x.unknown", "text/plain"),
        ("", "x.json", "application/json"),
        ("", "x", "application/octet-stream"),
    ],
)
def test_the_server_is_believed_unless_it_says_nothing(kind: str, path: str, mime: str) -> None:
    assert mime_of(answer("https://a.test/", kind), path) == mime
