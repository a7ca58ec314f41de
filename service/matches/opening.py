"""Opening: makes the first commit and the tokens of a match. Names are stored outside the chain."""

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.chance import Draws, bound_key, move_seed
from domain.errors import BadOption
from domain.game import AnyGame
from domain.games import GAMES
from domain.match.match_rules import NEWEST as MATCH_RULES
from domain.match.messages import DRAWS_BY_MOVES, Base, Open, SeatPlan
from domain.match.play import open_match
from domain.match.state import Stamp
from domain.seats import INVITATION, OWNER, SPECTATOR, seat_actor
from service.base.errors import Invalid, KeyConflict, Mistake, pointer
from service.base.metadata_fields import REMATCH_OF
from service.matches import bots, forks, lobby
from service.matches.command_handler import (
    Act,
    Committed,
    Decision,
    append,
    require_proven,
)
from service.matches.context import Context
from service.matches.repository import load_version
from service.record.commit import Json, match_id_of, timestamp
from service.record.replay import Loaded
from service.record.signatures import opening_text
from service.record.terms.fork import ForkSide
from service.record.terms.sides import SIDES, read_terms, sides_of
from service.store import seat_holders
from service.store.journal.errors import Conflict, Deleted, KeyReused
from service.store.journal.values import fingerprint
from service.store.keys import tokens


class ShortPlan(dict[str, str]):
    """The plan of a seat, sent in short form, such as "bot:greedy".

    A mistake in it is reported at the seat, since the request has no members of the plan.
    """


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """The request for a match.

    seats: the plan of each seat: its kind, and optionally level, name, entropy, key and pledge.
    seed: None for random draws. With a seed, the draws do not depend on the match's id, so the
        secret of such a match is bound to no id (decision 0020). A server may forbid seeds.
    advice: True if humans may ask for advice (M14).
    rematch_of: the match before this one, "" for none. Strangers may not join a rematch.
    terms: values of the terms by their names, from `service.record.terms`.
    """

    game: str
    seats: Sequence[Mapping[str, str]]
    options: Mapping[str, object] = field(default_factory=dict)
    visibility: str = "public"
    seed: str | None = None
    advice: bool = False
    rematch_of: str = ""
    terms: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A new match with its tokens by caller name, and the names of its seats.

    repeated: True if an earlier request with the same key opened it.
    """

    loaded: Loaded
    tokens: Mapping[str, str]
    repeated: bool
    names: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class MatchSecret:
    """The source of a match's chance (M10).

    secret: 32 bytes.   key: for the draws and salts.
    bound_to: the id of the match if the key follows from secret and id. None: the secret is
        the key.
    """

    secret: bytes
    key: bytes
    bound_to: str | None

    @property
    def commitment(self) -> str:
        """The digest of the key. After the revelation anybody can check the secret against it."""
        return hashlib.sha256(self.key).hexdigest()


def new_secret(match_id: str) -> MatchSecret:
    """Return a random secret, bound to a match's id."""
    secret = secrets.token_bytes(32)
    return MatchSecret(secret, key=bound_key(secret, match_id), bound_to=match_id)


def seeded_secret(seed: str) -> MatchSecret:
    """Return the secret of a seed, bound to no match's id (decision 0020)."""
    secret = hashlib.sha256(f"seed|{seed}".encode()).digest()
    return MatchSecret(secret, key=secret, bound_to=None)


