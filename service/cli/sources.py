"""Where a record comes from: a file, standard input, a server's URL."""

import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import orjson

from service.ledger.canonical import Json

_SECONDS = 30
_KEY = {"id", "public", "until"}


class Unreadable(Exception):
    """It cannot be read at all; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """A record's bytes, with the match as its server shows it and the server's keys where a server was asked."""

    content: bytes
    document: Json | None = None
    keys: list[Json] | None = None


def is_url(text: str) -> bool:
    """Return whether a text is an address on the web."""
    return urlsplit(text).scheme in ("http", "https")


def of_file(name: str) -> Source:
    """Read a file, or standard input for "-"; raises Unreadable."""
    try:
        return Source(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}") from None


def of_match(url: str, token: str | None) -> Source:
    """Fetch the record of the match at `.../v1/matches/ID`, after what the server shows of it; raises Unreadable."""
    url = url.rstrip("/").removesuffix("/record")
    document = _object(url, token)
    return Source(_fetch(f"{url}/record", token), document, keys_of(url))


def keys_of(where: str) -> list[Json]:
    """Return the public keys listed in a file, or by the server at any URL under it; raises Unreadable."""
    if is_url(where):
        parts = urlsplit(where)
        # What stands before /v1/ is the path under which that server is mounted.
        prefix = parts.path.partition("/v1/")[0] if "/v1/" in parts.path else ""
        listed = _object(f"{parts.scheme}://{parts.netloc}{prefix}/v1/keys", None)
    else:
        listed = parsed(of_file(where).content, where)
    found = listed.get("keys")
    if not isinstance(found, list) or not all(
        isinstance(key, dict) and key.keys() >= _KEY for key in found
    ):
        raise Unreadable(f"{where} does not list public keys")
    return found


def parsed(content: bytes, name: str) -> Json:
    """Return the JSON object that was read from somewhere; raises Unreadable."""
    try:
        value: Any = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"{name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Unreadable(f"{name} is no JSON object")
    return value


def _object(url: str, token: str | None) -> Json:
    return parsed(_fetch(url, token), url)


def _fetch(url: str, token: str | None) -> bytes:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - http and https alone come here
    try:
        with _OPENER.open(request, timeout=_SECONDS) as answer:
            content: bytes = answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        raise Unreadable(f"{url}: {error}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise Unreadable(f"{url}: {error}") from None
    return content


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but takes a token to no other server than the one it was given for (RFC 9110, 15.4)."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Return the request to make instead; raises Unreadable where it may not be made."""
        refusal = _refusal(req, newurl)
        if refusal:
            fp.close()
            raise Unreadable(f"{req.full_url} redirects to {refusal}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _refusal(request: urllib.request.Request, url: str) -> str:
    """Return why a request may not be redirected to an address, "" if it may."""
    if not is_url(url):
        return f"{url}, which is no address on the web"
    if request.has_header("Authorization") and _origin(url) != _origin(request.full_url):
        return f"another server, {url}: the token is not sent there; give that address, if you trust it, or no token"
    return ""


_OPENER = urllib.request.build_opener(_Redirects)
_PORTS = {"http": 80, "https": 443}


def _origin(url: str) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of an address (RFC 6454)."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
