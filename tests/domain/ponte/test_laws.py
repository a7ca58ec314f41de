"""The example game obeys the laws of all games, though it is not in the registry."""

from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest

from domain.game import Setup
from examples.ponte import GAME
from tests.domain import refusals, test_laws, test_previews, test_stories

RULES = Path(__file__).parents[3] / "examples/ponte/rules.md"

LAWS = {
    name: law
    for module in (test_laws, test_previews, test_stories)
    for name, law in vars(module).items()
    if name.startswith("test_")
}


@pytest.fixture(autouse=True)
def _pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rules are found where a game's rules page is looked for."""
    copyfile(RULES, tmp_path / "ponte.md")
    monkeypatch.setattr(refusals, "PAGES", tmp_path)


def test_there_are_laws() -> None:
    """Those of deciding, of the wire, of secrets, of previews and of stories, by their names."""
    assert {
        "test_events_alone_give_the_state_at_every_version",
        "test_a_view_shows_nothing_of_what_it_may_not_show",
        "test_what_is_hidden_changes_no_preview",
        "test_what_is_hidden_changes_no_story",
    } <= LAWS.keys()


@pytest.mark.parametrize("seats", GAME.seats)
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_the_example_obeys(law: Callable[..., None], seats: int) -> None:
    """Each law, with every number of seats."""
    law(game=GAME, setup=Setup(seats, GAME.read_options({})))
