"""`python -m tests.records.make`: play the golden records that are missing.

There are 20 for each number of seats of each game. A record follows from its name and from the
bots of its day: clock, secret and players are fixed. Records of rules that are released are never
made anew, since they prove that old matches still fold. `--anew` is for rules that nobody has
played yet.

Those 20 are of the first kind of commitment, which binds no match's id. Three more, "bound", are of
the kind that does. One more, "advice", is of a bound match in which humans may ask for advice, if
the game has bots that advise. Apart from these there is a fork of one of them (M21), in `forks/`,
a match whose seats have keys (M18), in `signed/`, and one whose humans draw together (M19), in
`together/`. In the last one draws go by the moves of the game (M10), as in all matches of today.

By match rules 2 there are three more in `match_rules_2/`: one that is drawn together, one with a
clock, in which time runs out and a seat resigns, and one whose seats have keys and prove them.

Two in `match_rules_1/` show abuses that match rules 1 allow, and that must verify for ever: in one
a player runs the clock of the other down by taking moves back. In the other a player asks again and
again to take moves back, until no earlier move can be taken back, and all go back to a version
at which the house acts.
"""

import gzip
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from domain import wire
from domain.chance import FastChance
from domain.game import Game
from domain.games import GAMES
from domain.match.messages import Lapse, RunOut
from domain.match.terms import take_back_of
from domain.match.terms.joint_entropy import pledge_of
from domain.match.terms.take_back import CONSENT, OWN
from domain.options import Choice, Data, Flag, Number, Option
from domain.seats import HOUSE_ACTOR
from service.matches import automation, lobby, moves
from service.matches.bots import DEFAULT, STRONG, offered
from service.matches.command_handler import Act, Submission, commit
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.records import export, import_record
from service.matches.repository import load
from service.record import record
from service.record.commit import milliseconds
from service.record.replay import Loaded
from service.record.terms.fork import ForkRequest
from service.store.journal.memory import memory_journal
from tests import taking_back
from tests.domain.laws import hooks
from tests.signing import ADA, BEA, SignedTable
from workers.bots import choose

HOME = Path(__file__).parent
EACH = 20
ALSO_BOUND = (0, 3, 9)  # the numbers with a record of a bound match, too
ALSO_ADVISED = 9  # the number with a record of a match with advice, of the fewest seats
PLAIN = ""
BOUND = "bound-"
ADVICE = "advice-"
START = 1_767_225_600_000  # 2026-01-01T00:00:00Z
LEVELS = ("random", "greedy")
FORKED = 3  # the number of the bound record with a fork, of the fewest seats
PLAYED_BEFORE_ABORT = 60  # commits
PLAYED_BEFORE_RESIGNING = 90  # commits
CLOCK = {"bank_s": 600, "move_s": 60, "level": "random"}
ABUSED = [GAMES["calimala"], GAMES["firenze"]]  # the games that were played by match rules 1
PLAYED_BEFORE_ABUSE = 12  # commits
TURNED_DOWN = 50  # asks to take back that are refused, one after another
ROUNDS_OF_ABUSE = 7  # in each of them another player's clock runs down
ABUSE_MS = 45_000  # of that player's time in each round
COMMITS_TO_STAND_IN = 16  # from one bot that stands in to the next


class Name(NamedTuple):
    """The name of a record, and its consequences.

    kind: PLAIN, opened with the seed. BOUND, with a secret bound to its match's id (M10). ADVICE,
    bound, with advice for humans (M14). seed: of the match's secret and of its players' choices.
    """

    path: Path
    seats: int
    number: int
    kind: str
    seed: str

    @property
    def begins_in_lobby(self) -> bool:
        """True if a seat is open at first: in every fifth record."""
        return self.number % 5 == 0

    @property
    def is_aborted(self) -> bool:
        """True if the owner aborts the match: in every tenth record."""
        return self.number % 10 == 9

    @property
    def has_stand_ins(self) -> bool:
        """True if bots stand in for humans now and then: in every fourth record."""
        return self.number % 4 == 3


def names(game: Game[Any]) -> Iterator[Name]:
    """Yield the names of all records of a game's newest rules."""
    for seats in game.seats:
        for number in range(EACH):
            yield name_of(game, seats, number)
        for number in ALSO_BOUND:
            yield name_of(game, seats, number, BOUND)
    if STRONG in offered(game):
        yield name_of(game, game.seats[0], ALSO_ADVISED, ADVICE)


