"""How the text of a setting becomes its value.

Each function raises ValueError with what the text must be.
"""

import ipaddress
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from service import redis_urls

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
LEAST_SECRET_BYTES = 32

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_HOURS = re.compile(r"(\d{1,6}) ?([hd]?)")
_HOURS_IN = {"": 1, "h": 1, "d": 24}
_NUMBER = re.compile(r"\d{1,12}")
_ORIGIN = re.compile(r"\*|https?://[^/\s]+")
_HOST_NAME = re.compile(r"\*|[\w.-]+|\[[0-9a-f:.]+\]")
_LISTENING_HOST = re.compile(r"[\w.:-]+")
_PATH_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_DOT_SEGMENT = re.compile(r"/\.\.?(/|$)")


def number(least: int, most: int) -> Callable[[str], int]:
    """Return the function that reads a whole number in this range, both ends included."""

    def read(text: str) -> int:
        is_number = _NUMBER.fullmatch(text) is not None
        if not is_number or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(text)

    return read


def number_or_none(least: int, most: int) -> Callable[[str], int | None]:
    """Return the function that reads a whole number in this range, and "" as None."""
    read_number = number(least, most)

    def read(text: str) -> int | None:
        return read_number(text) if text else None

    return read


def flag(text: str) -> bool:
    """Read a truth value, such as "yes" or "0"."""
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise ValueError("must be true or false")
    return word in _TRUE


def directory(text: str) -> Path:
    """Read a directory's path, relative to the current directory."""
    return Path(text).absolute()


def redis_url(text: str) -> str:
    """Read the URL of one Redis server, "" for none."""
    if text:
        redis_urls.check_plain(text)
    return text


def journal_url(text: str) -> str:
    """Read the URL of one Redis server, of a cluster or of Sentinels, "" for none."""
    if text:
        redis_urls.check(text)
    return text


def archive_address(text: str) -> str:
    """Read a directory's path, or an address that fsspec knows, such as s3://bucket/path.

    "" stays "".
    """
    scheme, separator, _rest = text.partition("://")
    if not text or scheme == "file":
        return text
    if not separator:
        return str(directory(text))

    package = _package_of(scheme)
    if find_spec(package) is None:
        extra = "pip install 'giornale[s3]'" if package == "s3fs" else f"pip install {package}"
        raise ValueError(f"needs the package {package} for {scheme}://: {extra}")
    return text


def _package_of(scheme: str) -> str:
    """Return the package by which fsspec reaches addresses of a scheme; raises ValueError."""
    # Importing it takes a tenth of a second, which is spent only where there is such an address.
    from fsspec.registry import known_implementations

    known = known_implementations.get(scheme)
    if known is None:
        examples = "/srv/archive or s3://bucket/path"
        raise ValueError(f"must be a directory or an address that fsspec knows, such as {examples}")
    package: str = known["class"].partition(".")[0]
    return package


def hours(text: str) -> int:
    """Read a time such as 36h or 30d as hours; a plain number is hours. "" is 0."""
    if not text:
        return 0
    match = _HOURS.fullmatch(text)
    if match is None:
        raise ValueError("must be a number of hours or days, such as 36h or 30d; 0 is never")
    number, unit = match.groups()
    return int(number) * _HOURS_IN[unit]


def log_level(text: str) -> str:
    """Read a level of logs; return it in capitals, as `logging` names it."""
    level = text.upper()
    if level not in LOG_LEVELS:
        raise ValueError("must be debug, info, warning or error")
    return level


def origins(text: str) -> tuple[str, ...]:
    """Read the origins of web pages (RFC 6454), separated by spaces, or *."""
    listed = tuple(text.split())
    for origin in listed:
        if not _ORIGIN.fullmatch(origin):
            example = "origins such as https://example.org"
            raise ValueError(f"must be {example}, separated by spaces, or *")
    return listed


def host_names(text: str) -> tuple[str, ...]:
    """Read host names without ports, separated by spaces, or *."""
    names = tuple(text.lower().split())
    for name in names:
        if not _HOST_NAME.fullmatch(name):
            examples = "play.example.org or [::1]"
            raise ValueError(f"must be host names without ports, such as {examples}, or *")
    return names


def networks(text: str) -> tuple[str, ...]:
    """Read IP addresses and networks, separated by spaces."""
    listed = tuple(text.split())
    for network in listed:
        try:
            ipaddress.ip_network(network)
        except ValueError:
            examples = "10.0.0.1 or 10.0.0.0/8"
            expected = f"addresses and networks such as {examples}, separated by spaces"
            raise ValueError(f"must be {expected}") from None
    return listed


def path_prefix(text: str) -> str:
    """Read the path under which the service is mounted, "" for none."""
    if text and not _PATH_PREFIX.fullmatch(text):
        raise ValueError("must be a path without a slash at its end, such as /giornale")
    if _DOT_SEGMENT.search(text):
        raise ValueError("must hold no . or .. as a step")
    return text


def secret(text: str) -> str:
    """Read a secret, "" for none."""
    if text and len(text.encode()) < LEAST_SECRET_BYTES:
        raise ValueError(f"must have at least {LEAST_SECRET_BYTES} bytes")
    return text


def listening_host(text: str) -> str:
    """Read the host name or address to listen on."""
    if not _LISTENING_HOST.fullmatch(text):
        raise ValueError("must be a host name or an address")
    return text
