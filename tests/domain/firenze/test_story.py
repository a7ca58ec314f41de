"""Every event told in English, with the rules that decided it."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.chance import Draws
from domain.firenze import GAME
from domain.firenze.components import Card, Colour, End
from domain.firenze.events import (
    CardTaken,
    Dealt,
    DeckShuffled,
    PlayEnded,
    RowRefilled,
    RowShortened,
    SlotRestocked,
    TableLaid,
    TurnBegan,
)
from domain.firenze.state import State
from domain.game import Setup, decide
from domain.seats import HOUSE
from domain.story import Heading, Part, Sentence
from tests.domain.firenze.table import (
    BALCONIES,
    BLUE,
    GREEN,
    NEUTRAL_SEALS,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    building,
    command,
    deal,
    do,
    event_taken,
    holding,
    offer,
    open_church,
    raise_tower,
    seal,
    set_step,
    store,
    table,
)

NAMES = ("Ada", "Bob", "Cleo", "Dino")


def told(state: State, event: Any) -> Sentence:
    """Return an event told to people; the state stays as it is."""
    before = state.copy()
    sentence = GAME.story(state, event, NAMES[: len(state.players)])
    assert state == before
    return sentence


def story(state: State, kind: str, seat: int = 0, **fields: Any) -> list[Sentence]:
    """Return what a command causes, told event by event."""
    after = state.copy()
    sentences = []
    for event in decide(GAME, state, command(kind, seat, **fields), Draws(b"story")):
        sentences.append(told(after, event))
        GAME.evolve(after, event)
    return sentences


def rules_of(text: str, sentences: list[Sentence]) -> tuple[str, ...]:
    """Return the rules of the sentence with this text, which must be there."""
    rules = {sentence.text: sentence.rules for sentence in sentences}
    assert text in rules, list(rules)
    return rules[text]


# ---- tables ------------------------------------------------------------------------------------


def offered(card: Card, *bricks: Colour, slot: int = 0, seats: int = 2, **options: Any) -> State:
    """Return a table with a card, and bricks on it, in a slot of the row."""
    state = table(seats, **options)
    offer(state, slot, card, *bricks)
    return state


def building_with(*cards: Card, **bricks: int) -> State:
    """Return a table at which seat 0 holds these bricks and cards, and is to build."""
    state = building(**bricks)
    deal(state, 0, *cards)
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


def overfull(**bricks: int) -> State:
    """Return a table at which seat 0 is to fulfil and holds these bricks."""
    state = building(**bricks)
    set_step(state, "fulfil")
    return state


def too_many_cards() -> State:
    """Return a table at which seat 0 holds six cards at the end of its turn."""
    state = table(step="fulfil")
    deal(state, 0, *[Card.ALCHEMIST] * 3, *[Card.MASON] * 2, Card.SABOTEUR)
    return state


def architect_hired() -> State:
    """Return a table at which seat 0 has a red tower of 4 and an Architect for it."""
    state = with_tower(RED, 4)
    deal(state, 0, Card.ARCHITECT)
    do(state, "play_personnel", card="architect", tower=0, by=1)
    return state


def last_seal() -> State:
    """Return a table at which seat 0 has one seal left, and a white tower of 3."""
    state = with_tower(WHITE, 3)
    state.players[0].seals = 1
    return state


def building_second() -> State:
    """Return a table at which seat 0 has a Workshop and can take another."""
    state = table()
    deal(state, 0, Card.WORKSHOP)
    return state


def building_on(colour: Colour, height: int, **bricks: int) -> State:
    """Return a table at which seat 0 may raise a tower."""
    state = building(**bricks)
    raise_tower(state, 0, colour, height)
    return state


def idle_tower() -> State:
    """Return a table at which seat 0 has a green tower that stood when the turn began."""
    state = building()
    raise_tower(state, 0, GREEN, 3, idle=True)
    return state


def last_bell_tower() -> State:
    """Return a table at which all others have delivered to the Campanile."""
    state = with_church(Card.CAMPANILE, WHITE, 3)
    state.players[1].bell_tower = True
    return state


def offered_to(held: Card, card: Card) -> State:
    """Return a table at which seat 0 holds a card and another one is offered."""
    state = offered(card)
    deal(state, 0, held)
    return state


def fire_without_bricks() -> State:
    """Return a table at which a fire burns in an empty storehouse; its own bricks are spared."""
    state = offered(Card.STOREHOUSE_FIRE, RED)
    store(state, 0)
    return state


def last_turn_ends() -> State:
    """Return a table at which seat 0 ends the last turn after seat 1 placed the last seal."""
    state = overfull(white=1)
    state.end_seat = 1
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


SHUFFLED_BY_RENAISSANCE = (
    "Deck and discards, the Renaissance among them, are shuffled into a new deck."
)
SHUFFLED_FOR_WANT_OF_CARDS = "The deck is used up: the discards, shuffled, become the new one."

# ---- commands, and one sentence of what they cause ---------------------------------------------

CASES = [
    pytest.param(
        lambda: offered(Card.PATRICIAN, RED, RED, WHITE),
        {"kind": "take_card", "slot": 0},
        "Ada takes the Patrician with 1 white and 2 red bricks; the first card costs nothing.",
        ("F14",),
        id="F14-the-first-card-is-free",
    ),
    pytest.param(
        lambda: offered(Card.FAME, RED, slot=2),
        {"kind": "take_card", "slot": 2},
        "Ada takes Fame with 1 red brick, paying 1 white onto Alchemist and 1 white onto Mason.",
        ("F14",),
        id="F14-a-payment-onto-each-card-before-it",
    ),
    pytest.param(
        lambda: offered(Card.PATRICIAN),
        {"kind": "take_card", "slot": 0},
        "Ada takes the Patrician with no bricks; the first card costs nothing.",
        ("F14",),
        id="F14-no-bricks",
    ),
    pytest.param(
        lambda: offered(Card.MASON, RED, slot=2),
        {"kind": "take_card", "slot": 2},
        "Ada takes the second Mason in the row with 1 red brick, "
        "paying 1 white onto Alchemist and 1 white onto the first Mason.",
        ("F14",),
        id="F14-of-two-equal-cards",
    ),
    pytest.param(
        table,
        {"kind": "take_card", "slot": 0},
        "Ada takes the Alchemist into the hand.",
        (),
        id="F15-a-card-for-the-hand",
    ),
    pytest.param(
        table,
        {"kind": "take_card", "slot": 2},
        "Ada opens the Workshop.",
        (),
        id="F15-a-building",
    ),
    pytest.param(
        building_second,
        {"kind": "take_card", "slot": 2},
        "Ada has Workshop already: this one is discarded.",
        ("F15",),
        id="F15-a-second-building",
    ),
    pytest.param(
        lambda: offered(Card.MINOR_PRIVILEGE),
        {"kind": "take_card", "slot": 0},
        "The Minor Privilege lies open at the church: "
        "the next commission of 5 levels brings 2 points more.",
        ("F37",),
        id="F37-a-church-card-opens",
    ),
    pytest.param(
        lambda: offered(Card.CAMPANILE),
        {"kind": "take_card", "slot": 0},
        "The Campanile lies open at the church: "
        "everybody owes it a tower of 3 white bricks before any other commission.",
        ("F38",),
        id="F38-the-campanile-opens",
    ),
    pytest.param(
        lambda: monument(2, 4, 3),
        {"kind": "take_card", "slot": 0},
        "The Monument honours the tallest tower: Bob, with 4 levels, gets it in hand.",
        ("F36",),
        id="F36-the-tallest-tower-is-another-player's",
    ),
    pytest.param(
        lambda: monument(4, 4, 3),
        {"kind": "take_card", "slot": 0},
        "The Monument is discarded, because Ada and Bob are tied with towers of 4 levels.",
        ("F36",),
        id="F36-a-tie",
    ),
    pytest.param(
        monument,
        {"kind": "take_card", "slot": 0},
        "The Monument is discarded, because nobody has a tower.",
        ("F36",),
        id="F36-a-tie-of-no-towers",
    ),
    pytest.param(
        lambda: offered(Card.RENAISSANCE),
        {"kind": "take_card", "slot": 0},
        SHUFFLED_BY_RENAISSANCE,
        ("F35",),
        id="F35-renaissance",
    ),
    pytest.param(
        lambda: with_empty_deck(offered(Card.RENAISSANCE)),
        {"kind": "take_card", "slot": 0},
        SHUFFLED_BY_RENAISSANCE,
        ("F35",),
        id="F35-renaissance-with-an-empty-deck",
    ),
    pytest.param(
        lambda: with_empty_deck(table()),
        {"kind": "take_card", "slot": 0},
        SHUFFLED_FOR_WANT_OF_CARDS,
        ("F17",),
        id="F17-an-older-renaissance-among-the-discards",
    ),
    pytest.param(
        lambda: with_empty_deck(event_taken(Card.RENAISSANCE, Card.PATRICIAN)),
        {"kind": "answer_event", "patrician": True},
        SHUFFLED_FOR_WANT_OF_CARDS,
        ("F17",),
        id="F17-a-cancelled-renaissance",
    ),
    pytest.param(
        lambda: building(white=1, yellow=1, red=2),
        {"kind": "exchange", "slot": 1, "take": "yellow", "give": ["white", "red", "red"]},
        "Ada exchanges 1 white and 2 red bricks for 1 yellow brick with Mason in the row.",
        ("F18",),
        id="F18-an-exchange",
    ),
    pytest.param(
        lambda: building_before_two_masons(red=3),
        {"kind": "exchange", "slot": 3, "take": "white", "give": ["red", "red", "red"]},
        "Ada exchanges 3 red bricks for 1 white brick with the second Mason in the row.",
        ("F18",),
        id="F18-an-exchange-with-one-of-two-equal-cards",
    ),
    pytest.param(
        lambda: building_with(Card.BRIDGE, white=1, red=2),
        {"kind": "exchange", "slot": 1, "take": "yellow", "give": ["red", "red"]},
        "Ada exchanges 2 red bricks for 1 yellow brick with Mason in the row over the Bridge.",
        ("F18",),
        id="F18-the-bridge",
    ),
    pytest.param(
        building,
        {"kind": "build", "lay": []},
        "Ada builds nothing.",
        (),
        id="F19-a-build-of-nothing",
    ),
    pytest.param(
        lambda: building(white=2),
        {"kind": "build", "lay": [{"colour": "white", "bricks": 2}]},
        "Ada begins a white tower of 2 levels.",
        (),
        id="F19-two-bricks-cost-nothing",
    ),
    pytest.param(
        lambda: building_on(RED, 2, red=2, white=4),
        {
            "kind": "build",
            "lay": [
                {"colour": "red", "bricks": 1, "tower": 0},
                {"colour": "white", "bricks": 1},
                {"colour": "red", "bricks": 1, "tower": 0},
            ],
        },
        "Ada raises the red tower from 2 to 4 levels and begins a white tower of 1 level, "
        "paying 1 white brick.",
        ("F19",),
        id="F19-two-towers-for-a-price",
    ),
    pytest.param(
        lambda: building_with(Card.WORKSHOP, white=3),
        {"kind": "build", "lay": [{"colour": "white", "bricks": 3}]},
        "Ada begins a white tower of 3 levels, paying nothing, thanks to the Workshop.",
        ("F19",),
        id="F19-the-workshop",
    ),
    pytest.param(
        idle_tower,
        {"kind": "build", "lay": []},
        "Ada's green tower of 3 levels, which was not raised, is torn down, "
        "2 of its bricks lost and 1 saved.",
        ("F20",),
        id="F20-torn-down",
    ),
    pytest.param(
        lambda: with_tower(RED, 3),
        {"kind": "fulfil", "tower": 0, "colour": "red", "height": 3},
        "Ada fulfils red 3 for 2 points.",
        (),
        id="F21-a-commission",
    ),
    pytest.param(
        lambda: with_tower(BLUE, 3),
        {"kind": "fulfil", "tower": 0, "colour": "blue", "height": 3},
        "Ada fulfils blue 3 under balcony I for 6 points.",
        ("F22",),
        id="F22-a-balcony",
    ),
    pytest.param(
        lambda: with_church(Card.MINOR_PRIVILEGE, RED, 5),
        {"kind": "fulfil", "tower": 0, "colour": "red", "height": 5},
        "Ada fulfils red 5 for 5 points, 2 as the first to reach 5 levels "
        "and 2 by the Minor Privilege, 9 in all.",
        ("F23", "F37"),
        id="F23-F37-a-level-tile-and-a-privilege",
    ),
    pytest.param(
        lambda: with_church(Card.MINOR_PRIVILEGE, RED, 5),
        {"kind": "fulfil", "tower": 0, "colour": "red", "height": 5},
        "The Minor Privilege is used up and discarded.",
        ("F37",),
        id="F37-a-privilege-is-used-up",
    ),
    pytest.param(
        architect_hired,
        {"kind": "fulfil", "tower": 0, "colour": "red", "height": 5},
        "Ada fulfils red 5 with a tower of 4 and the Architect for 5 points "
        "and 2 as the first to reach 5 levels, 7 in all.",
        ("F28", "F23"),
        id="F28-the-architect-serves",
    ),
    pytest.param(
        lambda: with_church(Card.CAMPANILE, WHITE, 3),
        {"kind": "fulfil", "tower": 0, "campanile": True},
        "Ada delivers a bell tower of 3 white bricks to the Campanile.",
        ("F38",),
        id="F38-a-bell-tower",
    ),
    pytest.param(
        last_bell_tower,
        {"kind": "fulfil", "tower": 0, "campanile": True},
        "Everybody has delivered a bell tower: the Campanile is discarded.",
        ("F38",),
        id="F38-everybody-has-delivered",
    ),
    pytest.param(
        last_seal,
        {"kind": "fulfil", "tower": 0, "colour": "white", "height": 3},
        "Ada is the first to place their last seal, and takes the end tile for 5 points.",
        ("F40",),
        id="F40-the-end-tile",
    ),
    pytest.param(
        lambda: overfull(white=9, red=3),
        {"kind": "end_turn"},
        "Ada may keep 10 bricks and gives up 2 white bricks.",
        ("F24",),
        id="F24-too-many-bricks",
    ),
    pytest.param(
        too_many_cards,
        {"kind": "end_turn", "cards": ["mason"]},
        "Ada discards the Mason, for the limit is 5 cards.",
        ("F24",),
        id="F24-too-many-cards",
    ),
    pytest.param(
        lambda: holding(Card.PATRICIAN, Card.DISGRACE),
        {"kind": "play_personnel", "card": "patrician", "discard": "disgrace"},
        "Ada discards Disgrace by the Patrician.",
        ("F31",),
        id="F31-the-patrician-discards",
    ),
    pytest.param(
        lambda: holding(Card.MASON, step="build"),
        {"kind": "play_personnel", "card": "mason"},
        "Ada plays the Mason: building costs 3 bricks less this turn.",
        ("F29",),
        id="F29-the-mason",
    ),
    pytest.param(
        lambda: holding(Card.PRINCESS),
        {"kind": "play_personnel", "card": "princess"},
        "Ada plays the Princess: the card costs nothing this turn.",
        ("F29",),
        id="F29-the-princess",
    ),
    pytest.param(
        lambda: holding(Card.ALCHEMIST),
        {"kind": "play_personnel", "card": "alchemist", "take": "purple", "give": "red"},
        "The Alchemist turns 1 red brick of Ada's into 1 purple brick of the pouch.",
        ("F27",),
        id="F27-the-alchemist",
    ),
    pytest.param(
        lambda: holding(Card.ARCHITECT, step="fulfil"),
        {"kind": "play_personnel", "card": "architect"},
        "The Architect will serve Ada's first commission that is one level off.",
        ("F28",),
        id="F28-the-architect",
    ),
    pytest.param(
        lambda: holding(Card.ARCHITECT, step="fulfil"),
        {"kind": "play_personnel", "card": "architect", "tower": 0, "by": 1},
        "The Architect lets Ada's red tower of 2 levels count as one of 3 levels, too.",
        ("F28",),
        id="F28-the-architect-of-one-tower",
    ),
    pytest.param(
        lambda: holding(Card.SABOTEUR),
        {"kind": "play_personnel", "card": "saboteur", "target": 1, "tower": 0},
        "The Saboteur takes a brick off Bob's blue tower: 2 levels of it stand.",
        ("F30",),
        id="F30-the-saboteur",
    ),
    pytest.param(
        lambda: holding(Card.SMUGGLER),
        {
            "kind": "play_personnel",
            "card": "smuggler",
            "target": 1,
            "take": "green",
            "give": "blue",
        },
        "The Smuggler brings 1 green brick of Bob's to Ada for 1 blue brick.",
        ("F30",),
        id="F30-the-smuggler",
    ),
    pytest.param(
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN),
        {"kind": "answer_event", "patrician": True},
        "The Patrician cancels the Flood.",
        ("F31",),
        id="F31-the-patrician-cancels",
    ),
    pytest.param(
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN, patrician="spares"),
        {"kind": "answer_event", "patrician": True},
        "The Patrician spares Ada, and Ada alone, the Flood.",
        ("F31",),
        id="F31-the-patrician-spares",
    ),
    pytest.param(
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN),
        {"kind": "answer_event", "patrician": False},
        "Ada spends no Patrician: the Flood takes effect.",
        ("F31",),
        id="F31-no-patrician",
    ),
    pytest.param(
        lambda: asked_in_vain(Card.BOTCH),
        {"kind": "answer_event", "patrician": False},
        "Ada spends no Patrician against the Botch.",
        ("F31",),
        id="F31-no-patrician-against-what-takes-nothing",
    ),
    pytest.param(
        lambda: asked_in_vain(Card.BOTCH),
        {"kind": "answer_event", "patrician": False},
        "The Botch is discarded, because Ada has no tower.",
        ("F32",),
        id="F32-no-tower-and-no-patrician",
    ),
    pytest.param(
        lambda: asked_in_vain(Card.BOTCH),
        {"kind": "answer_event", "patrician": True},
        "The Patrician cancels the Botch, which would have done nothing, because Ada has no tower.",
        ("F31",),
        id="F31-a-patrician-in-vain",
    ),
    pytest.param(
        lambda: asked_in_vain(Card.TRIBUTE),
        {"kind": "answer_event", "patrician": True},
        "The Tribute is discarded.",
        ("F15",),
        id="F31-cancelled-in-vain",
    ),
    pytest.param(
        lambda: asked_in_vain(Card.TRIBUTE, patrician="spares"),
        {"kind": "answer_event", "patrician": True},
        "The Patrician spares Ada, and Ada alone, the Tribute, "
        "which would have taken nothing from Ada.",
        ("F31",),
        id="F31-spared-in-vain",
    ),
    pytest.param(
        lambda: asked_in_vain(Card.TRIBUTE, patrician="spares"),
        {"kind": "answer_event", "patrician": True},
        "The Tribute is discarded, because nobody else has a tower.",
        ("F33",),
        id="F33-nobody-else-is-touched",
    ),
    pytest.param(
        patrician_played_before_a_botch,
        {"kind": "take_card", "slot": 0},
        "The Botch is discarded, because Ada has no tower.",
        ("F32",),
        id="F32-no-tower-after-a-patrician-in-the-same-turn",
    ),
    pytest.param(
        lambda: offered_to(Card.PATRICIAN, Card.BOTCH),
        {"kind": "take_card", "slot": 0},
        "Ada may spend a Patrician against the Botch.",
        ("F31",),
        id="F31-the-taker-is-asked",
    ),
    pytest.param(
        lambda: offered(Card.BOTCH),
        {"kind": "take_card", "slot": 0},
        "The Botch is discarded, because Ada has no tower.",
        ("F32",),
        id="F32-no-tower",
    ),
    pytest.param(
        fire_without_bricks,
        {"kind": "take_card", "slot": 0},
        "The Storehouse Fire is discarded, because Ada has no bricks but those of the card.",
        ("F32",),
        id="F32-no-bricks",
    ),
    pytest.param(
        lambda: offered(Card.STOREHOUSE_FIRE),
        {"kind": "take_card", "slot": 0},
        "Ada must say which 2 bricks the Storehouse Fire burns.",
        ("F32",),
        id="F32-a-fire-asks",
    ),
    pytest.param(
        lambda: event_taken(Card.STOREHOUSE_FIRE),
        {"kind": "resolve_event", "bricks": ["red"]},
        "The Storehouse Fire burns 1 red and 1 blue brick of Ada's.",
        ("F32",),
        id="F32-a-fire",
    ),
    pytest.param(
        lambda: event_taken(Card.BOTCH),
        {"kind": "resolve_event", "tower": 0},
        "The Botch takes a brick off Ada's red tower: 1 level of it stands.",
        ("F32",),
        id="F32-a-botch",
    ),
    pytest.param(
        lambda: event_taken(Card.COLLAPSE),
        {"kind": "resolve_event", "tower": 0},
        "Ada's red tower of 2 levels collapses, and all its bricks are lost.",
        ("F32",),
        id="F32-a-collapse",
    ),
    pytest.param(
        lambda: event_taken(Card.COLLAPSE),
        {"kind": "resolve_event", "tower": 0},
        "The Collapse is discarded.",
        ("F15",),
        id="F15-an-event-is-settled",
    ),
    pytest.param(
        lambda: offered(Card.LUXURY_TAX),
        {"kind": "take_card", "slot": 0},
        "The Luxury Tax is discarded, because nobody has a tower of 5 levels or more.",
        ("F33",),
        id="F33-no-tower-is-taxed",
    ),
    pytest.param(
        lambda: offered(Card.TRIBUTE),
        {"kind": "take_card", "slot": 0},
        "The Tribute is discarded, because nobody has a tower.",
        ("F33",),
        id="F33-no-tower-pays-tribute",
    ),
    pytest.param(
        flood_without_bricks,
        {"kind": "take_card", "slot": 0},
        "The Flood is discarded, because nobody has any bricks but those of the card.",
        ("F33",),
        id="F33-nothing-to-flood",
    ),
    pytest.param(
        lambda: offered(Card.FLOOD),
        {"kind": "take_card", "slot": 0},
        "The Flood takes 1 brick from Ada and 1 brick from Bob.",
        ("F33",),
        id="F33-a-flood",
    ),
    pytest.param(
        taxed,
        {"kind": "take_card", "slot": 0},
        "The Tribute takes 1 red brick and the blue tower of 4 levels from Ada.",
        ("F33",),
        id="F33-a-tribute",
    ),
    pytest.param(
        taxed,
        {"kind": "take_card", "slot": 0},
        "Ada cannot pay the Tribute for the blue tower of 4 levels, which is torn down, "
        "2 of its bricks lost and 2 saved.",
        ("F33", "F20"),
        id="F33-a-tower-is-lost",
    ),
    pytest.param(
        taxed,
        {"kind": "take_card", "slot": 0},
        "Ada hands over 1 red brick.",
        ("F34", "F25"),
        id="F34-paid-by-the-automatic-rule",
    ),
    pytest.param(
        lambda: event_taken(Card.FLOOD, discards="chosen"),
        {"kind": "discard", "bricks": ["blue"]},
        "Ada hands over 1 blue brick.",
        ("F34",),
        id="F34-chosen",
    ),
    pytest.param(
        last_turn_ends,
        {"kind": "end_turn"},
        "Play ends: all others have had one more turn since Bob's last seal was placed.",
        ("F40",),
        id="F40-play-ends",
    ),
]


@pytest.mark.parametrize(("arrange", "move", "text", "rules"), CASES)
def test_it_is_told(
    arrange: Callable[[], State], move: dict[str, Any], text: str, rules: tuple[str, ...]
) -> None:
    """A command's events hold this sentence, and it names the rules that decided."""
    assert rules_of(text, story(arrange(), **move)) == rules


