"""The rules of every match (docs/rules/match.md), and the stories of their events."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from domain.chance import Draws
from domain.errors import RuleBroken
from domain.game import HOUSE
from domain.games import GAMES
from domain.match.evolve import evolve
from domain.match.match_rules import NEWEST, UnknownMatchRules, read_match_rules
from domain.match.messages import (
    EVENTS as KINDS,
    Abort,
    Base,
    ClockPlan,
    EntropyDisclosed,
    EntropyPledged,
    EraseName,
    Expire,
    Forked,
    Join,
    Leave,
    MatchAborted,
    MatchExpired,
    MatchOpened,
    MatchStarted,
    NameErased,
    Open,
    PledgesDropped,
    Replace,
    ReplaceToken,
    Restore,
    Reveal,
    RevokeToken,
    SeatJoined,
    SeatLeft,
    SeatPlan,
    SeatReplaced,
    SeatResigned,
    SeatRestored,
    SecretsRevealed,
    Start,
    TakeBackAgreed,
    TakeBackAsked,
    TakeBackRefused,
    TakenBack,
    TimeRanOut,
    TokenReplaced,
    TokenRevoked,
)
from domain.match.play import decide, open_match
from domain.match.state import Match, Stamp
from domain.match.story import seat_names, story_of
from domain.seats import COLOURS
from domain.story import Sentence
from tests.domain import refusals
from tests.domain.stories import approve, approved, check, in_lines

# ---- rules ---------------------------------------------------------------------------------------


GAME = GAMES["calimala"]
HUMAN = SeatPlan("human")
BOT = SeatPlan("bot", "random")
FREE = SeatPlan("open")
CHANCE = Draws(bytes(32))
STAMP = Stamp(version=1, actor="owner", at=0)


RUNNING: Sequence[Any] = (Join(1), Join(2), Start())
ABORTED: Sequence[Any] = (Abort(),)
REVEALED: Sequence[Any] = (Abort(), Reveal("00", {}))


class NoChance:
    """A chance that fails at a draw."""

    def below(self, n: int) -> int:  # noqa: ARG002 - a Chance
        """Fail."""
        raise AssertionError("nothing may be drawn")


def opening(*seats: SeatPlan) -> Open:
    """Return the command that opens a match with these seats."""
    return Open(
        game=GAME.key,
        rules=GAME.rules,
        views=GAME.view_version,
        options=GAME.read_options({}),
        seats=seats,
        visibility="public",
        commitment="c",
        secret="00" * 32,
        match_rules=NEWEST,
    )


def make(*seats: SeatPlan) -> Match:
    """Return a new match with these seats."""
    match, _ = open_match(opening(*seats), CHANCE)
    return match


def after(match: Match, *commands: Any) -> Match:
    """Return the match after commands."""
    for command in commands:
        match, _ = decide(match, command, CHANCE)
    return match


def test_a_match_keeps_the_match_rules_of_its_opening() -> None:
    """An opening without `match_rules` has match rules 1. A copy of a match has the same ones."""
    older, _ = open_match(replace(opening(HUMAN, BOT, BOT), match_rules=None), CHANCE)
    newer, _ = open_match(opening(HUMAN, BOT, BOT), CHANCE)

    assert (older.match_rules.number, newer.match_rules.number) == (1, 2)
    assert older.copy().match_rules == older.match_rules
    assert newer.copy().match_rules == newer.match_rules


@pytest.mark.parametrize("number", [-1, 0, NEWEST + 1])
def test_match_rules_of_a_later_release_are_refused(number: int) -> None:
    """Unknown match rules are refused, since the process would decide wrongly."""
    with pytest.raises(UnknownMatchRules, match=f"match_rules {number} is unknown"):
        read_match_rules(number)


def test_a_match_without_open_seat_starts_at_once() -> None:
    """M1: without open seats the events of the opening include the start and events of the game."""
    match, events = open_match(opening(HUMAN, BOT, BOT), CHANCE)

    _opened, started, *of_the_game = events
    assert match.status.name == "running"
    assert isinstance(started, MatchStarted)
    assert of_the_game


HUMANS = (HUMAN, HUMAN, HUMAN)
LOBBY = (HUMAN, FREE, FREE)

# Seats and commands, and after the commands: kinds of seats, status, and the awaited part of the
# service.
STATUSES = {
    "M1-open-seats": (LOBBY, (), "human open open", "open", ""),
    "M2-joined": (LOBBY, (Join(1, "n", "ab"),), "human human open", "open", ""),
    "M3-left": (LOBBY, (Join(1), Leave(1)), "human open open", "open", ""),
    "M3-joined-again": (LOBBY, (Join(1), Leave(1), Join(1)), "human human open", "open", ""),
    "M4-started": (LOBBY, RUNNING, "human human human", "running", ""),
    "M6-a-bot-among-humans": ((HUMAN, HUMAN, BOT), (), "human human bot", "running", "bots"),
    "M6-bots-alone": ((BOT, BOT, BOT), (), "bot bot bot", "running", "exhibition"),
    "M6-one-human": ((BOT, BOT, HUMAN), (), "bot bot human", "running", "bots"),
    "M7-aborted": (HUMANS, ABORTED, "human human human", "aborted", "house"),
    "M8-stand-in": (HUMANS, (Replace(2, "greedy"),), "human human bot", "running", "bots"),
    "M8-back": (
        HUMANS,
        (Replace(2, "greedy"), Replace(2, "random"), Restore(2)),
        "human human human",
        "running",
        "",
    ),
    "M8-open-seat": ((HUMAN, HUMAN, FREE), (Replace(2, "random"),), "human human bot", "open", ""),
    "M8-for-the-last-human": (
        (BOT, BOT, HUMAN),
        (Replace(2, "random"),),
        "bot bot bot",
        "running",
        "exhibition",
    ),
    "M9-revealed": (HUMANS, REVEALED, "human human human", "aborted", ""),
    "M11-expired-in-the-lobby": (LOBBY, (Expire(),), "human open open", "aborted", "house"),
    "M11-expired-later": (HUMANS, (Expire(),), "human human human", "aborted", "house"),
}


@pytest.mark.parametrize(
    ("seats", "commands", "kinds", "name", "awaiting"), STATUSES.values(), ids=STATUSES
)
def test_how_far_a_match_is(
    seats: Sequence[SeatPlan], commands: Sequence[Any], kinds: str, name: str, awaiting: str
) -> None:
    """Commands lead to these seats and this status. The match before the commands is unchanged."""
    opened = make(*seats)
    before = opened.copy()
    match = after(opened, *commands)

    assert [seat.kind for seat in match.seats] == kinds.split()
    assert match.status.name == name
    assert match.status.awaiting == awaiting
    assert opened == before


def test_a_stand_in_gives_the_seat_back_as_it_was() -> None:
    """M8: a human who comes back has the same name and entropy as after joining (M2)."""
    joined = after(make(*LOBBY), Join(1, "n", "ab"))
    assert (joined.seats[1].name, joined.seats[1].entropy) == ("n", "ab")

    restored = after(joined, Replace(1, "greedy"), Replace(1, "random"), Restore(1))
    assert restored == joined


def test_the_status_of_a_match_names_its_actors() -> None:
    """M6, M9: before the start nobody must act, right after the end the house.

    A human may move an own seat while the match runs.
    """
    assert after(make(*HUMANS), Abort()).status.actors == (HOUSE,)
    assert make(*LOBBY).status.actors == ()
    assert make(BOT, BOT, BOT).status.worker == "bots"

    running = after(make(*LOBBY), *RUNNING, Replace(1, "random"))
    assert running.why_no_moves_of(0, running.status) is None


TRACES = [ReplaceToken("owner"), RevokeToken("seat:1"), EraseName(0)]
MOMENTS = {"before-the-start": (), "running": RUNNING, "after-the-end": (*RUNNING, Abort())}


@pytest.mark.parametrize("before", MOMENTS.values(), ids=MOMENTS)
@pytest.mark.parametrize("command", TRACES, ids=lambda command: f"M13-{command.tag}")
def test_a_change_of_tokens_or_names_leaves_the_match_unchanged(
    command: Any, before: Sequence[Any]
) -> None:
    """M13: a change of tokens or names adds one event, draws nothing, and changes no state.

    This holds before the start, while the match runs, and after its end.
    """
    match = after(make(*LOBBY), *before)
    changed, events = decide(match, command, NoChance())

    assert changed == match
    assert len(events) == 1


KEY = "ab" * 32
SIGNED: Sequence[Any] = (Join(1, key=KEY),)
A_BOT_STANDS_IN = (Replace(0, "greedy"),)
REFUSED = {
    "M1-no-such-seat": ((), Join(3), "no_such_seat", "seats 0 to 2"),
    "M1-negative-seat": ((), Replace(-1, "greedy"), "no_such_seat", "seats 0 to 2"),
    "M2-taken": ((), Join(0), "seat_taken", "1, 2"),
    "M2-after-the-start": (RUNNING, Join(1), "already_started", "before the start"),
    "M3-not-held": ((), Leave(1), "not_held", "held seat"),
    "M3-after-the-start": (RUNNING, Leave(0), "already_started", "before the start"),
    "M4-open-seats": ((Join(1),), Start(), "seats_open", "Open seats: 2."),
    "M4-twice": (RUNNING, Start(), "already_started", "before the start"),
    "M4-move-before-the-start": ((), GAME.opening, "not_started", "owner starts"),
    "M5-move-after-the-end": ((*RUNNING, Abort()), GAME.opening, "match_over", "aborted"),
    "M7-twice": (ABORTED, Abort(), "match_over", "unended"),
    "M8-after-the-end": (ABORTED, Replace(0, "greedy"), "match_over", "before its end"),
    "M8-restored-after-the-end": (ABORTED, Restore(0), "match_over", "before its end"),
    "M8-same-bot": (A_BOT_STANDS_IN, Replace(0, "greedy"), "already_bot", "already"),
    "M8-not-replaced": ((), Restore(0), "not_replaced", "stands in"),
    "M9-before-the-end": (RUNNING, Reveal("00", {}), "not_over", "after the end"),
    "M9-twice": (REVEALED, Reveal("00", {}), "not_over", "once"),
    "M8-nobody-to-come-back": ((Replace(2, "random"),), Restore(2), "not_replaced", "stands in"),
    "M11-aborted": (ABORTED, Expire(), "match_over", "unended"),
    "M11-expired": ((Expire(),), Expire(), "match_over", "unended"),
    "M18-key-of-another-seat": (SIGNED, Join(2, key=KEY), "key_taken", "seat 1 and seat 2"),
    "M18-key-of-a-seat-with-a-bot": (
        (*SIGNED, Replace(1, "random")),
        Join(2, key=KEY),
        "key_taken",
        "seat 1 and seat 2",
    ),
    "M13-no-such-holder": ((), ReplaceToken("seat:3"), "no_such_holder", "seat:2"),
    "M13-nobody-to-revoke": ((), RevokeToken("nobody"), "no_such_holder", "owner, spectator"),
    "M13-replaced-too-late": (REVEALED, ReplaceToken("owner"), "already_revealed", "beside"),
    "M13-revoked-too-late": (REVEALED, RevokeToken("owner"), "already_revealed", "beside"),
    "M13-erased-too-late": (REVEALED, EraseName(0), "already_revealed", "beside"),
}


@pytest.mark.parametrize(("before", "command", "code", "hint"), REFUSED.values(), ids=REFUSED)
def test_the_rules_of_a_match_refuse_illegal_commands(
    request: pytest.FixtureRequest, before: Sequence[Any], command: Any, code: str, hint: str
) -> None:
    """Each refusal of a command names the rule, and a legal choice or the reason."""
    match = after(make(*LOBBY), *before)

    with pytest.raises(RuleBroken) as refused:
        after(match, command)

    assert refused.value.code == code
    assert refused.value.rule == rule_in_id(request)
    assert hint in refused.value.detail
    refusals.check(refused.value, "match")


def test_a_key_holds_one_seat_of_an_opening_at_most() -> None:
    """M18: an opening with one key for two seats is refused."""
    with pytest.raises(RuleBroken) as refused:
        make(SeatPlan("human", key=KEY), SeatPlan("open"), SeatPlan("human", key=KEY))

    assert (refused.value.rule, refused.value.code) == ("M18", "key_taken")
    refusals.check(refused.value, "match")


# The commands in a lobby of three open seats, and the keys of the seats afterwards.
KEYS: dict[str, tuple[Sequence[Any], list[str]]] = {
    "M18-joined": (SIGNED, ["", KEY, ""]),
    "M18-left": ((*SIGNED, Leave(1)), ["", "", ""]),
    "M18-joined-by-another": ((*SIGNED, Leave(1), Join(1)), ["", "", ""]),
    "M18-on-another-seat": ((*SIGNED, Leave(1), Join(2, key=KEY)), ["", "", KEY]),
    "M18-bot-stands-in": ((*SIGNED, Replace(1, "random")), ["", KEY, ""]),
    "M18-back": ((*SIGNED, Replace(1, "random"), Restore(1)), ["", KEY, ""]),
}


@pytest.mark.parametrize(("commands", "keys"), KEYS.values(), ids=KEYS)
def test_a_key_stays_with_its_seat_until_that_is_left(
    commands: Sequence[Any], keys: list[str]
) -> None:
    """M18: a seat keeps its key, also while a bot stands in, until it is left."""
    match = after(make(FREE, FREE, FREE), *commands)

    assert [seat.key for seat in match.seats] == keys


def rule_in_id(request: pytest.FixtureRequest) -> str:
    """Return the rule at the beginning of the id of a test's row, such as "M4"."""
    row_id: str = request.node.callspec.id
    rule, _, _description = row_id.partition("-")
    return rule


