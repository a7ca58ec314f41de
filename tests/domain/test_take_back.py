"""Taking moves back (M17 of docs/rules/match.md)."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from domain import wire
from domain.calimala.commands import PlaceDisc
from domain.calimala.events import DiscPlaced, FinalCardsRevealed
from domain.errors import RuleBroken
from domain.firenze.events import TurnBegan
from domain.game import HOUSE, AnyGame, Setup
from domain.games import GAMES
from domain.match.evolve import count_moves, end_commit, fold, new_match
from domain.match.match_rules import NEWEST
from domain.match.messages import (
    Abort,
    AgreeTakeBack,
    AskTakeBack,
    ClockPlan,
    MatchOpened,
    RefuseTakeBack,
    Replace,
    ReplaceToken,
    Restore,
    Return,
    RunOut,
    SeatPlan,
    SeatReplaced,
    SeatRestored,
    TakeBackAgreed,
    TakeBackAsked,
    TakeBackRefused,
    TakenBack,
)
from domain.match.state import Match
from domain.match.story import story_of
from domain.match.terms import take_back
from domain.match.terms.clock import Clock
from tests.domain import refusals
from tests.domain.laws import draws, walk
from tests.domain.sitting import BOT, HUMAN, Sitting
from tests.domain.take_back_model import Model
from tests.terms import clock_of, take_back_of

CALIMALA = GAMES["calimala"]
FIRENZE = GAMES["firenze"]
PLAN = ClockPlan(bank_s=60, move_s=10, level="greedy")


def sitting(
    option: str | None = "consent",
    clock: ClockPlan | None = None,
    match_rules: int | None = NEWEST,
) -> Sitting:
    """Return a match of Calimala in which all have kept a card. Seat 2 drafts next.

    Neither keeping nor drafting draws. So version 1, the opening, is the last that drew.
    """
    played = Sitting(CALIMALA, (HUMAN, HUMAN, HUMAN), clock, option, match_rules)
    for _ in range(3):
        played.move()
    assert played.match.status.seats == (2,)
    assert played.version == 4
    return played


def kept(played: Sitting) -> take_back.TakeBack:
    """Return the take-back state of the match."""
    assert take_back_of(played.match) is not None
    return take_back_of(played.match)


def state(played: Sitting, version: int | None = None) -> Any:
    """Return the state of the game at a version, by default as it is."""
    match = played.match if version is None else played.matches[version]
    return wire.dump(match.state)


# ---- what happens --------------------------------------------------------------------------------


@pytest.mark.parametrize("option", take_back.OPTIONS)
def test_own_moves_of_one_turn_are_taken_back_at_once(option: str) -> None:
    """M17: for own moves of one turn nobody is asked."""
    played = sitting(option)
    played.move()
    assert (kept(played).version, kept(played).reason) == (1, "draw")
    assert played.do(AskTakeBack(2, 4)) == [TakeBackAsked(2, 4), TakenBack(4)]
    assert state(played) == state(played, 4)
    assert played.version == 6


def test_commits_beside_the_game_do_not_hinder() -> None:
    """M17: only moves are taken back. A token that was replaced meanwhile stays replaced."""
    played = sitting("own")
    played.move()
    played.do(ReplaceToken("seat:1"), "seat:1")
    played.do(AskTakeBack(2, 4))
    assert state(played) == state(played, 4)


def test_others_moves_are_taken_back_once_all_agree() -> None:
    """M17: every other human is asked, the asker is not."""
    played = sitting()
    played.move()
    played.move()
    assert played.do(AskTakeBack(2, 4)) == [TakeBackAsked(2, 4)]
    assert played.do(AgreeTakeBack(0)) == [TakeBackAgreed(0)]
    assert state(played) == state(played, 6)

    assert played.do(AgreeTakeBack(1)) == [TakeBackAgreed(1), TakenBack(4)]
    assert state(played) == state(played, 4)
    assert kept(played).ask is None


def test_bots_are_not_asked() -> None:
    """M17: with one human at the table nobody is asked, and the bots' moves are taken back, too."""
    played = sitting()
    played.do(Replace(0, "greedy"), "owner")
    played.do(Replace(1, "greedy"), "owner")
    played.move()
    played.move()
    assert played.do(AskTakeBack(2, 6)) == [TakeBackAsked(2, 6), TakenBack(6)]
    assert [seat.kind for seat in played.match.seats] == ["bot", "bot", "human"]