# ---- events by themselves ----------------------------------------------------------------------


def test_turns_are_headings() -> None:
    """F1: turns are counted from 1 for people; a turn begins with what its player has."""
    state = table()
    store(state, 1, white=2, red=1)
    state.players[1].points = 12

    heading = Heading(Part.TURN, "Turn 12: Bob")
    text = "Bob begins with 2 white and 1 red brick and 12 points."
    assert told(state, TurnBegan(seat=1, turn=11)) == Sentence(text, heading=heading)


def test_last_turns_say_why() -> None:
    """F40: each other player has one more turn after the last seal."""
    state = table()
    state.end_seat = 0
    sentence = told(state, TurnBegan(seat=1, turn=11))
    assert sentence.text == "Bob has one last turn, for Ada has no seals left."
    assert sentence.rules == ("F40",)


def test_the_turn_limit_ends_play() -> None:
    """F45: when everybody has had so many turns the match ends."""
    sentence = told(table(turn_limit=12), PlayEnded(End.TURN_LIMIT))
    assert sentence == Sentence("Play ends, because everybody has had 12 turns.", ("F45",))


def test_the_table_is_told() -> None:
    """F10, F11, F13: balconies, neutral seals and the row."""
    state = GAME.initial(Setup(seats=2, options=GAME.read_options({})))
    row = (Dealt(Card.MASON, (WHITE, RED)), Dealt(Card.FAME, (BLUE, BLUE)))
    assert told(state, TableLaid(BALCONIES, NEUTRAL_SEALS, row)) == Sentence(
        "Balconies lie on blue 3 (I, 6 points), white 6 (II, 8 points), red 7 (III, 14 points) "
        "and green 7 (IV, 15 points). Neutral seals cover yellow 3, yellow 4, green 3, blue 8 "
        "and purple 8. In the row are Mason (1 white and 1 red brick) and Fame (2 blue bricks).",
        ("F10", "F11", "F13"),
    )


