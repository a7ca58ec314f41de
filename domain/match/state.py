"""The state of a match, with its seats, terms and status."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from domain.chance import Draws, bound_key, draw_seed, move_seed
from domain.errors import MatchRuleBroken
from domain.game import AnyGame, Message, Outcome
from domain.games import RULES
from domain.match.match_rules import FIRST_RULES, MatchRules
from domain.match.messages import OF_HUMANS, Disclose, Join, MatchOpened, Open
from domain.seats import HOUSE
from domain.story import Names, Sentence
from domain.wire import JsonMapping


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat and its holder.

    kind: "human", "bot" or "open".   level: level of a bot, "" for other kinds.
    name: digest of the holder's name, "" for none.
    entropy: in hex, "" for none. A part of the seed of all draws (M10).
    absent: True if a bot stands in for a human.
    key: public key of the human, "" for none (M18).
    pledge: digest pledged by the human, "" for none (M19).
    away: "time" after a run-out (M15), "resigned" after a resignation (M16), else "".
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
        """Return True if the key of the seat signs commands with this tag (M18).

        The key signs all commands of its human at the seat after `join`, and no move of a bot.
        """
        if not self.key or command == Join.tag:
            return False
        return self.kind != "bot" or command in OF_HUMANS


@dataclass(frozen=True, slots=True)
class Status:
    """The phase of a match, and its next actors.

    name: "open", "running", "ended" or "aborted".
    seats: the seats to act. Before the start, the seats that still owe a pledge or a disclosure
        (M19).
    bots: those of `seats` that bots hold.
    awaiting: the worker to act: "house", "bots", "exhibition" (bots hold all seats) or "" (none).
    """

    name: str
    seats: tuple[int, ...] = ()
    bots: tuple[int, ...] = ()
    awaiting: str = ""

    @property
    def actors(self) -> tuple[int, ...]:
        """The next actors: seats, (HOUSE,) or ()."""
        return (HOUSE,) if self.awaiting == "house" else self.seats

    @property
    def worker(self) -> str:
        """The worker to act, with "bots" for "exhibition": "house", "bots" or ""."""
        return "bots" if self.awaiting == "exhibition" else self.awaiting

    def why_no_moves(self) -> MatchRuleBroken:
        """Return the refusal of a move before the start (M4) or after the end (M5)."""
        if self.name == "open":
            detail = "The match has not started. Its owner starts it once no seat is open."
            return MatchRuleBroken("not_started", "M4", detail)

        how = "was aborted" if self.name == "aborted" else "has ended"
        detail = f"The match {how}. No more moves can be made."
        return MatchRuleBroken("match_over", "M5", detail)


@dataclass(frozen=True, slots=True)
class Stamp:
    """Version, actor and time of a commit.

    at: in milliseconds since 1970.
    """

    version: int
    actor: str
    at: int


class AppliedCommit(NamedTuple):
    """A commit after its events were applied to a match.

    own_events: the events of the match itself.   moves: the events of its game.
    status: status of the match after the commit.
    mover: the seat of the human behind the moves. None: a bot, the house, or no moves.
    """

    own_events: Sequence[Message]
    stamp: Stamp
    status: Status
    moves: tuple[Message, ...]
    mover: int | None


@dataclass(frozen=True, slots=True)
class Shortcut:
    """The first commits of a fold, applied together. Terms note only the end of the last one.

    standing: events by commit, without moves taken back later.
    term: put into the match before these events are applied.
    """

    standing: Sequence[Sequence[Message]]
    term: "Term"


@dataclass(frozen=True, slots=True)
class Term:
    """An optional agreement of a match, such as a clock. An instance holds the state of the term.

    The methods below are hooks. A match calls them on its terms in the order of
    `domain.match.terms.TERMS`. Class methods are called for matches without the term, too. By
    default a hook does nothing.

        opening        from_opening, guard_result, first_events
        command        guard if play.py calls it, entailed_events, guard_result after a join
        event          before_event, then the change of the match
        end of commit  after_commit if any term needs stamps
        take-back      mark after each commit, rewind later
        snapshot       without_state, with_state

    A term is frozen. To change it, a hook puts a new one into the match (`Match.put`).

    name: key of the term in snapshots and marks.
    keeps_time: True if the state of the term depends on the time of each commit.
    sets_up_game: True if `initial_state` takes the place of the game's opening.
    """

    name: ClassVar[str]
    keeps_time: ClassVar[bool] = False
    sets_up_game: ClassVar[bool] = False

    # ---- opening ----

    @classmethod
    def from_opening(cls, _event: MatchOpened) -> Self | None:
        """Return the term that a match has from `match_opened` on. None: no term."""
        return None

    @classmethod
    def first_events(cls, _command: Open) -> Iterable[Message]:
        """Return the events that the term adds right after `match_opened`."""
        return ()

    @classmethod
    def in_words(cls, _event: MatchOpened) -> tuple[str, str] | None:
        """Return rule number and wording of the agreement, for the story. None: no agreement."""
        return None

    # ---- demands ----

    @classmethod
    def guard(cls, _match: "Match", _command: Message) -> None:
        """Refuse a command by the rules of the term. Raises MatchRuleBroken.

        `domain.match.play` checks most rules of the match itself before this call.
        """

    @classmethod
    def guard_result(cls, _match: "Match", _command: Message) -> None:
        """Refuse a command if the match after it breaks a rule. Raises MatchRuleBroken."""

    # ---- changes ----

    def before_event(self, match: "Match", event: Message) -> None:
        """Change the match in place before one of its events. Not called for events of the game."""

    def entailed_events(self, _match: "Match", _event: Message) -> Iterable[Message]:
        """Return events to add right after an event. match: state of the match before the event."""
        return ()

    def after_commit(self, match: "Match", commit: AppliedCommit) -> None:
        """Note the end of a commit in the match. The hook may replace any of the match's terms."""

    def needs_stamps(self, _match: "Match") -> bool:
        """Return True while each commit needs a call of `after_commit`."""
        return False

    def shortcut(
        self, _match: "Match", _commits: Sequence[Sequence[Message]], _first: int
    ) -> Shortcut | None:
        """Return a faster way to apply the first commits. None: there is none.

        first: version of `commits[0]`.
        """
        return None

    def mark(self) -> Any:
        """Return the state for a later take-back, as JSON. None: take-backs change nothing here."""
        return None

    def rewind(self, _mark: Any, _payer: int | None) -> "Term":
        """Return the term after a take-back.

        mark: the mark of the term at the version to go back to.
        payer: the only seat that pays for its time since that version. None: all seats pay (M17).
        """
        return self

    def without_state(self) -> Self | None:
        """Return the term for a snapshot, without states of the game. None: no snapshot now."""
        return self

    def with_state(self, _state: Any) -> Self:
        """Return the term from a snapshot, with the state of the game."""
        return self

    # ---- answers to the match ----

    def initial_state(self, _match: "Match") -> Any:
        """Return the first state of the game. None: the game's own."""
        return None

    def owed(self, _match: "Match") -> "Owed":
        """Return the debt before the start by name, such as PLEDGE, and the seats that owe it."""
        return NOTHING_OWED

    def deadline(self, _match: "Match") -> int | None:
        """Return the next deadline in milliseconds since 1970. None: no time runs."""
        return None

    def may_return(self, _match: "Match", _seat: int) -> bool:
        """Return True if the human of a seat may replace the bot that the term put there."""
        return False

    @classmethod
    def story(
        cls, _match: "Match | None", _event: Message, _names: Names, _actor: str | None
    ) -> Sentence | None:
        """Return the term's own sentence for an event of the match. None: the usual sentence."""
        return None


