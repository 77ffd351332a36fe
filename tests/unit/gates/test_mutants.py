import ast

from envforge.gates.mutants import mutants

SOURCE = '''
def _page(rows, size):
    return {"items": rows[:size], "more": len(rows) > size}

def list_books(world, author, page_size=10):
    """List. WHERE author = ? is not SQL here."""
    if page_size < 1:
        raise ToolError("invalid_argument", "WHERE size = ?", "hint = ?")
    rows = world.query("SELECT id, title FROM books WHERE author = ? ORDER BY title DESC", [author, page_size + 1])
    return _page(rows, page_size)

def lend(world, book):
    world.execute("UPDATE books SET lent = 1 WHERE id = ?", [book])
    return {}
'''
TABLES = {"books": ["id", "title", "author", "lent"]}


def test_every_operator_finds_its_place() -> None:
    made = mutants(SOURCE, TABLES, most=100, seed=1)
    assert {mutant.operator for mutant in made} == {
        "branch-negated", "column-swapped", "comparison-moved", "condition-dropped", "error-code", "off-by-one",
        "order-flipped", "value-swapped", "write-dropped",
    }  # fmt: skip
    assert all(ast.parse(mutant.patch) and mutant.patch not in ast.unparse(ast.parse(SOURCE)) for mutant in made)


def test_words_for_people_are_left_alone() -> None:
    for mutant in mutants(SOURCE, TABLES, most=100, seed=1):
        if mutant.function == "list_books":
            assert "WHERE author = ? is not SQL here." in mutant.patch
            assert "WHERE size = ?" in mutant.patch
            assert "hint = ?" in mutant.patch


def test_a_helpers_mutant_belongs_to_the_tools_that_reach_it() -> None:
    made = [mutant for mutant in mutants(SOURCE, TABLES, most=100, seed=1) if mutant.function == "_page"]
    assert made
    assert {mutant.tools for mutant in made} == {("list_books",)}


def test_condition_is_widened_without_losing_its_parameter() -> None:
    made = mutants(SOURCE, TABLES, most=100, seed=1)
    texts = [m.patch for m in made if m.operator == "condition-dropped"]
    assert any("WHERE (author = ? OR 1) ORDER BY" in text for text in texts)


def test_choice_is_seeded_and_bounded() -> None:
    first = [m.id for m in mutants(SOURCE, TABLES, most=5, seed=1)]
    assert len(first) == 5
    assert first == [m.id for m in mutants(SOURCE, TABLES, most=5, seed=1)]
    assert first != [m.id for m in mutants(SOURCE, TABLES, most=5, seed=2)]
