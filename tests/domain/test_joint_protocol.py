"""Joint entropy against an adversary (M19), who can veto a draw and choose none.

The adversary is the server and everybody but the honest players. So it knows the secret and holds
the owner's token, it decides the order of all requests, and it plays some seats. The honest pledge
new entropy whenever they owe a pledge, and disclose it when they owe a disclosure. The server reads
their requests at once: it may refuse them, as if the match had moved on, and never commit them.

Every interleaving of a small table is tried, with the rules of the service itself. A draw follows
from the secret and from the disclosures of the seats, so two starts with the same entropy draw
alike. The adversary chooses if, knowing some entropy of an honest player, it can still reach two
starts that differ and both depend on it. A dependence on entropy that it does not know yet is as
good as the throw of a die.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from domain.errors import RuleBroken
from domain.match.match_rules import NEWEST
from domain.match.messages import (
    DRAWS_BY_MOVES,
    Disclose,
    Join,
    Lapse,
    Leave,
    Open,
    Pledge,
    Replace,
    Restore,
    SeatPlan,
    Start,
)
from domain.match.play import decide, open_match
from domain.match.state import Match, Stamp
from domain.match.terms import joint_entropy, joint_entropy_of
from domain.match.terms.joint_entropy import pledge_of
from tests import toy
from tests.whole import whole_but

SECRET = "5e" * 32
HONEST, OTHER, BOT = "honest", "other", "bot"
CHOICES = 2  # texts of its own that the adversary can pledge on a seat
ROUNDS = 2  # so often an honest player pledges before it gives the match up

Entropy = tuple[str, ...]  # the entropy of the seats when a match starts


class Position(NamedTuple):
    """A state of a match, and its messages so far.

    rounds: the number of pledges of each seat's honest player. known: the entropy of honest players
    that somebody has read.
    """

    match: Match
    rounds: tuple[int, ...]
    known: frozenset[str]

    @property
    def node(self) -> Any:
        """The node of the position. Versions and times do not distinguish positions."""
        joint = joint_entropy_of(self.match)
        pledged = frozenset[str]()
        if joint is not None and self.match.match_rules.takes_each_pledge_once:
            pledged = frozenset(joint.pledged)
        return self.match.stage, tuple(self.match.seats), self.rounds, self.known, pledged


class Search:
    """All reachable positions of a table, and the starts that each leads to.

    table: the player of each seat. lazy: True if the honest pledge the same bytes again.
    match_rules: those of the match. after: the positions one step later, by node. starts: the
    entropy with which the match starts, by the node of the start.
    """

    def __init__(self, *table: str, lazy: bool = False, match_rules: int | None = NEWEST) -> None:
        self.table = table
        self.lazy = lazy
        self.match_rules = match_rules
        self.after: dict[Any, set[Any]] = {}
        self.starts: dict[Any, Entropy] = {}
        self.known: dict[Any, frozenset[str]] = {}
        self.dealt: dict[Entropy, set[Any]] = {}
        waiting = [self.opened()]
        while waiting:
            position = waiting.pop()
            if position.node not in self.after:
                waiting += self.look_at(position)
        self.reached = self._reached()

    def opened(self) -> Position:
        """Return the table at its opening: the honest sit, the other seats are open."""
        plans = {
            HONEST: SeatPlan("human"),
            OTHER: SeatPlan("open"),
            BOT: SeatPlan("bot", "random"),
        }
        command = Open(
            game="toy",
            rules="toy/1",
            views=1,
            options={"rounds": 1, "edition": "plain"},
            seats=tuple(plans[who] for who in self.table),
            visibility="public",
            commitment="c",
            secret=SECRET,
            draws=DRAWS_BY_MOVES,
            joint_entropy=True,
            match_rules=self.match_rules,
        )
        match, _ = open_match(command, NEVER, stamp=Stamp(1, "owner", 1))
        return Position(match, (0,) * len(self.table), frozenset())

    def look_at(self, position: Position) -> list[Position]:
        """Note a position and its successors. Return the successors."""
        node = position.node
        self.known[node] = position.known
        self.after[node] = set()
        if position.match.stage != "open":
            self.starts[node] = tuple(seat.entropy for seat in position.match.seats)
            return []

        following = list(self.steps(position))
        self.after[node] = {step.node for step in following}
        return following

    def steps(self, position: Position) -> Iterator[Position]:
        """Yield the position after each command that the rules allow."""
        match = position.match
        for command in self.commands(position):
            due = match.next_due or 1
            chance = match.draws(2, command)
            try:
                after, events = decide(match, command, chance, stamp=Stamp(2, "", due))
            except RuleBroken:
                continue
            rounds, public = list(position.rounds), position.known
            if self.is_honest(command):
                rounds[command.seat] += isinstance(command, Pledge)
                public |= {command.entropy} if isinstance(command, Disclose) else set()
                yield position._replace(known=public)
            if after.stage == "running":
                entropies = tuple(seat.entropy for seat in after.seats)
                cards = tuple(event for event in events if isinstance(event, toy.CardDealt))
                self.dealt.setdefault(entropies, set()).add(cards)
            yield Position(after, tuple(rounds), public)

    def commands(self, position: Position) -> Iterator[Any]:
        """Yield all possible commands: the honest do their duty, the others anything.

        The adversary takes requests in any order, and lets time run out at will.
        """
        match = position.match
        if match.owed[1]:
            yield Lapse(match.next_due or 0)
        yield Start()
        for seat, who in enumerate(self.table):
            if who == HONEST:
                yield from self._of_the_honest(position, seat)
            elif who == OTHER:
                texts = [text(seat, number) for number in range(CHOICES)]
                # A pledge that comes with the join is a join and a pledge.
                yield from (Join(seat), Leave(seat))
                yield from (Pledge(seat, pledge_of(one, seat)) for one in texts)
                yield from (Disclose(seat, one) for one in texts)
            yield from (Replace(seat, "random"), Restore(seat))

    def _of_the_honest(self, position: Position, seat: int) -> Iterator[Any]:
        """Yield the commands of an honest player: sit, pledge something new, disclose it in time.

        It discloses as soon as the rules allow, since the adversary may ask for the disclosure.
        """
        number = position.rounds[seat]
        yield Join(seat)
        if number < ROUNDS and position.match.seats[seat].kind == "human":
            fresh = self._text_of_the_honest(seat, number)
            yield Pledge(seat, pledge_of(fresh, seat))
        if number > 0:
            yield Disclose(seat, self._text_of_the_honest(seat, number - 1))

    def _text_of_the_honest(self, seat: int, number: int) -> str:
        return text(seat, CHOICES if self.lazy else CHOICES + number)

    def is_honest(self, command: Any) -> bool:
        """Return True if a command is an honest player's."""
        seat = getattr(command, "seat", None)
        return seat is not None and self.table[seat] == HONEST

    def _reached(self) -> dict[Any, frozenset[Entropy]]:
        """Return the entropies with which the match can still start, by node."""
        reached = {node: frozenset[Entropy]() for node in self.after}
        reached |= {node: frozenset([entropies]) for node, entropies in self.starts.items()}
        before: dict[Any, list[Any]] = {}
        for node, following in self.after.items():
            for other in following:
                before.setdefault(other, []).append(node)

        changed = list(self.starts)
        while changed:
            node = changed.pop()
            for other in before.get(node, ()):
                more = reached[other] | reached[node]
                if more != reached[other]:
                    reached[other] = more
                    changed.append(other)
        return reached

    def choices(self) -> list[tuple[str, frozenset[Entropy]]]:
        """Return the choices of the adversary: its knowledge, and the starts that depend on it."""
        pairs = []
        for node, public in self.known.items():
            for one in public:
                starts = frozenset(
                    entropies for entropies in self.reached[node] if one in entropies
                )
                if len(starts) > 1:
                    pairs.append((one, starts))
        return pairs


