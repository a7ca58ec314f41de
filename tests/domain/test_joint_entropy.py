"""Joint entropy (M19): pledges, disclosures, and events that drop them."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from domain.chance import Draws, move_seed, shuffled
from domain.errors import RuleBroken
from domain.match.evolve import fold_commits, new_match
from domain.match.match_rules import NEWEST
from domain.match.messages import (
    DRAWS_BY_MOVES,
    Abort,
    ClockPlan,
    Disclose,
    EraseName,
    Join,
    Lapse,
    Leave,
    MatchOpened,
    Open,
    Pledge,
    Replace,
    ReplaceToken,
    Restore,
    Return,
    SeatPlan,
    Start,
)
from domain.match.play import decide, open_match
from domain.match.state import Stamp
from domain.match.terms.joint_entropy import HOUR_MS, pledge_of
from domain.seats import HOUSE, HOUSE_ACTOR, seat_actor
from tests import toy
from tests.domain import refusals
from tests.terms import clock_of

BEGIN = 1_000_000
BOT = SeatPlan("bot", "random")
FREE = SeatPlan("open")
CLOCK = ClockPlan(bank_s=60, move_s=0, level="random")
SECRET = "5e" * 32


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    toy.install(monkeypatch)


def entropy(number: int) -> str:
    """Return the bytes that somebody has thought up, in hex."""
    return f"{number:064x}"


def human(seat: int, number: int) -> SeatPlan:
    """Return the plan of a human with a pledge at the opening."""
    return SeatPlan("human", pledge=pledge_of(entropy(number), seat))


def pledge(seat: int, number: int) -> Pledge:
    """Return the pledge of a seat."""
    return Pledge(seat, pledge_of(entropy(number), seat))


def disclose(seat: int, number: int) -> Disclose:
    """Return the disclosure of a seat."""
    return Disclose(seat, entropy(number))


class Lobby:
    """A match with joint entropy before its start, commit by commit.

    stamps, history: the stamp and the events of each commit, from the first on.
    """

    def __init__(self, *seats: SeatPlan, clock: ClockPlan | None = None, **terms: Any) -> None:
        command = Open(
            game="toy",
            rules="toy/1",
            views=1,
            options={"rounds": 2, "edition": "plain"},
            seats=seats,
            visibility="public",
            commitment="c",
            secret=SECRET,
            clock=clock,
            draws=DRAWS_BY_MOVES,
            **{"joint_entropy": True, "match_rules": NEWEST, **terms},
        )
        self.now = BEGIN
        stamp = Stamp(1, "owner", self.now)
        self.match, events = open_match(command, NO_CHANCE, stamp=stamp)
        self.stamps, self.history = [stamp], [events]

    def do(self, *commands: Any, seconds: float = 1) -> "Lobby":
        """Commit commands, some seconds from one to the next."""
        for command in commands:
            self.now += round(seconds * 1000)
            seat = getattr(command, "seat", HOUSE)
            actor = HOUSE_ACTOR if seat == HOUSE else seat_actor(seat)
            stamp = Stamp(len(self.stamps) + 1, actor, self.now)
            chance = self.match.draws(stamp.version, command)
            self.match, events = decide(self.match, command, chance, stamp=stamp)
            self.stamps.append(stamp)
            self.history.append(events)
        return self

    def lapse(self) -> "Lobby":
        """Let the time of the seats that owe something run out."""
        due = self.due
        return self.do(Lapse(due), seconds=(due - self.now) / 1000)

    @property
    def due(self) -> int:
        """The deadline of the seats that owe something."""
        due = self.match.next_due
        assert due is not None
        return due

    def owed(self) -> tuple[str, tuple[int, ...]]:
        """The present debt, and the seats that owe it."""
        return self.match.owed

    @property
    def last(self) -> list[str]:
        """The tags of the last commit's events."""
        return [event.tag for event in self.history[-1]]


class NoChance:
    """A chance that nobody may ask."""

    def below(self, limit: int, /) -> int:
        """Fail."""
        raise AssertionError(f"nothing may be drawn, and not below {limit}")


NO_CHANCE = NoChance()


# ---- the way to the start ------------------------------------------------------------------------


