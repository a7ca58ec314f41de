"""What is secret, what is public, and what a seat imagines (C43)."""

from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.calimala.commands import KeepScoringCard
from domain.calimala.components import (
    FINAL_CARDS,
    Action,
    Category,
    Project,
    Resource,
)
from domain.calimala.events import CardPlayed, Compensated, ScoringCardKept, ScoringCardsDealt
from domain.calimala.state import State, kept_cards
from domain.chance import Draws
from domain.game import Setup
from tests.domain.calimala.table import deal, do, fresh, table_with_hands
from tests.domain.laws import walk

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


# ---- what a seat imagines ------------------------------------------------------------------------

SEEDS = range(20)


def imagined_by(state: State, seat: int, seed: int) -> State:
    """Return what the seat imagines with the draws of this seed."""
    return GAME.imagine(state, seat, Draws(seed.to_bytes(2, "big")))


def hand_sizes(state: State) -> list[int]:
    return [sum(player.hand) for player in state.players]


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
    """C43: they all differ, as many are dealt to each seat, and who has kept none keeps none."""
    state = before_the_last_choice(seats)
    for seed in SEEDS:
        imagined = imagined_by(state, 1, seed)
        assert deal_sizes(imagined) == deal_sizes(state)

        scoring_cards = [*dealt_cards(imagined), state.face_up]
        assert len(set(scoring_cards)) == len(scoring_cards)

        *others, last = imagined.players
        assert all(player.kept in player.dealt for player in others)
        assert last.kept is None


def test_imagining_draws_anew_what_is_hidden() -> None:
    """C43: in the long run another seat may hold any card, and may have kept any not seen."""
    state = table_with_hands()
    held = set()
    kept = set()
    for seed in range(300):
        imagined = imagined_by(state, 0, seed)
        another = imagined.players[1]
        held.add(another.hand.index(1))
        kept.add(another.kept)

    seen = {state.face_up, *state.players[0].dealt}

    assert held == set(Action)
    assert kept == set(FINAL_CARDS) - seen


def test_imagining_keeps_what_has_been_revealed() -> None:
    """C41, C43: after the final reveal the kept cards are known, the other dealt ones are not."""
    state = table_with_hands()
    state.revealed = True
    boxed = FINAL_CARDS[4:8]
    for player, card in zip(state.players, boxed, strict=True):
        player.dealt = (*player.dealt, card)

    for seed in SEEDS:
        imagined = imagined_by(state, 0, seed)
        assert kept_cards(imagined) == kept_cards(state)
        assert deal_sizes(imagined) == [2, 2, 2, 2]
        assert len(set(dealt_cards(imagined))) == 8
        for player in imagined.players:
            assert player.kept in player.dealt


def after_the_draft() -> State:
    """Return a match of three in which every seat has taken an open action card."""
    state = fresh(3)
    do(state, "set_up")
    for seat in range(3):
        card = state.players[seat].dealt[0]
        do(state, "keep_scoring_card", seat, card=card.wire)
    for seat, taken in ((2, "wood"), (1, "build"), (0, "weave")):
        do(state, "take_action_card", seat, card=taken)
    return state


def drafted_by(state: State, seat: int) -> Action | None:
    return state.players[seat].drafted


def test_a_card_taken_openly_is_remembered() -> None:
    """C13: whatever else is drawn anew, the others still hold what everybody saw them take."""
    state = after_the_draft()
    deal(state, 1, Action.SHIP, Action.SHIP)

    for seed in SEEDS:
        imagined = imagined_by(state, 0, seed)
        assert imagined.players[1].hand[Action.BUILD] >= 1
        assert imagined.players[2].hand[Action.WOOD] == 1
        assert hand_sizes(imagined) == hand_sizes(state)


def test_a_card_taken_openly_is_forgotten_when_one_of_its_action_is_played() -> None:
    """Whether it was the drafted card or one like it, nobody knows what is left (C13)."""
    state = after_the_draft()
    deal(state, 1, Action.BUILD, Action.SHIP)

    assert drafted_by(state, 1) is Action.BUILD

    state.players[1].stock[Resource.WOOD] = 2
    GAME.evolve(state, CardPlayed(1, Action.BUILD, build=Project.SHIP))

    assert drafted_by(state, 1) is None
    hands = [imagined_by(state, 0, seed).players[1].hand[Action.BUILD] for seed in SEEDS]
    assert 0 in hands