ENDINGS: dict[str, tuple[Any, str]] = {
    "M17-refused-by-another": (RefuseTakeBack(1), ""),
    "M17-asked-no-more": (RefuseTakeBack(2), ""),
    "M17-a-bot-comes": (Replace(0, "greedy"), "owner"),
}


@pytest.mark.parametrize(("command", "actor"), ENDINGS.values(), ids=ENDINGS)
def test_moves_refusals_and_changes_of_seats_end_an_ask(command: Any, actor: str) -> None:
    """M17: a refusal, a withdrawal or a change of a seat ends an ask."""
    played = asked()
    played.do(command, actor)
    assert kept(played).ask is None


def asked(match_rules: int | None = NEWEST) -> Sitting:
    """Return a match in which seat 2 asks for two moves, one of them its own."""
    played = sitting(match_rules=match_rules)
    played.move()
    played.move()
    played.do(AskTakeBack(2, 4))
    return played


def test_a_move_ends_an_ask() -> None:
    """M17: after a move the match goes on as if nothing had been asked."""
    played = asked()
    played.move()
    assert kept(played).ask is None


def test_a_change_of_a_token_ends_no_ask() -> None:
    """M17: a change of a token is no move, and changes no player."""
    played = asked()
    played.do(ReplaceToken("owner"), "owner")
    assert kept(played).ask == take_back.Ask(2, 4)


def test_the_added_seconds_are_lost_and_payments_stay() -> None:
    """M17: taking back again and again brings nobody time to think."""
    played = sitting("own", PLAN)
    for _ in range(3):
        version = played.version
        played.move(seconds=15)
        played.do(AskTakeBack(2, version))
    assert clock(played).banks == (60_000, 60_000, 15_000)


def thrice_taken_back(match_rules: int | None) -> Sitting:
    """Return a match in which seat 2 ended its turn three times, and seat 1 waited for it."""
    played = sitting("own", PLAN, match_rules)
    for _ in range(3):
        version = played.version
        played.move()
        played.do(AskTakeBack(2, version), seconds=5)
    return played


def test_a_player_who_takes_back_alone_pays_for_the_others() -> None:
    """M17: the others' banks are as at the version gone back to. Else they could be run down."""
    assert clock(thrice_taken_back(NEWEST)).banks == (60_000, 60_000, 60_000)


def test_by_match_rules_1_the_others_pay_too() -> None:
    """M17: by match rules 1 all seats pay for the time since the version gone back to."""
    assert sum(clock(thrice_taken_back(None)).banks) == 3 * 60_000 - 3 * 5_000


def test_by_consent_payments_of_all_stay() -> None:
    """M17: with consent all seats pay for the time since then, since all humans have agreed."""
    played = sitting("consent", PLAN)
    played.move()
    payer = clock(played).paying[0]
    played.move(seconds=5)
    played.do(AskTakeBack(2, 4))
    played.do(AgreeTakeBack(0))
    played.do(AgreeTakeBack(1))
    assert clock(played).banks[payer] == 55_000


def test_the_added_seconds_of_the_turn_before_stay() -> None:
    """M17: the version gone back to has ended a turn, and the seconds of that turn are kept."""
    played = sitting("consent", PLAN)
    played.move(seconds=15)
    played.move(seconds=15)
    assert clock(played).banks == (60_000, 55_000, 55_000)

    played.do(AskTakeBack(0, 5))
    for seat in (1, 2):
        played.do(AgreeTakeBack(seat))
    assert clock(played).banks == (60_000, 45_000, 55_000)


def test_no_bank_holds_more_than_at_the_version_gone_back_to() -> None:
    """M17: no bank keeps seconds that its human has got since for coming back."""
    played = sitting("consent", PLAN)
    played.move()
    played.do(RunOut(1, clock(played).due(1)), "house", seconds=60)
    played.do(Return(1))
    played.move()
    assert clock(played).banks[1] == 20_000

    played.do(AskTakeBack(0, 6))
    for seat in (1, 2):
        played.do(AgreeTakeBack(seat))
    assert clock(played).banks == (60_000, 0, 60_000)


