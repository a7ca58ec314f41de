"""What everybody sees (F44), and what the one who may build is told (F19)."""

from collections import Counter

from domain import wire
from domain.firenze import GAME, board
from domain.firenze.components import Card
from domain.game import Setup, preview
from tests.domain.firenze.table import (
    PURPLE,
    RED,
    WHITE,
    deal,
    do,
    offer,
    raise_tower,
    seal,
    store,
    table,
)
from tests.domain.laws import walk

# ---- all is public but future draws (F44) ----------------------------------------------------


def test_everybody_sees_the_same() -> None:
    """F44: hands, storehouses and pouch are public."""
    state = table()
    deal(state, 1, Card.SCANDAL, Card.WORKSHOP)

    public = GAME.view(state, None)
    assert GAME.view(state, 0) == public
    assert GAME.view(state, 1) == public

    other = public["players"][1]
    assert other["hand"] == ["scandal"]
    assert other["buildings"] == ["workshop"]
    assert other["storehouse"] == {"white": 3}
    assert sum(public["pouch"].values()) == sum(state.pouch)


class _First:
    """Chance that always draws the first."""

    def below(self, _n: int) -> int:
        return 0


def test_a_preview_leaves_out_what_would_be_drawn() -> None:
    """F44: the card and the bricks that come to the row."""
    state = table()
    command = GAME.legal_moves(state, 0)[0]

    hidden = {}
    for event, drawn in preview(GAME, state, command, _First()):
        if drawn:
            hidden[type(event).tag] = drawn
    assert hidden == {"row_refilled": ("card", "bricks")}


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


def test_who_may_build_is_told_what_can_be_built() -> None:
    """F19: bricks, towers, costs and how many can be paid for, and nobody else is told."""
    state = table(step="build")
    raise_tower(state, 0, RED, 2, idle=True)

    told = GAME.view(state, 0)["build"]

    assert told["bricks"] == {"white": 2}
    assert (told["free"], told["most"]) == (2, 2)
    red_tower = {"tower": 0, "colour": "red", "height": 2, "lost_unless_raised": True}
    assert told["towers"] == [red_tower]
    assert "build" not in GAME.view(state, 1)


def test_builds_are_described_beside_the_listed_moves() -> None:
    """F19: in the same words as in the view, and only while the seat may build."""
    state = table(step="build")
    assert GAME.unlisted(state, 0) == {"build": GAME.view(state, 0)["build"]}
    assert GAME.unlisted(state, 1) == {}

    state.agenda.clear()
    assert GAME.unlisted(state, 0) == {}


def test_a_discount_is_told() -> None:
    """F19: a Workshop and a Mason show in what may be built."""
    state = table(step="build")
    deal(state, 0, Card.WORKSHOP, Card.MASON)
    do(state, "play_personnel", card="mason")

    told = GAME.view(state, 0)["build"]
    assert told["workshop"] is True
    assert told["mason"] is True
    assert told["free"] == 4


# ---- what lies on the table ------------------------------------------------------------------


def test_commissions_by_colour_and_what_covers_them() -> None:
    """F3, F11, F21: from height 3 up, with the points that count."""
    state = table(3, "fulfil")
    seal(state, 2, (WHITE, 4))

    shown = GAME.view(state, None)["commissions"]
    assert shown["white"]["points"] == [1, 2, 3, 8, 5, 6]
    assert shown["white"]["seals"] == [None, 2, None, None, None, None]
    assert shown["purple"]["seals"] == [None, None, None, None, None, "neutral"]


def test_balconies_in_their_order() -> None:
    """F6, F22: the first is open."""
    first, second = GAME.view(table(), None)["balconies"][:2]
    assert first == {"numeral": "I", "colour": "blue", "height": 3, "points": 6, "open": True}
    assert second["colour"] == "white"
    assert second["open"] is False


def test_level_tiles_and_who_took_them() -> None:
    """F5, F23: by height from 5 up."""
    state = table(3)
    state.levels[0] = 0
    state.levels[1] = 2

    tiles = GAME.view(state, None)["level_tiles"]
    assert [tile["seat"] for tile in tiles] == [0, 2, None, None]
    assert tiles[0] == {"height": 5, "points": 2, "seat": 0}


def test_row_deck_and_step() -> None:
    """F13, F41: what may be taken, and what the majority of a colour is worth."""
    shown = GAME.view(table(step="fulfil"), None)
    assert shown["row"][0] == {"card": "alchemist", "bricks": {"white": 2, "yellow": 2}}
    assert shown["deck"] == 46
    assert shown["majority"]["purple"] == 7
    assert shown["step"] == "fulfil"


# ---- the turn --------------------------------------------------------------------------------


def test_what_a_turn_has_come_to() -> None:
    """F26, F28, F40: the Personnel played, the Architect at work, the end tile."""
    state = table(step="fulfil")
    deal(state, 0, Card.ARCHITECT)
    number = raise_tower(state, 0, RED, 2)
    do(state, "play_personnel", card="architect", tower=number, by=1)
    state.end_seat = 0

    shown = GAME.view(state, 1)
    assert shown["played"] == ["architect"]
    assert shown["architect"] == {"tower": number, "by": 1}
    assert shown["discards"] == {"architect": 1}
    assert shown["end_seat"] == 0


def test_the_end_in_the_view() -> None:
    """F42, F43: no step is left, and there are ranks."""
    state = table()
    assert GAME.view(state, None)["ranks"] == []

    state.agenda.clear()
    state.ranks = (1, 2)
    shown = GAME.view(state, None)
    assert shown["step"] is None
    assert shown["ranks"] == [1, 2]


def test_what_an_event_takes() -> None:
    """F33, F34: the card at work with its bricks, what each seat owes, and who has paid."""
    state = table(discards="chosen")
    store(state, 0, white=3)
    store(state, 1, white=3)
    offer(state, 0, Card.FLOOD, PURPLE)
    do(state, "take_card", slot=0)

    shown = GAME.view(state, None)
    assert shown["taken"] == "flood"
    assert shown["taken_bricks"] == {"purple": 1}
    assert shown["step"] == "discard"
    assert shown["dues"][0] == {"seat": 0, "bricks": 1, "paid": False, "exact": [], "lost": []}

    do(state, "discard", 0)
    assert [due["paid"] for due in GAME.view(state, None)["dues"]] == [True, False]
