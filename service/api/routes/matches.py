"""Matches over HTTP: open, list, show and delete matches."""

from typing import Any

from flask import Blueprint

from domain import names
from domain.json_types import Json
from domain.seats import OWNER
from service.api import links, problems
from service.api.contract import parameters
from service.api.contract.operations import (
    OF_A_MATCH,
    STORED,
    UNCHANGED,
    AnswerSpec,
    load,
    operation,
)
from service.api.contract.schemas import OpenMatchSchema
from service.api.http import responses
from service.api.http.context import (
    all_tokens,
    count_opening,
    ctx,
    enter,
    operator,
    page_limit,
    state,
    token_for,
)
from service.api.http.requests import idempotency_lock
from service.api.http.responses import Response, answer, etag, nothing
from service.api.http.validators import ListValidator
from service.api.routes.streams import wait_in_log
from service.base import answers
from service.base.errors import FeatureOff, Invalid, Mistake, Unauthorized
from service.base.metadata_fields import REMATCH
from service.matches import (
    lifecycle,
    listing,
    lobby,
    metadata_changes,
    server_log,
    views,
)
from service.matches.opening import open_new, read_request, require_proofs
from service.matches.repository import load_head
from service.record.commit import timestamp
from service.record.terms.fork import ForkRequest
from service.store import seat_holders
from service.store.journal.values import STATUSES, fingerprint
from service.store.keys.tokens import Caller
from service.store.tlog.index import MatchSelection

matches = Blueprint("matches", __name__, url_prefix="/v1/matches")

# With one of these parameters, a list is in the order of last commits, and is read from the index
# of the log.
_UPDATED = tuple(one.name for one in parameters.UPDATED)
_ENDED = tuple(one.name for one in parameters.ENDED)
_OF_THE_LOG = ("sort", *_UPDATED, *_ENDED)

_NOT_MODIFIED = 304

# A name may be sent in another form of Unicode, with up to four characters for one of NFC (UAX 15).
_NORMAL_SHRINKS = 4


def _name(raw: str) -> str:
    """Return a name in its normal form. Raises ValueError."""
    name = names.normal(raw)
    # Earlier releases accepted other names. They can be searched, too, so only the length is
    # checked.
    if not 1 <= len(name) <= names.LONGEST:
        raise ValueError(names.EXPECTED)
    return name


_OPEN_MATCH = OpenMatchSchema()
_OF_BODY = {"parameters": {"match": "$response.body#/match"}}
_MATCH_LINKS = {
    "match": {"operationId": "getMatch", **_OF_BODY},
    "state": {"operationId": "getState", **_OF_BODY},
    "moves": {"operationId": "getMoves", **_OF_BODY},
    "commits": {"operationId": "listCommits", **_OF_BODY},
}


@matches.post("")
@operation(
    "openMatch",
    "Open a match",
    tag="matches",
    parameters=(parameters.SECRET_KEY,),
    body="OpenMatch",
    answers={
        201: AnswerSpec(
            "The match and its tokens.",
            answers.OpenedMatch,
            headers=("Location", "ETag", "Idempotent-Replayed"),
            links=_MATCH_LINKS,
        ),
    },
    problems=(
        *OF_A_MATCH,
        problems.FEATURE_OFF,
        problems.ILLEGAL,
        problems.KEY_REUSED,
        problems.IN_PROGRESS,
        problems.OVERLOADED,
        problems.SIGNATURE,
    ),
)
def open_match(data: Json, idempotency_key: str) -> Response:
    """Open a match.

    The answer holds secret tokens: the owner's, and one for each human's seat. A private match also
    has a spectator's token, and an invitation if seats are open. Only a repeat with the same
    Idempotency-Key and the same body gets the tokens again. A match with no open seat starts at
    once, unless its humans draw together (M19). Openings have their own limit for each address, and
    only so many matches of bots alone are played at a time.
    """
    if "seed" in data and not ctx().allow_seed:
        raise FeatureOff("fixed seeds are off on this server. Leave `seed` out")
    terms = load(_OPEN_MATCH, data)
    require_proofs(data, idempotency_key)
    if "fork" in terms:
        base = terms["fork"]
        terms["fork"] = ForkRequest(**base, token=token_for(base["match"]))
    opening = read_request(**terms)
    count_opening()
    with idempotency_lock("", None, idempotency_key):
        opened = open_new(ctx(), opening, idempotency_key)

    value: answers.OpenedMatch = {
        **views.document(opened.loaded, opened.names),
        "tokens": dict(opened.tokens),
    }
    headers = {
        "Location": links.match(opened.loaded.id),
        "Cache-Control": "no-store",
        "ETag": etag(opened.loaded.version, opened.loaded.hash, Caller(OWNER)),
    }
    if opened.repeated:
        headers["Idempotent-Replayed"] = "true"
    return answer(value, 201, headers)


