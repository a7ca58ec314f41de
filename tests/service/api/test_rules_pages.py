"""The pages of rules: how a game goes, then its rules, each under its number and with links."""

import re
from pathlib import Path

import pytest
from flask import Flask

from domain.game import Setup
from domain.games import GAMES
from service.api.rulebooks import RuleTexts, blocks_html, headings_of, rulebooks
from tests.service.api.contract_file import quiet_app

BOOKS = [*GAMES, "match"]
RULES = Path(__file__).parents[3] / "docs/rules"


@pytest.fixture(scope="module")
def app() -> Flask:
    return quiet_app()


def page_of(app: Flask, key: str) -> str:
    """Return the page of a rulebook."""
    return app.test_client().get(f"/rules/{key}").text


def test_every_game_has_a_rulebook_and_all_are_listed(app: Flask) -> None:
    """The list links to each rulebook.

    The match's rulebook says that hands are hidden in Calimala and open in Firenze, as the
    public views are.
    """
    listed = app.test_client().get("/rules").text

    assert sorted(rulebooks()) == sorted(BOOKS)
    for key in BOOKS:
        assert f'<a href="/rules/{key}">' in listed

    page = " ".join(page_of(app, "match").split())

    assert "In Calimala these are your cards; in Firenze all hands lie open." in page
    assert not shows_hands("calimala")
    assert shows_hands("firenze")


@pytest.mark.parametrize("key", BOOKS)
def test_a_page_has_a_text_and_a_place_for_every_rule(app: Flask, key: str) -> None:
    """The text comes first and is 15 to 60 sentences long.

    Each rule number is an id once, and links to itself. Links within the page lead to ids.
    """
    page = page_of(app, key)
    text = (RULES / "players" / f"{key}.md").read_text()
    stated = re.findall(r"^- ([A-Z][0-9]+) ", (RULES / f"{key}.md").read_text(), re.MULTILINE)

    assert page.index('id="how-it-goes"') < page.index('id="numbered"')
    assert 15 <= len(re.findall(r"[.!?:]\*?(?:\s|$)", text)) <= 60

    assert re.findall(r'<li id="([^"]+)">', page) == stated
    for number in stated:
        assert f'<a class="docs-number" href="#{number}">{number}</a>' in page

    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)


# Rulings of our own, missing in printed rulebooks. The mark must follow them.
RULINGS = {
    "C7": ("calimala", "any number of trade houses"),
    "C19-skip": ("calimala", "an impossible action may be skipped too"),
    "C19-no-card": ("calimala", "with no card left to draw still uses the activation up"),
    "C26": ("calimala", "It always weaves all it can"),
    "C30": ("calimala", "no choice is asked"),
    "C33-hungarian": ("calimala", "the same, but from any street, this one included"),
    "C33-german": ("calimala", "they take one from any street, this one included"),
    "C35": ("calimala", "artworks do not count"),
    "F19": ("firenze", "nor merged or split"),
    "F42": ("firenze", "Points may be negative"),
}


@pytest.mark.parametrize(("key", "words"), RULINGS.values(), ids=RULINGS)
def test_a_ruling_outside_the_rulebook_is_marked(key: str, words: str) -> None:
    """A ruling without a mark would look like a rule of the printed rulebook."""
    text = (RULES / f"{key}.md").read_text()
    assert f"{words} [ruling" in text


def shows_hands(key: str) -> bool:
    """Return True if everybody sees the hands of a game."""
    game = GAMES[key]
    setup = Setup(game.seats[0], game.read_options({}))
    public_view = game.view(game.initial(setup), None)
    return all("hand" in player for player in public_view["players"])


def test_rules_link_to_rules_and_tables_are_tables(app: Flask) -> None:
    """C38 names C41. A span such as C35-C37 is two links. A match's rule is on its own page.

    Numbers not stated in the book are left as they are, and so is code. Each row of a table
    has its head, so a screen reader can name the cells.
    """
    page = page_of(app, "calimala")

    assert '(<a class="rule" href="#C41">C41</a>)' in page
    assert '<a class="rule" href="#C35">C35</a>-<a class="rule" href="#C37">C37</a>' in page

    rules = {"C1": "#C1", "M4": "/rules/match#M4"}

    html = blocks_html("- C1 See M4, M99, C1 and `M4`.", rules)

    assert '<a class="rule" href="/rules/match#M4">M4</a>, M99, C1 and <code>M4</code>' in html

    page = page_of(app, "firenze")

    assert page.count('<th scope="row">') == 6
    assert '<th scope="row">purple</th><td>3</td><td>5</td>' in page
    assert "|---|" not in page


def test_text_of_a_rulebook_is_escaped() -> None:
    """A rulebook of another package may hold HTML. Headings have ids made from their words."""
    html = blocks_html("# T\n\n## A <b>\n\n- X1 <script>\n\n| <i> |\n|---|\n| & |\n", {"X1": "#X1"})

    assert "<script>" not in html
    assert "<i>" not in html
    assert "A &lt;b&gt;" in html
    assert "&amp;" in html

    text = "# Medici: the rules\n\n## A turn: choose, build\n### The end\n"

    assert [heading.id for heading in headings_of(text)] == ["a-turn-choose-build", "the-end"]
    assert "Medici" not in blocks_html(text, {})


def test_a_game_without_a_text_for_players_has_its_rules(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game of another package may lack this text."""
    book = RuleTexts("# Textless: the rules\n\n- X1 Win.\n", "")
    for module in ("service.api.rulebooks", "service.capabilities.documentation.routes"):
        monkeypatch.setattr(f"{module}.rulebooks", lambda: {"textless": book})

    page = page_of(app, "textless")

    assert "how-it-goes" not in page
    assert '<li id="X1">' in page