def open_new(ctx: Context, request: OpenRequest, key: str = "") -> NewMatch:
    """Open a match. A repeat with the same key returns the match of the first request.

    The match's id and its tokens follow from the key and the server's secret. So the answer can be
    given again although the tokens are stored nowhere, and anyone with the key and the request gets
    the tokens. A repeat does not return tokens that are no longer valid. Raises Invalid,
    KeyConflict, Overloaded, and for a fork the errors of `forks.find`.

    key: idempotency key, "" for none.
    """
    match = _match_id(ctx, key)
    beginning = _beginning(ctx, request, match if key else "")
    terms = _terms(beginning.game, request)
    _check_room(ctx, request, match, key)

    names = {seat: plan["name"] for seat, plan in enumerate(request.seats) if plan.get("name")}
    records = {seat: seat_holders.name_record(name) for seat, name in names.items()}
    digests = {seat: digest for seat, (_, digest) in records.items()}
    secret = new_secret(match) if request.seed is None else seeded_secret(request.seed)
    command = replace(
        _command(beginning.game, beginning.options, request, digests, secret),
        base=beginning.base,
        **terms,
    )

    now = ctx.clock()
    stamp = Stamp(1, OWNER, now)
    first_seed = move_seed(secret.key, [plan.entropy for plan in command.seats], moves=0)
    state, events = open_match(command, Draws(first_seed), stamp=stamp)

    holder_tokens = _tokens(ctx, match, request)
    act = Act(
        actor=OWNER,
        command=command,
        metadata=_metadata(request, holder_tokens, records),
        command_id="open" if key else "",
        fingerprint=_fingerprint(ctx, request),
    )
    time = timestamp(now)
    after = Loaded(id=match, version=1, created=time, time=time, hash="", match=state)
    committed = _append(ctx, Decision(act, events, before=None, prev="", after=after))

    loaded = committed.after or load_version(ctx, match, 1)
    if committed.repeated:
        metadata = ctx.journal.metadata.fields(match)
        holder_tokens = {
            name: token for name, token in holder_tokens.items() if tokens.field(token) in metadata
        }
    return NewMatch(loaded, holder_tokens, committed.repeated, names)


def read_request(**members: Any) -> OpenRequest:
    """Return the request for a match. members: the members of its JSON, with the terms."""
    names = {side.name for side in SIDES}
    others = {name: value for name, value in members.items() if name not in names}
    return OpenRequest(**others, terms=read_terms(members))


def require_proofs(body: Json, idempotency_key: str) -> None:
    """Refuse an opening unless each key of a seat has signed it (M18).

    body: must fit its schema.

    Records hold no such proof, since the signed bytes contain the secret idempotency key. Raises
    Invalid and SignatureWrong.
    """
    request = {**body, "seats": [_without_proof(plan) for plan in body["seats"]]}
    for number, plan in enumerate(body["seats"]):
        if isinstance(plan, str):  # the short form has no key
            continue
        key, proof = plan.get("key"), plan.get("proof")
        place = f"/seats/{number}/proof"
        if key is None and proof is not None:
            raise Invalid(Mistake(place, "needs a key. Send `key`, too"))
        if key is not None:
            if not idempotency_key:
                detail = "is needed, since the key of a seat signs it"
                raise Invalid(Mistake.in_parameter("Idempotency-Key", detail))
            text = opening_text(request, idempotency_key, number, key)
            require_proven(key, proof, text, place)


def _without_proof(plan: Mapping[str, Any] | str) -> Json | str:
    if isinstance(plan, str):
        return plan
    return {name: value for name, value in plan.items() if name != "proof"}


def _metadata(
    request: OpenRequest,
    holder_tokens: Mapping[str, str],
    records: Mapping[int, tuple[str, str]],
) -> dict[str, str | None]:
    """Return the metadata of a new match from its request: the match before, tokens and names."""
    metadata: dict[str, str | None] = {}
    if request.rematch_of:
        metadata[REMATCH_OF] = request.rematch_of
    for name, token in holder_tokens.items():
        metadata |= tokens.held(name, token)
    for seat, (record, _digest) in records.items():
        metadata[seat_holders.name_field(seat)] = record
    return metadata


def _append(ctx: Context, decision: Decision) -> Committed:
    """Append the first commit.

    Raises KeyConflict if the key has opened another match, or a match that was deleted.
    """
    try:
        return append(ctx, decision)
    except Deleted:
        raise KeyConflict(
            "this idempotency key opened a match that was deleted. Send a new key"
        ) from None
    except (Conflict, KeyReused):
        raise KeyConflict("this idempotency key opened another match. Send a new key") from None