NO_MOVES = {
    "M4-before-the-start": ((), 0, "not_started"),
    "M5-after-the-end": ((*RUNNING, Abort()), 0, "match_over"),
    "M6-held-by-a-bot": ((*RUNNING, Replace(0, "random")), 0, "seat_held_by_bot"),
    "M6-a-bots-from-the-beginning": (
        (Replace(2, "random"), Join(1), Start()),
        2,
        "seat_held_by_bot",
    ),
}


@pytest.mark.parametrize(("before", "seat", "code"), NO_MOVES.values(), ids=NO_MOVES)
def test_why_a_human_cannot_move_a_seat(
    request: pytest.FixtureRequest, before: Sequence[Any], seat: int, code: str
) -> None:
    """M4, M5, M6: no human moves before the start, after the end, or a bot's seat."""
    match = after(make(*LOBBY), *before)

    refusal = match.why_no_moves_of(seat, match.status)

    assert refusal is not None
    assert refusal.rule == rule_in_id(request)
    assert refusal.code == code
    refusals.check(refusal, "match")


def test_a_match_without_its_secret_draws_nothing() -> None:
    """M10: without its secret, as in a redacted record, a match has no key for draws."""
    match = make(HUMAN, FREE, FREE)
    match.secret = None

    with pytest.raises(RuleBroken) as refusal:
        match.draws(2)

    assert refusal.value.rule == "M10"
    assert refusal.value.code == "not_sealed"