@matches.get("")
@operation(
    "listMatches",
    "List matches, newest first",
    tag="matches",
    parameters=(
        parameters.GAME,
        parameters.choice("status", "Only matches in this phase.", STATUSES),
        parameters.choice(
            "waiting_for",
            "`me`: only matches that wait for a seat of the tokens sent.",
            ["me"],
        ),
        parameters.choice(
            "sort",
            "`-updated`: by the last commit, latest first. `-ended`: only ended "
            "matches, the latest end first. A new commit changes the order within about "
            "a second.",
            ["-updated", "-ended"],
        ),
        *parameters.UPDATED,
        *parameters.ENDED,
        parameters.words(
            "player",
            "Only matches with this name on a seat now.",
            parameters.Words(f".{{1,{names.LONGEST * _NORMAL_SHRINKS}}}", names.EXPECTED, _name),
        ),
        parameters.LIMIT,
        parameters.CURSOR,
        parameters.WAIT,
        parameters.TOKENS,
        parameters.IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec("A page of matches.", answers.MatchList, headers=("Link", "ETag")),
        304: UNCHANGED,
    },
    problems=(problems.UNAUTHORIZED,),
)
def list_matches(if_none_match: set[str], wait: int, **query: Any) -> Response:
    """List public matches, newest first, or in the order of their last commits.

    Newest first is a stable order: consecutive pages hold each match once, despite changes in
    between. With `sort` or a span of time, matches are in the order of their last commits. A match
    with a new commit moves to the first page, so read that page again.

    An imported match is placed by the time of its import. A page with fewer than `limit`
    matches may have a `next`, too: read on until `next` is null. `waiting_for=me` lists instead, on
    one page, the matches that wait for one of the caller's seats, private ones too. The tokens of
    these seats are sent in Authorization or Giornale-Tokens. With `wait` and an ETag that still
    holds, the answer comes with the server's next commit, or at the end of the wait. This answer
    may be 304, too.
    """
    log_size = server_log.log_of(ctx()).size() if wait else 0
    answered = _list_answer(query, if_none_match)
    if wait and answered.status_code == _NOT_MODIFIED:
        # Most changes of a list come with a commit, which gets a position in the log.
        wait_in_log(log_size, wait)
        answered = _list_answer(query, if_none_match)
    return answered


