"""The box, the setup, the draft, and its secrets (C1-C13, C43)."""

from collections.abc import Sequence
from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.calimala.commands import KeepScoringCard
from domain.calimala.components import (
    ACTIONS,
    ARTWORK_SLOTS,
    CARDS_OF_EACH_ACTION,
    CITY_ROOM,
    FINAL_CARDS,
    FIRST_GAME,
    PORT_CITIES,
    ROW_SLOTS,
    ROWS_OF_BUILDING,
    STREETS,
    TILES,
    TRADE_CITIES,
    Action,
    Category,
    City,
    Project,
    Resource,
)
from domain.calimala.events import CardPlayed, Compensated, ScoringCardKept, ScoringCardsDealt
from domain.calimala.state import State
from domain.chance import Draws
from domain.game import HOUSE, Setup
from tests.domain.calimala.table import (
    BRICK_ARTWORK,
    deal,
    do,
    fresh,
    placing_refused,
    refused,
    table,
    table_with_hands,
    tags,
)
from tests.domain.laws import walk

SLOTS_OF_BUILDINGS = [sum(ROW_SLOTS[rows]) for rows in ROWS_OF_BUILDING]


def wires(cities: Sequence[City]) -> list[str]:
    """Return the wire names of cities."""
    return [city.wire for city in cities]


COUNTS = [
    pytest.param(len(ACTIONS), 9, id="C2-actions"),
    pytest.param(len(STREETS), 12, id="C3-streets"),
    pytest.param(CARDS_OF_EACH_ACTION * len(ACTIONS), 45, id="C5-action-cards"),
    pytest.param(len(set(FINAL_CARDS)), 10, id="C5-final-cards"),
    pytest.param(len(set(TILES)), 15, id="C6-tiles"),
    pytest.param(CITY_ROOM, 12, id="C7-city-room"),
    pytest.param(SLOTS_OF_BUILDINGS, [15, 9, 12], id="C8-resource-slots"),
    pytest.param(ROW_SLOTS, (5, 5, 5, 3, 3, 3, 4, 4, 4), id="C8-equal-rows"),
    pytest.param(ARTWORK_SLOTS, (5, 3, 4, 4), id="C8-artwork-slots"),
    pytest.param(list(GAME.seats), [3, 4, 5], id="C1-players"),
    pytest.param(wires(PORT_CITIES), ["barcelona", "lisbon", "london"], id="C7-at-the-sea"),
    pytest.param(wires(TRADE_CITIES), ["troyes", "bruges", "hamburg"], id="C7-trade-houses"),
]


@pytest.mark.parametrize(("counted", "printed"), COUNTS)
def test_the_printed_numbers(counted: object, printed: object) -> None:
    """Each count is the one the rulebook gives."""
    assert counted == printed


DISCS = [
    pytest.param(3, 12, 3, id="C10-three"),
    pytest.param(4, 10, 2, id="C10-four"),
    pytest.param(5, 8, 2, id="C10-five"),
]


@pytest.mark.parametrize(("seats", "coloured", "white"), DISCS)
def test_a_player_starts_with(seats: int, coloured: int, white: int) -> None:
    """C9: 40 cubes, one empty workshop, nothing built. C10: discs by the number of players."""
    for player in fresh(seats).players:
        assert player.discs == coloured
        assert player.whites == white
        assert player.reserve == 40
        assert player.cloth == (0,)
        assert player.stock == [0, 0, 0]
        assert player.ships == 0
        assert player.houses == [0, 0, 0]


@pytest.mark.parametrize("seat", [pytest.param(-1, id="C1-below"), pytest.param(3, id="C1-above")])
def test_a_seat_must_exist(seat: int) -> None:
    """C1: nobody acts for a seat that does not exist, also if all seats are awaited."""
    assert refused(opened(3), "keep_scoring_card", seat, card="lisbon") == "C1 no_such_seat"
    assert placing_refused(table(3), seat, BRICK_ARTWORK) == "C1 no_such_seat"


# ---- the grid (C4) -------------------------------------------------------------------------------


def test_the_first_game_layout() -> None:
    """C4: the grid of a first game is not shuffled."""
    state = fresh(3, "first_game")
    do(state, "set_up")
    assert tuple(state.grid) == FIRST_GAME


def opened(seats: int) -> State:
    """Return a match that has just been set up. Its seed is the number of seats."""
    state = fresh(seats)
    do(state, "set_up", seed=seats)
    return state


def keep(state: State, seat: int, place: int = 0) -> None:
    """Let the seat keep one of its dealt scoring cards."""
    card = state.players[seat].dealt[place]
    do(state, "keep_scoring_card", seat, card=card.wire)


