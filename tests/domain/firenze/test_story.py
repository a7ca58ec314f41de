"""Firenze's story: scenes that the stories of golden records do not show, each by its rule."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from domain.chance import Draws
from domain.firenze import GAME
from domain.firenze.components import Card, Colour, End
from domain.firenze.events import (
    CardTaken,
    DeckShuffled,
    PlayEnded,
    RowRefilled,
    RowShortened,
    SlotRestocked,
    TableLaid,
)
from domain.firenze.state import State
from domain.game import Message, Setup, decide
from domain.seats import HOUSE
from domain.story import Sentence
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    command,
    deal,
    do,
    event_taken,
    offer,
    open_church,
    raise_tower,
    seal,
    set_step,
    store,
    table,
)
from tests.domain.stories import approve, approved, in_lines, sentence_of

# ---- tables ------------------------------------------------------------------------------------

Held = dict[str, int]  # bricks by colour
NO_BRICKS: dict[int, Held] = {0: {}, 1: {}}


def at(
    card: Card | None = None,
    *bricks: Colour,
    slot: int = 0,
    seats: int = 2,
    step: str = "choose",
    hand: tuple[Card, ...] = (),
    towers: tuple[tuple[int, Colour, int], ...] = (),
    stores: dict[int, Held] | None = None,
    deck: bool = True,
    first: tuple[str, dict[str, Any]] | None = None,
    **options: Any,
) -> Callable[[], State]:
    """Return an arrangement of a table: a card with bricks in a slot of the row, and supplies.

    hand: cards of seat 0. towers: the seat, colour and height of each. stores: bricks by seat.
    deck: False puts all its cards among the discards. first: an earlier command of seat 0.
    """

    def arrange() -> State:
        state = table(seats, step, **options)
        if card is not None:
            offer(state, slot, card, *bricks)
        for seat, colour, height in towers:
            raise_tower(state, seat, colour, height)
        for seat, stored in (stores or {}).items():
            store(state, seat, **stored)
        deal(state, 0, *hand)
        if first is not None:
            kind, fields = first
            do(state, kind, **fields)
        return state if deck else with_empty_deck(state)

    return arrange


def with_empty_deck(state: State) -> State:
    """Return the same table with the whole deck among the discards, any Renaissance too."""
    for pile in (state.start, state.deck):
        for card in Card:
            state.discards[card] += pile[card]
            pile[card] = 0
    return state


def last_bell_tower() -> State:
    """Return a table after all others have delivered to the Campanile."""
    state = at(step="fulfil", towers=((0, WHITE, 3),))()
    open_church(state, Card.CAMPANILE)
    state.players[1].bell_tower = True
    return state


# ---- commands, and one sentence of what they cause ---------------------------------------------

APPROVED = Path(__file__).with_name("story.txt")
PATRICIAN = (Card.PATRICIAN,)
TAKE_FREE = ("take_card", {"slot": 0})
ARCHITECT = ("play_personnel", {"card": "architect", "tower": 0, "by": 1})
DISMISSED = ("play_personnel", {"card": "patrician", "discard": "disgrace"})
YES, NO = {"patrician": True}, {"patrician": False}
PAID = {"give": ["red", "red", "red"], "take": "white", "slot": 3}
THREE_RED = ((0, RED, 4), (1, RED, 4), (2, RED, 3))
TWO_TOWERS = ((0, RED, 3), (0, BLUE, 4))
LAID = [
    {"colour": "red", "bricks": 1, "tower": 0},
    {"colour": "white", "bricks": 1},
    {"colour": "red", "bricks": 1, "tower": 0},
]

Scene = tuple[Callable[[], State], str, dict[str, Any]]

SCENES: dict[str, Scene] = {
    "F14-of-two-equal-cards": (at(Card.MASON, RED, slot=2), "take_card", {"slot": 2}),
    "F36-a-tie": (at(Card.MONUMENT, WHITE, seats=3, towers=THREE_RED), *TAKE_FREE),
    "F36-a-tie-of-no-towers": (at(Card.MONUMENT, WHITE, seats=3), *TAKE_FREE),
    "F35-renaissance": (at(Card.RENAISSANCE), *TAKE_FREE),
    "F35-renaissance-with-an-empty-deck": (at(Card.RENAISSANCE, deck=False), *TAKE_FREE),
    "F17-an-older-renaissance-among-the-discards": (at(deck=False), *TAKE_FREE),
    "F17-a-cancelled-renaissance": (
        lambda: with_empty_deck(event_taken(Card.RENAISSANCE, Card.PATRICIAN)),
        "answer_event",
        YES,
    ),
    "F18-an-exchange-with-one-of-two-equal-cards": (
        at(Card.MASON, WHITE, slot=3, step="build", stores={0: {"red": 3}}),
        "exchange",
        PAID,
    ),
    "F19-two-towers-for-a-price": (
        at(step="build", stores={0: {"red": 2, "white": 4}}, towers=((0, RED, 2),)),
        "build",
        {"lay": LAID},
    ),
    "F28-the-architect-serves": (
        at(step="fulfil", towers=((0, RED, 4),), hand=(Card.ARCHITECT,), first=ARCHITECT),
        "fulfil",
        {"tower": 0, "colour": "red", "height": 5},
    ),
    "F38-everybody-has-delivered": (last_bell_tower, "fulfil", {"tower": 0, "campanile": True}),
    "F31-the-patrician-spares": (
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN, patrician="spares"),
        "answer_event",
        YES,
    ),
    "F31-no-patrician-against-what-takes-nothing": (
        at(Card.BOTCH, hand=PATRICIAN, first=TAKE_FREE),
        "answer_event",
        NO,
    ),
    "F31-a-patrician-in-vain": (
        at(Card.BOTCH, hand=PATRICIAN, first=TAKE_FREE),
        "answer_event",
        YES,
    ),
    "F31-cancelled-in-vain": (
        at(Card.TRIBUTE, hand=PATRICIAN, first=TAKE_FREE),
        "answer_event",
        YES,
    ),
    "F31-spared-in-vain": (
        at(Card.TRIBUTE, hand=PATRICIAN, first=TAKE_FREE, patrician="spares"),
        "answer_event",
        YES,
    ),
    "F32-no-tower-after-a-patrician-in-the-same-turn": (
        at(Card.BOTCH, hand=(*PATRICIAN, Card.DISGRACE), first=DISMISSED),
        *TAKE_FREE,
    ),
    "F32-no-tower": (at(Card.BOTCH), *TAKE_FREE),
    "F32-no-bricks": (at(Card.STOREHOUSE_FIRE, RED, stores={0: {}}), *TAKE_FREE),
    "F32-a-fire-asks": (at(Card.STOREHOUSE_FIRE), *TAKE_FREE),
    "F33-no-tower-is-taxed": (at(Card.LUXURY_TAX), *TAKE_FREE),
    "F33-no-tower-pays-tribute": (at(Card.TRIBUTE), *TAKE_FREE),
    "F33-nothing-to-flood": (at(Card.FLOOD, RED, stores=NO_BRICKS), *TAKE_FREE),
    "F33-a-tribute": (
        at(Card.TRIBUTE, GREEN, towers=TWO_TOWERS, stores={0: {"red": 1}, 1: {}}),
        *TAKE_FREE,
    ),
    "F34-chosen": (
        lambda: event_taken(Card.FLOOD, discards="chosen"),
        "discard",
        {"bricks": ["blue"]},
    ),
}


def story(name: str) -> list[Sentence]:
    """Return the sentences of a scene's command, one for each event."""
    arrange, kind, fields = SCENES[name]
    state = arrange()
    after = state.copy()
    sentences = []
    for event in decide(GAME, state, command(kind, 0, **fields), Draws(b"story")):
        sentences.append(sentence_of(GAME, after, event))
        GAME.evolve(after, event)
    return sentences