def clock(played: Sitting) -> Clock:
    """Return the clock of a match."""
    assert clock_of(played.match) is not None
    return clock_of(played.match)


def test_the_oldest_moves_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """M17: a match that seldom draws keeps a bounded number of commits."""
    monkeypatch.setattr(take_back, "FARTHEST", 2)
    monkeypatch.setattr(take_back, "MOST_STEPS", 5)
    played = sitting()
    for _ in range(3):
        played.move()
    assert (kept(played).version, kept(played).reason) == (5, "length")
    assert kept(played).earliest == 5

    played.do(AskTakeBack(0, 6))
    assert kept(played).ask is None
    assert state(played) == state(played, 6)


def test_nothing_goes_back_over_more_than_a_hundred_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M17: moves are counted, so commits beside the game push no version out of reach."""
    assert take_back.FARTHEST == 100
    monkeypatch.setattr(take_back, "FARTHEST", 2)
    played = sitting()
    for _ in range(3):
        played.move()
        played.do(ReplaceToken("owner"), "owner")
    for _ in range(300):
        played.do(ReplaceToken("owner"), "owner")

    assert kept(played).earliest == 6
    with pytest.raises(RuleBroken) as refused:
        played.do(AskTakeBack(2, 5))
    assert (refused.value.rule, refused.value.code) == ("M17", "too_far_back")
    refusals.check(refused.value, "match")
    played.do(AskTakeBack(0, 6))
    for seat in (1, 2):
        played.do(AgreeTakeBack(seat))
    assert state(played) == state(played, 6)


def test_asks_push_no_version_out_of_reach() -> None:
    """M17: a player cannot save a move from being taken back by asking again and again."""
    played = sitting()
    played.move()
    played.move()
    for _ in range(60):
        played.do(AskTakeBack(0, 4))
        played.do(RefuseTakeBack(0))
    assert kept(played).earliest == 1
    played.do(AskTakeBack(2, 4))


def test_match_rules_1_take_back_at_most_a_hundred_commits() -> None:
    """M17: by match rules 1 a hundred commits are taken back, and never one more."""
    played = sitting(match_rules=None)
    for _ in range(3):
        played.move()
    while played.version < 106:
        played.do(ReplaceToken("owner"), "owner")
    with pytest.raises(RuleBroken) as refused:
        played.do(AskTakeBack(2, 5))
    assert (refused.value.rule, refused.value.code) == ("M17", "too_far_back")
    assert "Version 6 is as far back" in refused.value.detail
    refusals.check(refused.value, "match")
    assert kept(played).earliest == 6

    played.do(AskTakeBack(0, 6))
    assert state(played) == state(played, 6)


def test_a_bot_s_move_is_not_the_asker_s_own() -> None:
    """M17: a player who lets time run out and comes back does not undo the bot's moves alone."""
    played = sitting("own", PLAN)
    played.do(RunOut(2, clock(played).due(2)), "house", seconds=60)
    played.move()
    played.do(Return(2))
    with pytest.raises(RuleBroken) as refused:
        played.do(AskTakeBack(2, 5))
    assert (refused.value.rule, refused.value.code) == ("M17", "not_your_moves")
    refusals.check(refused.value, "match")


def test_payments_until_the_take_back_are_taken_off_first() -> None:
    """M17: the payments come first. Then a bank is cut to its value at the version gone back to."""
    assert clock(taken_back_late(None)).banks == (5_000, 0, 0)
    assert clock(taken_back_late(NEWEST)).banks == (5_000, 0, 5_000)


def taken_back_late(match_rules: int | None) -> Sitting:
    """Return a match in which seat 1 takes back a move 4 s after it.

    Seat 0 had 5 s at the time of that move, and had come back with 10 s.
    """
    played = Sitting(CALIMALA, (HUMAN, HUMAN, HUMAN), PLAN, "own", match_rules)
    played.do(ReplaceToken("owner"), "owner", seconds=55)
    assert clock(played).banks == (5_000, 5_000, 5_000)
    played.do(RunOut(0, clock(played).due(0)), "house", seconds=5)
    played.do(Return(0))
    played.do(CALIMALA.legal_moves(played.match.state, 1)[0])
    assert clock(played).banks == (10_000, 10_000, 0)

    played.do(AskTakeBack(1, 2), seconds=4)
    return played