def test_the_princess_pays() -> None:
    """F29: with the Princess no slot costs anything."""
    event = CardTaken(0, 3, Card.ARCHITECT, (WHITE,), payment=())
    assert told(table(), event) == Sentence(
        "Ada takes the Architect with 1 white brick, for nothing, thanks to the Princess.",
        ("F14", "F29"),
    )


def test_a_short_pouch_shows() -> None:
    """F16: a short pouch gives what it has."""
    full = RowRefilled(Card.MASON, (WHITE, WHITE, RED, RED))
    short = RowRefilled(Card.MASON, (WHITE, RED))

    drawn = "The row closes up, and Mason is drawn for its end with"
    assert told(table(), full).text == f"{drawn} 2 white and 2 red bricks."
    assert told(table(), short) == Sentence(
        f"{drawn} 1 white and 1 red brick, all that was left in the pouch.", ("F16",)
    )


def test_the_deck_is_used_up() -> None:
    """F17: the discards become the deck; without any the row gets shorter."""
    state = table()
    state.start = [0] * len(state.start)
    state.deck = [0] * len(state.deck)
    state.row.pop()
    assert told(state, DeckShuffled()) == Sentence(
        "The deck is used up: the discards, shuffled, become the new one.", ("F17",)
    )
    assert told(state, RowShortened()) == Sentence(
        "No card is left to draw: the row has only 5 now.", ("F17",)
    )


