from __future__ import annotations

from collections.abc import Callable

from envforge.core.contracts import Fetched
from envforge.core.outcome import Failed, Produced
from envforge.core.records.extraction import Extraction, TypeExpr
from envforge.mine.extract.typescript import TypeScriptExtractor

Make = Callable[..., Fetched]


def types(fetched: Make, text: str) -> dict[str, TypeExpr]:
    return {name: shape.type for name, shape in extract(fetched, text).shapes.items()}


def extract(fetched: Make, text: str) -> Extraction:
    return TypeScriptExtractor().extract(fetched("lib/api.d.ts", text))


def fields(expr: TypeExpr) -> dict[str, TypeExpr]:
    return {field.name: field.type for field in expr.fields}


def test_object_type_with_docs_optionals_and_nulls(fetched: Make) -> None:
    result = extract(
        fetched,
        """
/** A book of the library. */
export type Book = {
    id: string;
    /** @deprecated Use `state`. */
    archived?: boolean;
    tags: Array<string>;
    "shelf-no": number | null;
    prices: Record<string, number>;
    author: Author;
    render(): void;
    callback?: (x: string) => void;
    other: string | undefined;
    gone?: never;
};
interface Author { readonly name: string }
""",
    )
    shape = result.shapes["Book"]
    by_name = {field.name: field for field in shape.type.fields}
    assert list(by_name) == ["id", "archived", "tags", "shelf-no", "prices", "author", "other"]
    assert shape.description == "A book of the library." and shape.locator == "lib/api.d.ts:3"
    assert by_name["archived"].deprecated and not by_name["archived"].required
    assert by_name["archived"].description == "Deprecated: Use `state`."
    assert by_name["shelf-no"].type.nullable and by_name["shelf-no"].required
    assert by_name["prices"].type.kind == "map"
    assert (by_name["author"].type.kind, by_name["author"].type.name) == ("ref", "Author")
    assert not by_name["other"].required


def test_unions_of_literals_are_enums_and_objects_get_a_discriminator(fetched: Make) -> None:
    found = types(
        fetched,
        """
type Color = "red" | "blue";
type More = Color | "green" | null;
type Flag = true | false;
type Block = { type: "text"; text: string } | Divider;
type Divider = { type: "divider" };
type Kinds = { object: "page"; id: string; url: string } | { object: "page"; id: string }
    | { object: "list"; id: string };
type Plain = { a: string } | { b: string };
""",
    )
    assert found["Color"].enum == ("red", "blue")
    assert found["More"].enum == ("red", "blue", "green") and found["More"].nullable
    assert found["Flag"].kind == "boolean" and found["Flag"].enum == ()
    assert found["Block"].discriminator == "type" and found["Block"].variants[1].kind == "ref"
    assert found["Kinds"].discriminator == "object"
    assert found["Plain"].discriminator is None


def test_intersections_are_merged_and_distributed(fetched: Make) -> None:
    found = types(
        fetched,
        """
type Base = { id: string; parent: { type: "page" | "space" } };
type Page = { title: string } & Base;
type Made = { note?: string } & ({ text: string } | { markdown: string });
type Parent = { type: "page" | "space" } & ({ type: "page"; page_id: string } | { type: "other" });
""",
    )
    assert list(fields(found["Page"])) == ["title", "id", "parent"]
    assert [list(fields(variant)) for variant in found["Made"].variants] == [["note", "text"], ["note", "markdown"]]
    assert found["Parent"].kind == "object" and fields(found["Parent"])["type"].enum == ("page",)


def test_interfaces_extend_merge_and_narrow(fetched: Make) -> None:
    found = types(
        fetched,
        """
interface Thing { id: string; kind: string }
interface Book extends Thing { kind: "book"; pages: number }
interface Book { isbn?: string }
declare enum State { Open = "open", Closed = "closed" }
""",
    )
    assert list(fields(found["Book"])) == ["id", "kind", "pages", "isbn"]
    assert fields(found["Book"])["kind"].enum == ("book",)
    assert found["State"].enum == ("open", "closed")


