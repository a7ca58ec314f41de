"""A refusal names the rulebook that states its rule: the match's own, or that of the game."""

from dataclasses import replace
from typing import Any

import pytest

from domain.errors import RuleBroken
from domain.game import Draft
from service.base.errors import Illegal
from service.matches import lobby, moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import load
from tests import toy
from tests.service.matches.conftest import ctx, humans, wakes

__all__ = ["ctx", "wakes"]


def _play(draft: Draft[Any], command: Any) -> None:
    """Play the toy by rules with numbers in M, as those of a match have."""
    try:
        toy.TOY.play(draft, command)
    except RuleBroken as refusal:
        raise RuleBroken(refusal.code, "M1", refusal.detail) from None


@pytest.fixture
def medici(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> NewMatch:
    """A match of a game called Medici. Seat 0 is to act."""
    toy.install(monkeypatch, replace(toy.TOY, key="medici", rules="medici/1", play=_play))
    return open_new(ctx, OpenRequest("medici", humans(2), seed="rulebooks"))


def test_a_game_may_number_its_rules_as_a_match_does(ctx: Context, medici: NewMatch) -> None:
    """Rule M1 of the game Medici is not rule M1 of every match."""
    with pytest.raises(Illegal) as refused:
        moves.move(ctx, Submission(medici.loaded.id, medici.tokens["seat:1"]), {"type": "keep"})
    assert (refused.value.rule, refused.value.rules) == ("M1", "medici")


def test_the_rules_of_a_match_are_its_own_in_every_game(ctx: Context, medici: NewMatch) -> None:
    """Rules for every match are stated in the match's rulebook, for any game."""
    match = medici.loaded.id
    lobby.abort(ctx, Submission(match, medici.tokens["owner"]))
    assert load(ctx, match).match.stage == "aborted"

    with pytest.raises(Illegal) as refused:
        moves.move(ctx, Submission(match, medici.tokens["seat:0"]), {"type": "keep"})
    assert (refused.value.rule, refused.value.rules) == ("M5", "match")
