"""Matches over HTTP: open one, list them, look at one, delete one."""

from typing import Any

from flask import Blueprint

from domain import names
from domain.json_types import Json
from domain.seats import OWNER
from service.api import links, problems
from service.api.contract import parameters
from service.api.contract.operations import OF_A_MATCH, UNCHANGED, AnswerSpec, load, operation
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
from service.api.http.requests import idempotency_lock, prefers_a_page
from service.api.http.responses import Response, answer, etag, nothing
from service.api.http.validators import ListValidator
from service.api.routes.streams import wait_in_log
from service.base import answers
from service.base.errors import Invalid, Mistake, Unauthorized
from service.base.metadata_fields import REMATCH
from service.matches import (
    lifecycle,
    listing,
    lobby,
    metadata_changes,
    seats,
    server_log,
    views,
)
from service.matches.command_handler import fingerprint
from service.matches.opening import open_new, read_request, require_proofs
from service.matches.repository import load_head
from service.record.commit import MATCH_ID, timestamp
from service.record.terms.fork import ForkRequest
from service.store.journal.values import STATUSES
from service.store.keys.tokens import Caller
from service.store.tlog.index import Wanted

matches = Blueprint("matches", __name__, url_prefix="/v1/matches")

# Parameters of a list in the order of last commits, which the log has.
_OF_THE_LOG = ("sort", "updated_after", "ended_after")

# Parameters that the link to the next page repeats.
_KEPT_PARAMETERS = ("game", "status", "limit", "player", *_OF_THE_LOG)

_NOT_MODIFIED = 304

# Characters that one character of NFC has at most in another form of Unicode (UAX 15).
_NORMAL_SHRINKS = 4


def _name(given: str) -> str:
    """Return a name in its one form; raises ValueError."""
    name = names.normal(given)
    # Names of earlier releases are looked for, too, so only what no release took is refused.
    if not 1 <= len(name) <= names.LONGEST:
        raise ValueError(names.EXPECTED)
    return name


# What decides how a match is answered.
_BY = "Authorization, Accept"

_OPEN_MATCH = OpenMatchSchema()
_OF_BODY = {"parameters": {"match": "$response.body#/id"}}
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
        problems.ILLEGAL,
        problems.KEY_REUSED,
        problems.IN_PROGRESS,
        problems.OVERLOADED,
        problems.SIGNATURE,
    ),
)
def open_match(data: Json, idempotency_key: str) -> Response:
    """Open a match.

    The answer holds one secret token for each human's seat, the owner's, and for a private match a
    spectator's and, if seats are open, an invitation's. No later answer shows them: only a repeat
    with the same Idempotency-Key and the same body gets them again. A match with no open seat
    starts at once. Openings have their own limit for each address, and only so many matches of
    bots alone are played at a time.
    """
    if "seed" in data and not ctx().allow_seed:
        raise Invalid(Mistake("/seed", "is not accepted here; every match draws its own secret"))
    asked = load(_OPEN_MATCH, data)
    require_proofs(data, idempotency_key)
    if "fork" in asked:
        base = asked["fork"]
        asked["fork"] = ForkRequest(**base, token=token_for(base["match"]))
    opening = read_request(**asked)
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


def _cursor(given: str) -> listing.Cursor:
    created, _, match = given.partition(".")
    return int(created), match


def _cursor_text(cursor: listing.Cursor) -> str:
    created, match = cursor
    return f"{created}.{match}"


CURSOR = parameters.words(
    "cursor",
    "Where to go on, from the Link of the page before.",
    parameters.Words(
        rf"[0-9]{{1,14}}\.{MATCH_ID}",
        expected="must be a cursor from a Link of this list",
        read=_cursor,
    ),
)


