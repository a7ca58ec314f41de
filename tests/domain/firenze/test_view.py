"""What everybody sees (F44), and what the one who may build is told (F19)."""

from domain.firenze import GAME
from domain.firenze.cards import Card
from domain.game import preview
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


def test_everybody_sees_everything_but_future_draws() -> None:
    """F44: hands, storehouses and pouch are public; what a command would draw is left out of a preview."""
    state = table()
    deal(state, 1, Card.SCANDAL, Card.WORKSHOP)
    public = GAME.view(state, None)
    assert public == GAME.view(state, 0) == GAME.view(state, 1)
    other = public["players"][1]
    assert (other["hand"], other["buildings"], other["storehouse"]) == (
        ["scandal"],
        ["workshop"],
        {"white": 3},
    )
    assert sum(public["pouch"].values()) == sum(state.pouch)
    command = GAME.legal_moves(state, 0)[0]
    hidden = {
        type(event).tag: names
        for event, names in preview(GAME, state, command, _Nothing())
        if names
    }
    assert hidden == {"row_refilled": ("card", "bricks")}


class _Nothing:
    """Chance that always draws the first."""

    def below(self, _n: int) -> int:
        return 0


def test_who_may_build_is_told_what_can_be_built() -> None:
    """F19: bricks, towers, costs and how many can be paid for, for the seat that may build and nobody else."""
    state = table(step="build")
    raise_tower(state, 0, RED, 2, idle=True)
    told = GAME.view(state, 0)["build"]
    assert (told["bricks"], told["free"], told["most"]) == ({"white": 2}, 2, 2)
    assert told["towers"] == [
        {"tower": 0, "colour": "red", "height": 2, "lost_unless_raised": True}
    ]
    assert "build" not in GAME.view(state, 1)


def test_what_lies_on_the_table() -> None:
    """F3, F5, F6, F11, F21: commissions by colour from height 3 up, their covers, balconies in order, level tiles."""
    state = table(3, "fulfil")
    seal(state, 2, (WHITE, 4))
    state.levels[0], state.levels[1] = 0, 2
    shown = GAME.view(state, None)
    assert shown["commissions"]["white"] == {
        "points": [1, 2, 3, 8, 5, 6],
        "seals": [None, 2, None, None, None, None],
    }
    assert shown["commissions"]["purple"]["seals"] == [None, None, None, None, None, "neutral"]
    first, second = shown["balconies"][:2]
    assert first == {"numeral": "I", "colour": "blue", "height": 3, "points": 6, "open": True}
    assert (second["colour"], second["open"]) == ("white", False)
    assert [tile["seat"] for tile in shown["level_tiles"]] == [0, 2, None, None]
    assert shown["level_tiles"][0] == {"height": 5, "points": 2, "seat": 0}
    assert shown["row"][0] == {"card": "alchemist", "bricks": {"white": 2, "yellow": 2}}
    assert (shown["step"], shown["deck"], shown["majority"]["purple"]) == ("fulfil", 46, 7)


def test_what_a_turn_has_come_to() -> None:
    """F26, F28, F40: the Personnel played, the Architect at work, the end tile, the winner in the end."""
    state = table(step="fulfil")
    deal(state, 0, Card.ARCHITECT)
    number = raise_tower(state, 0, RED, 2)
    do(state, "play_personnel", card="architect", tower=number, by=1)
    state.end_seat = 0
    shown = GAME.view(state, 1)
    assert (shown["played"], shown["architect"]) == (["architect"], {"tower": number, "by": 1})
    assert (shown["discards"], shown["end_seat"]) == ({"architect": 1}, 0)


def test_a_discount_is_told() -> None:
    """F19: a Workshop and a Mason show in what may be built."""
    state = table(step="build")
    deal(state, 0, Card.WORKSHOP, Card.MASON)
    do(state, "play_personnel", card="mason")
    told = GAME.view(state, 0)["build"]
    assert (told["workshop"], told["mason"], told["free"]) == (True, True, 4)


def test_what_an_event_takes_is_shown() -> None:
    """F34: while discards are awaited everybody sees what is due, who has paid, and the card that waits."""
    state = table(discards="chosen")
    store(state, 0, red=2)
    store(state, 1, white=3)
    offer(state, 0, Card.FLOOD, PURPLE)
    do(state, "take_card", slot=0)
    shown = GAME.view(state, None)
    assert (shown["taken"], shown["taken_bricks"], shown["step"]) == (
        "flood",
        {"purple": 1},
        "discard",
    )
    assert shown["dues"][0] == {"seat": 0, "bricks": 1, "paid": False, "exact": [], "lost": []}
    do(state, "discard", 0)
    assert [due["paid"] for due in GAME.view(state, None)["dues"]] == [True, False]