def test_a_forgotten_version_is_not_agreed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """M17: the version of an ask must still be within reach when the last human agrees."""
    played = asked(None)
    monkeypatch.setattr(take_back, "FARTHEST", 6)
    for _ in range(4):
        played.do(ReplaceToken("owner"), "owner")
    assert kept(played).earliest > 4

    with pytest.raises(RuleBroken) as refused:
        played.do(AgreeTakeBack(0))
    assert (refused.value.rule, refused.value.code) == ("M17", "too_far_back")
    refusals.check(refused.value, "match")


def test_a_refusal_of_the_asker_reads_in_other_words() -> None:
    """M17: the story distinguishes a withdrawal from a refusal."""
    match = asked().match
    names = ("Ada", "Bob", "Cleo")
    assert story_of(match, TakeBackRefused(2), names).text == "Cleo no longer asks to go back."
    assert story_of(match, TakeBackRefused(1), names).text == "Bob refuses. The moves stand."


@pytest.mark.parametrize(
    ("moves", "is_own"),
    [
        (((0, 1), (0, 1)), True),
        (((0, 1), (0, 2)), False),
        (((0, 1), (1, 1)), False),
        (((0, 1), (None, 1)), False),
        ((), False),
    ],
    ids=["one-turn", "two-turns", "another-s", "a-bot-s", "none"],
)
def test_own_moves_are_those_of_one_turn(
    moves: Sequence[tuple[int | None, int]], *, is_own: bool
) -> None:
    """M17: own moves of several turns are not taken back at once."""
    steps = tuple(
        take_back.Step(version, mover, turn, moves=("moved",), marks={})
        for version, (mover, turn) in enumerate(moves, 2)
    )
    assert take_back.TakeBack("own", version=1, steps=steps).is_own(0, 1) is is_own


def test_a_heading_says_that_an_earlier_turn_is_back() -> None:
    """M17: a take-back within the same turn has no heading."""
    names = ("Ada", "Bob", "Cleo")
    played = sitting()
    while not kept(played).steps or kept(played).steps[0].turn == kept(played).turn:
        actor = played.match.status.actors[0]
        played.do(CALIMALA.random_move(played.match.state, actor, draws(played.version)))

    to = kept(played).version
    back = story_of(played.match, TakenBack(to), names).heading
    assert back is not None
    assert back.title == f"Back to move {to}"
    assert story_of(moved().match, TakenBack(5), names).heading is None


# ---- what is refused -----------------------------------------------------------------------------


def drawn() -> Sitting:
    """Return a match of Firenze with a draw in its last commit."""
    played = Sitting(FIRENZE, (HUMAN, HUMAN), take_back="consent")
    while played.version < 3 or not played.has_drawn:
        played.move()
    return played


def laid_open() -> Sitting:
    """Return a match of Calimala with the scoring cards laid open in its last commit."""
    played = Sitting(CALIMALA, (HUMAN, HUMAN, HUMAN), take_back="consent")
    while not any(isinstance(event, FinalCardsRevealed) for event in played.events):
        actor = played.match.status.actors[0]
        played.do(CALIMALA.random_move(played.match.state, actor, draws(played.version)))
    return played


def ended() -> Sitting:
    """Return a match that was aborted."""
    played = sitting()
    played.do(Abort(), "owner")
    return played


def moved() -> Sitting:
    """Return a match with moves of seats 2 and 1 since version 4."""
    played = sitting()
    played.move()
    played.move()
    return played


def gone() -> Sitting:
    """Return a match after version 5 was taken back."""
    played = sitting()
    played.move()
    played.do(AskTakeBack(2, 4))
    played.move()
    return played


def gone_before_a_draw() -> Sitting:
    """Return a match with a version that was taken back, and a draw since."""
    played = Sitting(FIRENZE, (HUMAN, HUMAN), take_back="own")
    while len(kept(played).moves_after(0)) < 1:
        played.move()
    seat = kept(played).steps[-1].mover
    assert seat is not None
    played.do(AskTakeBack(seat, played.version - 1))
    while not played.has_drawn:
        played.move()
    return played


