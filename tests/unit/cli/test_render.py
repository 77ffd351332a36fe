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
