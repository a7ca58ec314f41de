"""Records in files: as they are, or packed by gzip."""

import zlib

from service.ledger import record

MOST_BYTES = 256 * 1024 * 1024  # of a record that is unpacked: far more than any match has
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


class Unreadable(Exception):
    """It cannot be read at all; the message says why."""


def unpacked(content: bytes, name: str) -> bytes:
    """Return what a file holds: unpacked where it is packed by gzip, else as it is.

    Raises Unreadable.
    """
    if not content.startswith(_GZIP):
        return content

    unpacker = zlib.decompressobj(_GZIP_WINDOW)
    try:
        whole = unpacker.decompress(content, MOST_BYTES)
    except zlib.error as error:
        raise Unreadable(f"{name} cannot be unpacked: {error}") from None
    if unpacker.unconsumed_tail:
        raise Unreadable(f"{name} is larger than any record")
    if not unpacker.eof:
        raise Unreadable(f"{name} cannot be unpacked: it was cut short")
    if unpacker.unused_data:
        raise Unreadable(f"{name} holds more than its end")
    return whole


def lines_of(content: bytes, name: str) -> list[bytes]:
    """Return the lines of a record; raises Unreadable where nothing in it looks like one."""
    lines = record.lines(content)
    if not record.recognised(lines):
        reason = "its first line is not a CloudEvents line with a commit of a match"
        raise Unreadable(f"{name} is no record: {reason}")
    return lines
