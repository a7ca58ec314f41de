"""What is secret and what everybody may see (C43)."""

import json
from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.calimala.commands import KeepScoringCard
from domain.calimala.components import FINAL_CARDS, Action, Category
from domain.calimala.events import Compensated, ScoringCardKept, ScoringCardsDealt
from domain.game import Setup
from tests.domain.calimala.table import (
    do,
    fresh,
)
from tests.domain.laws import walk

# ---- views ---------------------------------------------------------------------------------------


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


def test_a_match_tells_the_public_no_card_before_it_is_shown() -> None:
    """C43: the redacted opening names only the open one of the ten cards, besides the council."""
    state = fresh(4)
    events = [wire.encode(wire.redact(event, None)) for event in do(state, "set_up")]
    for event in events:
        event.pop("council", None)

    text = json.dumps(events)
    named = [card for card in FINAL_CARDS if f'"{card.wire}"' in text]

    assert named == [state.face_up]