def refused_once() -> Sitting:
    """Return a match after seat 1 has refused seat 2's request."""
    played = asked()
    played.do(RefuseTakeBack(1))
    return played


def house_between(match_rules: int | None = NEWEST) -> tuple[Sitting, int]:
    """Return a match, and a version that can be gone back to and at which the house acts."""
    for seed in range(40):
        played = Sitting(CALIMALA, (HUMAN, HUMAN, HUMAN), None, "consent", match_rules)
        while played.match.status.name == "running" and played.version < 150:
            actor = played.match.status.actors[0]
            move = CALIMALA.random_move(played.match.state, actor, draws(seed + played.version))
            played.do(move)
            for step in kept(played).steps[:-1]:
                if step.leads_to_house:
                    return played, step.version
    raise AssertionError("the house never acts without a draw")


def own_only() -> Sitting:
    """Return a match with a move of seat 2, and one of seat 1 after it."""
    played = sitting("own")
    played.move()
    played.move()
    return played


def with_a_bot() -> Sitting:
    """Return a match with a stand-in bot for seat 2."""
    played = moved()
    played.do(Replace(2, "greedy"), "owner")
    return played


Command = Callable[[Sitting], Any]

REFUSED: dict[str, tuple[Callable[[], Sitting], Command, str, str]] = {
    "not-offered": (lambda: sitting(None), lambda _: AskTakeBack(2, 4), "no_take_back", "without"),
    "not-offered-to-agree-to": (
        lambda: sitting(None),
        lambda _: AgreeTakeBack(2),
        "no_take_back",
        "without",
    ),
    "after-the-end": (ended, lambda _: AskTakeBack(2, 3), "match_over", "aborted"),
    "over-the-start": (moved, lambda _: AskTakeBack(2, 0), "too_far_back", "Version 1 has drawn"),
    "over-a-draw": (
        drawn,
        lambda played: AskTakeBack(0, played.version - 1),
        "too_far_back",
        "has drawn from chance",
    ),
    "over-a-reveal": (
        laid_open,
        lambda played: AskTakeBack(0, played.version - 1),
        "too_far_back",
        "has laid a secret open",
    ),
    "not-made-yet": (moved, lambda _: AskTakeBack(2, 7), "nothing_to_take_back", "earlier"),
    "nothing-since": (moved, lambda _: AskTakeBack(2, 6), "nothing_to_take_back", "earlier"),
    "gone": (gone, lambda _: AskTakeBack(2, 5), "taken_back", "Version 5"),
    "gone-before-a-draw": (
        gone_before_a_draw,
        lambda played: AskTakeBack(0, kept(played).gone[0]),
        "taken_back",
        "was taken back itself",
    ),
    "refused-already": (
        refused_once,
        lambda _: AskTakeBack(2, 4),
        "take_back_refused",
        "after the next move",
    ),
    "refused-for-another-version": (
        refused_once,
        lambda _: AskTakeBack(2, 3),
        "take_back_refused",
        "after the next move",
    ),
    "the-house-is-awaited-there": (
        lambda: house_between()[0],
        lambda _: AskTakeBack(0, house_between()[1]),
        "house_awaited",
        "would act again",
    ),
    "others-moves": (own_only, lambda _: AskTakeBack(2, 4), "not_your_moves", "its own"),
    "asked-twice": (asked, lambda _: AskTakeBack(0, 4), "take_back_asked", "Seat 2 asks already"),
    "nothing-asked": (moved, lambda _: AgreeTakeBack(1), "nothing_asked", "Nobody asks"),
    "nothing-to-refuse": (moved, lambda _: RefuseTakeBack(1), "nothing_asked", "Nobody asks"),
    "agrees-with-itself": (asked, lambda _: AgreeTakeBack(2), "agreed_already", "Seat 2"),
    "held-by-a-bot": (with_a_bot, lambda _: AskTakeBack(2, 4), "seat_held_by_bot", "seat 2"),
}


