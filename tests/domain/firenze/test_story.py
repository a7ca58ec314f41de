"""Every event told in English, with the rules that decided it."""

import re
from collections.abc import Callable
from pathlib import Path
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


# ---- commands, and one sentence of what they cause ---------------------------------------------

Scene = tuple[Callable[[], State], str, dict[str, Any]]

SCENES: dict[str, Scene] = {
    "F14-the-first-card-is-free": (
        lambda: offered(Card.PATRICIAN, RED, RED, WHITE),
        "take_card",
        {"slot": 0},
    ),
    "F14-a-payment-onto-each-card-before-it": (
        lambda: offered(Card.FAME, RED, slot=2),
        "take_card",
        {"slot": 2},
    ),
    "F14-no-bricks": (lambda: offered(Card.PATRICIAN), "take_card", {"slot": 0}),
    "F14-of-two-equal-cards": (lambda: offered(Card.MASON, RED, slot=2), "take_card", {"slot": 2}),
    "F15-a-card-for-the-hand": (table, "take_card", {"slot": 0}),
    "F15-a-building": (table, "take_card", {"slot": 2}),
    "F15-a-second-building": (building_second, "take_card", {"slot": 2}),
    "F37-a-church-card-opens": (lambda: offered(Card.MINOR_PRIVILEGE), "take_card", {"slot": 0}),
    "F38-the-campanile-opens": (lambda: offered(Card.CAMPANILE), "take_card", {"slot": 0}),
    "F36-the-tallest-tower-is-another-player's": (
        lambda: monument(2, 4, 3),
        "take_card",
        {"slot": 0},
    ),
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
    "F18-an-exchange": (
        lambda: building(white=1, yellow=1, red=2),
        "exchange",
        {"slot": 1, "take": "yellow", "give": ["white", "red", "red"]},
    ),
    "F18-an-exchange-with-one-of-two-equal-cards": (
        lambda: building_before_two_masons(red=3),
        "exchange",
        {"slot": 3, "take": "white", "give": ["red", "red", "red"]},
    ),
    "F18-the-bridge": (
        lambda: building_with(Card.BRIDGE, white=1, red=2),
        "exchange",
        {"slot": 1, "take": "yellow", "give": ["red", "red"]},
    ),
    "F19-a-build-of-nothing": (building, "build", {"lay": []}),
    "F19-two-bricks-cost-nothing": (
        lambda: building(white=2),
        "build",
        {"lay": [{"colour": "white", "bricks": 2}]},
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
    "F19-the-workshop": (
        lambda: building_with(Card.WORKSHOP, white=3),
        "build",
        {"lay": [{"colour": "white", "bricks": 3}]},
    ),
    "F20-torn-down": (idle_tower, "build", {"lay": []}),
    "F21-a-commission": (
        lambda: with_tower(RED, 3),
        "fulfil",
        {"tower": 0, "colour": "red", "height": 3},
    ),
    "F22-a-balcony": (
        lambda: with_tower(BLUE, 3),
        "fulfil",
        {"tower": 0, "colour": "blue", "height": 3},
    ),
    "F23-F37-a-level-tile-and-a-privilege": (
        lambda: with_church(Card.MINOR_PRIVILEGE, RED, 5),
        "fulfil",
        {"tower": 0, "colour": "red", "height": 5},
    ),
    "F37-a-privilege-is-used-up": (
        lambda: with_church(Card.MINOR_PRIVILEGE, RED, 5),
        "fulfil",
        {"tower": 0, "colour": "red", "height": 5},
    ),
    "F28-the-architect-serves": (
        architect_hired,
        "fulfil",
        {"tower": 0, "colour": "red", "height": 5},
    ),
    "F38-a-bell-tower": (
        lambda: with_church(Card.CAMPANILE, WHITE, 3),
        "fulfil",
        {"tower": 0, "campanile": True},
    ),
    "F38-everybody-has-delivered": (last_bell_tower, "fulfil", {"tower": 0, "campanile": True}),
    "F40-the-end-tile": (last_seal, "fulfil", {"tower": 0, "colour": "white", "height": 3}),
    "F24-too-many-bricks": (lambda: overfull(white=9, red=3), "end_turn", {}),
    "F24-too-many-cards": (too_many_cards, "end_turn", {"cards": ["mason"]}),
    "F31-the-patrician-discards": (
        lambda: holding(Card.PATRICIAN, Card.DISGRACE),
        "play_personnel",
        {"card": "patrician", "discard": "disgrace"},
    ),
    "F29-the-mason": (
        lambda: holding(Card.MASON, step="build"),
        "play_personnel",
        {"card": "mason"},
    ),
    "F29-the-princess": (lambda: holding(Card.PRINCESS), "play_personnel", {"card": "princess"}),
    "F27-the-alchemist": (
        lambda: holding(Card.ALCHEMIST),
        "play_personnel",
        {"card": "alchemist", "take": "purple", "give": "red"},
    ),
    "F28-the-architect": (
        lambda: holding(Card.ARCHITECT, step="fulfil"),
        "play_personnel",
        {"card": "architect"},
    ),
    "F28-the-architect-of-one-tower": (
        lambda: holding(Card.ARCHITECT, step="fulfil"),
        "play_personnel",
        {"card": "architect", "tower": 0, "by": 1},
    ),
    "F30-the-saboteur": (
        lambda: holding(Card.SABOTEUR),
        "play_personnel",
        {"card": "saboteur", "target": 1, "tower": 0},
    ),
    "F30-the-smuggler": (
        lambda: holding(Card.SMUGGLER),
        "play_personnel",
        {"card": "smuggler", "target": 1, "take": "green", "give": "blue"},
    ),
    "F31-the-patrician-cancels": (
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN),
        "answer_event",
        {"patrician": True},
    ),
    "F31-the-patrician-spares": (
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN, patrician="spares"),
        "answer_event",
        {"patrician": True},
    ),
    "F31-no-patrician": (
        lambda: event_taken(Card.FLOOD, Card.PATRICIAN),
        "answer_event",
        {"patrician": False},
    ),
    "F31-no-patrician-against-what-takes-nothing": (
        lambda: asked_in_vain(Card.BOTCH),
        "answer_event",
        {"patrician": False},
    ),
    "F32-no-tower-and-no-patrician": (
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
    "F33-nobody-else-is-touched": (
        lambda: asked_in_vain(Card.TRIBUTE, patrician="spares"),
        "answer_event",
        {"patrician": True},
    ),
    "F32-no-tower-after-a-patrician-in-the-same-turn": (
        patrician_played_before_a_botch,
        "take_card",
        {"slot": 0},
    ),
    "F31-the-taker-is-asked": (
        lambda: offered_to(Card.PATRICIAN, Card.BOTCH),
        "take_card",
        {"slot": 0},
    ),
    "F32-no-tower": (lambda: offered(Card.BOTCH), "take_card", {"slot": 0}),
    "F32-no-bricks": (fire_without_bricks, "take_card", {"slot": 0}),
    "F32-a-fire-asks": (lambda: offered(Card.STOREHOUSE_FIRE), "take_card", {"slot": 0}),
    "F32-a-fire": (lambda: event_taken(Card.STOREHOUSE_FIRE), "resolve_event", {"bricks": ["red"]}),
    "F32-a-botch": (lambda: event_taken(Card.BOTCH), "resolve_event", {"tower": 0}),
    "F32-a-collapse": (lambda: event_taken(Card.COLLAPSE), "resolve_event", {"tower": 0}),
    "F15-an-event-is-settled": (lambda: event_taken(Card.COLLAPSE), "resolve_event", {"tower": 0}),
    "F33-no-tower-is-taxed": (lambda: offered(Card.LUXURY_TAX), "take_card", {"slot": 0}),
    "F33-no-tower-pays-tribute": (lambda: offered(Card.TRIBUTE), "take_card", {"slot": 0}),
    "F33-nothing-to-flood": (flood_without_bricks, "take_card", {"slot": 0}),
    "F33-a-flood": (lambda: offered(Card.FLOOD), "take_card", {"slot": 0}),
    "F33-a-tribute": (taxed, "take_card", {"slot": 0}),
    "F33-a-tower-is-lost": (taxed, "take_card", {"slot": 0}),
    "F34-paid-by-the-automatic-rule": (taxed, "take_card", {"slot": 0}),
    "F34-chosen": (
        lambda: event_taken(Card.FLOOD, discards="chosen"),
        "discard",
        {"bricks": ["blue"]},
    ),
    "F40-play-ends": (last_turn_ends, "end_turn", {}),
}
APPROVED = Path(__file__).with_name("story.txt")


def scene(name: str) -> str:
    """Return what a scene's command causes: a line for each sentence, with the rules it names."""
    arrange, kind, fields = SCENES[name]
    sentences = story(arrange(), kind, **fields)
    return "".join(f"{one.text} [{', '.join(one.rules)}]\n" for one in sentences)


def approved() -> dict[str, str]:
    """Return the approved scenes by name."""
    _, *parts = re.split(r"^== (.+)\n", APPROVED.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_reads_as_approved(name: str) -> None:
    """A command's sentences and the rules that they name.

    `python -m tests.domain.firenze.test_story` writes what is to be approved.
    """
    assert scene(name) == approved()[name]


def test_each_approved_scene_is_played() -> None:
    """No scene is approved that is gone."""
    assert list(approved()) == list(SCENES)


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


if __name__ == "__main__":
    APPROVED.write_text("".join(f"== {name}\n{scene(name)}" for name in SCENES), encoding="utf-8")
