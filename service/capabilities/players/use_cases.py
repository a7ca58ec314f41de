"""Players: who has played which public matches, how well, and the ladders of the games.

Ratings lie in a file of this machine. Names lie beside the matches, where they can be erased at any
time, so they are looked up there for every answer.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import cast

from domain.errors import RulesUnknown
from service.base.answers import NotRated
from service.base.errors import MatchDeleted, NotFound, Overloaded
from service.base.metadata_fields import SEATS
from service.capabilities.players.answers import Ladder, PlayedMatch, Player, RatingAfter
from service.matches import listing, seats as seat_holders, server_log
from service.matches.context import Context
from service.matches.repository import pieces
from service.record import ratings
from service.record.commit import timestamp
from service.record.ratings import MatchResult, OrderKey, is_bot
from service.store.journal.errors import ArchiveDamaged, JournalUnavailable
from service.store.journal.values import Head
from service.store.tlog.entries import LogUnavailable, NotIndexed
from service.store.tlog.index import Wanted
from service.store.tlog.ratings import Moment, Played, Ratings

_log = logging.getLogger(__name__)

MATCHES_AT_ONCE = 100  # that have ended, looked at in one round
GONE_AT_ONCE = 500  # matches of which one look finds out whether they are still there
HISTORY = 100  # ratings of each game that an answer shows

IDLE_MS = 5_000  # after that long without a look, a process that reads looks for itself
_PATIENCE_SECONDS = 1.0  # of a reader, for ratings that are made for the first time


# ---- from log and journal into the file ----------------------------------------------------------


def keep_up(ctx: Context, kept: Ratings) -> bool:
    """Take in some matches that have ended, and fold; return whether there are more.

    Raises JournalUnavailable.
    """
    log = server_log.log_of(ctx)
    state = log.state()
    size = kept.size(state.key)
    start = min(size, state.published)  # the log may have become another one
    try:
        listed = log.listed(Wanted(ended=True, first=start), MATCHES_AT_ONCE)
    except NotIndexed:
        return True

    is_all = len(listed) < MATCHES_AT_ONCE
    end = state.published if is_all else listed[-1].position + 1
    results = list(_new_results(ctx, kept, [one.match for one in listed]))
    kept.take(size, end, results, is_all=is_all)
    kept.fold()
    return not is_all


def look_for_gone(ctx: Context, kept: Ratings) -> None:
    """Find out of some matches whether they were deleted, or are there again.

    Raises JournalUnavailable.
    """
    noted = kept.some(GONE_AT_ONCE)
    heads = ctx.journal.events.heads(list(noted))
    for (match, was_there), head in zip(noted.items(), heads, strict=True):
        if head is None and was_there:
            kept.forget(match)
        elif isinstance(head, Head) and head.final and not was_there:
            result = _result(ctx, match, head)
            if result is not None:
                kept.take_again(result)


def _new_results(ctx: Context, kept: Ratings, matches: Sequence[str]) -> Iterator[MatchResult]:
    """Yield what those of some matches say that a key has played in, and that are not taken in."""
    known = kept.known(matches)
    overviews = ctx.journal.events.overviews([(match, (SEATS,)) for match in matches])
    for match, (head, metadata) in zip(matches, overviews, strict=True):
        if match in known or not isinstance(head, Head) or not head.final:
            continue
        if seat_holders.may_have_key(metadata):
            result = _result(ctx, match, head)
            if result is not None and result.has_key:
                yield result


def _result(ctx: Context, match: str, head: Head) -> MatchResult | None:
    """Return what a match says; None where it cannot be read. One that cannot stops no other."""
    try:
        return ratings.result_of(list(chain.from_iterable(pieces(ctx, match, 0, head.version))))
    except (NotFound, MatchDeleted):
        return None
    except (ArchiveDamaged, RulesUnknown) as error:
        _log.warning("a match is not rated", extra={"match": match, "reason": str(error)})
    except JournalUnavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with one match
        _log.exception("a match is not rated", extra={"match": match})
    return None


def _catch_up(ctx: Context, kept: Ratings) -> None:
    """Take in and fold all that there is, as far as log and journal answer."""
    with suppress(JournalUnavailable):
        while keep_up(ctx, kept):
            pass


# ---- what is shown -------------------------------------------------------------------------------


def ladder(ctx: Context, game: str, seen: int, limit: int, *, bots: bool) -> tuple[Ladder, bool]:
    """Return the players of a game after so many of them, the best first; whether more follow.

    bots: whether bots are among them. Raises Overloaded while nothing is known yet.
    """
    kept = _ready(ctx)
    found = kept.ladder(game, seen, limit, bots=bots)
    names = _names(ctx, kept, [player for player, _ in found.players])
    places = ratings.placed(found.players, seen, found.first)
    for place in places:
        place["name"] = names.get(place["player"])
    shown: Ladder = {
        "game": game,
        "model": ratings.MODEL,
        "model_version": ratings.MODEL_VERSION,
        "players": places,
    }
    return shown, not found.is_last


def player(
    ctx: Context, key: str, game: str, before: OrderKey | None, limit: int
) -> tuple[Player, OrderKey | None]:
    """Return what is public of a player: name, ratings, and some matches, last ended first.

    The second is the place before which the next matches stand, None at the end.
    game: "" for matches of all games.   before: only matches before this place; None for all.
    Raises NotFound if nobody has played public matches with this key; Overloaded.
    """
    kept = _ready(ctx)
    played = kept.played(key, game, before, limit)
    if not played and not kept.played(key, "", None, 1):
        raise NotFound("nobody has played a public match to its end with this key")

    shown: Player = {
        "player": key,
        "name": _names(ctx, kept, [key]).get(key),
        "ratings": [
            {
                "game": of_game,
                "place": place,
                "rating": ratings.figures(rating),
                "history": list(map(_moment, kept.history(of_game, key, HISTORY))),
            }
            for of_game, (place, rating) in kept.of_player(key).items()
        ],
        "matches": list(_shown(ctx, played)),
    }
    return shown, played[-1].place if len(played) == limit else None


def _ready(ctx: Context) -> Ratings:
    """Return the file, once all matches that had ended at some time are in it; raises Overloaded.

    The scheduler keeps it up to date. Where none does, on this machine, a thread of this process
    catches up, for which nobody waits but the first who asks.
    """
    kept = ctx.ratings
    if kept is None:
        raise LogUnavailable("there is no log here")
    if kept.idle_ms() >= IDLE_MS or not kept.is_ready():
        started = kept.in_background(partial(_catch_up, ctx))
        if started is not None and not kept.is_ready():
            started.join(_PATIENCE_SECONDS)
        if not kept.is_ready():
            raise Overloaded("the ratings are being worked out: try again")
    return kept


def _names(ctx: Context, kept: Ratings, players: Iterable[str]) -> dict[str, str]:
    """Return the name that each player has last given, unless it has been erased since."""
    seats = kept.last_named(player for player in players if not is_bot(player))
    asked = [(match, (seat_holders.name_field(seat),)) for match, seat in seats.values()]
    overviews = ctx.journal.events.overviews(asked)
    names = {}
    for (player, (_, seat)), (_, metadata) in zip(seats.items(), overviews, strict=True):
        name = seat_holders.names_in(metadata).get(seat)
        if name is not None:
            names[player] = name
    return names


def _moment(moment: Moment) -> RatingAfter:
    return {
        "match": moment.place.match,
        "ended": timestamp(moment.place.ended),
        "rating": ratings.figures(moment.rating),
    }


def _shown(ctx: Context, played: Sequence[Played]) -> Iterator[PlayedMatch]:
    """Yield matches as they are shown, without those that were deleted since."""
    summaries = listing.summaries(ctx, [one.place.match for one in played])
    for one in played:
        if one.place.match in summaries:
            yield {
                "match": summaries[one.place.match],
                "seat": one.seat,
                "ended": timestamp(one.place.ended),
                "why_not_rated": cast("NotRated", one.why_not) if one.why_not else None,
            }