def _fingerprint(ctx: Context, request: OpenRequest) -> str:
    """Return a text that distinguishes the request from another one with the same key."""
    seats = [_without_proof(plan) for plan in request.seats]
    parts: list[object] = [
        request.game,
        seats,
        dict(request.options),
        request.visibility,
        request.seed,
    ]
    # Fingerprints are stored for ever, so the parts and their order never change. A newer part is
    # left out if it was not requested, so that the fingerprints of older releases still fit.
    if request.advice:
        parts.append("advice")
    if request.rematch_of:
        parts.append(f"rematch of {request.rematch_of}")
    parts += [side.fingerprint(value) for side, value in sides_of(request.terms)]
    return fingerprint(parts, ctx.secret)


def _check_room(ctx: Context, request: OpenRequest, match_id: str, key: str) -> None:
    """Refuse a bots-only match while too many matches wait (`lobby.bots_only_refusal`).

    A repeat passes, since its match exists.

    Raises Overloaded.
    """
    if any(plan["kind"] != "bot" for plan in request.seats):
        return

    refusal = lobby.bots_only_refusal(ctx)
    if refusal is None:
        return
    is_repeat = key != "" and ctx.journal.events.head(match_id) is not None
    if not is_repeat:
        raise refusal


def _game(request: OpenRequest) -> AnyGame:
    """Return the requested game. Raises Invalid, also for a wrong number of seats."""
    game = GAMES.get(request.game)
    if game is None:
        raise Invalid(Mistake("/game", f"must be one of {', '.join(GAMES)}"))
    if len(request.seats) not in game.seats:
        least = game.seats[0]
        most = game.seats[-1]
        detail = f"{game.title} takes {least} to {most} seats, not {len(request.seats)}"
        raise Invalid(Mistake("/seats", detail))
    return game


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Game and options of a new match. base: only of a fork."""

    game: AnyGame
    options: dict[str, object]
    base: Base | None = None


def _beginning(ctx: Context, request: OpenRequest, match_id: str) -> _Beginning:
    """Return the game and the options of a match. A fork has those of its base.

    match_id: the match opened by the request's key, "" without a key.
    Raises Invalid, and the errors of `forks.find`.
    """
    if ForkSide.name not in request.terms:
        game = _game(request)
        _check_levels(game, request)
        return _Beginning(game, _options(game, request))

    fork = request.terms[ForkSide.name]
    before = forks.earlier_source(ctx, fork, match_id) if match_id else None
    source = before or forks.find(ctx, fork)
    game = _game_of_fork(request, source)
    _check_levels(game, request)
    return _Beginning(game, dict(source.match.options), source.base)


def _game_of_fork(request: OpenRequest, source: forks.ForkSource) -> AnyGame:
    """Return the game of a base, if the request fits the base (M21). Raises Invalid."""
    base = source.match
    game = base.game
    places = []
    if request.game != game.key:
        places.append(Mistake("/game", f"must be {game.key}, the game of the forked match"))
    if len(request.seats) != len(base.seats):
        detail = f"must be {len(base.seats)}, as many as in the forked match"
        places.append(Mistake("/seats", detail))
    if request.options:
        detail = "a fork has the options of the forked match. Leave them out"
        places.append(Mistake("/options", detail))
    if base.visibility == "private" and request.visibility != "private":
        places.append(Mistake("/visibility", "must be private, like the forked match"))
    if source.is_unadvised:
        places += _advisers(request)
    if places:
        raise Invalid(*places)
    return game


def _advisers(request: OpenRequest) -> Iterator[Mistake]:
    """Yield the mistakes in a request for a fork of a match that goes on without advice.

    Such a fork may have no advice, and no bots that search (M14, M21).
    """
    if request.advice:
        detail = "the forked match goes on without advice, and so does its fork"
        yield Mistake("/advice", detail)
    for number, plan in enumerate(request.seats):
        if plan.get("level") in bots.SEARCHING:
            yield Mistake(_place_of_level(number, plan), forks.NO_ADVICE)
    for side, value in sides_of(request.terms):
        for place, level in side.bot_levels(value).items():
            if level in bots.SEARCHING:
                yield Mistake(place, forks.NO_ADVICE)


def _check_levels(game: AnyGame, request: OpenRequest) -> None:
    """Raise Invalid for levels of bots missing in the game, at a seat or for advice (M14)."""
    levels = {
        _place_of_level(seat, plan): plan["level"]
        for seat, plan in enumerate(request.seats)
        if plan.get("level")
    }
    places = bots.missing(game, levels)
    if request.advice and bots.STRONG not in bots.offered(game):
        detail = f"{game.title} has no strong bots, so there is no advice. Leave it out"
        places.append(Mistake("/advice", detail))
    if places:
        raise Invalid(*places)


def _place_of_level(seat: int, plan: Mapping[str, str]) -> str:
    """Return the JSON pointer to the level of a seat's bot."""
    return f"/seats/{seat}" if isinstance(plan, ShortPlan) else f"/seats/{seat}/level"


