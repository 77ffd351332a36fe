from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction, MinedTable, StatedReference
from envforge.mine.extract import sql_dump
from envforge.mine.extract.sql_dump import SqlDumpExtractor

Make = Callable[..., Fetched]

POSTGRES = r"""
-- PostgreSQL database dump
SET statement_timeout = 0;
CREATE FUNCTION public.touch() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO public.authors VALUES (99, 'not a row; really');
  RETURN NEW;
END;
$body$;
CREATE TABLE public.authors (id integer NOT NULL, name character varying(80) NOT NULL, born date);
CREATE TABLE public.books (
    id integer NOT NULL, author_id integer, title text, price numeric(8,2), meta jsonb,
    in_print boolean DEFAULT true, added_at timestamp with time zone
);
COPY public.authors (id, name, born) FROM stdin;
1	Ana\tRoth	1970-02-01
2	O''Dell	\N
3	Cy Lind	1981-12-24
\.
COPY public.books (id, author_id, title, price, meta, in_print, added_at) FROM stdin;
10	1	Tides; a start	12.50	{"pages": 200}	t	2024-05-01 10:00:00+02
11	3	\N	\N	[]	f	2024-05-02 10:00:00.5+00
\.
INSERT INTO public.books VALUES (12, NULL, E'a\'b', 3, NULL, FALSE, NULL),
  (13, 2, 'it''s'::text, 4.5, '{}'::jsonb, true, now());
ALTER TABLE ONLY public.authors ADD CONSTRAINT authors_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.books ADD CONSTRAINT books_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.books
    ADD CONSTRAINT f FOREIGN KEY (author_id) REFERENCES public.authors(id) ON DELETE CASCADE;
"""
MYSQL = r"""-- MySQL dump 10.13
/*!40101 SET NAMES utf8 */;
# a comment; with a semicolon
CREATE TABLE `ships` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `name` varchar(60) NOT NULL DEFAULT '',
  `kind` enum('ferry','tug') DEFAULT NULL COMMENT 'what; it is',
  `active` tinyint(1) NOT NULL DEFAULT '1',
  `built` date DEFAULT NULL,
  PRIMARY KEY (`id`), KEY `k` (`kind`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4;
INSERT INTO `ships` VALUES (1,'O\'Hara; \\ "x"','ferry',1,'1999-01-02'),
(2,'L''Aube',NULL,0,'0000-00-00'),(3,_binary 'Zed','tug',1,NULL);
DELIMITER ;;
CREATE TRIGGER t BEFORE INSERT ON ships FOR EACH ROW BEGIN
 INSERT INTO ships VALUES (77,'no','tug',1,NULL);
END ;;
DELIMITER ;
CREATE TABLE `calls` (`ship` int(11) NOT NULL, `port` varchar(9), `at` datetime NOT NULL, PRIMARY KEY (`ship`,`at`),
  CONSTRAINT `fk` FOREIGN KEY (`ship`) REFERENCES `ships` (`id`));
INSERT IGNORE INTO `calls` (`port`,`ship`,`at`) VALUES ('AAA',1,'2020-02-02 03:04:05');
INSERT INTO calls SELECT * FROM calls;
"""


def read(fetched: Make, text: str, path: str = "db/dump.sql") -> Extraction:
    return SqlDumpExtractor().extract(fetched(path, text))


def tables(fetched: Make, text: str) -> dict[str, MinedTable]:
    return {table.name: table for table in read(fetched, text).tables}


def kinds(table: MinedTable) -> dict[str, str]:
    return {column.name: column.type for column in table.columns}


def test_postgres(fetched: Make) -> None:
    found = tables(fetched, POSTGRES)
    assert list(found) == ["authors", "books"]
    assert found["authors"].rows == ((1, "Ana\tRoth", "1970-02-01"), (2, "O''Dell", None), (3, "Cy Lind", "1981-12-24"))
    books = found["books"]
    assert list(kinds(books).values()) == ["integer", "integer", "text", "real", "json", "boolean", "timestamp"]
    assert books.rows[0] == (10, 1, "Tides; a start", 12.5, '{"pages":200}', True, "2024-05-01T08:00:00Z")
    assert books.rows[2] == (12, None, "a'b", 3.0, None, False, None)
    assert books.rows[3] == (13, 2, "it's", 4.5, "{}", True, None)
    assert books.key == ("id",) and books.references == (StatedReference(("author_id",), "authors", ("id",)),)
    assert books.path == "db/dump.sql" and books.locator == "db/dump.sql#books:21#row={row}"
    assert [issue.reason for issue in read(fetched, POSTGRES).issues] == [
        "1 values are expressions that only a database computes; NULL"
    ]


def test_mysql(fetched: Make) -> None:
    found = tables(fetched, MYSQL)
    ships = found["ships"]
    assert ships.rows == (
        (1, "O'Hara; \\ \"x\"", "ferry", True, "1999-01-02"), (2, "L'Aube", None, False, None),
        (3, "Zed", "tug", True, None)
    )  # fmt: skip
    assert kinds(ships)["active"] == "boolean" and ships.key == ("id",)
    assert found["calls"].rows == ((1, "AAA", "2020-02-02T03:04:05"),)
    assert found["calls"].key == ("ship", "at")
    assert any("comes from a query" in i.reason or "come from a query" in i.reason for i in read(fetched, MYSQL).issues)


