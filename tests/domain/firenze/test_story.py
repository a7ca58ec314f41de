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
    building,
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


def offered(card: Card, *bricks: Colour, slot: int = 0, seats: int = 2, **options: Any) -> State:
    """Return a table with a card, and bricks on it, in a slot of the row."""
    state = table(seats, **options)
    offer(state, slot, card, *bricks)
    return state


def with_tower(colour: Colour, height: int, *, step: str = "fulfil") -> State:
    """Return a table at which seat 0 has a raised tower."""
    state = table(step=step)
    raise_tower(state, 0, colour, height)
    return state


def monument(*heights: int) -> State:
    """Return a table at which a Monument is offered and the seats have red towers so high."""
    state = offered(Card.MONUMENT, WHITE, seats=3)
    for seat, height in enumerate(heights):
        if height:
            raise_tower(state, seat, RED, height)
    return state


def with_church(card: Card, colour: Colour, height: int) -> State:
    """Return a table with an open church card at which seat 0 has a tower to deliver."""
    state = with_tower(colour, height)
    open_church(state, card)
    return state


def taxed(**options: Any) -> State:
    """Return a table at which a Tribute is offered; seat 0 can pay one tower of two."""
    state = offered(Card.TRIBUTE, GREEN, **options)
    store(state, 0, red=1)
    raise_tower(state, 0, RED, 3)
    raise_tower(state, 0, BLUE, 4)
    store(state, 1)
    return state


def architect_hired() -> State:
    """Return a table at which seat 0 has a red tower of 4 and an Architect for it."""
    state = with_tower(RED, 4)
    deal(state, 0, Card.ARCHITECT)
    do(state, "play_personnel", card="architect", tower=0, by=1)
    return state


def building_on(colour: Colour, height: int, **bricks: int) -> State:
    """Return a table at which seat 0 may raise a tower."""
    state = building(**bricks)
    raise_tower(state, 0, colour, height)
    return state


def last_bell_tower() -> State:
    """Return a table at which all others have delivered to the Campanile."""
    state = with_church(Card.CAMPANILE, WHITE, 3)
    state.players[1].bell_tower = True
    return state


def fire_without_bricks() -> State:
    """Return a table at which a fire burns in an empty storehouse; its own bricks are spared."""
    state = offered(Card.STOREHOUSE_FIRE, RED)
    store(state, 0)
    return state


def flood_without_bricks() -> State:
    """Return a table at which a Flood is offered, and no storehouse holds a brick."""
    state = offered(Card.FLOOD, RED)
    store(state, 0)
    store(state, 1)
    return state


def asked_in_vain(card: Card, **options: Any) -> State:
    """Return a table at which seat 0 may spend a Patrician on an event, and nobody has a tower."""
    state = offered(card, **options)
    deal(state, 0, Card.PATRICIAN)
    do(state, "take_card", slot=0)
    return state


def patrician_played_before_a_botch() -> State:
    """Return a table at which seat 0 has no tower, and its Patrician has taken a card already."""
    state = offered(Card.BOTCH)
    deal(state, 0, Card.PATRICIAN, Card.DISGRACE)
    do(state, "play_personnel", card="patrician", discard="disgrace")
    return state


def with_empty_deck(state: State) -> State:
    """Return the same table with the whole deck among the discards, any Renaissance too."""
    for pile in (state.start, state.deck):
        for card in Card:
            state.discards[card] += pile[card]
            pile[card] = 0
    return state


def building_before_two_masons(**bricks: int) -> State:
    """Return a table at which seat 0 may exchange; Masons lie in slots 1 and 3."""
    state = building(**bricks)
    offer(state, 3, Card.MASON, WHITE)
    return state


# ---- commands, and one sentence of what they cause ---------------------------------------------

APPROVED = Path(__file__).with_name("story.txt")

Scene = tuple[Callable[[], State], str, dict[str, Any]]