class Never:
    """A chance that nobody may ask."""

    def below(self, limit: int, /) -> int:
        """Fail."""
        raise AssertionError(f"nothing is drawn before the start, nor below {limit}")


NEVER = Never()


def text(seat: int, number: int) -> str:
    """Return the entropy that is thought up on a seat: 32 bytes in hex."""
    return f"{seat:02x}{number:062x}"


# The player of each seat, and the match rules. By match rules 1 the adversary may pledge a text
# again, which stands for any number of texts.
TABLES: dict[str, tuple[tuple[str, ...], int | None]] = {
    "M19-two": ((HONEST, OTHER), NEWEST),
    "M19-two-and-a-bot": ((HONEST, BOT, OTHER), NEWEST),
    "M19-two-by-match-rules-1": ((HONEST, OTHER), None),
    "M19-two-honest": ((HONEST, HONEST, OTHER), None),
    "M19-two-others": ((OTHER, HONEST, OTHER), None),
}
SMALL_TABLES = {"M19-two", "M19-two-and-a-bot", "M19-two-by-match-rules-1"}


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    toy.install(monkeypatch)


@pytest.mark.parametrize("name", whole_but(SMALL_TABLES, TABLES))
def test_no_order_of_joins_lets_a_player_choose_a_draw(
    name: str,
) -> None:
    """M19: once the entropy of an honest player is known, only one start depends on it.

    That start can be prevented, and then all pledge anew. The order of commands changes nothing:
    the same entropy gives the same draw.
    """
    table, match_rules = TABLES[name]
    search = Search(*table, match_rules=match_rules)

    assert search.choices() == []
    with_honest = [
        entropies for entropies in search.starts.values() if any(honest(table, entropies))
    ]
    assert len(set(with_honest)) > 4, "the table starts in many ways"
    assert {len(dealt) for dealt in search.dealt.values()} == {1}
    draws = [dealt for entropies in set(with_honest) for dealt in search.dealt[entropies]]
    assert len(set(draws)) > 1, "other entropy, other draws"