def test_the_wholesaler_is_told() -> None:
    """F29: which bricks went, and which came."""
    event = SlotRestocked(0, 1, gone=(WHITE, YELLOW), bricks=(RED, PURPLE))
    assert told(table(), event) == Sentence(
        "The Wholesaler puts 1 white and 1 yellow brick from Mason into the pouch, "
        "and draws 1 red and 1 purple brick for it.",
        ("F29",),
    )


@pytest.mark.parametrize(
    ("event", "text"),
    [
        pytest.param(
            TableLaid(),
            "The table is laid: balconies, neutral seals and the row are drawn.",
            id="F10-the-table",
        ),
        pytest.param(
            RowRefilled(),
            "The row closes up, and a card with bricks is drawn for its end.",
            id="F16-the-refill",
        ),
        pytest.param(
            SlotRestocked(0, 1, gone=(WHITE, YELLOW)),
            "The Wholesaler puts 1 white and 1 yellow brick from Mason into the pouch, "
            "and draws as many for it.",
            id="F29-the-wholesaler",
        ),
    ],
)
def test_what_a_preview_leaves_out_is_not_told(event: Any, text: str) -> None:
    """Where chance has not decided yet, the sentence says only that it will."""
    assert told(table(), event).text == text


def test_why_a_card_goes_is_told_where_a_patrician_and_the_limit_both_take_one() -> None:
    """F24, F31: eight cards; a Patrician takes one, and the limit takes the next."""
    state = too_many_cards()
    deal(state, 0, Card.SMUGGLER, Card.PATRICIAN)

    move: dict[str, Any] = {"card": "patrician", "discard": "mason"}
    by_patrician = story(state, "play_personnel", **move)
    assert rules_of("Ada discards the Mason by the Patrician.", by_patrician) == ("F31",)

    do(state, "play_personnel", **move)
    by_limit = story(state, "end_turn", cards=["mason"])
    assert rules_of("Ada discards the Mason, for the limit is 5 cards.", by_limit) == ("F24",)