# ---- story ---------------------------------------------------------------------------------------


NAMES = ("Ada", "Blue", "Yellow")


def lobby() -> Match:
    """Return a match of a human with a name, a bot, and an open seat."""
    plans = (SeatPlan("human", name="of Ada"), SeatPlan("bot", "greedy"), SeatPlan("open"))
    match, _ = open_match(opening(*plans), CHANCE)
    return match


def opened_with(**terms: Any) -> MatchOpened:
    """Return the event that opens a match with these terms."""
    _, events = open_match(replace(opening(FREE, FREE, FREE), **terms), CHANCE, stamp=STAMP)
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    return opened


EVENTS = {
    "M1-opened-with-nobody": open_match(opening(FREE, FREE, FREE), CHANCE)[1][0],
    "M2-joined-with-a-name": SeatJoined(0),
    "M2-joined-without-a-name": SeatJoined(2),
    "M3-left": SeatLeft(2),
    "M7-aborted": MatchAborted(),
    "M8-stand-in": SeatReplaced(0, "greedy"),
    "M8-another-bot": SeatReplaced(1, "random"),
    "M8-open-seat": SeatReplaced(2, "random"),
    "M8-back": SeatRestored(0),
    "M8-back-without-a-name": SeatRestored(2),
    "M9-revealed": SecretsRevealed("00", {}),
    "M11-expired": MatchExpired(),
    "M13-token-of-a-seat": TokenReplaced("seat:0"),
    "M13-token-of-spectators": TokenReplaced("spectator"),
    "M13-revoked-of-a-seat": TokenRevoked("seat:2"),
    "M13-revoked-invitation": TokenRevoked("invitation"),
    "M13-revoked-owner": TokenRevoked("owner"),
    "M13-name-erased": NameErased(0),
    "M15-time-ran-out": TimeRanOut(0, 0),
    "M15-opened-with-a-clock": opened_with(clock=ClockPlan(3_600, 90, "greedy")),
    "M15-opened-with-a-bank-alone": opened_with(clock=ClockPlan(5, 0, "greedy")),
    "M16-resigned": SeatResigned(2),
    "M17-opened-with-own": opened_with(take_back="own"),
    "M17-opened-with-all": opened_with(
        advice=True, clock=ClockPlan(86_400, 1, "greedy"), take_back="consent"
    ),
    "M17-asked": TakeBackAsked(0, 12),
    "M17-agreed": TakeBackAgreed(2),
    "M17-refused": TakeBackRefused(2),
    "M17-taken-back": TakenBack(12),
    "M18-joined-with-a-name": SeatJoined(0, key=KEY),
    "M18-joined-without-a-name": SeatJoined(2, key=KEY),
    "M18-opened-with-keys": opened_with(
        seats=(SeatPlan("human", key=KEY), BOT, SeatPlan("human", key="cd" * 32))
    ),
    "M19-opened-with-joint-entropy": opened_with(joint_entropy=True),
    "M19-pledged": EntropyPledged(0, "00" * 32),
    "M19-pledged-without-a-name": EntropyPledged(2, "00" * 32),
    "M19-disclosed": EntropyDisclosed(0, "00" * 32),
    "M19-dropped": PledgesDropped(),
    "M21-forked": Forked(Base("a" * 26, 12, "c", {})),
}
APPROVED = Path(__file__).with_name("match.txt")


