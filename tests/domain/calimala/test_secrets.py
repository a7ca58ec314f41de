"""What is secret and what everybody may see (C43)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.calimala.commands import KeepScoringCard
from domain.calimala.components import ACTIONS, FINAL_CARDS, Action, Category
from domain.calimala.events import Compensated, ScoringCardKept, ScoringCardsDealt
from domain.calimala.state import State
from domain.game import Setup
from tests.domain.calimala.table import (
    BRICK_WOOD,
    activate,
    deal,
    do,
    fresh,
    give,
    play_card,
    table,
    table_with_hands,
)
from tests.domain.laws import walk

# ---- views ---------------------------------------------------------------------------------------


def test_a_seat_sees_its_own_cards() -> None:
    """C43: its hand, and the scoring cards dealt to it and kept."""
    assert GAME.view(table_with_hands(), 2)["own"] == {
        "hand": {"build": 2, "weave": 1},
        "scoring_cards_dealt": ["london"],
        "scoring_card_kept": "london",
    }


def test_the_public_has_no_cards_of_its_own() -> None:
    """C43: only a seat's view has such a part."""
    assert "own" not in GAME.view(table_with_hands(), None)
    assert "own" in GAME.view(table_with_hands(), 0)


VIEWERS = [pytest.param(None, id="C43-public"), pytest.param(0, id="C43-another-seat")]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_everybody_sees_how_many_cards_there_are(viewer: int | None) -> None:
    """C43: the sizes of hands and deck are public."""
    view = GAME.view(table_with_hands(), viewer)
    assert [player["hand_size"] for player in view["players"]] == [2, 1, 3, 0]
    assert view["deck_size"] == 39


@pytest.mark.parametrize("viewer", VIEWERS)
def test_others_see_only_how_many_cards_there_are(viewer: int | None) -> None:
    """C43: changing a hand, the deck or a scoring card changes no other view."""
    state = table_with_hands()
    before = GAME.view(state, viewer)

    state.deck = only_artworks(39)
    player = state.players[2]
    player.hand = only_artworks(3)
    player.dealt = (Category.SAN_MINIATO,)
    player.kept = Category.SAN_MINIATO

    assert GAME.view(state, viewer) == before


def only_artworks(count: int) -> list[int]:
    """Return a pile of so many artwork cards."""
    pile = [0] * len(ACTIONS)
    pile[Action.ARTWORK] = count
    return pile


def build_ships(state: State) -> None:
    state.players[1].ships = 2


def build_a_house(state: State) -> None:
    state.players[1].houses = [0, 1, 0]


def score_points(state: State) -> None:
    state.players[1].points = 2


def use_white_discs_up(state: State) -> None:
    state.players[1].whites = 0


def discard(state: State) -> None:
    state.discards[3] = 2


def put_a_white_disc_down(state: State) -> None:
    state.streets[3] = (-1,)


def take_a_seat(state: State) -> None:
    state.council_seats = (1,)


def bring_cloth(state: State) -> None:
    state.cloth[2] = (0, 3, 0)


def contribute(state: State) -> None:
    state.contributed[2] = (0, 3, 0)


def give_artworks(state: State) -> None:
    state.artworks[2] = (0, 3, 0)


def become_a_patron(state: State) -> None:
    state.patrons = (1,)


PUBLIC_CHANGES = [
    pytest.param(lambda state: give(state, 1, wood=1), id="C43-warehouse"),
    pytest.param(lambda state: give(state, 1, cloth=1), id="C43-workshop"),
    pytest.param(build_ships, id="C43-ships"),
    pytest.param(build_a_house, id="C43-trade-houses"),
    pytest.param(score_points, id="C43-points"),
    pytest.param(use_white_discs_up, id="C43-white-discs"),
    pytest.param(discard, id="C43-discards"),
    pytest.param(put_a_white_disc_down, id="C43-streets"),
    pytest.param(take_a_seat, id="C43-council"),
    pytest.param(bring_cloth, id="C43-cities"),
    pytest.param(contribute, id="C43-contributions"),
    pytest.param(give_artworks, id="C43-artworks"),
    pytest.param(become_a_patron, id="C43-patrons"),
    pytest.param(lambda state: activate(state, 1, BRICK_WOOD), id="C43-agenda"),
]


@pytest.mark.parametrize("change", PUBLIC_CHANGES)
def test_all_else_is_public(change: Callable[[State], None]) -> None:
    """C43: every heap, stack, seat and engine that changes the state changes the public view."""
    state = table()
    before = GAME.view(state, None)

    change(state)
    assert GAME.view(state, None) != before