# The name of a debt, and the seats that owe it.
Owed = tuple[str, tuple[int, ...]]
NOTHING_OWED: Owed = ("", ())
TermT = TypeVar("TermT", bound=Term)


@dataclass(slots=True)
class Match:
    """The state of a match.

    state: state of the game, None before the start.
    stage: "open", "running" or "aborted". A match stays "running" after the end of its game.
    secret: the 32 bytes behind all draws, in hex. None: unknown.
    id: ID bound to the secret. None: no ID is bound, as in matches of the first release (M10).
    advice: True if humans may ask for advice (M14).
    terms: the terms of the match in the order of `domain.match.terms.TERMS`.
    moves: number of commits of the game that were not taken back, for draws (M10). None: draws go
    by versions, as in matches of earlier releases.
    resigned: seats in the order of their resignations (M16).
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
    terms: tuple[Term, ...] = ()
    moves: int | None = None
    match_rules: MatchRules = FIRST_RULES
    resigned: tuple[int, ...] = ()

    @property
    def key(self) -> bytes:
        """The key of all draws and salts: the secret, bound to `id` unless that is None (M10).

        Raises RuleBroken if the secret is unknown.
        """
        if self.secret is None:
            raise MatchRuleBroken(
                "not_sealed",
                "M10",
                "The first commit of this match does not hold its secret. The match can be read, "
                "but nothing more can happen in it: open a new match to play on.",
            )

        secret = bytes.fromhex(self.secret)
        return secret if self.id is None else bound_key(secret, self.id)

    def draws(self, version: int, command: object = None) -> Draws:
        """Return the draws of the commit at a version (M10).

        command: command of the commit. A disclosure adds its entropy to the draws of its own commit
        (M19).
        Raises RuleBroken if the secret is unknown.
        """
        entropy = [seat.entropy for seat in self.seats]
        if isinstance(command, Disclose) and 0 <= command.seat < len(entropy):
            entropy[command.seat] = command.entropy
        if self.moves is None:
            return Draws(draw_seed(self.key, entropy, version))
        return Draws(move_seed(self.key, entropy, self.moves))

    @property
    def game(self) -> AnyGame:
        """The rules of the match's game."""
        return RULES[self.rules]

    def term(self, kind: type[TermT]) -> TermT | None:
        """Return the match's term of a kind, None for none."""
        for term in self.terms:
            if type(term) is kind:
                return term
        return None

    def put(self, changed: Term) -> None:
        """Replace the term of the same kind. If there is none, append the term."""
        kind, terms = type(changed), self.terms
        for place, term in enumerate(terms):
            if type(term) is kind:
                self.terms = (*terms[:place], changed, *terms[place + 1 :])
                return
        self.terms = (*terms, changed)

    def marks(self) -> JsonMapping:
        """Return the marks of all terms by name of the term. Terms without a mark are left out."""
        marks = {}
        for term in self.terms:
            mark = term.mark()
            if mark is not None:
                marks[term.name] = mark
        return marks

    @property
    def needs_stamps(self) -> bool:
        """True while each commit needs a call of `after_commit` of the terms, with its stamp."""
        for term in self.terms:  # noqa: SIM110 - called at each commit, and faster than `any`
            if term.needs_stamps(self):
                return True
        return False

    @property
    def owed(self) -> Owed:
        """The debt before the start, and the seats that owe it. NOTHING_OWED: no debt."""
        for term in self.terms:
            owed = term.owed(self)
            if owed[1]:
                return owed
        return NOTHING_OWED

    @property
    def next_due(self) -> int | None:
        """The next deadline in milliseconds since 1970. None: no time runs."""
        deadlines = (term.deadline(self) for term in self.terms)
        return next((due for due in deadlines if due is not None), None)

    @property
    def away(self) -> tuple[int, ...]:
        """The seats that bots play after a run-out or a resignation (M15, M16)."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.away)

    @property
    def played_by_bots(self) -> tuple[int, ...]:
        """The seats that bots play in place of humans, for the result (M8, M15, M16).

        By match rules 1, seats replaced by the owner are left out.
        """
        if not self.match_rules.ranks_resigned_last:
            return self.away
        return tuple(number for number, seat in enumerate(self.seats) if seat.absent)

    @property
    def outcome(self) -> Outcome | None:
        """The points of the game and the ranks of the match. None before the end of the game."""
        result = None if self.state is None else self.game.outcome(self.state)
        return None if result is None else Outcome(result.points, self.ranks(result.ranks))

    def ranks(self, of_game: Sequence[int]) -> tuple[int, ...]:
        """Return the ranks of the match, given the ranks of its game (M16).

        Resigned seats rank below all others. Among them, a later resignation ranks higher. By match
        rules 1 the ranks are those of the game.
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
        """Return True if the human of a seat may take the seat back from the stand-in bot.

        The human may do so if the owner put the bot there (M8), or if a term allows it.
        """
        seat = self.seats[number]
        if seat.absent and not seat.away:
            return True
        return any(term.may_return(self, number) for term in self.terms)

    @property
    def only_bots(self) -> bool:
        """True if bots hold all seats."""
        return all(seat.kind == "bot" for seat in self.seats)

    @property
    def status(self) -> Status:
        """The status now. Each access computes it."""
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
        """Return the status of an open, ended or aborted match."""
        name = "ended" if self.stage == "running" else self.stage
        if name == "open":
            return Status(name, self.owed[1])
        if self.revealed:
            return Status(name)
        return Status(name, awaiting="house")

    def why_no_moves_of(self, seat: int, status: Status) -> MatchRuleBroken | None:
        """Return the refusal of a human's move at a seat: M4, M5, or M6 at a bot's seat.

        None if these rules allow the move.
        status: the present status of the match.
        """
        if status.name != "running":
            return status.why_no_moves()
        if self.seats[seat].kind == "bot":
            detail = f"A bot holds seat {seat} now. The match's owner can give the seat back."
            return MatchRuleBroken("seat_held_by_bot", "M6", detail)
        return None

    def copy(self) -> "Match":
        """Return an independent copy.

        The copy shares the options, each Seat and the terms, since these never change.
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
            terms=self.terms,
            moves=self.moves,
            match_rules=self.match_rules,
            resigned=self.resigned,
        )


# By class of event, a function that returns the sentence for an event. Its parameters are the match
# before the event (None for `match_opened`), the event, and the names of the seats.
Stories = Mapping[type, Callable[[Match | None, Any, Names], Sentence]]
