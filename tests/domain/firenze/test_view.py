"""What everybody sees (F44), and what the one who may build is told (F19)."""

from collections import Counter

from domain import wire
from domain.firenze import GAME, board
from domain.firenze.components import Card
from domain.game import Setup
from tests.domain.firenze.table import RED, table
from tests.domain.laws import walk

# ---- all is public but future draws (F44) ----------------------------------------------------


class _First:
    """Chance that always draws the first."""

    def below(self, _n: int) -> int:
        return 0


def test_nothing_is_imagined() -> None:
    """F44: nothing in the state is hidden; who imagines gets an equal copy."""
    state = table()
    imagined = GAME.imagine(state, 0, _First())
    assert imagined == state

    imagined.players[1].storehouse[RED] += 1
    assert imagined != state


# ---- what is known beside the view (F13) -----------------------------------------------------


def test_who_follows_the_events_knows_which_start_cards_are_left() -> None:
    """F13, F17, F35: they lie on top until they are drawn, or shuffled into the deck."""
    setup = Setup(3, GAME.read_options({}))
    left: Counter[str] = Counter()
    numbers_of_start_cards = set()

    for step in walk(GAME, setup, 0):
        for event in step.events:
            shown = wire.encode(event)
            if shown["type"] == "table_laid":
                left.update(start_cards_by_name())
                left.subtract(slot["card"] for slot in shown["row"])
            elif shown["type"] == "deck_shuffled":
                left.clear()
            elif shown["type"] == "row_refilled" and left.total():
                left[shown["card"]] -= 1

        told = GAME.known(step.after)["deck_start_cards"]
        assert told == dict(+left), step.version
        numbers_of_start_cards.add(sum(told.values()))

    assert numbers_of_start_cards == {0, 1, 2, 3, 4}


def start_cards_by_name() -> dict[str, int]:
    """Return how many there are of each start card (F8)."""
    copies = board.load(board.DEFAULT).start_cards
    return {card.wire: copies[card] for card in Card}


# ---- what may be built (F19) -----------------------------------------------------------------


def test_builds_are_described_beside_the_listed_moves() -> None:
    """F19: in the same words as in the view, and only while the seat may build."""
    state = table(step="build")
    assert GAME.unlisted(state, 0) == {"build": GAME.view(state, 0)["build"]}
    assert GAME.unlisted(state, 1) == {}

    state.agenda.clear()
    assert GAME.unlisted(state, 0) == {}
