"""Ratings: the result of an ended match, and the ratings of its players.

A player is a public key that signed at a seat (M18), or a level of bots.

    commits -> result_of -> MatchResult, rated if `why_not` is ""
    ratings before a rated match, its result -> after -> ratings after it
    results in any order -> fold -> ratings of all players

Results and ratings depend on commits alone, so a service and a dump come to the same numbers.
Results count in the order of the ends of their games (OrderKey). Ratings are stored in whole
millionths. The store is `service.store.tlog.ratings`.

Example: by match rules 2, the owner of a match lets a bot stand in for a human. Later the human
gets the seat back. `_replay_to_end` calls `_has_stand_in` after each commit with a replaced seat.
So the match is not rated, although no bot stands in at its end. Bots in place of humans that have
resigned or run out of time do not prevent a rating.

The model is that of Bradley and Terry over all pairs of a match, as openskill updates it: R. C.
Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", Journal of Machine
Learning Research 12 (2011), 267-300, algorithm 1. The model keeps the order of a result: of equal
players the better placed gains more, also if ranks are shared. openskill's model of Plackett and
Luce does not keep that order (decision 0085).
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

from openskill.models import BradleyTerryFull

from domain.match.messages import (
    EVENTS,
    MatchAborted,
    MatchExpired,
    MatchStarted,
    SeatReplaced,
    SecretsRevealed,
)
from domain.match.state import Match, Seat
from domain.seats import seat_actor
from service.base import answers
from service.record.commit import milliseconds, parse_commit
from service.record.replay import Loaded, outcome, replay_commits
from service.record.terms.clock import ClockSide
from service.record.terms.sides import terms_of

BOT = "bot:"  # before the level of a bot
PLAYER = f"[0-9a-f]{{64}}|{BOT}[a-z]{{1,20}}"  # a public key, or a level

# Reasons against rating a match. If several hold, the first in `_why_not` is named. The name of an
# unrated term is a reason, too.
PRIVATE = "private"
NOT_ENDED = "not_ended"
FORK = "fork"
NO_RESULT = "no_result"
NO_KEY = "no_key"
NO_CLOCK = "no_clock"
STAND_IN = "stand_in"
KNOWN_SEED = "known_seed"
ADVICE = "advice"
ONE_PLAYER = "one_player"


class OrderKey(NamedTuple):
    """The place of a match in the order of all results.

    ended: time of the commit that ended the game, in milliseconds since 1970.
    """

    ended: int
    match: str


@dataclass(frozen=True, slots=True)
class Seated:
    """The holder of a seat at the end.

    player: the key that signed at the seat, or "bot:LEVEL". "" for a human without such a key.
    is_named: True if a name was given with the seat.   rank: 1 is the best. 0 without a result.
    """

    player: str
    is_named: bool
    rank: int


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of an ended match.

    why_not: the reason against rating it, "" if it is rated.
    """

    place: OrderKey
    game: str
    seats: tuple[Seated, ...] = ()
    why_not: str = ""

    @property
    def has_key(self) -> bool:
        """True if a player with a key has played in the match."""
        return any(seat.player and not is_bot(seat.player) for seat in self.seats)

    def ranks(self) -> dict[str, int]:
        """Return the rank of each player. For several bots of a level the best rank counts."""
        ranks: dict[str, int] = {}
        for seat in self.seats:
            ranks[seat.player] = min(seat.rank, ranks.get(seat.player, seat.rank))
        return ranks


def is_bot(player: str) -> bool:
    """Return True if a player is a level of bots."""
    return player.startswith(BOT)


# ---- the result of a match -----------------------------------------------------------------------

_ENDS = (MatchAborted.tag, MatchExpired.tag)
_STARTED = f'"type":"{MatchStarted.tag}"'.encode()
_REPLACED = f'"type":"{SeatReplaced.tag}"'.encode()
_REVEALED = f'"type":"{SecretsRevealed.tag}"'.encode()
_KEY = b'"key":"'
_SIGNATURE = b'"signature":'


