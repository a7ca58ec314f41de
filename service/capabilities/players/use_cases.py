"""Players: their public matches and ratings, and the ladders of the games.

Ratings are stored in a file of this machine. Names are stored beside the matches, and can be erased
there at any time. So every answer reads the names there.
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
from service.matches import listing, server_log
from service.matches.context import Context
from service.matches.repository import pieces
from service.record import ratings
from service.record.commit import timestamp
from service.record.ratings import MatchResult, OrderKey, is_bot
from service.store import seat_holders
from service.store.journal.errors import ArchiveDamaged, JournalUnavailable
from service.store.journal.values import Head
from service.store.tlog.entries import LogUnavailable, NotIndexed
from service.store.tlog.index import MatchSelection
from service.store.tlog.ratings import Moment, Played, Ratings

_log = logging.getLogger(__name__)

MATCHES_AT_ONCE = 100  # ended matches looked at in one round
GONE_AT_ONCE = 500  # matches checked for deletion in one look
HISTORY = 100  # ratings of each game in an answer

IDLE_MS = 5_000  # time without an update, after which a reading process updates the file itself
_PATIENCE_SECONDS = 1.0  # wait of a reader while the ratings are computed for the first time


# ---- from log and journal into the file ----------------------------------------------------------


def keep_up(ctx: Context, rating_file: Ratings) -> bool:
    """Store the results of some ended matches, and update the ratings.

    Return True if there are more.

    Raises JournalUnavailable.
    """
    log = server_log.log_of(ctx)
    state = log.state()
    size = rating_file.size(state.key)
    start = min(size, state.published)  # a new log may have fewer entries
    try:
        listed = log.listed(MatchSelection(ended=True, first=start), MATCHES_AT_ONCE)
    except NotIndexed:
        return True

    is_all = len(listed) < MATCHES_AT_ONCE
    end = state.published if is_all else listed[-1].position + 1
    results = list(_new_results(ctx, rating_file, [one.match for one in listed]))
    rating_file.take(size, end, results, is_all=is_all)
    rating_file.fold()
    return not is_all


def look_for_gone(ctx: Context, rating_file: Ratings) -> None:
    """Check some stored matches. Drop deleted matches, and store restored matches again.

    Raises JournalUnavailable.
    """
    noted = rating_file.some(GONE_AT_ONCE)
    heads = ctx.journal.events.heads(list(noted))
    for (match, was_there), head in zip(noted.items(), heads, strict=True):
        if head is None and was_there:
            rating_file.forget(match)
        elif isinstance(head, Head) and head.final and not was_there:
            result = _result(ctx, match, head)
            if result is not None:
                rating_file.take_again(result)


def _new_results(
    ctx: Context, rating_file: Ratings, matches: Sequence[str]
) -> Iterator[MatchResult]:
    """Yield the results of final matches with a signing player, except stored results."""
    stored_matches = rating_file.known(matches)
    overviews = ctx.journal.events.overviews([(match, (SEATS,)) for match in matches])
    for match, (head, metadata) in zip(matches, overviews, strict=True):
        if match in stored_matches or not isinstance(head, Head) or not head.final:
            continue
        if seat_holders.may_have_key(metadata):
            result = _result(ctx, match, head)
            if result is not None and result.has_key:
                yield result


def _result(ctx: Context, match: str, head: Head) -> MatchResult | None:
    """Return the result of a match, None if it is gone or unreadable."""
    try:
        return ratings.result_of(list(chain.from_iterable(pieces(ctx, match, 0, head.version))))
    except (NotFound, MatchDeleted):
        return None
    except (ArchiveDamaged, RulesUnknown) as error:
        _log.warning("match could not be rated", extra={"match": match, "reason": str(error)})
    except JournalUnavailable:
        raise
    except Exception:  # noqa: BLE001 - one match must not stop the others
        _log.exception("match could not be rated", extra={"match": match})
    return None


def _catch_up(ctx: Context, rating_file: Ratings) -> None:
    """Store all results and update the ratings. Stop if the log or journal is unavailable."""
    with suppress(JournalUnavailable):
        while keep_up(ctx, rating_file):
            pass


# ---- answers -------------------------------------------------------------------------------------


def ladder(ctx: Context, game: str, after: int, limit: int, *, bots: bool) -> tuple[Ladder, bool]:
    """Return a page of a game's ladder, best players first, and True if more follow.

    after: number of players before the page.   bots: True to include bots.
    Raises Overloaded before the first ratings are ready.
    """
    rating_file = _ready(ctx)
    page = rating_file.ladder(game, after, limit, bots=bots)
    names = _names(ctx, rating_file, [player for player, _ in page.players])
    places = ratings.placed(page.players, after, page.first)
    for place in places:
        place["name"] = names.get(place["player"])
    answer: Ladder = {
        "game": game,
        "model": ratings.MODEL,
        "model_version": ratings.MODEL_VERSION,
        "players": places,
        "next": None,
    }
    return answer, not page.is_last


def player(
    ctx: Context, key: str, game: str, before: OrderKey | None, limit: int
) -> tuple[Player, OrderKey | None]:
    """Return the public data of a player: name, ratings, and some matches, last ended first.

    The second value is the order key of the last match if the page is full, else None.
    game: "" for all games.   before: order key. Only earlier matches are returned. None: all.
    Raises NotFound if nobody has played public matches with this key, and Overloaded.
    """
    rating_file = _ready(ctx)
    played = rating_file.played(key, game, before, limit)
    if not played and not rating_file.played(key, "", None, 1):
        raise NotFound("no ended public match has a move signed by this key")

    answer: Player = {
        "player": key,
        "name": _names(ctx, rating_file, [key]).get(key),
        "ratings": [
            {
                "game": of_game,
                "place": place,
                "rating": ratings.figures(rating),
                "history": list(map(_moment, rating_file.history(of_game, key, HISTORY))),
            }
            for of_game, (place, rating) in rating_file.of_player(key).items()
        ],
        "matches": list(_summaries(ctx, played)),
        "next": None,
    }
    return answer, played[-1].place if len(played) == limit else None


def _ready(ctx: Context) -> Ratings:
    """Return the file of ratings if it has ever been complete. Raises Overloaded otherwise.

    The scheduler keeps the file up to date. Without a scheduler on this machine, a thread of this
    process updates the file. Only the reader that starts the thread waits for it, and only for the
    first ratings.
    """
    rating_file = ctx.ratings
    if rating_file is None:
        raise LogUnavailable("this server has no log")
    if rating_file.idle_ms() >= IDLE_MS or not rating_file.is_ready():
        started = rating_file.in_background(partial(_catch_up, ctx))
        if started is not None and not rating_file.is_ready():
            started.join(_PATIENCE_SECONDS)
        if not rating_file.is_ready():
            raise Overloaded("the ratings are not computed yet. Try again")
    return rating_file


def _names(ctx: Context, rating_file: Ratings, players: Iterable[str]) -> dict[str, str]:
    """Return the last name of each human player, unless it was erased since."""
    seats = rating_file.last_named(player for player in players if not is_bot(player))
    fields = [(match, (seat_holders.name_field(seat),)) for match, seat in seats.values()]
    overviews = ctx.journal.events.overviews(fields)
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


def _summaries(ctx: Context, played: Sequence[Played]) -> Iterator[PlayedMatch]:
    """Yield matches in the form of answers. Matches that were deleted since are left out."""
    summaries = listing.summaries(ctx, [one.place.match for one in played])
    for one in played:
        if one.place.match in summaries:
            yield {
                **summaries[one.place.match],
                "seat": one.seat,
                "ended": timestamp(one.place.ended),
                "why_not_rated": cast("NotRated", one.why_not) if one.why_not else None,
            }