# ---- events by themselves ----------------------------------------------------------------------


def before_the_opening() -> State:
    """Return a match of two before its table is laid."""
    return GAME.initial(Setup(seats=2, options=GAME.read_options({})))


def all_scored(*sealed: tuple[int, Colour, int], points: tuple[int, ...] = (3, 4, 5)) -> State:
    """Return a table of three with these seals. The house is to score."""
    state = table(seats=3)
    for seat, colour, height in sealed:
        seal(state, seat, (colour, height))
    for player, before in zip(state.players, points, strict=True):
        player.points = before
    set_step(state, "score", HOUSE)
    return state


def celebrating() -> State:
    """Return a table with Celebration cards for both seats. The house is to score."""
    state = table()
    deal(state, 0, Card.FAME, Card.FAME, Card.DISGRACE)
    deal(state, 1, Card.SCANDAL)
    set_step(state, "score", HOUSE)
    return state


TIED = ((0, WHITE, 3), (0, WHITE, 4), (1, RED, 4), (2, RED, 6), (0, RED, 3))

EVENTS: dict[str, tuple[State, Message]] = {
    "F10-the-table-not-drawn-yet": (before_the_opening(), TableLaid()),
    "F14-F29-the-princess-pays": (
        table(),
        CardTaken(0, 3, Card.ARCHITECT, (WHITE,), payment=()),
    ),
    "F16-a-refill-not-drawn-yet": (table(), RowRefilled()),
    "F16-a-short-pouch": (table(), RowRefilled(Card.MASON, (WHITE, RED))),
    "F17-the-deck-is-used-up": (table(), DeckShuffled()),
    "F17-the-row-gets-shorter": (table(), RowShortened()),
    "F29-the-wholesaler": (
        table(),
        SlotRestocked(0, 1, gone=(WHITE, YELLOW), bricks=(RED, PURPLE)),
    ),
    "F29-the-wholesaler-not-drawn-yet": (table(), SlotRestocked(0, 1, gone=(WHITE, YELLOW))),
    "F45-the-turn-limit": (table(turn_limit=12), PlayEnded(End.TURN_LIMIT)),
}

SCORINGS: dict[str, Callable[[], State]] = {
    "F39-celebrations": celebrating,
    "F41-a-tie": lambda: all_scored(*TIED),
    "F41-F42-a-shared-victory": lambda: all_scored(points=(7, 7, 1)),
}


def final_scoring(state: State) -> Sentence:
    """Return the sentence of the final scoring."""
    [event] = decide(GAME, state, GAME.commands["score"](), Draws(b""))
    return sentence_of(GAME, state, event)


# ---- what was approved -------------------------------------------------------------------------


def scenes() -> dict[str, str]:
    """Return all scenes as they read now."""
    sentences = {name: story(name) for name in SCENES}
    sentences |= {
        name: [sentence_of(GAME, state, event)] for name, (state, event) in EVENTS.items()
    }
    sentences |= {name: [final_scoring(arrange())] for name, arrange in SCORINGS.items()}
    return {name: in_lines(lines) for name, lines in sentences.items()}


def test_scenes_read_as_approved() -> None:
    """Sentences, and the rules that they name, are as approved.

    `python -m tests.domain.firenze.test_story` writes the file for approval.
    """
    assert scenes() == approved(APPROVED)


if __name__ == "__main__":
    approve(APPROVED, scenes())