@matches.get("")
@operation(
    "listMatches",
    "List matches, newest first",
    tag="matches",
    parameters=(
        parameters.GAME,
        parameters.choice("status", "Only where the match stands so.", STATUSES),
        parameters.choice(
            "waiting_for",
            "`me`: only matches that wait for a seat whose token is sent along.",
            ["me"],
        ),
        parameters.choice(
            "sort",
            "`-updated`: the match that moved on last first; `-ended`: the one that ended last, of "
            "those that have ended. A commit counts within about half a second.",
            ["-updated", "-ended"],
        ),
        parameters.time_("updated_after", "Only what moved on at this time or later."),
        parameters.time_("ended_after", "Only what has ended, at this time or later."),
        parameters.words(
            "player",
            "Only where a seat has this name now.",
            parameters.Words(f".{{1,{names.LONGEST * _NORMAL_SHRINKS}}}", names.EXPECTED, _name),
        ),
        parameters.limit_parameter(default=50),
        CURSOR,
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
def list_matches(if_none_match: set[str], wait: int, **asked: Any) -> Response:
    """List public matches, newest first, or in the order of their last commits.

    Newest first is a stable order: pages that follow each other hold each match once, whatever
    happens meanwhile. With `sort`, `updated_after` or `ended_after` the order is that of last
    commits. A match that moves on while you read then stands on the first page: read that again.

    An imported match stands at the time of its import. A page may hold fewer than `limit` and yet
    lead on: go on as long as there is a `next`. With `waiting_for=me` the list holds instead, on
    one page, the matches, private ones too, that wait for a seat whose token is sent in
    Authorization or Giornale-Tokens. With `wait` and an ETag that still holds, the answer comes
    with the server's next commit, or at the end. It may still be 304.
    """
    seen = server_log.log_of(ctx()).size() if wait else 0
    answered = _answered(asked, if_none_match)
    if wait and answered.status_code == _NOT_MODIFIED:
        # What changes a list is nearly always a commit, and comes into the log.
        wait_in_log(seen, wait)
        answered = _answered(asked, if_none_match)
    return answered


@matches.get("/<id:match>")
@operation(
    "getMatch",
    "Look at a match",
    tag="matches",
    parameters=(parameters.IF_NONE_MATCH,),
    answers={
        200: AnswerSpec("The match.", answers.Match, headers=("ETag",)),
        303: AnswerSpec("The page of the match, for browsers.", headers=("Location",)),
        304: UNCHANGED,
    },
    problems=OF_A_MATCH,
)
def show_match(match: str, if_none_match: set[str]) -> Response:
    """Show what a match is, who holds its seats, where it stands and whom it waits for.

    A browser, which prefers HTML and sends no token, is led to the page.

    `receipt` is the server's signed word for the last commit. `changes` lists which tokens were
    replaced or revoked and which names erased without a commit, the last 20 of them.
    """
    if prefers_a_page():
        return Response(status=303, headers={"Location": links.table(match), "Vary": _BY})

    access = enter(match)
    metadata = ctx().journal.metadata.fields(match)
    seat_names = seats.names_in(metadata)
    changes = metadata_changes.change_log(metadata)

    # These change without a commit, so the ETag depends on them.
    next_match = metadata.get(REMATCH)
    beside = fingerprint([sorted(seat_names.items()), changes, next_match, responses.signing_key()])
    headers = responses.headers(access, mark=beside[:8])
    headers["Vary"] = _BY
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    loaded = load_head(ctx(), access)
    document = views.document(loaded, seat_names)
    document["changes"] = changes
    views.link_rematches(document, metadata)
    if loaded.status.name == "running":
        replaceable = lobby.replaceable_from(ctx(), loaded)
        document["replaceable_from"] = None if replaceable is None else timestamp(replaceable)
    receipt = views.head_receipt(ctx(), loaded)
    if receipt:
        document["receipt"] = receipt
    imported = views.imported_in(metadata)
    if imported:
        document["imported"] = imported
    return answer(document, headers=headers)


@matches.delete("/<id:match>")
@operation(
    "deleteMatch",
    "Delete a match",
    tag="matches",
    tokens="operator",
    answers={204: AnswerSpec("Nothing of it is kept but that it was deleted.")},
    problems=OF_A_MATCH,
)
def delete_match(match: str) -> Response:
    """Delete a match for ever, with all that is kept of it, for the operator of this server.

    What stays is that it was deleted, when, and by whose key. Requests for it are from then on
    answered 410, or 404 if it was private. Its id is not used again: neither by a repeated opening
    nor by an import.
    """
    lifecycle.delete(ctx(), match, operator())
    return nothing()


def _answered(asked: Json, held: set[str]) -> Response:
    """Answer the page that a list's parameters ask for."""
    page = _asked_page(asked)
    headers = {
        "Vary": "Authorization, Giornale-Tokens",
        "Cache-Control": "private, no-cache",
    }
    if page.next:
        kept = {name: asked[name] for name in _KEPT_PARAMETERS if asked[name] is not None}
        cursor = _cursor_text(page.next)
        headers["Link"] = links.related("next", **kept, cursor=cursor)
    return responses.by_content({"matches": page.matches}, headers, held)


def _asked_page(asked: Json) -> listing.MatchPage:
    """Return the page that a list's parameters ask for; raises Unauthorized."""
    game = asked["game"]
    status = asked["status"] or ""
    limit = page_limit(asked["limit"])
    player = asked["player"] or ""
    if asked["waiting_for"] is None:
        if any(asked[name] for name in _OF_THE_LOG):
            return listing.latest(ctx(), _wanted(asked), limit, player)
        listed = listing.ListingQuery(status, game, asked["cursor"], limit)
        return listing.of_player(ctx(), listed, player) if player else _public_page(listed)

    if beside := [name for name in (*_OF_THE_LOG, "player") if asked[name]]:
        detail = "cannot stand beside waiting_for"
        raise Invalid(*(Mistake.in_query(name, detail) for name in beside))

    held_tokens = all_tokens(asked["giornale_tokens"])
    if not held_tokens:
        raise Unauthorized(
            "waiting_for=me needs the tokens of seats, in Authorization or Giornale-Tokens"
        )
    return listing.mine(ctx(), held_tokens, status, game, waiting=True)


def _wanted(asked: Json) -> Wanted:
    """Return which matches are asked for in the order of their last commits; raises Invalid."""
    updated, ended = asked["updated_after"], asked["ended_after"]
    if updated and ended:
        raise Invalid(Mistake.in_query("ended_after", "cannot stand beside updated_after"))
    if ended and asked["sort"] == "-updated":
        raise Invalid(Mistake.in_query("sort", "must be -ended beside ended_after"))

    cursor = asked["cursor"]
    return Wanted(
        game=asked["game"] or "",
        status=asked["status"] or "",
        ended=bool(ended) or asked["sort"] == "-ended",
        since=updated or ended or "",
        before=cursor[0] if cursor else None,
    )


def _public_page(asked: listing.ListingQuery) -> listing.MatchPage:
    """Return a page of public matches, and let its answer be kept."""
    validator = ListValidator.found(ctx(), asked)
    state().validator = validator
    return listing.page_of(ctx(), asked, validator.result)