@pytest.mark.parametrize(
    ("make", "command", "code", "hint"), REFUSED.values(), ids=[f"M17-{name}" for name in REFUSED]
)
def test_illegal_commands_are_refused(
    make: Callable[[], Sitting], command: Command, code: str, hint: str
) -> None:
    """Each refusal names M17, and the legal choice or the reason."""
    played = make()
    with pytest.raises(RuleBroken) as refused:
        played.do(command(played))

    assert (refused.value.rule, refused.value.code) == ("M17", code)
    assert hint in refused.value.detail
    refusals.check(refused.value, "match")


def test_a_refused_player_asks_again_after_a_move() -> None:
    """M17: a refused player waits for the next move of the game. Others may ask at once."""
    played = refused_once()
    played.do(AskTakeBack(0, 4))
    played.do(RefuseTakeBack(0))
    assert kept(played).barred_seats == (2,), "who asks no more has not been refused"

    played.move()
    assert kept(played).barred_seats == ()
    assert played.do(AskTakeBack(2, 4)) == [TakeBackAsked(2, 4)]


def test_own_moves_are_taken_back_after_a_refusal() -> None:
    """M17: a refusal holds for moves that need others' consent."""
    played = sitting()
    played.move()
    played.do(AskTakeBack(2, 2))
    played.do(RefuseTakeBack(0))
    assert played.do(AskTakeBack(2, 4)) == [TakeBackAsked(2, 4), TakenBack(4)]


def test_by_match_rules_1_a_refused_ask_is_repeated() -> None:
    """M17: matches of earlier releases are decided as they were."""
    played = asked(None)
    played.do(RefuseTakeBack(1))
    assert kept(played).barred_seats == ()
    assert played.do(AskTakeBack(2, 4)) == [TakeBackAsked(2, 4)]


def test_versions_at_which_the_house_acts_are_told() -> None:
    """M17: versions at which the house acts are listed, so that a page offers none of them."""
    played, to = house_between()
    assert to in kept(played).house_versions or to < kept(played).earliest


def test_by_match_rules_1_the_house_may_be_awaited_there() -> None:
    """M17: match rules 1 allow it. The house then acts again, and nothing has changed."""
    played, to = house_between(None)
    assert kept(played).house_versions == []
    assert played.do(AskTakeBack(0, to))[0] == TakeBackAsked(0, to)


def test_the_refusal_names_the_version_of_the_draw() -> None:
    """M17: the version of the draw is the limit, and the refusal tells it."""
    played = drawn()
    version = played.version
    with pytest.raises(RuleBroken) as refused:
        played.do(AskTakeBack(0, version - 1))
    assert f"Version {version} " in refused.value.detail


# ---- turns ---------------------------------------------------------------------------------------


def test_a_turn_of_calimala_belongs_to_the_placing_seat() -> None:
    """C14, M17: until the next disc is placed it is the same turn, for all actors."""
    seat = None
    for step in walk(CALIMALA, Setup(3, CALIMALA.read_options({})), seed=3):
        if isinstance(step.move, PlaceDisc):
            seat = step.move.seat
        if seat is not None and step.move.tag != "score":
            assert CALIMALA.turn(step.before) in (seat, HOUSE)
        if any(isinstance(event, DiscPlaced) for event in step.events):
            assert CALIMALA.turn(step.before) == seat


def test_each_turn_of_firenze_has_a_number() -> None:
    """F1, M17: the number of the turn grows by one with each turn that begins."""
    turns = 0
    for step in walk(FIRENZE, Setup(2, FIRENZE.read_options({})), seed=3):
        starts = [event for event in step.events if isinstance(event, TurnBegan)]
        assert FIRENZE.turn(step.before) == turns
        turns = starts[-1].turn if starts else turns


# ---- laws ----------------------------------------------------------------------------------------

BESIDE = (ReplaceToken("owner"), Replace(0, "greedy"), Restore(0))
MOST_COMMITS = 40


@pytest.mark.whole
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
@pytest.mark.parametrize("option", take_back.OPTIONS)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_match_takes_back_the_same_as_the_model(
    game: AnyGame, option: str, data: st.DataObject
) -> None:
    """M17: match and model refuse the same, and both go back to the state of that version.

    Players keep their seats. No bank holds more than at that version. The moves that draws go by
    are those that stand (M10).
    """
    seats = [HUMAN] * (game.seats[0] - 1) + [data.draw(st.sampled_from((HUMAN, BOT)))]
    match_rules = data.draw(st.sampled_from((None, NEWEST)))
    played = Sitting(game, seats, PLAN, option, match_rules)
    is_house = played.match.status.awaiting == "house"
    model = Model(option, state(played), is_new=bool(match_rules), is_house=is_house)

    for _ in range(data.draw(st.integers(1, MOST_COMMITS))):
        if played.match.status.name != "running":
            break
        command = data.draw(st.one_of(*kinds_of_commands(played)))
        seconds = data.draw(st.integers(0, 20))
        play_both(played, model, command, seconds)

    assert folded(played) == played.match


