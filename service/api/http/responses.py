"""Responses: JSON, and conditional ones (RFC 9110).

The ETag of what is shown of a match is its version, who sees it, and how the hash of the version's
commit begins, such as "17;seat:0;5df6e0e2761359d3". Where more decides, a mark follows. The hash
stands for the whole history up to the version. A journal may go back to an older copy and go on
from there: then the same version is another one, and so is its ETag (docs/decisions/0047).
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping

import flask
import orjson

from domain.seats import PUBLIC
from service.api.http.context import Environ, ctx, state
from service.api.http.validators import HistoryValidator
from service.matches.access import Access
from service.matches.repository import read_commit_hash
from service.store.keys.tokens import Caller

JSON = "application/json"
HTML = "text/html"

# Of a page without scripts: what it may load.
PLAIN_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

_PAST_SECONDS = 3600
_HASH_DIGITS = 16

Headers = dict[str, str]


class Response(flask.Response):
    """A response whose body, where it is at hand, is sent in one piece; servers send that fastest.

    One without a body has no media type: Flask would call it HTML.
    """

    default_mimetype = None

    def get_wsgi_response(
        self, environ: Environ
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        """Return the response as WSGI wants it.

        Werkzeug looks through all headers, and makes sure that Location is ASCII, which all our
        paths are: 8 % of a move.
        """
        is_whole = self.is_sequence and "Content-Length" in self.headers
        if not is_whole or self.status_code == 304 or environ["REQUEST_METHOD"] == "HEAD":
            return super().get_wsgi_response(environ)
        return [self.get_data()], self.status, list(self.headers)


def answer(
    value: object,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    kind: str = JSON,
) -> Response:
    """Return a JSON answer; its names are sorted, so equal values give equal bytes.

    headers: they stand beside Content-Type and Cache-Control, or in their place.
    """
    all_headers = {"Content-Type": kind, "Cache-Control": "private, no-cache"}
    if headers:
        all_headers.update(headers)
    return Response(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), status, all_headers)


def json_line(value: object) -> bytes:
    """Return a value as a line of NDJSON; its names stay in the order in which they stand."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def page_headers(policy: str) -> Headers:
    """Return the headers of every page: what it may load, and that no other site's page holds it.

    policy: the Content-Security-Policy.
    """
    return {"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "same-origin"}


def nothing(status: int = 204) -> Response:
    """Return an answer without a body that nobody may keep."""
    return Response(status=status, headers={"Cache-Control": "no-store"})


def etag(version: int, commit_hash: str, caller: Caller, mark: str = "") -> str:
    """Return the ETag of a version as a caller sees it, with one more mark if there is one.

    commit_hash: of the commit that made the version, "" for version 0.
    """
    marks = f";{mark}" if mark else ""
    return f'"{version};{caller.name};{commit_hash[:_HASH_DIGITS]}{marks}"'


def etag_of(access: Access) -> str:
    """Return the ETag of a match at its head as its caller sees it."""
    return etag(access.version, access.head.hash, access.caller)


def headers(
    access: Access,
    *,
    version: int | None = None,
    commit_hash: str | None = None,
    fixed: bool = False,
    mark: str = "",
) -> Headers:
    """Return ETag, Vary and Cache-Control of what is shown of a match.

    version: which version is shown, None for the present one.
    commit_hash: of the commit that made it; None: the journal is asked for it.
    fixed: the answer is of the past, and changes only if the journal goes back. So it may be kept
        for a while, and not for ever.
    mark: what else decides what is shown.
    """
    shown_version = access.version if version is None else version
    if commit_hash is None:
        commit_hash = read_commit_hash(ctx(), access, min(shown_version, access.version))
    is_shared = access.caller.role == PUBLIC and access.head.visibility == "public"
    who_may_keep = "public" if is_shared else "private"
    how_long = f"max-age={_PAST_SECONDS}" if fixed else "no-cache"
    return {
        "ETag": etag(shown_version, commit_hash, access.caller, mark),
        "Vary": "Authorization",
        "Cache-Control": f"{who_may_keep}, {how_long}",
    }


def may_store(
    access: Access,
    headers: Headers,
    *,
    lasts: bool = False,
    names: tuple[tuple[str, str | None], ...] = (),
) -> None:
    """Let the response cache store this request's answer, which follows from a match's history.

    It must follow from the history, the caller, these names and the request alone: not from any
    other name, which may be erased, and not from the time.
    lasts: it follows from the history up to the version that its ETag names, and later commits
    change nothing of it. Otherwise it is the answer for as long as the match stands still.
    """
    version, commit_hash = access.version, access.head.hash
    if lasts:  # the ETag names a version that may be an earlier one, and its commit
        shown_version, _, commit_hash, *_ = headers["ETag"].strip('"').split(";")
        version = int(shown_version)

    request_state = state()
    token = request_state.token
    request_state.validator = HistoryValidator(
        match=access.match,
        holder_field=token.holder_field if token else "",
        holder=access.caller.name if token else None,
        version=version,
        hash=commit_hash[:_HASH_DIGITS],
        lasts=lasts,
        head=access.head.hash,
        names=names,
    )


def signing_key() -> str:
    """Return the id of the key that signs receipts now, "" where nobody signs.

    What holds a receipt changes with it.
    """
    signer = ctx().signer
    return signer.key_id() if signer else ""


def is_unchanged(headers: Headers, held: Collection[str]) -> bool:
    """Return whether the caller holds what it would be answered.

    held: the ETags of If-None-Match.
    """
    return _holds(held, headers["ETag"])


def unchanged(headers: Headers) -> Response:
    """Return the answer that says so: 304 with the headers of the whole answer."""
    return Response(status=304, headers=headers)


def by_content(value: object, headers: Headers, held: Collection[str]) -> Response:
    """Answer a value with a content hash as its ETag, or 304 if the caller has it.

    The hash covers the header Link, which may gain a `next` while the value stays the same.
    """
    response = answer(value, headers=headers)
    link = str(headers.get("Link", "")).encode()
    digest = hashlib.sha256(response.get_data() + link).hexdigest()
    tag = f'"{digest[:32]}"'
    response.headers["ETag"] = tag
    if _holds(held, tag):
        response.status_code = 304  # such a response is sent without body and type
    return response


def _holds(held: Collection[str], tag: str) -> bool:
    return tag in held or "*" in held
