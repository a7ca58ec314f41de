"""Open a match: its first commit, its tokens, the names that stay outside the chain."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from domain.chance import Draws, bound_key, draw_seed
from domain.errors import BadOption
from domain.game import Game
from domain.games import GAMES
from domain.match.messages import Open, SeatPlan
from domain.match.play import open_match
from service.errors import Invalid, KeyConflict, Place, pointer
from service.journal.port import Conflict, Deleted, KeyReused
from service.keys import tokens
from service.ledger.canonical import digest
from service.ledger.ids import match_id
from service.ledger.replay import Loaded
from service.ledger.times import timestamp
from service.matches import exhibitions, seating
from service.matches.committing import append, fingerprint
from service.matches.desk import Desk
from service.matches.loading import at_version

LEVELS = ("random", "greedy")


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants opened: for each seat kind, level, name and entropy; `seed` only where it is allowed.

    A seed fixes the draws whatever the match's id, so such a match has a secret that is bound to none (decision 0020).
    """

    game: str
    seats: Sequence[Mapping[str, str]]
    options: Mapping[str, Any] = field(default_factory=dict)
    visibility: str = "public"
    seed: str | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A new match with its tokens by caller name, and the names of its seats.

    repeated: it is the answer to an earlier request of the same key.
    """

    loaded: Loaded
    tokens: Mapping[str, str]
    repeated: bool
    names: Mapping[int, str]


def open_new(desk: Desk, wish: Wish, key: str = "") -> Opened:
    """Open a match; a repeated key is answered with the match it opened. Raises Invalid, KeyConflict, Overloaded.

    The match's id and its tokens follow from the key and the server's secret, so that the answer can be given again
    although nobody has kept the tokens: whoever knows the key and the request knows the tokens.
    """
    game = _game(wish)
    options = _options(game, wish)
    match = _match_id(desk, key)
    _check_room(desk, wish, match, key)
    names = {seat: plan["name"] for seat, plan in enumerate(wish.seats) if plan.get("name")}
    records = {seat: name_record(name) for seat, name in names.items()}
    command, secret_key = _command(game, wish, options, records, match)
    state, events = open_match(
        command, Draws(draw_seed(secret_key, [plan.entropy for plan in command.seats], 1))
    )
    held = _tokens(desk, match, wish)
    aside: dict[str, str | None] = seating.kept(state)
    for name, token in held.items():
        aside |= tokens.held(name, token)
    aside |= {f"name:{seat}": record for seat, (record, _) in records.items()}
    decided = Loaded(match, 1, (now := timestamp(desk.clock())), now, "", state)
    asked = [wish.game, list(map(dict, wish.seats)), dict(wish.options), wish.visibility, wish.seed]
    mark = fingerprint(asked, desk.secret)
    try:
        loaded, appended, _ = append(
            desk, decided, "owner", command, events, key and "open", mark, aside
        )
    except Deleted:
        raise KeyConflict(
            "this idempotency key opened a match that has been deleted; send a new key"
        ) from None
    except (Conflict, KeyReused):
        raise KeyConflict("this idempotency key opened another match; send a new key") from None
    return Opened(
        at_version(desk, match, 1) if appended.repeated else loaded, held, appended.repeated, names
    )


def _check_room(desk: Desk, wish: Wish, match: str, key: str) -> None:
    """Raise Overloaded for one match of bots alone too many, unless the request repeats an earlier one."""
    if any(plan["kind"] != "bot" for plan in wish.seats):
        return
    refusal = exhibitions.refusal(desk)
    is_repeat = refusal is not None and key != "" and desk.journal.head(match) is not None
    if refusal is not None and not is_repeat:
        raise refusal


def _game(wish: Wish) -> Game[Any]:
    game = GAMES.get(wish.game)
    if game is None:
        raise Invalid(Place("/game", f"must be one of {', '.join(GAMES)}"))
    if len(wish.seats) not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        raise Invalid(
            Place("/seats", f"{game.title} takes {least} to {most} seats, not {len(wish.seats)}")
        )
    return game


def _options(game: Game[Any], wish: Wish) -> dict[str, Any]:
    try:
        return game.read_options(wish.options)
    except BadOption as error:
        places = [Place("/options" + pointer(one.path), one.detail) for one in error.all]
        raise Invalid(*places, more=error.untold) from None


def _match_id(desk: Desk, key: str) -> str:
    number = (
        hmac.digest(desk.secret, f"match|{key}".encode(), "sha256")[:16]
        if key
        else secrets.token_bytes(16)
    )
    return match_id(number)


def _command(
    game: Game[Any],
    wish: Wish,
    options: dict[str, Any],
    names: Mapping[int, tuple[str, str]],
    match: str,
) -> tuple[Open, bytes]:
    """Return the command that opens a match, and the key of its draws and salts (M10)."""
    bound_to: str | None = None
    if wish.seed is None:
        secret = secrets.token_bytes(32)
        secret_key = bound_key(secret, match)
        bound_to = match
    else:
        secret = secret_key = hashlib.sha256(f"seed|{wish.seed}".encode()).digest()

    plans = tuple(
        SeatPlan(
            plan["kind"],
            plan.get("level", ""),
            names[seat][1] if seat in names else "",
            plan.get("entropy", ""),
        )
        for seat, plan in enumerate(wish.seats)
    )
    command = Open(
        game=game.key,
        rules=game.rules,
        views=game.view_version,
        options=options,
        seats=plans,
        visibility=wish.visibility,
        commitment=hashlib.sha256(secret_key).hexdigest(),
        secret=secret.hex(),
        match=bound_to,
    )
    return command, secret_key


def name_record(name: str) -> tuple[str, str]:
    """Return a name with a salt of its own as kept beside the chain, and the digest that binds it to the chain."""
    record = {"name": name, "salt": secrets.token_hex(16)}
    return orjson.dumps(record).decode(), digest(record)


def _tokens(desk: Desk, match: str, wish: Wish) -> dict[str, str]:
    kinds = [plan["kind"] for plan in wish.seats]
    callers = ["owner", *(f"seat:{seat}" for seat, kind in enumerate(kinds) if kind == "human")]
    if wish.visibility == "private":
        callers += ["spectator", *(["invitation"] if "open" in kinds else [])]
    return {name: tokens.make(desk.secret, match, name, "") for name in callers}