def test_a_match_starts_with_the_last_disclosure() -> None:
    """M19: pledges come with the opening, with the join, and by themselves. Then all disclose."""
    lobby = Lobby(human(0, 1), FREE, SeatPlan("human"))
    assert not any(lobby.owed())

    lobby.do(Join(1, pledge=pledge_of(entropy(2), 1)))
    assert lobby.owed() == ("pledge", (2,))
    assert lobby.match.status.seats == (2,)

    lobby.do(pledge(2, 3))
    assert lobby.owed() == ("disclosure", (0, 1, 2))

    lobby.do(disclose(1, 2), disclose(0, 1))
    assert lobby.match.status.name == "open"
    assert lobby.owed() == ("disclosure", (2,))

    lobby.do(disclose(2, 3))
    assert lobby.last[:2] == ["entropy_disclosed", "match_started"]
    assert lobby.match.status.name == "running"
    assert [seat.entropy for seat in lobby.match.seats] == [entropy(1), entropy(2), entropy(3)]
    assert lobby.match.next_due is None


def test_every_disclosure_goes_into_the_first_draw() -> None:
    """M10, M19: the last disclosure counts, too, though it is made in the commit that draws."""
    lobby = Lobby(human(0, 1), human(1, 2), BOT).do(disclose(0, 1), disclose(1, 2))

    seed = move_seed(bytes.fromhex(SECRET), [entropy(1), entropy(2), ""], moves=0)
    draws = Draws(seed)
    dealt = [event for event in lobby.history[-1] if isinstance(event, toy.CardDealt)]
    assert [event.card for event in dealt] == [draws.below(12) // 2 for _ in range(3)]


def test_the_pledge_is_the_digest_of_canonical_json() -> None:
    """M19: the digest covers entropy and seat, so a repeated pledge does not fit another seat."""
    text = json.dumps({"entropy": entropy(7), "seat": 3}, separators=(",", ":"), sort_keys=True)

    assert pledge_of(entropy(7), 3) == hashlib.sha256(text.encode()).hexdigest()
    same = SeatPlan("human", pledge=pledge_of(entropy(1), 0))
    copied = Lobby(human(0, 1), same, match_rules=None)
    with pytest.raises(RuleBroken) as refused:
        copied.do(disclose(1, 1))
    assert refused.value.code == "pledge_wrong"


# ---- what drops pledges --------------------------------------------------------------------------

# Commands in a match of two humans and a bot after all have pledged, and the debts then.
DROPPING: dict[str, tuple[Sequence[Any], tuple[str, tuple[int, ...]]]] = {
    "M19-left": ((Leave(1), Join(1)), ("pledge", (0, 1))),
    "M19-left-by-who-disclosed": ((Leave(0), Join(0)), ("pledge", (0, 1))),
    "M19-replaced": ((Replace(1, "random"),), ("pledge", (0,))),
    "M19-replaced-and-restored": ((Replace(1, "random"), Restore(1)), ("pledge", (0, 1))),
    "M19-pledged-anew": (
        (Leave(1), Join(1), pledge(1, 12), pledge(0, 11)),
        ("disclosure", (0, 1)),
    ),
}


@pytest.mark.parametrize(("commands", "owed"), DROPPING.values(), ids=DROPPING)
@pytest.mark.parametrize("disclosed", [(), (disclose(0, 1),)], ids=["all-pledged", "disclosed"])
def test_all_pledge_anew_when_a_seat_changes_after_all_pledges(
    disclosed: Sequence[Any], commands: Sequence[Any], owed: tuple[str, tuple[int, ...]]
) -> None:
    """M19: entropy that somebody may know counts no more, committed or not."""
    lobby = Lobby(human(0, 1), human(1, 2), BOT).do(*disclosed)

    lobby.do(commands[0])
    assert lobby.last[-1] == "pledges_dropped"
    lobby.do(*commands[1:])

    assert lobby.owed() == owed
    assert not any(seat.entropy for seat in lobby.match.seats)


def test_a_seat_change_before_all_pledges_drops_no_other_pledge() -> None:
    """M19: before all have pledged nobody has disclosed anything, so other pledges stay."""
    lobby = Lobby(human(0, 1), SeatPlan("human"), BOT).do(Replace(1, "greedy"))

    assert lobby.last == ["seat_replaced"]
    assert lobby.owed() == ("disclosure", (0,))
    lobby.do(disclose(0, 1))
    assert lobby.match.status.name == "running"


def test_another_level_of_a_bot_drops_nothing() -> None:
    """M19: with another level of a bot no human's seat has changed hands."""
    lobby = Lobby(human(0, 1), human(1, 2), BOT).do(disclose(0, 1), Replace(2, "greedy"))

    assert lobby.owed() == ("disclosure", (1,))


def test_a_player_replaced_before_the_start_cannot_come_back() -> None:
    """M19: the draws do not depend on the entropy of a player replaced before the start."""
    lobby = Lobby(human(0, 1), SeatPlan("human")).do(Replace(1, "random"), disclose(0, 1))
    assert lobby.match.status.name == "running"

    for command in (Restore(1), Return(1)):
        with pytest.raises(RuleBroken) as refused:
            lobby.do(command)
        assert refused.value.code == "not_replaced"


# ---- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clock", "patience_ms"), [(None, HOUR_MS), (CLOCK, 60_000)])
def test_a_seat_that_owes_something_has_a_bank_or_an_hour(
    clock: ClockPlan | None, patience_ms: int
) -> None:
    """M19: time runs from the last change of seats, pledges or disclosures, if no seat is open."""
    lobby = Lobby(human(0, 1), FREE, clock=clock)
    assert lobby.match.next_due is None

    lobby.do(Join(1))
    assert lobby.due == lobby.now + patience_ms
    lobby.do(pledge(1, 2))
    assert lobby.due == lobby.now + patience_ms
    before = lobby.due
    lobby.do(ReplaceToken("seat:0"), EraseName(1))
    assert lobby.due == before, "tokens and names change nothing"
    lobby.do(disclose(1, 2))
    assert lobby.due == lobby.now + patience_ms


def test_nobodys_bank_pays_before_the_start() -> None:
    """M15, M19: pledges and disclosures have their own time."""
    lobby = Lobby(human(0, 1), human(1, 2), clock=CLOCK).do(disclose(0, 1), seconds=50)
    lobby.do(disclose(1, 2), seconds=50)

    assert clock_of(lobby.match) is not None
    assert clock_of(lobby.match).banks == (60_000, 60_000)
    assert clock_of(lobby.match).paying == (0,)


def test_only_the_seats_that_owe_something_lapse() -> None:
    """M19: lapsed seats are open again, and all pledge anew."""
    lobby = Lobby(human(0, 1), human(1, 2), human(2, 3)).do(disclose(1, 2)).lapse()

    assert lobby.last == ["seat_left", "seat_left", "pledges_dropped"]
    assert [seat.kind for seat in lobby.match.seats] == ["open", "human", "open"]
    assert not any(lobby.owed())
    lobby.do(Join(0), Join(2))
    assert lobby.owed() == ("pledge", (0, 1, 2))


def test_complete_pledges_are_dropped_if_all_their_seats_lapse() -> None:
    """M19: the history tells the drop, though no pledge is left."""
    lobby = Lobby(human(0, 1), human(1, 2)).lapse()

    assert lobby.last == ["seat_left", "seat_left", "pledges_dropped"]


def test_a_pledge_is_owed_as_well() -> None:
    """M19: a player who does not pledge loses the seat, also if nobody else has disclosed."""
    lobby = Lobby(human(0, 1), SeatPlan("human")).lapse()

    assert lobby.last == ["seat_left", "pledges_dropped"]
    assert [seat.kind for seat in lobby.match.seats] == ["human", "open"]


# ---- refusals ------------------------------------------------------------------------------------

TWO = (human(0, 1), human(1, 2))
STARTED = (disclose(0, 1), disclose(1, 2))

REFUSED: dict[str, tuple[Sequence[SeatPlan], Sequence[Any], Any, str, str]] = {
    "M19-seat-open": ((human(0, 1), FREE), (), disclose(0, 1), "too_early", "1"),
    "M19-not-all-pledged": (
        (human(0, 1), SeatPlan("human")),
        (),
        disclose(0, 1),
        "too_early",
        "seats 1",
    ),
    "M19-other-entropy": (TWO, (), disclose(0, 2), "pledge_wrong", "seat 0"),
    "M19-no-hex": (TWO, (), Disclose(0, "|" * 64), "pledge_wrong", "seat 0"),
    "M19-disclosed-twice": (TWO, (disclose(0, 1),), disclose(0, 1), "disclosed_already", "0"),
    "M19-pledged-twice": (TWO, (), pledge(0, 3), "pledged_already", "Seat 0"),
    "M19-pledged-after-disclosures": (
        TWO,
        (disclose(1, 2),),
        pledge(0, 3),
        "pledged_already",
        "anew",
    ),
    "M19-disclosed-before": (
        TWO,
        (disclose(0, 1), Leave(1)),
        pledge(0, 1),
        "pledge_repeated",
        "new bytes",
    ),
    "M19-pledged-before-and-dropped": (
        TWO,
        (Leave(1),),
        pledge(0, 1),
        "pledge_repeated",
        "new bytes",
    ),
    "M19-joined-with-a-disclosed-pledge": (
        TWO,
        (disclose(0, 1), Leave(0)),
        Join(0, pledge=pledge_of(entropy(1), 0)),
        "pledge_repeated",
        "new bytes",
    ),
    "M19-pledge-of-another-seat": (
        (human(0, 1), SeatPlan("human")),
        (),
        Pledge(1, pledge_of(entropy(1), 0)),
        "pledge_repeated",
        "new bytes",
    ),
    "M19-no-digest": ((SeatPlan("human"), FREE), (), Pledge(0, "x"), "no_pledge", "SHA-256"),
    "M19-no-digest-at-the-join": ((FREE, FREE), (), Join(0, pledge="x"), "no_pledge", "SHA-256"),
    "M19-entropy-at-the-join": (
        (FREE, FREE),
        (),
        Join(0, entropy="00"),
        "entropy_not_pledged",
        "pledge",
    ),
    "M19-pledge-of-a-bot": ((human(0, 1), BOT), (), pledge(1, 2), "seat_held_by_bot", "seat 1"),
    "M19-disclosed-too-late": (TWO, STARTED, disclose(0, 1), "already_started", "before"),
    "M19-pledged-too-late": (TWO, STARTED, pledge(0, 1), "already_started", "before"),
    "M19-pledged-after-abortion": (TWO, (Abort(),), pledge(0, 1), "already_started", "before"),
    "M19-started-by-the-owner": (TWO, (disclose(0, 1),), Start(), "entropy_owed", "by itself"),
    "M19-nothing-owed": ((human(0, 1), FREE), (), Lapse(BEGIN + HOUR_MS), "nothing_owed", "owes"),
    "M19-lapse-too-early": (TWO, (), Lapse(BEGIN + HOUR_MS), "not_due", str(BEGIN + HOUR_MS)),
    "M19-lapse-another-time": (TWO, (), Lapse(BEGIN), "not_due", str(BEGIN + HOUR_MS)),
}


@pytest.mark.parametrize(
    ("seats", "before", "command", "code", "hint"), REFUSED.values(), ids=REFUSED
)
def test_illegal_commands_are_refused(
    seats: Sequence[SeatPlan], before: Sequence[Any], command: Any, code: str, hint: str
) -> None:
    """Each refusal names its rule, and the legal choice or the reason."""
    lobby = Lobby(*seats).do(*before)
    with pytest.raises(RuleBroken) as refused:
        lobby.do(command)

    assert (refused.value.rule, refused.value.code) == ("M19", code)
    assert hint in refused.value.detail
    refusals.check(refused.value, "match")


def test_match_rules_1_take_disclosed_bytes_again() -> None:
    """M19: matches of earlier releases are decided as they were."""
    lobby = Lobby(*TWO, match_rules=None).do(disclose(0, 1), Leave(1), pledge(0, 1))

    assert lobby.owed() == ("", ())
    lobby.do(Join(1, pledge=pledge_of(entropy(2), 1)), disclose(1, 2), disclose(0, 1))
    assert lobby.match.status.name == "running"


OPENINGS: dict[str, tuple[Sequence[SeatPlan], bool | None, str]] = {
    "M19-bots-alone": ((BOT, BOT), True, "no_humans"),
    "M19-entropy-given": ((SeatPlan("human", entropy="00"), FREE), True, "entropy_not_pledged"),
    "M19-no-digest": ((SeatPlan("human", pledge="00"), FREE), True, "no_pledge"),
    "M19-pledge-without-joint-entropy": (TWO, None, "no_joint_entropy"),
    "M19-the-same-pledge-twice": ((human(0, 1), human(0, 1)), True, "pledge_repeated"),
}


@pytest.mark.parametrize(("seats", "joint", "code"), OPENINGS.values(), ids=OPENINGS)
def test_illegal_openings_are_refused(
    seats: Sequence[SeatPlan], joint: bool | None, code: str
) -> None:
    """M19: pledges belong to joint entropy, and entropy in the clear does not."""
    with pytest.raises(RuleBroken) as refused:
        Lobby(*seats, joint_entropy=joint)

    assert (refused.value.rule, refused.value.code) == ("M19", code)
    refusals.check(refused.value, "match")


@pytest.mark.parametrize(
    "command", [pledge(0, 1), disclose(0, 1), Lapse(BEGIN), Join(1, pledge="00" * 32)]
)
def test_without_joint_entropy_nobody_pledges(command: Any) -> None:
    """M19: a match without joint entropy takes no pledge, disclosure or lapse."""
    lobby = Lobby(SeatPlan("human"), FREE, joint_entropy=None)
    with pytest.raises(RuleBroken) as refused:
        lobby.do(command)
    assert (refused.value.rule, refused.value.code) == ("M19", "no_joint_entropy")


def test_the_owner_starts_a_match_that_bots_alone_are_left_in() -> None:
    """M4, M19: with bots alone nobody is there to disclose anything."""
    lobby = Lobby(human(0, 1), FREE).do(Replace(0, "random"), Replace(1, "random"), Start())

    assert lobby.match.status.name == "running"


# ---- folds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("clock", [None, CLOCK], ids=["without-clock", "with-clock"])
@pytest.mark.parametrize("take_back", [None, "consent"])
@pytest.mark.parametrize("seed", range(6))
def test_a_lobby_folds_alike_in_pieces_of_every_size(
    seed: int, take_back: str | None, clock: ClockPlan | None
) -> None:
    """M19: pledges, disclosures and their time are folded from the events and stamps alone."""
    lobby = Lobby(human(0, 1), FREE, SeatPlan("human"), clock=clock, take_back=take_back)
    matches = [lobby.match]
    random = Random(seed)
    while len(matches) < 40 and lobby.match.status.name in ("open", "running"):
        try:
            lobby.do(random.choice(tries(lobby, random)), seconds=random.randint(0, 30))
        except RuleBroken:
            continue
        matches.append(lobby.match)

    for size in range(1, len(matches)):
        folded = matches[0].copy()
        for start in range(1, len(matches), size):
            piece = slice(start, start + size)
            fold_commits(folded, lobby.history[piece], lobby.stamps[piece].__getitem__)
            assert folded == matches[piece][-1]

    opened, *others = lobby.history[0]
    assert isinstance(opened, MatchOpened)
    whole = new_match(opened)
    fold_commits(whole, [others, *lobby.history[1:]], lobby.stamps.__getitem__)
    assert whole == matches[-1]


def tries(lobby: Lobby, random: Random) -> list[Any]:
    """Return the commands to try now: most often those that lead to the start."""
    seat = random.randrange(3)
    number = 10 * seat + len(lobby.history) // 8
    likely: list[Any] = [disclose(seat, other) for other in range(10 * seat, 10 * seat + 6)]
    likely += [pledge(seat, number)] * 6 + [Join(seat)] * 3
    rare = [Leave(seat), Replace(seat, "random"), Restore(seat), ReplaceToken("owner")]
    if lobby.match.owed[1]:
        rare.append(Lapse(lobby.due))
    if lobby.match.state is not None:
        actor = lobby.match.status.actors[0]
        return [lobby.match.game.legal_moves(lobby.match.state, actor)[0]]
    return likely + rare


# ---- statistics ----------------------------------------------------------------------------------


@pytest.mark.whole
def test_shuffles_of_joint_draws_are_even() -> None:
    """M10, M19: 60,000 shuffles of four things, each of another seed by moves and disclosures.

    Chi-squared with 23 degrees of freedom stays below 60 (p < 0.00004). Half of the seeds differ by
    the number of moves, half by one seat's disclosure.
    """
    key = bytes.fromhex(SECRET)
    seeds = [move_seed(key, [entropy(1), entropy(2)], moves) for moves in range(30_000)]
    seeds += [move_seed(key, [entropy(1), entropy(2 + other)], 0) for other in range(1, 30_001)]

    orders = Counter("".join(shuffled(Draws(seed), "abcd")) for seed in seeds)

    assert len(orders) == 24
    chi_squared = sum((count - 2500) ** 2 / 2500 for count in orders.values())
    assert chi_squared < 60
