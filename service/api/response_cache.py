"""Answers told again: what was answered before, and is still so, is answered without Flask.

Of what is read most, the same is asked again and again: a page looks whether there is something
new, several watch one match, and the past does not change. To make such an answer anew takes up to
ten times as long as to ask the journal whether it still holds. So an answer whose route has left a
proof of what it follows from (`service.matches.validators`) is kept as it was sent, compressed or
not, 304 or not. When all of a request that decides its answer comes again, the proof asks the
journal, in one round trip, whether history, caller and match are what they were. What does not hold
goes to Flask, and so does every request that is not as most are.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from werkzeug.wsgi import ClosingIterator

from service.api import access_log
from service.api.contract.operations import View, operation_of
from service.api.guard import Guard
from service.api.http.auth import shown_token
from service.api.http.concurrency import Slot, Slots
from service.api.http.rate_limits import (
    Parts,
    allowance_headers,
    count_request,
    sender_of,
    visit_of,
)
from service.api.http.responses import LONGEST, Keeper, Kept, Key, proof_of
from service.api.routes.history import list_commits
from service.api.routes.matches import list_matches
from service.api.routes.records import get_record
from service.api.routes.states import list_states, show_state
from service.api.wsgi.compression import Begun, accepts_gzip
from service.api.wsgi.long_bodies import in_pieces
from service.api.wsgi.middleware import MORE_HEADERS, App, Environ, StartResponse
from service.errors import TooMany
from service.journal.errors import JournalUnavailable
from service.ledger.commit import MATCH_ID

# Group 1: what of a match is asked for, nothing for the list of matches.
_PATH = re.compile(f"/v1/matches(?:/{MATCH_ID}/(state|states|commits|record))?")
_OF_DELETION = re.compile(f"/v1/matches/({MATCH_ID})")

# An answer that is waited for is another one later; a list by several tokens is of no one caller.
_WAITS = "wait"
_MORE_TOKENS = "HTTP_GIORNALE_TOKENS"


def _name_of(view: View) -> str:
    """Return how the contract calls the operation of a view."""
    operation = operation_of(view)
    return operation.name if operation else access_log.NO_OPERATION


_OPERATIONS = {
    None: _name_of(list_matches),
    "state": _name_of(show_state),
    "states": _name_of(list_states),
    "commits": _name_of(list_commits),
    "record": _name_of(get_record),
}


class Again:
    """A WSGI application around Flask's that tells again what it has answered before."""

    def __init__(self, inner: App, parts: Parts) -> None:
        """Stand before `inner`; parts: what the application works with."""
        self._inner = inner
        self._parts = parts
        self._keeper: Keeper = parts["keeper"]

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        path = _path_of(environ)
        if path is None:
            return self._hand_on(environ, start_response)

        key = _key_of(environ)
        kept = self._keeper.get(key)
        if kept is None or not self._may_tell(environ, key, kept):
            return self._answer_anew(environ, start_response, key, _OPERATIONS[path[1]])

        slot = self._slot_for(environ) if kept.takes_slot else None
        if kept.takes_slot and slot is None:
            return self._inner(environ, start_response)  # which tells why

        self._note(environ, kept)
        start_response(kept.status, kept.headers)
        if slot is None:
            return [kept.body]
        return ClosingIterator(in_pieces(kept.body), slot.give_back)

    def _slot_for(self, environ: Environ) -> Slot | None:
        """Return a slot for an answer of many lines, as `long_answers` takes one."""
        slots: Slots = self._parts["slots"]
        return slots.take(*sender_of(environ, self._parts))

    def _hand_on(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Let Flask answer; of a match that it deletes nothing is kept."""
        if environ["REQUEST_METHOD"] != "DELETE":
            return self._inner(environ, start_response)
        body = self._inner(environ, start_response)
        path = _OF_DELETION.fullmatch(environ["PATH_INFO"])
        if path is not None:
            self._keeper.forget(path[1])
        return body

    def _may_tell(self, environ: Environ, key: Key, kept: Kept) -> bool:
        """Return whether a kept answer is told: the request is let in, and the answer holds."""
        guard: Guard = self._parts["guard"]
        if not guard.lets_in(environ):
            return False
        try:
            count_request(environ, self._parts)
            holds = kept.proof.holds(self._parts["ctx"])
        except TooMany as refusal:
            visit_of(environ).raised = refusal
            return False
        except JournalUnavailable:
            return False

        if not holds:
            self._keeper.drop(key)
        return holds

    def _note(self, environ: Environ, kept: Kept) -> None:
        """Do for a request what the hooks do for those that Flask answers."""
        visit = visit_of(environ)
        guard: Guard = self._parts["guard"]
        environ[MORE_HEADERS] = [
            ("X-Request-Id", visit.request_id),
            *allowance_headers(visit),
            *guard.headers(environ),
        ]
        answered = access_log.Answered(
            operation=kept.operation,
            method="GET",
            status=_status_code(kept.status),
            match=kept.proof.match or None,
            etag=kept.etag,
        )
        access_log.note(visit, answered, self._parts["say"])

    def _answer_anew(
        self, environ: Environ, start_response: StartResponse, key: Key, operation: str
    ) -> Iterable[bytes]:
        """Let Flask answer, and keep the answer if there is a proof for it."""
        begun = Begun()
        pieces = self._inner(environ, begun)
        start_response(begun.status, begun.headers, *begun.error)

        proof = proof_of(environ)
        if proof is None or not begun.status.startswith(("200", "304")):
            return pieces
        kept = Kept(
            proof=proof,
            operation=operation,
            status=begun.status,
            headers=begun.headers,
            body=b"",
            etag=begun.header("ETag"),
            takes_slot=begun.status.startswith("200") and not begun.header("Content-Length"),
        )
        return ClosingIterator(self._kept_when_sent(pieces, key, kept), _closer_of(pieces))

    def _kept_when_sent(self, pieces: Iterable[bytes], key: Key, kept: Kept) -> Iterator[bytes]:
        """Yield a body, and keep it once all of it was sent, unless it is too long."""
        body = b""
        for piece in pieces:
            yield piece
            if len(body) <= LONGEST:
                body += piece
        if len(body) <= LONGEST:
            self._keeper.put(key, kept._replace(body=body))


@cache  # there are two
def _status_code(status: str) -> int:
    """Return the number that a status line begins with."""
    return int(status[:3])


def _path_of(environ: Environ) -> re.Match[str] | None:
    """Return the path of a request whose answer may be kept, None for any other request."""
    if environ["REQUEST_METHOD"] != "GET" or _MORE_TOKENS in environ:
        return None
    if _WAITS in environ.get("QUERY_STRING", ""):
        return None
    if "HTTP_AUTHORIZATION" in environ and shown_token(environ) is None:
        return None
    return _PATH.fullmatch(environ["PATH_INFO"])


def _key_of(environ: Environ) -> Key:
    shown = shown_token(environ)
    return Key(
        path=environ["PATH_INFO"],
        query=environ.get("QUERY_STRING", ""),
        holder_field=shown.holder_field if shown else "",
        accept=environ.get("HTTP_ACCEPT", ""),
        held=environ.get("HTTP_IF_NONE_MATCH", ""),
        gzip=accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")),
    )


def _closer_of(pieces: Iterable[bytes]) -> list[Callable[[], None]]:
    """Return what is to be called when a body is sent (PEP 3333)."""
    return [pieces.close] if hasattr(pieces, "close") else []