@pytest.mark.whole
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_seat_has_again_the_goods_of_that_version(
    game: AnyGame, turns: int, data: st.DataObject
) -> None:
    """M17: seats have the goods of any version gone back to, over so many turns and more.

    From there the match can go back once more, and the same moves lead to the same goods again.
    """
    opened = Sitting(game, [HUMAN] * data.draw(st.sampled_from(game.seats)), None, "consent")
    least = data.draw(st.integers(2, 99))
    played, moves = play_at_random(opened, data.draw(st.integers(0, 99)), least, turns)

    latest, before = played.version, state(played)
    ways_back = {to: way for to in range(latest) if (way := gone_back(played, to)) is not None}
    assert ways_back or not turns_to_take_back(played)
    earlier = None
    for to, way in ways_back.items():
        if earlier is not None:
            farther = gone_back(way, earlier)
            assert farther is not None, "it goes back twice as it does at once"
            assert goods(farther) == goods(played, earlier)
        earlier = to

        assert goods(way) == goods(played, to)
        assert state(way) == state(played, to)
        for version in range(to + 1, latest + 1):
            way.do(moves[version])
            assert goods(way) == goods(played, version)
    assert wire.dump(played.match.state) == before, "no way back changes the match"


def play_at_random(
    played: Sitting, seed: int, least: int, turns: int
) -> tuple[Sitting, dict[int, Any]]:
    """Play up to a version, and on until so many turns can be taken back. Return all moves, too.

    A short game, or one that often draws, may end before. Then the match is returned at its last
    version with the most turns to take back.
    """
    moves = {}
    best = played.branch()
    while played.version < least or turns_to_take_back(played) < turns:
        actor = played.match.status.actors[0]
        chance = draws(seed, played.version)
        move = played.match.game.random_move(played.match.state, actor, chance)
        played.do(move)
        moves[played.version] = move
        if played.match.status.name != "running":
            return best, moves
        if min(turns_to_take_back(played), turns) >= min(turns_to_take_back(best), turns):
            best = played.branch()
    return played, moves


def turns_to_take_back(played: Sitting) -> int:
    return len({step.turn for step in kept(played).moves_after(0)})


def gone_back(played: Sitting, to: int) -> Sitting | None:
    """Return the match after all have agreed to go back to a version, None if that is refused."""
    way = played.branch()
    if refusal_of(way, AskTakeBack(0, to), "", 0):
        return None
    for seat in take_back.asked_to_agree(way.match):
        way.do(AgreeTakeBack(seat))
    assert way.events[-1] == TakenBack(to)
    return way


def goods(played: Sitting, version: int | None = None) -> Any:
    """Return each seat's goods at a version, by default at the last one."""
    return state(played, version)["players"]


def kinds_of_commands(played: Sitting) -> list[Any]:
    """Return strategies for the possible commands of now. Moves come twice as often."""
    actors = played.match.status.actors
    seats = st.integers(0, len(played.match.seats) - 1)
    versions = st.integers(max(0, played.version - 6), played.version + 1)
    moves = st.builds(
        lambda actor, seed: played.match.game.random_move(played.match.state, actor, draws(seed)),
        st.sampled_from(actors),
        st.integers(0, 99),
    )
    return [
        moves,
        moves,
        st.builds(AskTakeBack, seats, versions),
        st.builds(AskTakeBack, seats, versions),
        st.builds(AgreeTakeBack, seats),
        st.builds(RefuseTakeBack, seats),
        st.sampled_from(BESIDE),
    ]