def files() -> list[Path]:
    """Return the present records in the folders of games, of all rules."""
    return sorted(HOME.glob("*/*.ndjson.gz"))


def name_of(game: Game[Any], seats: int, number: int, kind: str = PLAIN) -> Name:
    """Return the name of one record of a game's newest rules."""
    version = game.rules.rpartition("/")[2]
    stem = f"{version}-{seats}-{kind}{number:02}"
    return Name(
        path=HOME / game.key / f"{stem}.ndjson.gz",
        seats=seats,
        number=number,
        kind=kind,
        seed=f"{game.rules}|{stem}",
    )


def lines_in(path: Path) -> list[bytes]:
    """Return the lines of a record that was written, such as a golden one."""
    return record.lines(gzip.decompress(path.read_bytes()))


def lines_of(game: Game[Any], name: Name) -> Iterator[bytes]:
    """Play the match of a record. Return its lines."""
    ctx = _context(START)
    return _played_out(ctx, _open(ctx, game, name), name)


def _played_out(ctx: Context, opened: NewMatch, name: Name) -> Iterator[bytes]:
    """Let everybody play a match to its end. Return the lines of its record."""
    match = opened.loaded.id
    thought = FastChance(name.seed.encode())

    while True:
        status = load(ctx, match).match.status
        if status.awaiting == "house":
            automation.act(ctx, match)
        elif status.worker == "bots":
            automation.play_bots(ctx, match, choose)
        elif status.name == "running":
            _act(ctx, opened, name, thought)
        else:
            return export(ctx, match, None)


def _context(start: int) -> Context:
    """Return a context over an empty journal, with a clock that moves a second at each reading."""
    ticks = count(start, 1000)
    return Context(
        journal=memory_journal(),
        secret=b"golden" * 6,
        clock=lambda: next(ticks),
        enqueue=lambda *_: None,
        allow_seed=True,
    )


def base_of_fork(game: Game[Any]) -> Path:
    """Return the record that a game's golden fork goes on from."""
    return name_of(game, game.seats[0], FORKED, BOUND).path


def fork_path(game: Game[Any]) -> Path:
    """Return the path of the golden fork of a game."""
    return HOME / "forks" / game.key / base_of_fork(game).name