def honest(table: tuple[str, ...], entropies: Entropy) -> Iterator[str]:
    """Yield the entropy that honest players have given."""
    return (one for who, one in zip(table, entropies, strict=True) if who == HONEST and one)


def test_an_honest_player_at_the_start_has_given_entropy() -> None:
    """M19: for an honest player no match begins with draws that others have chosen alone."""
    search = Search(HONEST, OTHER)

    for node, entropies in search.starts.items():
        _stage, seats, *_ = node
        assert (seats[0].kind == "human") == bool(entropies[0])
        assert not seats[0].absent, "nobody comes back to a match that started without them"


def test_a_pledge_of_disclosed_bytes_is_refused() -> None:
    """M19: with disclosed bytes the adversary could pledge anew for a draw that it knows.

    Match rules 1 took such pledges.
    """
    assert Search(HONEST, OTHER, lazy=True).choices() == []
    assert Search(HONEST, OTHER, lazy=True, match_rules=None).choices() != []


# A change of the rules, and the adversary's choices then.
BROKEN = {
    "M19-disclosures-before-all-have-pledged": ("_require_all_pledged", lambda _match: None),
    "M19-pledges-that-outlive-a-change-of-seats": (
        "_pledges_are_complete",
        lambda _match: False,
    ),
    "M19-pledges-that-count-until-a-disclosure-is-committed": (
        "_pledges_are_complete",
        lambda match: match.stage == "open" and any(seat.entropy for seat in match.seats),
    ),
    "M19-disclosures-that-need-not-fit": ("pledge_of", lambda _entropy, _seat: "00" * 32),
}


@pytest.mark.parametrize(("name", "instead"), BROKEN.values(), ids=BROKEN)
def test_without_any_of_its_rules_the_adversary_chooses(
    name: str, instead: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M19: without one of these rules the search finds a choice, so each is needed.

    By match rules 1, since the adversary may then pledge the same text in every round.
    """
    monkeypatch.setattr(joint_entropy, name, instead)
    if name == "pledge_of":
        monkeypatch.setattr("tests.domain.test_joint_protocol.pledge_of", instead)

    assert Search(HONEST, OTHER, match_rules=None).choices() != []
