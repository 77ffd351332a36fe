from envforge.cli import render


def test_cells_of_strangers_reach_no_terminal() -> None:
    cells = ["\x1b[31mred\x1b[0m", "\x1b]0;title\x07x", "[bold]plain[/bold]"]
    with render.out.capture() as shown:
        render.table("T", ("a",), [(cell,) for cell in cells])
    text = shown.get()
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "red" in text
    assert "[bold]plain[/bold]" in text


def test_wide_rows_are_turned_on_their_side() -> None:
    columns = [f"column_{number}" for number in range(12)]
    with render.out.capture() as shown:
        render.records("Rows", columns, [tuple(range(12)), tuple(range(100, 112))])
    lines = shown.get().splitlines()
    assert any(line.split() == ["column_7", "│", "7", "│", "107"] for line in lines)