SCENES: dict[str, Scene] = {
    "F14-of-two-equal-cards": (lambda: offered(Card.MASON, RED, slot=2), "take_card", {"slot": 2}),
    "F36-a-tie": (lambda: monument(4, 4, 3), "take_card", {"slot": 0}),
    "F36-a-tie-of-no-towers": (monument, "take_card", {"slot": 0}),
    "F35-renaissance": (lambda: offered(Card.RENAISSANCE), "take_card", {"slot": 0}),
    "F35-renaissance-with-an-empty-deck": (
        lambda: with_empty_deck(offered(Card.RENAISSANCE)),
        "take_card",
        {"slot": 0},
    ),
    "F17-an-older-renaissance-among-the-discards": (
        lambda: with_empty_deck(table()),
        "take_card",
        {"slot": 0},
    ),
    "F17-a-cancelled-renaissance": (
        lambda: with_empty_deck(event_taken(Card.RENAISSANCE, Card.PATRICIAN)),
        "answer_event",
        {"patrician": True},
    ),
    "F18-an-exchange-with-one-of-two-equal-cards": (
        lambda: building_before_two_masons(red=3),
        "exchange",
        {"slot": 3, "take": "white", "give": ["red", "red", "red"]},
    ),
    "F19-two-towers-for-a-price": (
        lambda: building_on(RED, 2, red=2, white=4),
        "build",
        {
            "lay": [
                {"colour": "red", "bricks": 1, "tower": 0},
                {"colour": "white", "bricks": 1},
                {"colour": "red", "bricks": 1, "tower": 0},
            ]
        },
    ),
    "F28-the-architect-serves": (
        architect_hired,
        "fulfil",
        {"tower": 0, "colour": "red", "height": 5},
    ),
    "F38-everybody-has-delivered": (last_bell_tower, "fulfil", {"tower": 0, "campanile": True}),
    "F31-the-patrician-spares": (
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN, patrician="spares"),
        "answer_event",
        {"patrician": True},
    ),
    "F31-no-patrician-against-what-takes-nothing": (
        lambda: asked_in_vain(Card.BOTCH),
        "answer_event",
        {"patrician": False},
    ),
    "F31-a-patrician-in-vain": (
        lambda: asked_in_vain(Card.BOTCH),
        "answer_event",
        {"patrician": True},
    ),
    "F31-cancelled-in-vain": (
        lambda: asked_in_vain(Card.TRIBUTE),
        "answer_event",
        {"patrician": True},
    ),
    "F31-spared-in-vain": (
        lambda: asked_in_vain(Card.TRIBUTE, patrician="spares"),
        "answer_event",
        {"patrician": True},
    ),
    "F32-no-tower-after-a-patrician-in-the-same-turn": (
        patrician_played_before_a_botch,
        "take_card",
        {"slot": 0},
    ),
    "F32-no-tower": (lambda: offered(Card.BOTCH), "take_card", {"slot": 0}),
    "F32-no-bricks": (fire_without_bricks, "take_card", {"slot": 0}),
    "F32-a-fire-asks": (lambda: offered(Card.STOREHOUSE_FIRE), "take_card", {"slot": 0}),
    "F33-no-tower-is-taxed": (lambda: offered(Card.LUXURY_TAX), "take_card", {"slot": 0}),
    "F33-no-tower-pays-tribute": (lambda: offered(Card.TRIBUTE), "take_card", {"slot": 0}),
    "F33-nothing-to-flood": (flood_without_bricks, "take_card", {"slot": 0}),
    "F33-a-tribute": (taxed, "take_card", {"slot": 0}),
    "F34-chosen": (
        lambda: event_taken(Card.FLOOD, discards="chosen"),
        "discard",
        {"bricks": ["blue"]},
    ),
}


def story(name: str) -> list[Sentence]:
    """Return what a scene's command causes, a sentence for each event."""
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
    """Return a table of three who have placed these seals; the house is to score."""
    state = table(seats=3)
    for seat, colour, height in sealed:
        seal(state, seat, (colour, height))
    for player, before in zip(state.players, points, strict=True):
        player.points = before
    set_step(state, "score", HOUSE)
    return state


def celebrating() -> State:
    """Return a table at which both seats hold Celebration cards; the house is to score."""
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
    """The sentences and the rules that they name.

    `python -m tests.domain.firenze.test_story` writes what is to be approved.
    """
    assert scenes() == approved(APPROVED)


if __name__ == "__main__":
    approve(APPROVED, scenes())