def _options(game: AnyGame, request: OpenRequest) -> dict[str, object]:
    """Return the requested options with all defaults. Raises Invalid."""
    try:
        return game.read_options(request.options)
    except BadOption as error:
        places = [Mistake("/options" + pointer(one.path), one.detail) for one in error.all]
        raise Invalid(*places, more=error.unnamed) from None


def _terms(game: AnyGame, request: OpenRequest) -> Json:
    """Return the members of `open` for the requested terms. Raises Invalid."""
    levels = tuple(bots.offered(game))
    members: Json = {}
    for side in SIDES:
        if side.name in request.terms:
            members |= side.open_members(request.terms[side.name], request.seats, levels)
        else:
            side.check_seats_without(request.seats)
    return members


def _match_id(ctx: Context, key: str) -> str:
    """Return the id of the match for a key, a random one without a key."""
    if not key:
        return match_id_of(secrets.token_bytes(16))
    derived = hmac.digest(ctx.secret, f"match|{key}".encode(), "sha256")
    return match_id_of(derived[:16])


def _command(
    game: AnyGame,
    options: dict[str, object],
    request: OpenRequest,
    name_digests: Mapping[int, str],
    secret: MatchSecret,
) -> Open:
    """Return the command that opens a match."""
    plans = [
        SeatPlan(
            kind=plan["kind"],
            level=plan.get("level", ""),
            name=name_digests.get(seat, ""),
            entropy=plan.get("entropy", ""),
            key=plan.get("key"),
            pledge=plan.get("pledge"),
        )
        for seat, plan in enumerate(request.seats)
    ]
    return Open(
        game=game.key,
        rules=game.rules,
        views=game.view_version,
        options=options,
        seats=tuple(plans),
        visibility=request.visibility,
        commitment=secret.commitment,
        secret=secret.secret.hex(),
        match=secret.bound_to,
        advice=request.advice or None,
        draws=DRAWS_BY_MOVES,
        match_rules=MATCH_RULES,
    )


def _tokens(ctx: Context, match_id: str, request: OpenRequest) -> dict[str, str]:
    """Return the tokens of a new match by caller name."""
    kinds = [plan["kind"] for plan in request.seats]
    callers = [OWNER]
    for seat, kind in enumerate(kinds):
        if kind == "human":
            callers.append(seat_actor(seat))

    is_private = request.visibility == "private"
    if is_private:
        callers.append(SPECTATOR)
    if (is_private or request.rematch_of) and "open" in kinds:
        callers.append(INVITATION)
    return {name: tokens.make(ctx.secret, match_id, name, "") for name in callers}
