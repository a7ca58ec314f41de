"""JSON responses, and conditional responses (RFC 9110).

The ETag of a view of a match consists of its version, its caller, and the beginning of the hash of
the version's commit, such as "17;seat:0;5df6e0e2761359d3". A mark follows if the view depends on
anything else. The hash covers the whole history up to the version. A journal may go back to an
older copy and go on from there. Then the same version has another commit, and so another ETag
(docs/decisions/0047).
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

# Policy of a page without scripts.
PLAIN_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

_PAST_SECONDS = 3600
_HASH_DIGITS = 16

Headers = dict[str, str]


class Response(flask.Response):
    """A response with its body in one piece, if possible, since servers send one piece fastest.

    A response without a body has no media type. Flask would set that of HTML.
    """

    default_mimetype = None

    def get_wsgi_response(
        self, environ: Environ
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        """Return the response in the form of WSGI.

        Werkzeug's own method looks through all headers and makes Location ASCII. All paths of this
        service are ASCII already, and Werkzeug's method takes 8 % of the time of a move.
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
    """Return a JSON answer with sorted names, so equal values give equal bytes.

    headers: further headers. They may replace Content-Type and Cache-Control.
    """
    all_headers = {"Content-Type": kind, "Cache-Control": "private, no-cache"}
    if headers:
        all_headers.update(headers)
    return Response(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), status, all_headers)


def json_line(value: object) -> bytes:
    """Return a value as a line of NDJSON. The names of members stay in their order."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def page_headers(policy: str) -> Headers:
    """Return the headers of every page: its policy, and the isolation from pages of other sites.

    policy: the Content-Security-Policy.
    """
    return {"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "same-origin"}


def nothing(status: int = 204) -> Response:
    """Return an answer without a body. Nobody may cache it."""
    return Response(status=status, headers={"Cache-Control": "no-store"})


def etag(version: int, commit_hash: str, caller: Caller, mark: str = "") -> str:
    """Return the ETag of a version for a caller, with an optional mark.

    commit_hash: hash of the version's commit, "" for version 0.
    """
    marks = f";{mark}" if mark else ""
    return f'"{version};{caller.name};{commit_hash[:_HASH_DIGITS]}{marks}"'


def etag_of(access: Access) -> str:
    """Return the ETag of a match at its head for its caller."""
    return etag(access.version, access.head.hash, access.caller)


def headers(
    access: Access,
    *,
    version: int | None = None,
    commit_hash: str | None = None,
    fixed: bool = False,
    mark: str = "",
) -> Headers:
    """Return ETag, Vary and Cache-Control of a view of a match.

    version: version of the view. None: the present version.
    commit_hash: hash of the version's commit. None: it is read from the journal.
    fixed: True if the answer shows the past. Such an answer changes only if the journal goes back.
        So caches may keep it for an hour, but not for ever.
    mark: text for anything else that the view depends on.
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
    """Let the response cache store the answer to this request.

    The answer must depend only on the history, the caller, `names` and the request. It must not
    depend on another name, because a name may be erased. It must not depend on the time.
    lasts: True if the answer depends only on the history up to the version in its ETag. Otherwise
    the answer holds as long as the match has no new commit.
    """
    version, commit_hash = access.version, access.head.hash
    if lasts:  # the ETag may be of an earlier version
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
    """Return the id of the present key of receipts, "" without a signer.

    The ETag of an answer with a receipt depends on it.
    """
    signer = ctx().signer
    return signer.key_id() if signer else ""


def is_unchanged(headers: Headers, etags: Collection[str]) -> bool:
    """Return True if the caller has the answer already.

    etags: the ETags of If-None-Match.
    """
    return _holds(etags, headers["ETag"])


def unchanged(headers: Headers) -> Response:
    """Return the answer 304 with the headers of the whole answer."""
    return Response(status=304, headers=headers)


def by_content(value: object, headers: Headers, etags: Collection[str]) -> Response:
    """Answer a value with the hash of its content as the ETag, or 304 if the caller has it."""
    response = answer(value, headers=headers)
    digest = hashlib.sha256(response.get_data()).hexdigest()
    tag = f'"{digest[:32]}"'
    response.headers["ETag"] = tag
    if _holds(etags, tag):
        response.status_code = 304  # sent without body and type
    return response


def _holds(etags: Collection[str], tag: str) -> bool:
    return tag in etags or "*" in etags