def result_of(commits: Sequence[bytes]) -> MatchResult:
    """Return the result of a match, given all of its stored commits.

    The commits are trusted: `giornale verify` checks them.
    """
    first = parse_commit(commits[0])["commit"]
    opened = first["events"][0]
    unrated = MatchResult(OrderKey(0, first["match"]), opened["game"])
    if opened["visibility"] != "public":
        return replace(unrated, why_not=PRIVATE)
    if not any(_REVEALED in commit for commit in reversed(commits)):
        return replace(unrated, why_not=NOT_ENDED)
    if not any(_KEY in commit for commit in commits):
        return replace(unrated, why_not=NO_KEY)

    loaded, has_stand_in = _replay_to_end(commits)
    seats = _seats(loaded, _signers(commits))
    return MatchResult(
        place=OrderKey(_end(commits), loaded.id),
        game=opened["game"],
        seats=seats,
        why_not=_why_not(
            loaded.match,
            seats,
            has_stand_in=has_stand_in,
            has_known_seed=opened.get("match") is None,
        ),
    )


def _replay_to_end(commits: Sequence[bytes]) -> tuple[Loaded, bool]:
    """Return the match at its end, and True if `_has_stand_in` held at its end or before."""
    loaded = None
    has_stand_in = False
    start = 0
    for number, commit in enumerate(commits, 1):
        if number == len(commits) or _REPLACED in commit:
            loaded = replay_commits(loaded, commits[start:number])
            assert loaded is not None, "a match has commits"
            has_stand_in = has_stand_in or _has_stand_in(loaded.match)
            start = number
    assert loaded is not None, "a match has commits"
    return loaded, has_stand_in


def _has_stand_in(match: Match) -> bool:
    """Return True if a stand-in bot is a reason against rating the match.

    By match rules 1 each stand-in is a reason, by match rules 2 only a stand-in set by the owner.
    Otherwise a player could void a match that goes badly by resigning or by running out of time.
    """
    every = not match.match_rules.ranks_resigned_last
    return any(seat.absent and (every or not seat.away) for seat in match.seats)


def _signers(commits: Sequence[bytes]) -> set[str]:
    """Return the actors that have signed a commit after the start.

    After the start nobody joins or leaves. Before the start, by match rules 1, anybody could take a
    seat with the key of another person.
    """
    signers: set[str] = set()
    has_started = False
    for commit in commits:
        if has_started and _SIGNATURE in commit:
            stored = parse_commit(commit)
            actor = stored["commit"]["actor"]
            parts: Sequence[Mapping[str, Any]] = (
                stored["commit"],
                stored["secrets"].get(actor, {}),
            )
            if any("signature" in part for part in parts):
                signers.add(actor)
        has_started = has_started or _STARTED in commit
    return signers


def _seats(loaded: Loaded, signers: Container[str]) -> tuple[Seated, ...]:
    result = outcome(loaded)
    ranks = result["ranks"] if result else [0] * len(loaded.match.seats)
    return tuple(
        Seated(_player(seat, seat_actor(number) in signers), bool(seat.name), rank)
        for number, (seat, rank) in enumerate(zip(loaded.match.seats, ranks, strict=True))
    )


def _player(seat: Seat, has_signed: bool) -> str:
    """Return the player of a seat. If a bot stands in, the human is still the player."""
    if seat.kind == "bot" and not seat.absent:
        return f"{BOT}{seat.level}"
    return seat.key if has_signed else ""


def _end(commits: Sequence[bytes]) -> int:
    """Return the time of the game's end. Later commits hold no event of a game.

    Raises ValueError.
    """
    for commit in reversed(commits):
        content = parse_commit(commit)["commit"]
        tags = {event["type"] for event in content["events"]}
        if not tags <= EVENTS.keys() or not tags.isdisjoint(_ENDS):
            return milliseconds(content["time"])
    raise ValueError("the match has no end")


