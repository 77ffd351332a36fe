"""What a model sees of a page has no secrets and no addresses of persons."""

from __future__ import annotations

from envforge.web.browser.view import Download, Element, TabLine, View, without_secrets


def test_text_names_values_and_addresses_are_hidden() -> None:
    mail = "ivo.marsh@harbour.org"
    link = Element(number=1, role="link", name=mail, url=f"mailto:{mail}")
    field = Element(number=2, role="combobox", name="Keeper", value=mail, options=("nobody", mail))
    view = View(
        url=f"https://a.example/?keeper={mail}",
        title=f"Piers, {mail}",
        markdown=f"[{mail}][1] or Tel: +44 20 7946 1234",
        elements=(link, field),
        tabs=(TabLine(number=1, title=f"Piers, {mail}", url=f"https://a.example/?keeper={mail}", current=True),),
        downloads=(
            Download(name="a", url=f"https://a.example/?to={mail}", path="downloads/001-a", bytes=1, sha256="0"),
        ),
        notes=(f"the page showed a dialog (alert), which was dismissed: 'write to {mail}'",),
    )
    hidden = without_secrets(view)
    assert mail not in hidden.model_dump_json()
    assert (hidden.title, hidden.markdown) == ("Piers, ***", "[***][1] or Tel: ***")
    assert hidden.elements[1].options == ("nobody", "***")
    assert hidden.tabs[0].title == "Piers, ***" and hidden.notes[0].endswith("'write to ***'")


def test_a_view_of_none_is_the_same() -> None:
    view = View(url="https://a.example/", title="Piers", markdown="Depths are 4.5 and 6", elements=())
    assert without_secrets(view) == view