def test_final_cards_become_public_when_revealed() -> None:
    """C41, C43: the kept ones only."""
    state = table(3)
    assert GAME.view(state, None)["final_cards"] is None

    state.revealed = True
    view = GAME.view(state, None)

    assert view["final_cards"] == ["barcelona", "lisbon", "london"]


@pytest.mark.parametrize("seats", GAME.seats)
def test_kept_cards_are_in_no_public_view_before_they_are_revealed(seats: int) -> None:
    """C12, C41, C43: then it is those that were kept, not all that were dealt, by seat."""
    setup = Setup(seats, GAME.read_options({}))
    kept: dict[int, str] = {}
    shown: list[str] | None = None

    for step in walk(GAME, setup, 0):
        for event in step.events:
            written = wire.encode(event)
            if written["type"] == "scoring_card_kept":
                kept[written["seat"]] = written["card"]
            elif written["type"] == "final_cards_revealed":
                shown = [kept[seat] for seat in range(seats)]

        view = GAME.view(step.after, None)
        assert view["final_cards"] == shown, step.version

    assert shown is not None


@pytest.mark.parametrize("viewer", VIEWERS)
def test_which_card_is_kept_changes_no_other_view(viewer: int | None) -> None:
    """C12, C43: the choice is secret from the moment it is made."""
    state = fresh(3)
    do(state, "set_up")

    views = []
    for card in state.players[1].dealt:
        after = state.copy()
        do(after, "keep_scoring_card", 1, card=card.wire)
        views.append(GAME.view(after, viewer))

    assert views == [views[0]] * 3


# ---- what is known beside the views --------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_who_follows_the_public_events_knows_the_drafted_cards(seed: int) -> None:
    """C13, C43: a card that was taken openly stays known until one of its action is played."""
    setup = Setup(3, GAME.read_options({}))
    drafted: dict[int, str | None] = dict.fromkeys(range(3))

    for step in walk(GAME, setup, seed):
        for event in step.events:
            shown = wire.encode(wire.redact(event, None))
            if shown["type"] == "action_card_taken":
                drafted[shown["seat"]] = shown["card"]
            elif shown["type"] == "card_played" and drafted[shown["seat"]] == shown["action"]:
                drafted[shown["seat"]] = None

        told = GAME.known(step.after)["players"]
        assert [player["drafted_card"] for player in told] == list(drafted.values()), step.version


def test_a_drafted_card_is_known_until_it_is_played() -> None:
    """C13: another card of the hand that is played does not hide it."""
    state = table()
    deal(state, 1, Action.WEAVE, Action.WOOD)
    state.players[1].drafted = Action.WOOD
    activate(state, 1, BRICK_WOOD, times=2)

    play_card(state, 1, "weave")
    assert drafted_cards(state) == [None, "wood", None]

    play_card(state, 1, "wood")
    assert drafted_cards(state) == [None, None, None]


def drafted_cards(state: State) -> list[str | None]:
    """Return the drafted card of each seat, as everybody is told."""
    return [player["drafted_card"] for player in GAME.known(state)["players"]]


# ---- messages ------------------------------------------------------------------------------------

DRAWN = Compensated(seat=1, action=Action.SHIP, drew=True, card=Action.WOOD)
SECRETS: list[Any] = [
    pytest.param(ScoringCardsDealt(1, (Category.LISBON,)), "cards", id="C43-dealt"),
    pytest.param(ScoringCardKept(1, Category.LISBON), "card", id="C43-kept"),
    pytest.param(DRAWN, "card", id="C43-drawn"),
    pytest.param(KeepScoringCard(1, Category.LISBON), "card", id="C43-command"),
]


@pytest.mark.parametrize(("message", "field"), SECRETS)
def test_messages_hide_what_is_secret(message: Any, field: str) -> None:
    """C43: the seat itself reads the card, others read the message without it."""
    assert wire.redact(message, 1) == message
    for viewer in (None, 0):
        shown = wire.encode(wire.redact(message, viewer))
        assert field not in shown


def test_a_match_tells_the_public_no_card_before_it_is_shown() -> None:
    """C43: the redacted opening names only the open one of the ten cards, besides the council."""
    state = fresh(4)
    events = [wire.encode(wire.redact(event, None)) for event in do(state, "set_up")]
    for event in events:
        event.pop("council", None)

    text = json.dumps(events)
    named = [card for card in FINAL_CARDS if f'"{card.wire}"' in text]

    assert named == [state.face_up]