def test_what_sqlite_dumps_is_read_as_it_was(fetched: Make) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE piers(code TEXT PRIMARY KEY, depth REAL, note);"
        "CREATE TABLE boats(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, pier TEXT REFERENCES piers(code),"
        " raw BLOB);"
    )
    rows = [("w", 3.5, "two\nlines; 'quoted'"), ("e", None, 7), ("x-", -1e-7, "a\\nb")]
    connection.executemany("INSERT INTO piers VALUES(?,?,?)", rows)
    connection.execute("INSERT INTO boats(name, pier, raw) VALUES('Tern', 'w', x'00ff')")
    text = "PRAGMA foreign_keys=OFF;\n" + "\n".join(connection.iterdump())
    trigger = "CREATE TRIGGER t AFTER INSERT ON boats BEGIN INSERT INTO piers VALUES('no', 1, 2); SELECT 1; END;\n"
    found = tables(
        fetched, text.replace("COMMIT;", trigger + "INSERT INTO piers VALUES('z',1,replace('a\\nb','\\n',char(10)));")
    )
    assert [row[:2] for row in found["piers"].rows] == [("w", 3.5), ("e", None), ("x-", -1e-7), ("z", 1.0)]
    assert [row[2] for row in found["piers"].rows] == ["two\nlines; 'quoted'", "7", "a\\nb", "a\nb"]
    assert found["boats"].rows == ((1, "Tern", "w", "00FF"),)
    assert found["boats"].references == (StatedReference(("pier",), "piers", ("code",)),)


def test_codes_stay_text_and_misfits_are_kept_as_written(fetched: Make) -> None:
    rows = "('01234', 'x1', 'soon'), ('99999', 2, '2020-01-01')"
    (table,) = read(fetched, f"CREATE TABLE a (zip varchar(5), n int, d date);\nINSERT INTO a VALUES {rows};").tables
    assert table.rows == (("01234", "x1", "soon"), ("99999", "2", "2020-01-01"))


def test_rows_without_a_definition_and_tables_without_rows(fetched: Make) -> None:
    extraction = read(
        fetched, "INSERT INTO a (x, y) VALUES (1, 'p');\nINSERT INTO a (z) VALUES (2.5);\nCREATE TABLE b (i int);"
    )
    (table,) = extraction.tables
    assert [c.name for c in table.columns] == ["x", "y", "z"] and table.rows == ((1, "p", None), (None, None, 2.5))
    told = [issue.reason for issue in extraction.issues]
    assert "table 'a' is not defined; its types are inferred" in told and "table 'b' has no rows" in told


def test_schemas_of_one_name_are_told_apart(fetched: Make) -> None:
    found = tables(
        fetched,
        "CREATE TABLE x.t (i int);CREATE TABLE y.t (i int);INSERT INTO x.t VALUES (1);INSERT INTO y.t VALUES (2);",
    )
    assert {name: table.rows for name, table in found.items()} == {"x_t": ((1,),), "y_t": ((2,),)}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("CREATE TABLE a (i int, t text);\nINSERT INTO a VALUES (1, 'no end\n", "never closed", 2),
        ("INSERT INTO a VALUES (1, 2),\n(3", "cut off", 2),
        ("INSERT INTO a (x, y) VALUES (1, 2),\n (3);", "has 1 values, 2 columns", 1),
        ("COPY a (x) FROM stdin;\n1\n2", "do not end", 3),
        ("/* never closed", "comment is never closed", 1),
        ("INSERT INTO a VALUES (1) , oops;", "a row of values is expected", 1),
    ],
)
def test_a_dump_that_is_cut_off_names_its_line(fetched: Make, text: str, message: str, line: int) -> None:
    with pytest.raises(ExtractError, match=message) as caught:
        read(fetched, text)
    assert caught.value.where == f"db/dump.sql:{line}" and caught.value.remedy


def test_bounds(fetched: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_dump, "MAX_VALUES", 100)
    with pytest.raises(ExtractError, match="more than 100 values"):
        read(fetched, "INSERT INTO a VALUES " + ",".join("(1,2)" for _ in range(60)))
    monkeypatch.setattr(sql_dump, "MAX_TABLES", 3)
    with pytest.raises(ExtractError, match="more than 3 tables"):
        read(fetched, "".join(f"CREATE TABLE t{n} (i int);\n" for n in range(5)))
    long = "CREATE TABLE t (" + ",".join(f"c{n} int" for n in range(30_000)) + ");"
    assert "more than 200,000 characters" in read(fetched, long).issues[0].reason


@pytest.mark.parametrize(
    "text", ["INSERT INTO a VALUES (" + "(" * 200_000, "(" * 300_000, "'" * 299_999 + ";", "$" * 300_000, '"' * 300_001]
)
def test_hostile_texts_end(fetched: Make, text: str) -> None:
    try:
        extraction = read(fetched, text)
    except ExtractError as error:
        assert error.remedy
    else:
        assert extraction.issues and not extraction.tables


def test_nested_definitions_end(fetched: Make) -> None:
    deep = "CREATE TABLE a (i int DEFAULT " + "(" * 50_000 + "1" + ")" * 50_000 + ");"
    assert "cannot be parsed" in read(fetched, deep).issues[0].reason


def test_a_packed_dump_and_a_script_without_rows(fetched: Make) -> None:
    packed = SqlDumpExtractor().extract(fetched("dump.sql.gz", gzip.compress(MYSQL.encode(), mtime=0)))
    assert [table.name for table in packed.tables] == ["ships", "calls"]
    script = read(fetched, "CREATE VIEW v AS SELECT 1; DROP TABLE x;")
    assert not script.tables and "holds no rows" in script.issues[0].reason
