"""The state of a match: seats, stage, the running game; its status, and who may move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from domain.chance import Draws, bound_key, draw_seed, move_seed
from domain.errors import MatchRuleBroken
from domain.game import AnyGame, Outcome
from domain.games import RULES
from domain.match.clock import Clock
from domain.match.joint_entropy import DISCLOSURE, PLEDGE, JointEntropy
from domain.match.match_rules import FIRST_RULES, MatchRules
from domain.match.messages import COMMANDS, Base, Disclose, Join
from domain.match.take_back import TakeBack
from domain.seats import HOUSE
from domain.wire import JsonMapping


@dataclass(frozen=True, slots=True)
class Seat:
    """Who holds a seat now: kind "human", "bot" or "open". Copies of a match share its seats.

    level: a bot's, "" for others.   name: the digest of the holder's name, "" for none.
    entropy: hex that goes into every draw's seed (M10).   absent: a bot stands in for a human.
    key: the public key that signs for the human, "" for none (M18).
    pledge: the digest that the human has pledged, "" for none (M19).
    away: why the human is away, if not by the owner's will: "time" (M15) or "resigned" (M16).
    """

    kind: str
    level: str
    name: str
    entropy: str
    absent: bool = False
    away: str = ""
    key: str = ""
    pledge: str = ""

    def signs(self, command: str) -> bool:
        """Return whether a commit of the seat is signed, by the tag of its command (M18).

        A key signs all that its human does from the join on, but no move that a bot makes.
        """
        if not self.key or command == Join.tag:
            return False
        return self.kind != "bot" or command in COMMANDS


@dataclass(frozen=True, slots=True)
class Status:
    """How far a match is, and who it waits for.

    name: "open", "running", "finished" or "aborted".
    seats: the seats that must act; before the start those that owe entropy (M19).
    bots: those of them that bots hold.
    awaiting: which worker it waits for: "house", "bots", "exhibition" (only bots sit) or "" (none).
    """

    name: str
    seats: tuple[int, ...] = ()
    bots: tuple[int, ...] = ()
    awaiting: str = ""

    @property
    def actors(self) -> tuple[int, ...]:
        """Who must act: seats, (HOUSE,) for the house, () when nobody must."""
        return (HOUSE,) if self.awaiting == "house" else self.seats

    @property
    def worker(self) -> str:
        """Who of the service must act: "house", "bots" or ""."""
        return "bots" if self.awaiting == "exhibition" else self.awaiting

    def why_no_moves(self) -> MatchRuleBroken:
        """Return why no move can be made in a match that is not running.

        It has not started (M4), or it is over (M5).
        """
        if self.name == "open":
            detail = "The match has not started; its owner starts it once no seat is open."
            return MatchRuleBroken("not_started", "M4", detail)

        detail = f"The match is {self.name}; no more moves can be made."
        return MatchRuleBroken("match_over", "M5", detail)


@dataclass(slots=True)
class Match:
    """The state of a match. `state` is the game's, None before the start.

    stage: "open", "running" or "aborted"; a match whose game is over is still "running" here.
    secret: the 32 bytes behind all draws, in hex; None where they are not known.
    id: what the secret is bound to; None: to no id, as in matches of the first release (M10).
    advice: whether humans may ask for advice (M14).
    clock: how much time each seat has (M15); None: all the time there is.
    take_back: what can be taken back (M17); None: nothing ever.
    base: what the match is forked from (M21); None: it is no fork.
    moves: how many commits of the game still stand, by which draws go (M10); None: they go by
    versions, as in matches from before there was this count.
    joint_entropy: how humans pledge and disclose entropy before the start (M19); None: they do not.
    match_rules: the match rules that the match was opened by.
    resigned: the seats that have resigned, in that order (M16).
    """

    rules: str
    options: JsonMapping
    seats: list[Seat]
    visibility: str
    commitment: str
    views: int
    secret: str | None
    stage: str = "open"
    revealed: bool = False
    state: Any = None
    id: str | None = None
    advice: bool = False
    clock: Clock | None = None
    take_back: TakeBack | None = None
    base: Base | None = None
    moves: int | None = None
    joint_entropy: JointEntropy | None = None
    match_rules: MatchRules = FIRST_RULES
    resigned: tuple[int, ...] = ()

    @property
    def key(self) -> bytes:
        """The bytes that key all draws and salts (M10).

        They are the secret, bound to the match's id where it names one. Raises RuleBroken where the
        secret is not known.
        """
        if self.secret is None:
            raise MatchRuleBroken(
                "not_sealed",
                "M10",
                "The first commit of this match does not hold its secret. The match can be read, "
                "but nothing more can happen in it; open a new match to play on.",
            )

        secret = bytes.fromhex(self.secret)
        return secret if self.id is None else bound_key(secret, self.id)

    def draws(self, version: int, command: object = None) -> Draws:
        """Return the draws of the commit that makes `version` (M10).

        command: its command. What it discloses itself goes into its draws (M19).
        Raises RuleBroken where the secret is not known.
        """
        entropy = [seat.entropy for seat in self.seats]
        if isinstance(command, Disclose) and 0 <= command.seat < len(entropy):
            entropy[command.seat] = command.entropy
        if self.moves is None:
            return Draws(draw_seed(self.key, entropy, version))
        return Draws(move_seed(self.key, entropy, self.moves))

    @property
    def game(self) -> AnyGame:
        """The rules that the match was opened with."""
        return RULES[self.rules]

    @property
    def needs_stamps(self) -> bool:
        """Whether a fold must know of each commit who made it, and when (M15, M17, M19)."""
        awaits_entropy = self.joint_entropy is not None and self.stage == "open"
        return self.clock is not None or self.take_back is not None or awaits_entropy

    @property
    def owed(self) -> tuple[str, tuple[int, ...]]:
        """What is owed now, PLEDGE or DISCLOSURE, and by which seats; "" and () for nothing (M19).

        Nothing is owed while a seat is open, and disclosures only once all pledges are there.
        """
        if self.joint_entropy is None or self.stage != "open":
            return "", ()
        if any(seat.kind == "open" for seat in self.seats):
            return "", ()

        humans = [number for number, seat in enumerate(self.seats) if seat.kind == "human"]
        unpledged = tuple(number for number in humans if not self.seats[number].pledge)
        if unpledged:
            return PLEDGE, unpledged
        undisclosed = tuple(number for number in humans if not self.seats[number].entropy)
        return (DISCLOSURE, undisclosed) if undisclosed else ("", ())

    @property
    def next_due(self) -> int | None:
        """When time runs out next: for what is owed before the start (M19), or a bank (M15).

        None: no time runs.
        """
        if self.joint_entropy is not None and self.owed[1]:
            return self.joint_entropy.due
        return self.clock.next_due if self.clock is not None else None

    @property
    def away(self) -> tuple[int, ...]:
        """The seats that bots play because time ran out or a human resigned (M15, M16)."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.away)

    @property
    def played_by_bots(self) -> tuple[int, ...]:
        """The seats at which bots play in place of humans (M8, M15, M16).

        By the first match rules the result leaves out those that the owner has replaced.
        """
        if not self.match_rules.ranks_resigned_last:
            return self.away
        return tuple(number for number, seat in enumerate(self.seats) if seat.absent)

    @property
    def outcome(self) -> Outcome | None:
        """The result of the match: that of its game, but for seats that have resigned (M16).

        None before the end of the game, and without a result.
        """
        result = None if self.state is None else self.game.outcome(self.state)
        return None if result is None else Outcome(result.points, self.ranks(result.ranks))

    def ranks(self, of_game: Sequence[int]) -> tuple[int, ...]:
        """Return the ranks of the match from those of its game (M16).

        Seats that have resigned rank below all others, and who resigned later ranks higher.
        """
        if not self.resigned or not self.match_rules.ranks_resigned_last:
            return tuple(of_game)
        latest_first = self.resigned[::-1]
        order = [
            (1, latest_first.index(seat)) if seat in latest_first else (0, rank)
            for seat, rank in enumerate(of_game)
        ]
        return tuple(1 + sum(other < own for other in order) for own in order)

    def may_return(self, number: int) -> bool:
        """Return whether a human in whose place a bot plays may play on, as long as no end came.

        They may if the owner has put the bot there (M8), or if a clock adds time (M15).
        """
        seat = self.seats[number]
        if seat.away == "time":
            return self.clock is not None and self.clock.move_ms > 0
        return seat.absent and not seat.away

    @property
    def taken_back(self) -> tuple[int, ...]:
        """The versions whose moves were taken back (M17), in order."""
        return self.take_back.gone if self.take_back is not None else ()

    @property
    def asked_to_agree(self) -> tuple[int, ...]:
        """The seats whose humans have not answered yet to what is asked to take back (M17)."""
        ask = self.take_back.ask if self.take_back is not None else None
        if ask is None:
            return ()
        answered = (ask.seat, *ask.agreed)
        humans = [number for number, seat in enumerate(self.seats) if seat.kind == "human"]
        return tuple(number for number in humans if number not in answered)

    @property
    def only_bots(self) -> bool:
        """Whether bots hold all seats, so that no human waits for what they do."""
        return all(seat.kind == "bot" for seat in self.seats)

    @property
    def status(self) -> Status:
        """How far the match is now; worked out anew each time."""
        actors = self.game.actors(self.state) if self.stage == "running" else ()
        if not actors:
            return self._status_without_players()
        if actors == (HOUSE,):
            return Status("running", awaiting="house")

        bots = [seat for seat in actors if self.seats[seat].kind == "bot"]
        if not bots:
            return Status("running", actors)

        return Status(
            name="running",
            seats=actors,
            bots=tuple(bots),
            awaiting="exhibition" if self.only_bots else "bots",
        )

    def _status_without_players(self) -> Status:
        """Return where a match stands that is not played now: it is open, or it has ended."""
        name = "finished" if self.stage == "running" else self.stage
        if name == "open":
            return Status(name, self.owed[1])
        if self.revealed:
            return Status(name)
        return Status(name, awaiting="house")

    def why_no_moves_of(self, seat: int, status: Status) -> MatchRuleBroken | None:
        """Return why a human cannot move a seat: nobody can (M4, M5), or a bot holds it (M6).

        status: the match's, which its caller has worked out before.
        """
        if status.name != "running":
            return status.why_no_moves()
        if self.seats[seat].kind == "bot":
            detail = f"A bot holds seat {seat} now; its owner can give the seat back."
            return MatchRuleBroken("seat_held_by_bot", "M6", detail)
        return None

    def copy(self) -> "Match":
        """Return an independent copy.

        Options, seats, clock, base, what can be taken back and how entropy is disclosed never
        change, so they are shared.
        """
        return Match(
            rules=self.rules,
            options=self.options,
            seats=self.seats.copy(),
            visibility=self.visibility,
            commitment=self.commitment,
            views=self.views,
            secret=self.secret,
            stage=self.stage,
            revealed=self.revealed,
            state=None if self.state is None else self.state.copy(),
            id=self.id,
            advice=self.advice,
            clock=self.clock,
            take_back=self.take_back,
            base=self.base,
            moves=self.moves,
            joint_entropy=self.joint_entropy,
            match_rules=self.match_rules,
            resigned=self.resigned,
        )