def test_generics_utilities_and_lookups(fetched: Make) -> None:
    found = types(
        fetched,
        """
type List<T> = { results: T[]; next: string | null };
type Book = { id: string; title: string; pages?: number; state: State.Open };
type Books = List<Book>;
type Brief = Pick<Book, "id" | "title">;
type Rest = Omit<Book, "id">;
type Patch = Partial<Book>;
type Title = Book["title"];
type Row = Books["results"][number];
type Keys = keyof Book;
type ByColor = { [K in "red" | "blue"]?: K };
type Word = `a-${string}`;
declare enum State { Open = "open" }
type Tree<T> = { value: T; children: Tree<T>[] };
type StringTree = Tree<string>;
""",
    )
    results = fields(found["Books"])["results"]
    assert results.items is not None and (results.items.kind, results.items.name) == ("ref", "Book")
    assert list(fields(found["Brief"])) == ["id", "title"] and list(fields(found["Rest"])) == [
        "title",
        "pages",
        "state",
    ]
    assert not any(field.required for field in found["Patch"].fields)
    assert found["Title"].kind == "string" and found["Row"].name == "Book"
    assert found["Keys"].enum == ("id", "title", "pages", "state")
    assert fields(found["ByColor"])["red"].enum == ("red",) and found["Word"].kind == "string"
    assert fields(found["Book"])["state"].enum == ("open",)
    assert fields(found["StringTree"])["value"].kind == "string"


def test_operations_are_recognised_by_their_shape(fetched: Make) -> None:
    result = extract(
        fetched,
        """
type MovePathParameters = { book_id: string };
type MoveBodyParameters = { /** Where to. */ shelf: string; /** @deprecated */ slot?: number };
export type MoveBookParameters = MovePathParameters & MoveBodyParameters;
export type MoveBookResponse = { id: string };
/**
 * Move a book
 */
export declare const moveBook: {
    readonly method: "post";
    readonly pathParams: readonly ["book_id"];
    readonly queryParams: readonly [];
    readonly bodyParams: readonly ["shelf", "slot"];
    readonly path: (p: MovePathParameters) => string;
};
export declare const untyped: { readonly method: "get"; readonly pathParams: readonly ["id"] };
export declare const settings: { readonly method: "fast" };
""",
    )
    move, untyped = result.operations
    assert (move.id, move.method, move.path, move.summary) == ("moveBook", "post", "", "Move a book")
    assert [(p.name, p.location, p.required) for p in move.parameters] == [
        ("book_id", "path", True),
        ("shelf", "body", True),
        ("slot", "body", False),
    ]
    assert move.parameters[1].description == "Where to." and move.parameters[2].deprecated
    assert move.success is not None and move.success.name == "MoveBookResponse"
    assert move.body is not None and list(fields(move.body)) == ["shelf", "slot"]
    assert untyped.success is None and untyped.parameters[0].type.kind == "any"
    assert sum("untyped" in issue.reason for issue in result.issues) == 2


def test_names_resolve_over_the_files_of_a_package(fetched: Make) -> None:
    files = [
        fetched("src/index.d.ts", 'export * from "./books";\nexport { Shelf as Rack } from "./shelf";'),
        fetched(
            "src/books.d.ts", 'import type { Shelf as S } from "./shelf";\nexport type Book = { on: S; meta: Meta };'
        ),
        fetched("src/shelf.d.ts", "export type Shelf = { no: number };\ntype Meta = { shelf: true };"),
        fetched(
            "src/other.d.ts",
            'import { Rack } from "./index";\nexport type Use = { rack: Rack };\ntype Meta = { x: 1 };',
        ),
    ]
    outcomes = TypeScriptExtractor().extract_package(files)
    found = {
        name: shape.type
        for outcome in outcomes
        if isinstance(outcome, Produced)
        for name, shape in outcome.value.shapes.items()
    }
    assert fields(found["Book"])["on"].name == "Shelf" and fields(found["Use"])["rack"].name == "Shelf"
    assert len(found) == 5 and {"Meta", "OtherMeta"} <= found.keys()
    assert fields(found["OtherMeta"])["x"].enum == (1,)


