"""A dump as it lies on a disk: its records one after the other, and the lists beside it."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
from zstandard import ZstdDecompressor, ZstdError

from service.backup.dump import RECORD_SUFFIX, files_of
from service.verify.files import MOST_BYTES, Unreadable

_MAGIC = b"\x28\xb5\x2f\xfd"  # of a frame of zstd (RFC 8878)
_MOST_LINE = 64 * 1024 * 1024
_PIECE = 4096  # bytes unpacked at once

# How the line of a commit ends. To find its match there takes a tenth of the time that it takes to
# parse the line, and every line is parsed once more when it is checked.
_ENDING = re.compile(rb',"subject":"([\w-]+)","time":"[^"\\]*","type":"[^"\\]*"\}\n')
_MOST_ENDING = 200


@dataclass(frozen=True, slots=True)
class DumpedRecord:
    """A record of a dump: its match, its lines, and how many bytes of the file it took."""

    match: str
    lines: list[bytes]
    size: int


def is_dump(name: str) -> bool:
    """Return whether a file is compressed as a dump is.

    A pipe, such as a shell makes of <(...), is none: what was read of it here would be gone.
    """
    path = Path(name)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def records(path: Path) -> Iterator[DumpedRecord]:
    """Yield the records of a dump, one in memory at a time; raises Unreadable."""
    try:
        yield from _records(path)
    except (OSError, ZstdError) as error:
        raise Unreadable(f"{path} cannot be read to its end: {error}") from None


def _records(path: Path) -> Iterator[DumpedRecord]:
    lines: list[bytes] = []
    match = ""
    length = start = 0
    for line, position in _lines(path):
        subject = _subject(line)
        if lines and subject != match:
            yield DumpedRecord(match, lines, position - start)
            lines = []
            length = 0
            start = position

        match = subject
        lines.append(line)
        length += len(line)
        if length > MOST_BYTES:
            raise Unreadable(f"{path} has a record that is larger than any match")

    if lines:
        yield DumpedRecord(match, lines, path.stat().st_size - start)


def _lines(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the lines, line feeds included, and how much of the file was read for each.

    Raises Unreadable.
    """
    unpacker = ZstdDecompressor().decompressobj()
    # A line that has no end yet is kept in pieces: to join them each time would make a long one
    # cost its square.
    begun: list[bytes] = []
    length = 0
    position = 0
    with path.open("rb") as packed:
        # A piece is small, since a forged one may unpack to thirty thousand times as much.
        while piece := packed.read(_PIECE):
            if unpacker.eof:
                raise Unreadable(f"{path} holds more than its end")
            more, *further = unpacker.decompress(piece).split(b"\n")
            if unpacker.unused_data:
                raise Unreadable(f"{path} holds more than its end")
            position += len(piece)
            begun.append(more)
            for line in further:
                yield b"".join(begun) + b"\n", position
                begun = [line]
                length = 0

            length += len(begun[-1])
            if length > _MOST_LINE:
                raise Unreadable(f"{path} has a line that is too long")

    # What is left of a file that was cut is no line: the record that it is of would seem wrong.
    if not unpacker.eof:
        raise Unreadable(f"{path} cannot be read to its end: it was cut short")
    if length:
        yield b"".join(begun), position


def _subject(line: bytes) -> str:
    """Return which match a line names, "" for what is no line of a record."""
    ending = _ENDING.search(line, max(0, len(line) - _MOST_ENDING))
    if ending is not None and ending.end() == len(line):
        return ending[1].decode()

    try:
        return str(orjson.loads(line)["subject"])
    except (ValueError, TypeError, KeyError):
        return ""


def listed_digests(path: Path) -> dict[str, str]:
    """Return the digests of the records by match that the lists beside a dump have.

    Raises Unreadable if the dump is not the one of its list.
    """
    digests: dict[str, str] = {}
    _, *lists = files_of(path)
    try:
        for beside in lists:
            if beside.exists():
                digests |= _listed_in(beside)
        listed = digests.pop(path.name, None)
        if listed is not None and listed != _digest_of(path):
            raise Unreadable(f"{path} is not the file whose SHA-256 is in {lists[0]}")
    except OSError as error:
        raise Unreadable(f"{error.filename}: {error.strerror}") from None

    return {name.removesuffix(RECORD_SUFFIX): digest for name, digest in digests.items()}


def _listed_in(file: Path) -> dict[str, str]:
    """Return the digests by name that a list in the form of sha256sum has."""
    digests = {}
    for line in file.read_text(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        digests[name] = digest
    return digests


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