@matches.get("/<id:match>")
@operation(
    "getMatch",
    "Look at a match",
    tag="matches",
    parameters=(parameters.IF_NONE_MATCH,),
    answers={
        200: AnswerSpec("The match.", answers.Match, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=OF_A_MATCH,
)
def show_match(match: str, if_none_match: set[str]) -> Response:
    """Show a match: its game, options, seats, status and the awaited parties.

    `receipt` is the server's signed word for the last commit. `changes` lists the last 20 changes
    of tokens and names that the history does not tell.
    """
    access = enter(match)
    metadata = ctx().journal.metadata.fields(match)
    seat_names = seat_holders.names_in(metadata)
    changes = metadata_changes.change_log(metadata)

    # Names, changes, rematch and signing key may change without a commit, so the ETag depends on
    # them.
    next_match = metadata.get(REMATCH)
    beside = fingerprint([sorted(seat_names.items()), changes, next_match, responses.signing_key()])
    headers = responses.headers(access, mark=beside[:8])
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    loaded = load_head(ctx(), access)
    document = views.document(loaded, seat_names)
    document["changes"] = changes
    views.link_rematches(document, metadata)
    views.add_import(document, metadata)
    if loaded.status.name == "running":
        replaceable = lobby.replaceable_from(ctx(), loaded)
        document["replaceable_from"] = None if replaceable is None else timestamp(replaceable)
    receipt = views.head_receipt(ctx(), loaded)
    if receipt:
        document["receipt"] = receipt
    return answer(document, headers=headers)


@matches.delete("/<id:match>")
@operation(
    "deleteMatch",
    "Delete a match",
    tag="matches",
    tokens="operator",
    answers={204: AnswerSpec("The match is deleted.")},
    problems=STORED,
)
def delete_match(match: str) -> Response:
    """Delete a match and its data for ever, for the operator of this server.

    A mark of the deletion stays, with its time, the operator and the visibility of the match. The
    log keeps its entry of each commit, with hash, time, game, status, match and version. Later
    requests for the match are answered 410. If it was private, they are answered 404, or 401 with a
    token. No repeated opening and no import can use the id of the match again.
    """
    lifecycle.delete(ctx(), match, operator())
    return nothing()


def _list_answer(query: Json, etags: set[str]) -> Response:
    """Answer the page of a list for some parameters."""
    page = _list_page(query)
    headers = {
        "Vary": "Authorization, Giornale-Tokens",
        "Cache-Control": "private, no-cache",
    }
    cursor = parameters.ListCursor(*page.next) if page.next else None
    following = links.next_page(headers, cursor=cursor) if cursor else None
    return responses.by_content({"matches": page.matches, "next": following}, headers, etags)


def _list_page(query: Json) -> listing.MatchPage:
    """Return the page of a list for some parameters. Raises Unauthorized."""
    game = query["game"]
    status = query["status"] or ""
    limit = page_limit(query["limit"])
    player = query["player"] or ""
    if query["waiting_for"] is None:
        if any(query[name] for name in _OF_THE_LOG):
            return listing.latest(ctx(), _selection(query), limit, player)
        listed = listing.ListingQuery(status, game, query["cursor"], limit)
        return listing.of_player(ctx(), listed, player) if player else _public_page(listed)

    if beside := [name for name in (*_OF_THE_LOG, "player") if query[name]]:
        detail = "cannot stand beside waiting_for"
        raise Invalid(*(Mistake.in_parameter(name, detail) for name in beside))

    held_tokens = all_tokens(query["giornale_tokens"])
    if not held_tokens:
        raise Unauthorized(
            "`waiting_for=me` needs tokens of seats, in Authorization or Giornale-Tokens"
        )
    return listing.mine(ctx(), held_tokens, status, game, waiting=True)


def _selection(query: Json) -> MatchSelection:
    """Return the selection for a list in the order of last commits. Raises Invalid."""
    updated = [name for name in _UPDATED if query[name]]
    ended = [name for name in _ENDED if query[name]]
    if updated and ended:
        detail = f"cannot stand beside {updated[0]}"
        raise Invalid(*(Mistake.in_parameter(name, detail) for name in ended))
    if ended and query["sort"] == "-updated":
        raise Invalid(Mistake.in_parameter("sort", f"must be -ended beside {ended[0]}"))

    cursor = query["cursor"]
    return MatchSelection(
        game=query["game"] or "",
        status=query["status"] or "",
        ended=bool(ended) or query["sort"] == "-ended",
        since=query["updated_from"] or query["ended_from"] or "",
        until=query["updated_to"] or query["ended_to"] or "",
        before=cursor[0] if cursor else None,
    )


def _public_page(query: listing.ListingQuery) -> listing.MatchPage:
    """Return a page of public matches, and let its answer be cached."""
    validator = ListValidator.found(ctx(), query)
    state().validator = validator
    return listing.page_of(ctx(), query, validator.result)