def fork_lines(game: Game[Any]) -> Iterator[bytes]:
    """Play a fork of the middle of a golden record. Return its lines."""
    ctx = _context(START + 10**9)
    base = lines_in(base_of_fork(game))
    audit, _ = import_record(ctx, base)
    name = name_of(game, game.seats[0], FORKED, BOUND)._replace(seed=f"{game.rules}|fork")

    request = OpenRequest(
        game.key,
        [_plan(seat, name.number) for seat in range(name.seats)],
        terms={"fork": ForkRequest(audit.report.match, audit.report.commits // 2)},
    )
    secret = hashlib.sha256(f"secret|{name.seed}".encode()).digest()
    with patch("service.matches.opening.secrets.token_bytes", lambda _length: secret):
        opened = open_new(ctx, request, key=f"golden|{name.seed}")
    return _played_out(ctx, opened, name)


def signed_path(game: Game[Any]) -> Path:
    """Return the path of the golden record of a signed match of a game."""
    seats = game.seats[0]
    return HOME / "signed" / game.key / f"{game.rules.rpartition('/')[2]}-{seats}.ndjson.gz"


def signed_lines(game: Game[Any]) -> Iterator[bytes]:
    """Play a match of seats with keys. Return the lines of its record.

    Seat 0 is opened with a key, the last is joined with one, any between is a bot's. In the
    match a seat is left, bots stand in, humans return, a move is taken back, and the last seat
    resigns.
    """
    ctx = _context(START)
    seed = f"{game.rules}|signed"
    last = game.seats[0] - 1
    plans: list[dict[str, Any]] = [{"kind": "bot", "level": "greedy"} for _ in range(last)]
    plans[0] = {"kind": "human", "entropy": "0a" * 16, "key": ADA.key}
    request = OpenRequest(game.key, [*plans, {"kind": "open"}], terms={"take_back": OWN})
    secret = hashlib.sha256(f"secret|{seed}".encode()).digest()
    with patch("service.matches.opening.secrets.token_bytes", lambda _length: secret):
        opened = open_new(ctx, request, key=f"golden|{seed}")

    table = SignedTable(ctx, opened.loaded.id, {0: (ADA, opened.tokens["seat:0"])})
    table.join(BEA, last)
    table.do(last, {"type": "leave"}, lobby.leave, last)
    table.join(BEA, last)
    owner = Submission(table.match, opened.tokens["owner"])
    lobby.start(ctx, owner)
    thought = FastChance(seed.encode())

    while (status := load(ctx, table.match).match.status).awaiting or status.name == "running":
        if status.awaiting == "house":
            automation.act(ctx, table.match)
        elif status.worker == "bots":
            automation.play_bots(ctx, table.match, choose)
        else:
            _act_signed(table, status.actors[0], owner, thought)
    return export(ctx, table.match, None)


def _act_signed(table: SignedTable, seat: int, owner: Submission, thought: FastChance) -> None:
    """Make a seat's move, or give a command around the game at a version of its own."""
    loaded = load(table.ctx, table.match)
    version, take_back = loaded.version, take_back_of(loaded.match)
    if seat != 0 and version > PLAYED_BEFORE_RESIGNING:
        table.do(seat, {"type": "resign", "level": DEFAULT}, lobby.resign)
    elif version % COMMITS_TO_STAND_IN == 0:
        lobby.replace(table.ctx, owner, seat, "greedy")
        table.do(seat, {"type": "return"}, lobby.return_)
    elif version % 9 == 0 and take_back is not None and take_back.is_own(seat, version - 1):
        command = {"type": "ask_take_back", "to": version - 1}
        table.do(seat, command, taking_back.ask, version - 1)
    else:
        table.move(seat, _thought_up(loaded, seat, thought))


def together_path(game: Game[Any]) -> Path:
    """Return the path of the golden record of a match with joint draws."""
    return HOME / "together" / game.key / signed_path(game).name


def newest_path(game: Game[Any]) -> Path:
    """Return the path of the golden record by match rules 2 of a game (decision 0082)."""
    return HOME / "match_rules_2" / game.key / signed_path(game).name


def clocked_path(game: Game[Any]) -> Path:
    """Return the path of the golden record of a match with a clock by match rules 2."""
    return newest_path(game).with_name(newest_path(game).name.replace(".", "-clock.", 1))


def clocked_lines(game: Game[Any]) -> Iterator[bytes]:
    """Play a match with a clock. Return the lines of its record.

    Now and then the time of a seat runs out, and its human returns. The last seat resigns.
    """
    ctx = _context(START)
    seed = f"{game.rules}|clock"
    last = game.seats[0] - 1
    plans: list[dict[str, Any]] = [{"kind": "bot", "level": "greedy"} for _ in range(last + 1)]
    for seat in (0, last):
        plans[seat] = {"kind": "human", "entropy": f"{seat:02x}" * 16}
    request = OpenRequest(game.key, plans, terms={"take_back": OWN, "clock": CLOCK})
    secret = hashlib.sha256(f"secret|{seed}".encode()).digest()
    with patch("service.matches.opening.secrets.token_bytes", lambda _length: secret):
        opened = open_new(ctx, request, key=f"golden|{seed}")
    thought = FastChance(seed.encode())
    match = opened.loaded.id

    while (status := load(ctx, match).match.status).awaiting or status.name == "running":
        if status.awaiting == "house":
            automation.act(ctx, match)
        elif status.worker == "bots":
            automation.play_bots(ctx, match, choose)
        else:
            ctx = _act_by_clock(ctx, opened, status.actors[0], thought)
    return export(ctx, match, None)


def _act_by_clock(ctx: Context, opened: NewMatch, seat: int, thought: FastChance) -> Context:
    """Make a seat's move, or let its time run out, or resign. Return a context of the time then."""
    loaded = load(ctx, opened.loaded.id)
    by_seat = Submission(loaded.id, opened.tokens[f"seat:{seat}"])
    if seat != 0 and loaded.version > PLAYED_BEFORE_RESIGNING:
        lobby.resign(ctx, by_seat)
    elif loaded.version % COMMITS_TO_STAND_IN == 0:
        due = loaded.match.next_due
        assert due is not None, "a human is awaited"
        ctx = replace(_context(due), journal=ctx.journal)
        commit(ctx, loaded, Act(HOUSE_ACTOR, RunOut(seat, due)))
        lobby.return_(ctx, by_seat)
    else:
        moves.move(ctx, by_seat, _thought_up(loaded, seat, thought))
    return ctx


def proven_path(game: Game[Any]) -> Path:
    """Return the path of the golden record of a signed match by match rules 2."""
    return newest_path(game).with_name(newest_path(game).name.replace(".", "-signed.", 1))


def abused_clock_path(game: Game[Any]) -> Path:
    """Return the path of the golden record of a clock that another player runs down."""
    return HOME / "match_rules_1" / game.key / clocked_path(game).name


def abused_asks_path(game: Game[Any]) -> Path:
    """Return the path of the golden record of asks that are repeated at once."""
    name = abused_clock_path(game).name.replace("-clock", "-asks")
    return abused_clock_path(game).with_name(name)


def abused_clock_lines(game: Game[Any]) -> Iterator[bytes]:
    """Play a match by match rules 1 in which a player takes back, so that the other pays."""
    return _abused_lines(game, "abused clock", _abuse_clock, take_back=OWN, clock=CLOCK)


def abused_asks_lines(game: Game[Any]) -> Iterator[bytes]:
    """Play a match by match rules 1 in which a player asks on after each refusal."""
    return _abused_lines(game, "abused asks", _abuse_asks, take_back=CONSENT)


# The deed of an abuser in place of a seat's move. It returns the context to go on with, or None if
# it did nothing. The last argument names the deeds so far, with "all" in the end.
_Abuse = Callable[[Context, NewMatch, int, list[str]], Context | None]


def _abused_lines(game: Game[Any], name: str, abuse: _Abuse, **terms: Any) -> Iterator[bytes]:
    """Play a match of two humans by match rules 1 until the owner aborts it. Return its lines."""
    ctx = _context(START)
    seed = f"{game.rules}|{name}"
    last = game.seats[0] - 1
    plans: list[dict[str, Any]] = [{"kind": "bot", "level": "greedy"} for _ in range(last + 1)]
    for seat in (0, last):
        plans[seat] = {"kind": "human", "entropy": f"{seat:02x}" * 16}
    secret = hashlib.sha256(f"secret|{seed}".encode()).digest()
    with (
        patch("service.matches.opening.secrets.token_bytes", lambda _length: secret),
        patch("service.matches.opening.MATCH_RULES", None),
    ):
        opened = open_new(ctx, OpenRequest(game.key, plans, **terms), key=f"golden|{seed}")
    thought = FastChance(seed.encode())
    match = opened.loaded.id
    abuses: list[str] = []

    while (status := load(ctx, match).match.status).awaiting or status.name == "running":
        loaded = load(ctx, match)
        if status.awaiting == "house":
            automation.act(ctx, match)
        elif status.worker == "bots":
            automation.play_bots(ctx, match, choose)
        elif "all" in abuses:
            lobby.abort(ctx, Submission(match, opened.tokens["owner"]))
        elif (later := abuse(ctx, opened, last, abuses)) is not None:
            ctx = later
        else:
            seat = status.actors[0]
            by_seat = Submission(match, opened.tokens[f"seat:{seat}"])
            moves.move(ctx, by_seat, _thought_up(loaded, seat, thought))
    return export(ctx, match, None)


def _abuse_clock(ctx: Context, opened: NewMatch, last: int, abuses: list[str]) -> Context | None:
    """Take the move back that has ended the turn, once the other human has paid for a while."""
    loaded = load(ctx, opened.loaded.id)
    take_back, [actor, *_] = take_back_of(loaded.match), loaded.status.actors
    abuser, to = last - actor, loaded.version - 1
    assert take_back is not None
    if actor not in (0, last) or to not in take_back.versions or not take_back.is_own(abuser, to):
        return None
    ctx = replace(_context(milliseconds(loaded.time) + ABUSE_MS), journal=ctx.journal)
    taking_back.ask(ctx, Submission(loaded.id, opened.tokens[f"seat:{abuser}"]), to)
    abuses.append("taken back" if len(abuses) + 1 < ROUNDS_OF_ABUSE else "all")
    return ctx


def _abuse_asks(ctx: Context, opened: NewMatch, last: int, abuses: list[str]) -> Context | None:
    """Go back to a version at which the house acts. Ask in vain any number of times."""
    loaded = load(ctx, opened.loaded.id)
    take_back = take_back_of(loaded.match)
    assert take_back is not None
    asker, other = (Submission(loaded.id, opened.tokens[f"seat:{seat}"]) for seat in (0, last))
    houses = [step.version for step in take_back.steps if step.leads_to_house]
    if houses and "asks" in abuses:
        taking_back.ask(ctx, asker, houses[-1])
        taking_back.agree(ctx, other)
        abuses += ["house", "all"]
        return ctx
    to = loaded.version - 1
    if loaded.version < PLAYED_BEFORE_ABUSE or "asks" in abuses or to not in take_back.versions:
        return None
    for _ in range(TURNED_DOWN):
        taking_back.ask(ctx, asker, to)
        taking_back.refuse(ctx, other)
    abuses.append("asks")
    return ctx


def together_lines(game: Game[Any]) -> Iterator[bytes]:
    """Play a match with joint draws. Return the lines of its record.

    The last seat withholds its part and lapses, and all pledge anew. In the game bots stand in.
    That changes no draw (M10).
    """
    ctx = _context(START)
    seed = f"{game.rules}|together"
    last = game.seats[0] - 1
    plans: list[dict[str, Any]] = [{"kind": "bot", "level": "greedy"} for _ in range(last)]
    plans[0] = {"kind": "human", "pledge": _pledge(0, 1)}
    terms = {"take_back": OWN, "joint_entropy": True}
    request = OpenRequest(game.key, [*plans, {"kind": "open"}], terms=terms)
    secret = hashlib.sha256(f"secret|{seed}".encode()).digest()
    with patch("service.matches.opening.secrets.token_bytes", lambda _length: secret):
        opened = open_new(ctx, request, key=f"golden|{seed}")

    tokens = dict(opened.tokens)
    tokens[f"seat:{last}"] = _join_together(ctx, opened, last, 1)
    lobby.disclose(ctx, Submission(opened.loaded.id, tokens["seat:0"]), _entropy(0, 1))
    ctx = _lapsed(ctx, opened)
    tokens[f"seat:{last}"] = _join_together(ctx, opened, last, 2)
    lobby.pledge(ctx, Submission(opened.loaded.id, tokens["seat:0"]), _pledge(0, 2))
    for seat in (0, last):
        by_seat = Submission(opened.loaded.id, tokens[f"seat:{seat}"])
        lobby.disclose(ctx, by_seat, _entropy(seat, 2))

    opened = replace(opened, tokens=tokens)
    name = name_of(game, game.seats[0], FORKED, BOUND)._replace(seed=seed)
    return _played_out(ctx, opened, name)


def _entropy(seat: int, attempt: int) -> str:
    """Return the entropy of a seat, in hex."""
    return hashlib.sha256(f"golden|{seat}|{attempt}".encode()).hexdigest()


def _pledge(seat: int, attempt: int) -> str:
    return pledge_of(_entropy(seat, attempt), seat)


def _join_together(ctx: Context, opened: NewMatch, seat: int, attempt: int) -> str:
    """Let somebody take a seat with a pledge. Return the seat's token."""
    joiner = {"name": "", "entropy": "", "pledge": _pledge(seat, attempt)}
    _, token = lobby.join(ctx, Submission(opened.loaded.id, None), seat, joiner)
    return token


def _lapsed(ctx: Context, opened: NewMatch) -> Context:
    """Let the seats lapse that owe something. Return a context of the time after that."""
    loaded = load(ctx, opened.loaded.id)
    due = loaded.match.next_due
    assert due is not None, "somebody owes something"
    later = replace(_context(due), journal=ctx.journal)
    commit(later, loaded, Act(HOUSE_ACTOR, Lapse(due)))
    return later


def _open(ctx: Context, game: Game[Any], name: Name) -> NewMatch:
    """Open a match with humans and bots of both levels, through the lobby or not.

    Its options are those of its number.
    """
    plans = [_plan(seat, name.number) for seat in range(name.seats)]
    if name.begins_in_lobby:
        plans[-1] = {"kind": "open"}
    seed = name.seed if name.kind == PLAIN else None
    chosen = options(game, name.number)
    wish = OpenRequest(game.key, plans, chosen, seed=seed, advice=name.kind == ADVICE)

    # A bound match draws its own secret. Here it must always be the same.
    secret = hashlib.sha256(f"secret|{name.seed}".encode()).digest()
    with patch("service.matches.opening.secrets.token_bytes", lambda _length: secret):
        opened = open_new(ctx, wish, key=f"golden|{name.seed}")

    if name.begins_in_lobby:
        _gather(ctx, opened, seat=name.seats - 1)
    return opened


def _plan(seat: int, number: int) -> dict[str, Any]:
    """Return the plan of a seat of a record: every third a human, others bots of both levels."""
    turn = seat + number
    if turn % 3 == 0:
        return {"kind": "human", "entropy": f"{seat:02x}" * 16}
    return {"kind": "bot", "level": LEVELS[turn % 2]}


def _gather(ctx: Context, opened: NewMatch, seat: int) -> None:
    """Let a human come, go and come again, a bot stand in, and the owner start."""
    match = opened.loaded.id
    nobody = Submission(match, None)
    owner = Submission(match, opened.tokens["owner"])
    joiner = {"name": "", "entropy": "ab" * 16}

    _, token = lobby.join(ctx, nobody, seat, joiner)
    lobby.leave(ctx, Submission(match, token), seat)

    lobby.join(ctx, nobody, seat, joiner)
    lobby.replace(ctx, owner, seat, "random")
    lobby.start(ctx, owner)


def _act(ctx: Context, opened: NewMatch, name: Name, thought: FastChance) -> None:
    """Make the move of a human, or give the owner's command at a version of its own."""
    match = opened.loaded.id
    owner = Submission(match, opened.tokens["owner"])
    loaded = load(ctx, match)
    seat = loaded.match.status.actors[0]

    if name.is_aborted and loaded.version > _abort_after(loaded.match.game):
        lobby.abort(ctx, owner)
    elif name.has_stand_ins and loaded.version % _stand_in_every(loaded.match.game) == 0:
        lobby.replace(ctx, owner, seat, "greedy")
        lobby.restore(ctx, owner, seat)
    else:
        human = Submission(match, opened.tokens[f"seat:{seat}"])
        moves.move(ctx, human, _thought_up(loaded, seat, thought))


def _abort_after(game: Game[Any]) -> int:
    """Return the number of commits before the owner aborts a match: the game may set it."""
    commits: int = getattr(hooks(game), "ABORT_AFTER", PLAYED_BEFORE_ABORT)
    return commits


def _stand_in_every(game: Game[Any]) -> int:
    """Return the number of versions between stand-ins: the game may set it."""
    versions: int = getattr(hooks(game), "STAND_IN_EVERY", COMMITS_TO_STAND_IN)
    return versions


def _thought_up(loaded: Loaded, seat: int, thought: FastChance) -> dict[str, Any]:
    """Return a move of a seat as a random bot would choose it, as JSON that a player would post."""
    game = loaded.match.game
    imagined = game.imagine(loaded.match.state, seat, thought)
    command = game.random_move(imagined, seat, thought)

    move = wire.encode(command)
    return {name: value for name, value in move.items() if name != "seat"}


def options(game: Game[Any], number: int) -> dict[str, Any]:
    """Return the options of a record.

    Its number counts through all plain values, then through typed-in data.
    """
    chosen = {}
    typed_in = [option for option in game.options if isinstance(option, Data)]
    rest = number

    for option in (*plain(game), *typed_in):
        values = variants(game, option)
        rest, index = divmod(rest, len(values))
        chosen[option.name] = values[index]

    return chosen


def plain(game: Game[Any]) -> list[Option]:
    """Return the options of a game that are no data."""
    return [option for option in game.options if not isinstance(option, Data)]


def variants(game: Game[Any], option: Option) -> list[Any]:
    """Return the values of an option that records must show."""
    match option:
        case Choice():
            return list(option.choices)
        case Flag():
            return [True, False]
        case Number():
            return [option.default, option.least]
        case Data():
            typed_in = hooks(game).typed_in(option.default)
            return [option.default, option.read(typed_in)]


def main(arguments: list[str]) -> None:
    """Make the records of all games, or of those named, that are not there."""
    anew = "--anew" in arguments
    named_games = [argument for argument in arguments if argument != "--anew"]

    for key in named_games or GAMES:
        game = GAMES[key]
        for name in names(game):
            if anew or not name.path.exists():
                write_record(name.path, lines_of(game, name))
        if anew or not fork_path(game).exists():
            write_record(fork_path(game), fork_lines(game))
        if anew or not signed_path(game).exists():
            write_record(signed_path(game), signed_lines(game))
        for path in (together_path(game), newest_path(game)):
            if anew or not path.exists():
                write_record(path, together_lines(game))
        if anew or not clocked_path(game).exists():
            write_record(clocked_path(game), clocked_lines(game))
        if anew or not proven_path(game).exists():
            write_record(proven_path(game), signed_lines(game))
        if game in ABUSED and (anew or not abused_clock_path(game).exists()):
            write_record(abused_clock_path(game), abused_clock_lines(game))
        if game in ABUSED and (anew or not abused_asks_path(game).exists()):
            write_record(abused_asks_path(game), abused_asks_lines(game))


def write_record(path: Path, lines: Iterable[bytes]) -> None:
    """Write a record to its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(b"".join(lines), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