# ---- the final scoring -------------------------------------------------------------------------


def scored(*sealed: tuple[int, Colour, int], points: tuple[int, ...] = (3, 4, 5)) -> Sentence:
    """Return the final scoring of three seats who have placed these seals."""
    state = table(seats=3, step="score")
    for seat, colour, height in sealed:
        seal(state, seat, (colour, height))
    for player, before in zip(state.players, points, strict=True):
        player.points = before

    set_step(state, "score", HOUSE)
    [event] = decide(GAME, state, GAME.commands["score"](), Draws(b""))
    return told(state, event)


def test_a_tie_is_explained() -> None:
    """F41: most seals; among the tied the highest seal."""
    sentence = scored((0, WHITE, 3), (0, WHITE, 4), (1, RED, 4), (2, RED, 6), (0, RED, 3))
    assert sentence == Sentence(
        "White brings 2 points to Ada for 2 seals. "
        "Red is tied at 1 seal, and Cleo's highest, 6, beats Ada's 3 and Bob's 4 for 5 points. "
        "Nobody has a seal on yellow, green, blue or purple. "
        "Cleo ends with 10 points (5 before the final scoring), Ada with 5 (3) and Bob with 4 (4). "
        "Cleo wins.",
        ("F41",),
        Heading(Part.SCORING, "Final scoring"),
    )


def test_a_shared_victory() -> None:
    """F41, F42: without seals there are no majorities; equal points share the victory."""
    sentence = scored(points=(7, 7, 1))
    assert sentence.text == (
        "Nobody has a seal, so there are no majorities. "
        "Ada ends with 7 points (7 before the final scoring), Bob with 7 (7) and Cleo with 1 (1). "
        "Ada and Bob share the victory."
    )
    assert sentence.rules == ("F41", "F42")


def test_celebrations_are_told_seat_by_seat() -> None:
    """F39: what each card brings, and what they bring in all."""
    state = table(seats=2)
    deal(state, 0, Card.FAME, Card.FAME, Card.DISGRACE)
    deal(state, 1, Card.SCANDAL)
    set_step(state, "score", HOUSE)

    [event] = decide(GAME, state, GAME.commands["score"](), Draws(b""))
    sentence = told(state, event)
    assert (
        " Celebrations bring 4 points to Ada (-2 for Disgrace and 6 for 2 Fame) "
        "and -3 points to Bob (-3 for Scandal). "
    ) in sentence.text
    assert sentence.rules == ("F39", "F41")