def test_types_in_a_folder_are_shapes_of_their_own(fetched: Make) -> None:
    result = extract(
        fetched,
        """
export interface components {
    schemas: {
        /** @description A shelf. */
        shelf: { id: string; books: components["schemas"]["book"][] };
        "book": { id: components["schemas"]["id"]; shelf?: components["schemas"]["shelf"] };
        id: string;
    };
}
type Line = { order: { total: number } };
type Order = Line["order"];
""",
    )
    shapes = {name: shape.type for name, shape in result.shapes.items()}
    assert sorted(shapes) == ["Line", "Line.order", "Order", "book", "shelf"]
    assert fields(shapes["book"])["shelf"].name == "shelf" and fields(shapes["book"])["id"].kind == "string"
    books = fields(shapes["shelf"])["books"].items
    assert books is not None and books.name == "book" and result.shapes["shelf"].description == "A shelf."
    assert (shapes["Order"].kind, shapes["Order"].name) == ("ref", "Line.order")


def test_a_built_in_is_not_taken_from_a_file_that_is_not_imported(fetched: Make) -> None:
    first, second = TypeScriptExtractor().extract_package(
        [
            fetched("a.d.ts", "export type A = Record<string, number>;"),
            fetched("b.d.ts", "export type Record = { x: 1 };"),
        ]
    )
    assert isinstance(first, Produced) and first.value.shapes["A"].type.kind == "map"
    assert isinstance(second, Produced)


def test_a_file_in_another_encoding_fails_alone(fetched: Make) -> None:
    good, bad = (
        fetched("a.d.ts", "export type A = { id: string };"),
        fetched("b.d.ts", "type B = 'é';".encode("latin-1")),
    )
    first, second = TypeScriptExtractor().extract_package([good, bad])
    assert isinstance(first, Produced) and "A" in first.value.shapes
    assert isinstance(second, Failed) and second.where == "b.d.ts:1" and second.remedy


def test_a_syntax_error_is_an_issue_and_the_rest_is_read(fetched: Make) -> None:
    result = extract(
        fetched, "export type A = { id: string };\nexport type B = { id: ;;; ((( };\nexport type C = string;"
    )
    assert "A" in result.shapes
    assert any(issue.locator.startswith("lib/api.d.ts:2") and "syntax" in issue.reason for issue in result.issues)


def test_unknown_names_are_issues_once(fetched: Make) -> None:
    result = extract(fetched, "export type A = { x: Nope; y: Nope; z: Date };")
    assert [issue.reason for issue in result.issues] == ["Nope is declared nowhere in the package; left untyped"]
    assert fields(result.shapes["A"].type)["z"].format == "date-time"


def test_deep_and_circular_types_end(fetched: Make) -> None:
    deep = "{ a: " * 400 + "string" + " }" * 400
    result = extract(
        fetched,
        f"type Deep = {deep};\ntype A = B;\ntype B = A;\n"
        f"type X = X & {{ id: string }};\ntype L<T> = {{ n: L<L<T>> }};\n"
        "type M = L<string>;",
    )
    assert any("deeper" in issue.reason for issue in result.issues)
    assert list(fields(result.shapes["X"].type)) == ["id"]
    assert any("A → B → A" in issue.reason for issue in result.issues)
    assert result.shapes["A"].type.kind == "any" and result.shapes["M"].type.kind == "object"


def test_long_unions_do_not_recurse(fetched: Make) -> None:
    words = " | ".join(f'"w{n}"' for n in range(3000))
    assert len(types(fetched, f"type Word = {words};")["Word"].enum) == 3000