def drafting(seats: int) -> State:
    """Return a match in which every seat has kept its first scoring card."""
    state = opened(seats)
    for seat in range(seats):
        keep(state, seat)
    return state


def take(state: State, seat: int, card: str) -> list[str]:
    """Let the seat take an open action card. Return the names of the events."""
    return tags(do(state, "take_action_card", seat, card=card))


# ---- the opening ---------------------------------------------------------------------------------


def test_only_the_house_can_open() -> None:
    """C11: before the opening nobody but the house may act, and it opens once."""
    state = fresh(3)
    assert GAME.actors(state) == (HOUSE,)
    assert GAME.legal_moves(state, HOUSE) == [GAME.opening]
    assert placing_refused(state, 0, BRICK_ARTWORK, "white") == "C38 house_must_act"

    do(state, "set_up")
    assert refused(state, "set_up") == "C38 house_not_awaited"


DEALS = [
    pytest.param(3, 3, True, 0, id="C12-three"),
    pytest.param(4, 2, True, 1, id="C12-four"),
    pytest.param(5, 2, False, 0, id="C12-five"),
]


@pytest.mark.parametrize(("seats", "each", "face_up", "unseen"), DEALS)
def test_scoring_cards_are_dealt(seats: int, each: int, face_up: bool, unseen: int) -> None:
    """C12: each seat gets so many, the rest is open or boxed, and no card is dealt twice."""
    state = opened(seats)

    assert (state.face_up is not None) == face_up
    cards = {state.face_up} if face_up else set()
    for player in state.players:
        assert len(player.dealt) == each
        assert cards.isdisjoint(player.dealt)
        cards.update(player.dealt)

    assert len(cards) == len(FINAL_CARDS) - unseen


# ---- keeping a scoring card ----------------------------------------------------------------------


def test_all_seats_keep_a_card_in_any_order() -> None:
    """C12: every seat without a kept card is awaited. The draft begins when all have one (C13)."""
    state = opened(3)

    assert GAME.actors(state) == (0, 1, 2)

    keep(state, 1)
    assert GAME.actors(state) == (0, 2)

    keep(state, 2)
    assert GAME.actors(state) == (0,)

    keep(state, 0)
    assert GAME.actors(state) == (2,)


NOT_DEALT = [
    pytest.param("palazzo_vecchio", id="C12-not-dealt"),
    pytest.param(None, id="C12-no-card"),
]


@pytest.mark.parametrize("card", NOT_DEALT)
def test_only_a_dealt_card_may_be_kept(card: str | None) -> None:
    """C12: a card that was dealt to the seat must be named."""
    state = opened(4)
    for player in state.players:
        player.dealt = tuple(dealt for dealt in player.dealt if dealt.wire != card)

    assert refused(state, "keep_scoring_card", 1, card=card) == "C12 card_not_dealt"


def test_a_kept_card_is_kept() -> None:
    """C12: nobody chooses twice, and nobody drafts before all have chosen."""
    state = opened(3)
    keep(state, 0)
    card = state.players[0].dealt[0].wire

    assert refused(state, "keep_scoring_card", 0, card=card) == "C12 already_kept"
    assert GAME.legal_moves(state, 0) == []
    assert refused(state, "take_action_card", 2, card="wood") == "C12 wrong_phase"


def test_cards_are_kept_before_the_draft_only() -> None:
    """C12, C13: in the draft a seat is awaited for something else."""
    state = drafting(3)
    assert refused(state, "keep_scoring_card", 2, card="lisbon") == "C13 wrong_phase"


# ---- the draft -----------------------------------------------------------------------------------


def test_a_card_is_taken_once() -> None:
    """C13: of each open card there is one copy. One seat takes at a time."""
    state = drafting(3)
    assert refused(state, "take_action_card", 1, card="wood") == "C13 not_your_turn"
    assert GAME.legal_moves(state, 1) == []
    assert refused(state, "take_action_card", 2, card="ship") == "C13 card_not_open"

    take(state, 2, "wood")
    assert refused(state, "take_action_card", 1, card="wood") == "C13 card_not_open"


# ---- what is known beside the views --------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_public_events_reveal_the_drafted_cards(seed: int) -> None:
    """C13, C43: a card that was taken openly stays known until one of its action is played."""
    setup = Setup(3, GAME.read_options({}))
    drafted: dict[int, str | None] = dict.fromkeys(range(3))

    for step in walk(GAME, setup, seed):
        for event in step.events:
            public_event = wire.encode(wire.redact(event, None))
            if public_event["type"] == "action_card_taken":
                drafted[public_event["seat"]] = public_event["card"]
            elif (
                public_event["type"] == "card_played"
                and drafted[public_event["seat"]] == public_event["action"]
            ):
                drafted[public_event["seat"]] = None

        players = GAME.known(step.after)["players"]
        assert [player["drafted_card"] for player in players] == list(drafted.values()), (
            step.version
        )