def _why_not(
    match: Match, seats: Sequence[Seated], *, has_stand_in: bool, has_known_seed: bool
) -> str:
    """Return the reason against rating an ended public match, "" if it is rated.

    Advice and terms count if the opening allows them, used or not. They are public from the opening
    on, so no player can void a match that goes badly by using them.
    """
    players = [seat.player for seat in seats]
    terms = {side.name for side, _ in terms_of(match)}
    unrated = [side.name for side, _ in terms_of(match) if not side.is_rated]
    reasons = {
        FORK: FORK in unrated,
        NO_RESULT: not all(seat.rank for seat in seats),
        STAND_IN: has_stand_in,
        KNOWN_SEED: has_known_seed,
        ADVICE: match.advice,
        **dict.fromkeys(unrated, True),  # FORK keeps its place as the first key
        NO_KEY: not all(players) or all(map(is_bot, players)),
        NO_CLOCK: ClockSide.name not in terms,
        ONE_PLAYER: len(set(players)) == 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


# ---- ratings -------------------------------------------------------------------------------------

MODEL = "BradleyTerryFull"
MODEL_VERSION = f"openskill {version('openskill')}"

UNIT = 1_000_000  # mean and uncertainty are whole millionths
_SURE = 3  # standard deviations below the mean. A player is almost certainly better than that


@dataclass(frozen=True, slots=True)
class Strength:
    """The strength of a player at a game, in millionths.

    sigma: the uncertainty, one standard deviation.   matches: number of rated matches.
    """

    mean: int = 25 * UNIT
    sigma: int = 25 * UNIT // 3
    matches: int = 0

    @property
    def ordinal(self) -> int:
        """Sort key of the ladder. The player is almost certainly at least as good as this."""
        return self.mean - _SURE * self.sigma


BEGINNER = Strength()


def after(ratings: Mapping[str, Strength], result: MatchResult) -> dict[str, Strength]:
    """Return the ratings of a rated match's players after the match.

    ratings: ratings of all players of the game before the match. A player without a rating is a
        beginner.
    """
    ranks = result.ranks()
    model = _model()
    earlier = [ratings.get(player, BEGINNER) for player in ranks]
    teams = [[model.rating(one.mean / UNIT, one.sigma / UNIT)] for one in earlier]
    rated = model.rate(teams, ranks=[float(rank) for rank in ranks.values()])
    return {
        player: Strength(round(one.mu * UNIT), round(one.sigma * UNIT), before.matches + 1)
        for player, before, [one] in zip(ranks, earlier, rated, strict=True)
    }


def fold(results: Iterable[MatchResult]) -> dict[str, dict[str, Strength]]:
    """Return the ratings by game and player after results, given in any order."""
    ratings: dict[str, dict[str, Strength]] = {}
    for result in sorted(results, key=lambda one: one.place):
        if not result.why_not:
            of_game = ratings.setdefault(result.game, {})
            of_game |= after(of_game, result)
    return ratings


@cache
def _model() -> BradleyTerryFull:
    """Return the model. Each number is given, so a new release of openskill changes no number."""
    return BradleyTerryFull(
        mu=25.0,
        sigma=25.0 / 3,
        beta=25.0 / 6,
        kappa=0.0001,
        tau=25.0 / 300,
        margin=0.0,
        limit_sigma=False,
        balance=False,
    )


# ---- the ladder ----------------------------------------------------------------------------------


def in_order(ratings: Mapping[str, Strength]) -> list[tuple[str, Strength]]:
    """Return the players of a ladder, the best first.

    Equal players are in the order of their public keys, or "bot:LEVEL".
    """
    return sorted(ratings.items(), key=lambda one: (-one[1].ordinal, one[0]))


def placed(
    players: Sequence[tuple[str, Strength]], count_before: int = 0, first: int = 1
) -> list[answers.LadderPlace]:
    """Return some players of a ladder in its order for an answer, with no names yet.

    Equal players share a place.
    count_before: number of players on the ladder before `players`.   first: place of the first one.
    """
    places: list[answers.LadderPlace] = []
    place = first
    for number, (player, rating) in enumerate(players):
        if number and rating.ordinal != players[number - 1][1].ordinal:
            place = count_before + number + 1
        places.append({"place": place, "player": player, "name": None, "rating": figures(rating)})
    return places


def figures(rating: Strength) -> answers.Rating:
    """Return the figures of a rating for an answer."""
    return {
        "mean": thousandths(rating.mean),
        "uncertainty": thousandths(rating.sigma),
        "ordinal": thousandths(rating.ordinal),
        "matches": rating.matches,
    }


def thousandths(millionths: int) -> float:
    """Return millionths as a number, rounded to three decimals."""
    return round(millionths / 1000) / 1000
