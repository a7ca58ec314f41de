"""Where a record comes from: a file, standard input, a server's URL."""

import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from service.journal.codec import Json

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
        listed = _object(f"{parts.scheme}://{parts.netloc}/v1/keys", None)
    else:
        listed = parsed(of_file(where).content, where)
    found = listed.get("keys")
    if not isinstance(found, list) or not all(isinstance(key, dict) and key.keys() >= _KEY for key in found):
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
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            content: bytes = answer.read()
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        raise Unreadable(f"{url}: {error}") from None
    return content