def scenes() -> dict[str, str]:
    """Return the present story of each event in a lobby, by the event's id."""
    sentences = {name: _sentence(event) for name, event in EVENTS.items()}
    for sentence in sentences.values():
        check(sentence, "match")
    return {name: in_lines([sentence]) for name, sentence in sentences.items()}


def _sentence(event: Any) -> Sentence:
    match = None if isinstance(event, MatchOpened) else lobby()
    return story_of(match, event, NAMES)


def test_the_events_of_a_match_read_as_approved() -> None:
    """M1-M21: each event but the start has an approved story. Golden records cover the start.

    `python -m tests.domain.test_match` writes the file for approval.
    """
    assert scenes() == approved(APPROVED)
    assert {type(event) for event in EVENTS.values()} | {MatchStarted} == set(KINDS.values())


# ---- names ---------------------------------------------------------------------------------------


def test_a_seat_without_a_name_is_called_by_its_colour() -> None:
    """Nameless seats of humans and of bots, and open seats, are called by their colours."""
    assert seat_names(lobby(), {}) == ("Red", "Blue", "Yellow")
    assert seat_names(lobby(), {0: "Ada", 1: "Greta"}) == ("Ada", "Greta", "Yellow")


def test_every_seat_of_every_game_has_a_colour_of_its_own() -> None:
    """All colours differ, and no game has more seats than there are colours."""
    most = max(game.seats[-1] for game in GAMES.values())
    assert len(set(COLOURS)) == len(COLOURS) >= most


def test_a_stand_in_has_the_name_of_whom_it_stands_in_for() -> None:
    """M8: a stand-in has the name of its human, because the human may come back."""
    match = lobby()
    evolve(match, SeatReplaced(0, "greedy"))
    assert seat_names(match, {0: "Ada"}) == ("Ada", "Blue", "Yellow")


def test_an_earlier_player_does_not_get_the_next_ones_name() -> None:
    """M2, M3: Bob is the present player of a seat. Earlier states do not show his name there."""
    first, _ = decide(lobby(), Join(2, "of the first"), CHANCE)
    second, _ = decide(first, Leave(2), CHANCE)
    latest, _ = decide(second, Join(2, "of Bob"), CHANCE)
    names = {0: "Ada", 2: "Bob"}

    assert seat_names(first, names, latest) == ("Ada", "Blue", "Yellow")
    assert seat_names(second, names, latest) == ("Ada", "Blue", "Yellow")
    assert seat_names(latest, names, latest) == ("Ada", "Blue", "Bob")
    assert seat_names(latest, names) == ("Ada", "Blue", "Bob")


if __name__ == "__main__":
    approve(APPROVED, scenes())
