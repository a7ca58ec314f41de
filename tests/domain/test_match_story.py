"""What the story of every match says of its own events (docs/rules/match.md)."""

from typing import Any

import pytest

from domain.chance import Draws
from domain.games import GAMES
from domain.match.evolve import evolve
from domain.match.messages import (
    EVENTS,
    Join,
    Leave,
    MatchAborted,
    MatchExpired,
    MatchOpened,
    MatchStarted,
    NameErased,
    Open,
    SeatJoined,
    SeatLeft,
    SeatPlan,
    SeatReplaced,
    SeatRestored,
    SecretsRevealed,
    TokenReplaced,
    TokenRevoked,
)
from domain.match.play import decide, open_match
from domain.match.state import Match
from domain.match.story import seat_names, story_of
from tests.domain.stories import check

GAME = GAMES["calimala"]
CHANCE = Draws(bytes(32))
NAMES = ("Ada", "Bot 1", "Seat 2")


def opening(*seats: SeatPlan) -> Open:
    """Return the command that opens a match with such seats."""
    return Open(
        game=GAME.key,
        rules=GAME.rules,
        views=GAME.view_version,
        options=GAME.read_options({}),
        seats=seats,
        visibility="public",
        commitment="c",
        secret="00" * 32,
    )


def lobby() -> Match:
    """Return a match of a human with a name, a bot, and an open seat."""
    plans = (SeatPlan("human", name="of Ada"), SeatPlan("bot", "greedy"), SeatPlan("open"))
    match, _ = open_match(opening(*plans), CHANCE)
    return match


def opened(*kinds: str) -> MatchOpened:
    """Return the event that opens a match; bots are greedy."""
    plans = [SeatPlan(kind, "greedy" if kind == "bot" else "") for kind in kinds]
    _, events = open_match(opening(*plans), CHANCE)
    assert isinstance(events[0], MatchOpened)
    return events[0]


CASES = [
    pytest.param(
        opened("human", "bot", "open"),
        "A match of Calimala is opened with Ada, Bot 1 (greedy) and one open seat.",
        id="M1-opened",
    ),
    pytest.param(
        opened("human", "bot", "human"),
        "A match of Calimala is opened with Ada, Bot 1 (greedy) and Seat 2.",
        id="M1-opened-without-open-seat",
    ),
    pytest.param(
        opened("open", "open", "open"),
        "A match of Calimala is opened with three open seats.",
        id="M1-opened-with-nobody",
    ),
    pytest.param(SeatJoined(0), "Ada takes seat 0.", id="M2-joined-with-a-name"),
    pytest.param(SeatJoined(2), "Seat 2 is taken.", id="M2-joined-without-a-name"),
    pytest.param(SeatLeft(2), "Seat 2 is given up and open again.", id="M3-left"),
    pytest.param(MatchStarted(), "All seats are held, and Calimala begins.", id="M4-started"),
    pytest.param(MatchAborted(), "The owner ends the match without a result.", id="M7-aborted"),
    pytest.param(SeatReplaced(0, "greedy"), "A greedy bot stands in for Ada.", id="M8-stand-in"),
    pytest.param(SeatReplaced(1, "random"), "A random bot takes seat 1.", id="M8-another-bot"),
    pytest.param(SeatReplaced(2, "random"), "A random bot takes seat 2.", id="M8-open-seat"),
    pytest.param(SeatRestored(0), "Ada is back and plays on.", id="M8-back"),
    pytest.param(SeatRestored(2), "Seat 2 is back and plays on.", id="M8-back-without-a-name"),
    pytest.param(
        SecretsRevealed("00", {}),
        "The house lays all secrets open: every draw of the match can now be checked.",
        id="M9-revealed",
    ),
    pytest.param(
        MatchExpired(),
        "The house ends the match without a result, since it was left alone for long.",
        id="M11-expired",
    ),
    pytest.param(
        TokenReplaced("seat:0"),
        "A new token is made for Ada; an earlier one no longer counts.",
        id="M13-token-of-a-seat",
    ),
    pytest.param(
        TokenReplaced("spectator"),
        "A new token is made for the spectators; an earlier one no longer counts.",
        id="M13-token-of-spectators",
    ),
    pytest.param(
        TokenRevoked("seat:2"), "The token of seat 2 no longer counts.", id="M13-revoked-of-a-seat"
    ),
    pytest.param(
        TokenRevoked("invitation"),
        "The token of the invited no longer counts.",
        id="M13-revoked-invitation",
    ),
    pytest.param(
        TokenRevoked("owner"), "The token of the owner no longer counts.", id="M13-revoked-owner"
    ),
    pytest.param(NameErased(0), "The name at seat 0 is erased.", id="M13-name-erased"),
]