# ---- messages ------------------------------------------------------------------------------------

DRAWN = Compensated(seat=1, action=Action.SHIP, drew=True, card=Action.WOOD)
SECRETS: list[Any] = [
    pytest.param(ScoringCardsDealt(1, (Category.LISBON,)), "cards", id="C43-dealt"),
    pytest.param(ScoringCardKept(1, Category.LISBON), "card", id="C43-kept"),
    pytest.param(DRAWN, "card", id="C43-drawn"),
    pytest.param(KeepScoringCard(1, Category.LISBON), "card", id="C43-command"),
]


@pytest.mark.parametrize(("message", "field"), SECRETS)
def test_messages_hide_secrets(message: Any, field: str) -> None:
    """C43: the seat itself reads the card, others read the message without it."""
    assert wire.redact(message, 1) == message
    for viewer in (None, 0):
        view = wire.encode(wire.redact(message, viewer))
        assert field not in view


# ---- what a seat imagines ------------------------------------------------------------------------

SEEDS = range(20)


def imagined_by(state: State, seat: int, seed: int) -> State:
    """Return the seat's imagined state with the draws of this seed."""
    return GAME.imagine(state, seat, Draws(seed.to_bytes(2, "big")))


def deal_sizes(state: State) -> list[int]:
    return [len(player.dealt) for player in state.players]


def dealt_cards(state: State) -> list[Category]:
    """Return the scoring cards that were dealt to all seats."""
    return [card for player in state.players for card in player.dealt]


def before_the_last_choice(seats: int) -> State:
    """Return a match in which all seats but the last kept a scoring card and hold two cards."""
    state = fresh(seats)
    do(state, "set_up")
    for seat in range(seats - 1):
        card = state.players[seat].dealt[0]
        do(state, "keep_scoring_card", seat, card=card.wire)
        deal(state, seat, Action.SHIP, Action.WOOD)
    return state


EVERY_NUMBER = [pytest.param(seats, id=f"C43-{seats}-seats") for seats in GAME.seats]


@pytest.mark.parametrize("seats", EVERY_NUMBER)
def test_imagined_scoring_cards_are_dealt_and_kept_as_in_truth(seats: int) -> None:
    """C43: imagined cards differ, as many for each seat, and an unkept card stays unkept."""
    state = before_the_last_choice(seats)
    for seed in SEEDS:
        imagined = imagined_by(state, 1, seed)
        assert deal_sizes(imagined) == deal_sizes(state)

        scoring_cards = [*dealt_cards(imagined), state.face_up]
        assert len(set(scoring_cards)) == len(scoring_cards)

        *others, last = imagined.players
        assert all(player.kept in player.dealt for player in others)
        assert last.kept is None


def test_imagining_redraws_hidden_parts() -> None:
    """C43: in the long run another seat may hold any card, and may have kept any not seen."""
    state = table_with_hands()
    actions = set()
    cards = set()
    for seed in range(300):
        imagined = imagined_by(state, 0, seed)
        another = imagined.players[1]
        actions.add(another.hand.index(1))
        cards.add(another.kept)

    seen_cards = {state.face_up, *state.players[0].dealt}

    assert actions == set(Action)
    assert cards == set(FINAL_CARDS) - seen_cards


def after_the_draft() -> State:
    """Return a match of three in which every seat has taken an open action card."""
    state = fresh(3)
    do(state, "set_up")
    for seat in range(3):
        card = state.players[seat].dealt[0]
        do(state, "keep_scoring_card", seat, card=card.wire)
    for seat, drafted_card in ((2, "wood"), (1, "build"), (0, "weave")):
        do(state, "take_action_card", seat, card=drafted_card)
    return state


def drafted_by(state: State, seat: int) -> Action | None:
    return state.players[seat].drafted


def test_a_card_taken_openly_is_forgotten_after_its_play() -> None:
    """Once the drafted card or one like it is played, nobody knows the rest of the hand (C13)."""
    state = after_the_draft()
    deal(state, 1, Action.BUILD, Action.SHIP)

    assert drafted_by(state, 1) is Action.BUILD

    state.players[1].stock[Resource.WOOD] = 2
    GAME.evolve(state, CardPlayed(1, Action.BUILD, build=Project.SHIP))

    assert drafted_by(state, 1) is None
    hands = [imagined_by(state, 0, seed).players[1].hand[Action.BUILD] for seed in SEEDS]
    assert 0 in hands