def play_both(played: Sitting, model: Model, command: Any, seconds: int) -> None:
    """Commit a command, if the rules allow it, and hold the match against the model."""
    before = played.match
    foretold = foretell(before, model, command)
    actor = "owner" if command in BESIDE else ""
    code = refusal_of(played, command, actor, seconds)
    if code:
        assert foretold == code or command in BESIDE, command
        return

    back = [event for event in played.events if isinstance(event, TakenBack)]
    if back:
        assert foretold == "taken_back_now"
        model.go_back(played.version, back[0].to)
        is_alone = isinstance(command, AskTakeBack) and before.match_rules.number > 1
        check_seats_and_banks(played, before, back[0].to, command.seat if is_alone else None)
    else:
        assert foretold in (None, "asked", "agreed", "refused")
        note(played, before, model, command)
    assert state(played) == model.states[played.version]
    assert played.match.moves == 1 + len(model.standing), "the opening and the moves that stand"


def refusal_of(played: Sitting, command: Any, actor: str, seconds: int) -> str:
    """Commit a command. Return the code of its refusal, "" if it was done."""
    try:
        played.do(command, actor, seconds)
    except RuleBroken as refused:
        return refused.code
    return ""


def foretell(match: Match, model: Model, command: Any) -> str | None:
    """Return the model's result of a command, None if it has none."""
    humans = {number for number, seat in enumerate(match.seats) if seat.kind == "human"}
    match command:
        case AskTakeBack(seat, to):
            return model.ask(seat, to, humans)
        case AgreeTakeBack(seat):
            return model.agree(seat, humans)
        case RefuseTakeBack(seat):
            return model.refuse(seat, humans)
    return None


def note(played: Sitting, before: Match, model: Model, command: Any) -> None:
    """Tell the model of a commit that takes nothing back."""
    is_move = command.tag in before.game.commands
    seat = getattr(command, "seat", HOUSE)
    mover = seat if seat != HOUSE and before.seats[seat].kind == "human" else HOUSE
    move = (mover, before.game.turn(before.state)) if is_move else None
    lays_open = any(isinstance(event, FinalCardsRevealed) for event in played.events)
    model.go_on(played.version, state(played), move, is_barrier=played.has_drawn or lays_open)
    if played.match.status.awaiting == "house":
        model.house.add(played.version)

    for event in played.events:
        match event:
            case TakeBackAsked(seat, to):
                model.asked, model.agreed = (seat, to), set()
            case TakeBackAgreed(seat):
                model.agreed.add(seat)
            case TakeBackRefused(seat):
                assert model.asked is not None
                if seat != model.asked[0]:
                    model.refused.add(model.asked[0])
                model.asked = None
            case SeatReplaced() | SeatRestored():
                model.asked = None


def check_seats_and_banks(played: Sitting, before: Match, to: int, payer: int | None) -> None:
    """Fail if taking back has changed the players of seats, or has given the payers time.

    payer: the only seat that pays. None: all seats pay. A paying seat pays for the time in which it
    was awaited, and loses the seconds added since. All other seats have the banks of that version.
    """
    assert played.match.seats == before.seats
    then = clock_of(played.matches[to])
    now = clock_of(before)
    assert now is not None
    assert then is not None

    elapsed = played.now - now.since
    for seat, bank in enumerate(clock(played).banks):
        brought = now.added[seat] - then.added[seat]
        paid = max(0, now.banks[seat] - (elapsed if seat in now.paying else 0))
        least = max(0, min(then.banks[seat], paid - brought))
        assert bank == (least if payer in (None, seat) else then.banks[seat])


def folded(played: Sitting) -> Match:
    """Return the match that the events and stamps of all commits make."""
    opened, *others = played.history[1]
    assert isinstance(opened, MatchOpened)
    match = new_match(opened)
    fold(match, others)
    count_moves(match, played.history[1][-1:])
    end_commit(match, played.history[1], played.stamps[1])

    for version in range(2, played.version + 1):
        events: Sequence[Any] = played.history[version]
        fold(match, events)
        count_moves(match, events[-1:])
        end_commit(match, events, played.stamps[version])
    return match


def test_a_seat_plan_without_options_keeps_nothing() -> None:
    """M15, M17: a match without a clock and take-back needs no stamps, and keeps no states."""
    played = Sitting(FIRENZE, (SeatPlan("human"), BOT))
    assert not played.match.needs_stamps
    assert played.match.terms == ()