@pytest.mark.parametrize(("event", "text"), CASES)
def test_the_events_of_a_match(event: Any, text: str) -> None:
    """M1-M13: each event is told, whoever reads it."""
    match = None if isinstance(event, MatchOpened) else lobby()
    sentence = story_of(match, event, NAMES)

    assert sentence.text == text
    check(sentence, "match")


def test_every_event_of_a_match_is_told_here() -> None:
    """The table above has all of them."""
    events: list[Any] = [case.values[0] for case in CASES]
    assert {type(event) for event in events} == set(EVENTS.values())


@pytest.mark.parametrize(
    ("event", "heading"),
    [
        pytest.param(opened("open", "open", "open"), "setup: Opening", id="M1"),
        pytest.param(MatchStarted(), "setup: Setting up", id="M4"),
        pytest.param(MatchAborted(), "end: The end", id="M7"),
        pytest.param(MatchExpired(), "end: The end", id="M11"),
    ],
)
def test_the_parts_of_a_match_have_headings(event: Any, heading: str) -> None:
    """The opening, the start and an end without a result; the rest is the game's."""
    match = None if isinstance(event, MatchOpened) else lobby()
    begun = story_of(match, event, NAMES).heading

    assert begun is not None
    assert f"{begun.part.value}: {begun.title}" == heading


def test_the_events_of_the_game_are_told_by_the_game() -> None:
    """The match knows which game it is, and the state of it."""
    match, events = open_match(opening(*[SeatPlan("human")] * 3), CHANCE)
    _opened, _started, *of_the_game = events
    assert of_the_game

    for event in of_the_game:
        assert story_of(match, event, NAMES) == GAME.story(match.state, event, NAMES)


# ---- names ---------------------------------------------------------------------------------------


def test_a_seat_without_a_name_is_called_by_its_number() -> None:
    """It is said as well who holds it: a human, a bot or nobody."""
    assert seat_names(lobby(), {}) == ("Seat 0", "Bot 1", "Open seat 2")
    assert seat_names(lobby(), {0: "Ada", 1: "Greta"}) == ("Ada", "Greta", "Open seat 2")


def test_a_stand_in_has_the_name_of_whom_it_stands_in_for() -> None:
    """M8: the name stays that of the human, who may come back."""
    match = lobby()
    evolve(match, SeatReplaced(0, "greedy"))
    assert seat_names(match, {0: "Ada"}) == ("Ada", "Bot 1", "Open seat 2")


def test_whoever_left_a_seat_is_not_called_by_the_name_of_the_next() -> None:
    """M2, M3: Bob sits there now; who sat there before has no name any more."""
    first, _ = decide(lobby(), Join(2, "of the first"), CHANCE)
    left, _ = decide(first, Leave(2), CHANCE)
    latest, _ = decide(left, Join(2, "of Bob"), CHANCE)
    given = {0: "Ada", 2: "Bob"}

    assert seat_names(first, given, latest) == ("Ada", "Bot 1", "Seat 2")
    assert seat_names(left, given, latest) == ("Ada", "Bot 1", "Open seat 2")
    assert seat_names(latest, given, latest) == ("Ada", "Bot 1", "Bob")
    assert seat_names(latest, given) == ("Ada", "Bot 1", "Bob")
