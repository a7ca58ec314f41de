"""The state of a match: seats, stage, the running game and terms; its status, and who may move."""

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
        return self.kind != "bot" or command in OF_HUMANS


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


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a commit says beside its events.

    version: the one that it makes.   actor: who makes it.
    at: when, in milliseconds since 1970.
    """

    version: int
    actor: str
    at: int


class AppliedCommit(NamedTuple):
    """A commit whose events were applied to a match.

    own: its events that are the match's.   moves: those that are the game's.
    status: that of the match after it.
    mover: the seat whose human has made the moves; None for a bot and for the house.
    """

    own: Sequence[Message]
    stamp: Stamp
    status: Status
    moves: tuple[Message, ...]
    mover: int | None


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Commits whose ends matter no more, for a fold that need not note them one by one.

    standing: the events of each, without what no longer counts.
    term: the term after them, before the end of the last one is noted.
    """

    standing: Sequence[Sequence[Message]]
    term: "Term"


@dataclass(frozen=True, slots=True)
class Term:
    """An optional part of what a match agrees on, with a state of its own. By default it is idle.

    name: its name in what is stored.
    keeps_time: True if its state depends on the time of each commit, up to the last.
    sets_up_game: True if the game begins from a state of the term, without a command of its own.
    A hook of the class is asked in matches without the term, too.
    """

    name: ClassVar[str]
    keeps_time: ClassVar[bool] = False
    sets_up_game: ClassVar[bool] = False

    # ---- before the match is there ----

    @classmethod
    def from_opening(cls, _event: MatchOpened) -> Self | None:
        """Return the term of a match that is opened so, None without it."""
        return None

    @classmethod
    def first_events(cls, _command: Open) -> Iterable[Message]:
        """Return the events that follow `match_opened`."""
        return ()

    @classmethod
    def in_words(cls, _event: MatchOpened) -> tuple[str, str] | None:
        """Return the number of its rule and what is agreed on, for the story of the opening."""
        return None

    # ---- what the rules demand ----

    @classmethod
    def guard(cls, _match: "Match", _command: Message) -> None:
        """Refuse a command of the match that the kernel takes. Raises MatchRuleBroken."""

    @classmethod
    def guard_result(cls, _match: "Match", _command: Message) -> None:
        """Refuse what a match has become by a command. Raises MatchRuleBroken."""

    # ---- what events change ----

    def before_event(self, match: "Match", event: Message) -> None:
        """Change the match, in place, before an event of the match (no event of the game)."""

    def entailed_events(self, _match: "Match", _event: Message) -> Iterable[Message]:
        """Return the events that an event of the match entails, given the match before it."""
        return ()

    def after_commit(self, match: "Match", commit: AppliedCommit) -> None:
        """Note the end of a commit, in place. It may replace any term of the match."""

    def needs_stamps(self, _match: "Match") -> bool:
        """Return True as long as a fold must note the end of each commit."""
        return False

    def shortcut(
        self, _match: "Match", _commits: Sequence[Sequence[Message]], _first: int
    ) -> Shortcut | None:
        """Return how a fold may begin in place of noting each end; first: the first version."""
        return None

    def mark(self) -> Any:
        """Return what is to come back when moves are taken back, as JSON; None for nothing."""
        return None

    def rewind(self, _mark: Any, _payer: int | None) -> "Term":
        """Return the term when moves are taken back.

        mark: that of the version that is gone back to.
        payer: the only seat at whose cost it is, None if it is at that of all (M17).
        """
        return self

    def without_state(self) -> Self | None:
        """Return the term as a snapshot holds it; None: a snapshot cannot hold it now."""
        return self

    def with_state(self, _state: Any) -> Self:
        """Return the term of a snapshot with the state of its game."""
        return self

    # ---- what the match asks ----

    def initial_state(self, _match: "Match") -> Any:
        """Return the state that the game begins from; None: that of its rules."""
        return None

    def owed(self, _match: "Match") -> "Owed":
        """Return what seats owe before the start."""
        return NOTHING_OWED

    def deadline(self, _match: "Match") -> int | None:
        """Return when time runs out next, in milliseconds since 1970; None if no time runs."""
        return None

    def may_return(self, _match: "Match", _seat: int) -> bool:
        """Return True if the human of a seat may play on after the term has put a bot there."""
        return False

    @classmethod
    def story(
        cls, _match: "Match | None", _event: Message, _names: Names, _actor: str | None
    ) -> Sentence | None:
        """Return what an event of the kernel says happened, where the term tells it otherwise."""
        return None


# What is owed now, as a word of the term, and the seats that owe it.
Owed = tuple[str, tuple[int, ...]]
NOTHING_OWED: Owed = ("", ())
TermT = TypeVar("TermT", bound=Term)


@dataclass(slots=True)
class Match:
    """The state of a match. `state` is the game's, None before the start.

    stage: "open", "running" or "aborted"; a match whose game is over is still "running" here.
    secret: the 32 bytes behind all draws, in hex; None where they are not known.
    id: what the secret is bound to; None: to no id, as in matches of the first release (M10).
    advice: whether humans may ask for advice (M14).
    terms: what the match agrees on beside its rules, in the order in which they are asked.
    moves: how many commits of the game still stand, by which draws go (M10); None: they go by
    versions, as in matches from before there was this count.
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
    terms: tuple[Term, ...] = ()
    moves: int | None = None
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

    def term(self, kind: type[TermT]) -> TermT | None:
        """Return the term of a kind, None if the match has none."""
        for term in self.terms:
            if type(term) is kind:
                return term
        return None

    def put(self, changed: Term) -> None:
        """Put a term in the place of the one of its kind, or behind all others if there is none."""
        kind, terms = type(changed), self.terms
        for place, term in enumerate(terms):
            if type(term) is kind:
                self.terms = (*terms[:place], changed, *terms[place + 1 :])
                return
        self.terms = (*terms, changed)

    def marks(self) -> JsonMapping:
        """Return the marks of all terms that have one, by name."""
        marks = {}
        for term in self.terms:
            mark = term.mark()
            if mark is not None:
                marks[term.name] = mark
        return marks

    @property
    def needs_stamps(self) -> bool:
        """Whether a fold must know of each commit who made it, and when."""
        for term in self.terms:  # noqa: SIM110 - asked at each commit, and quicker than `any`
            if term.needs_stamps(self):
                return True
        return False

    @property
    def owed(self) -> Owed:
        """What is owed before the start, and by which seats; "" and () for nothing."""
        for term in self.terms:
            owed = term.owed(self)
            if owed[1]:
                return owed
        return NOTHING_OWED

    @property
    def next_due(self) -> int | None:
        """When time runs out next, in milliseconds since 1970; None: no time runs."""
        deadlines = (term.deadline(self) for term in self.terms)
        return next((due for due in deadlines if due is not None), None)

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

        They may if the owner has put the bot there (M8), or if a term lets them.
        """
        seat = self.seats[number]
        if seat.absent and not seat.away:
            return True
        return any(term.may_return(self, number) for term in self.terms)

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

        Options, seats and terms never change, so they are shared.
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


# How events of a match are told, given the match before them; None before the first.
Stories = Mapping[type, Callable[[Match | None, Any, Names], Sentence]]
