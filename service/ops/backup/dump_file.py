"""The files of a dump: its records one after the other, and the lists beside it."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
from zstandard import ZstdDecompressor, ZstdError

from service.record.verify.files import MOST_BYTES, MOST_LINES, Unreadable

LIST_SUFFIX = ".sha256"
RECORDS_LIST_SUFFIX = ".records.sha256"
RECORD_SUFFIX = ".ndjson"

MAGIC = b"\x28\xb5\x2f\xfd"  # of a frame of zstd (RFC 8878)
_MOST_LINE = 64 * 1024 * 1024
_PIECE = 65_536  # bytes read at once
_UNPACKED_PIECE = 256  # packed bytes that are unpacked at once

# The end of a commit's line. Finding the match there takes a tenth of the time of parsing. The
# check parses every line later.
_ENDING = re.compile(rb',"subject":"([\w-]+)","time":"[^"\\]*","type":"[^"\\]*"\}\n')
_MOST_ENDING = 200


@dataclass(frozen=True, slots=True)
class DumpedRecord:
    """A record of a dump.   size: about its number of bytes in the file."""

    match: str
    lines: list[bytes]
    size: int


def files_of(path: Path) -> list[Path]:
    """Return the files of a dump: itself, its list, and the list of its records."""
    beside = [path.with_name(path.name + suffix) for suffix in (LIST_SUFFIX, RECORDS_LIST_SUFFIX)]
    return [path, *beside]


def is_dump(name: str) -> bool:
    """Return True if a file is compressed as a dump is.

    A pipe, such as <(...) of a shell, counts as no dump: bytes read here would be lost.
    """
    path = Path(name)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def records(path: Path) -> Iterator[DumpedRecord]:
    """Yield the records of a dump, one in memory at a time. Raises Unreadable."""
    try:
        yield from _records(path)
    except (OSError, ZstdError) as error:
        raise Unreadable(f"{path} cannot be read to its end: {error}") from None


def _records(path: Path) -> Iterator[DumpedRecord]:
    lines: list[bytes] = []
    match = ""
    length = start = 0
    for number, (line, position) in enumerate(_lines(path), 1):
        subject = _subject(line)
        if lines and subject != match:
            yield DumpedRecord(match, lines, position - start)
            lines = []
            length = 0
            start = position
        if not subject:
            raise Unreadable(f"{path} is not a dump: line {number} names no match")

        match = subject
        lines.append(line)
        length += len(line)
        if length > MOST_BYTES or len(lines) > MOST_LINES:
            raise Unreadable(f"{path} has a record larger than any match")

    if lines:
        yield DumpedRecord(match, lines, path.stat().st_size - start)


def _lines(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the lines with line feeds, each with the position in the file after its last piece.

    Raises Unreadable.
    """
    # Keep the pieces of an unfinished line: joining them each time would take quadratic time.
    parts: list[bytes] = []
    length = 0
    position = 0
    for content, position in _contents(path):
        start = 0
        # Line by line: millions of line feeds must not become millions of lines at once.
        while end := content.find(b"\n", start) + 1:
            yield b"".join([*parts, content[start:end]]), position
            parts = []
            length = 0
            start = end

        parts.append(content[start:])
        length += len(content) - start
        if length > _MOST_LINE:
            raise Unreadable(f"{path} has an overlong line")

    if length:
        yield b"".join(parts), position


def _contents(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the unpacked pieces of a dump, each with the position in the file after it.

    Raises Unreadable if the file is cut short or has data after its end. Otherwise a file cut short
    would seem to have a wrong record.
    """
    unpacker = ZstdDecompressor().decompressobj()
    position = 0
    with path.open("rb") as packed:
        # A piece is small, since a forged one may unpack to thirty thousand times as much.
        while piece := packed.read(_PIECE):
            for start in range(0, len(piece), _UNPACKED_PIECE):
                if unpacker.eof:
                    raise Unreadable(f"{path} has data after its end")
                part = piece[start : start + _UNPACKED_PIECE]
                content = unpacker.decompress(part)
                if unpacker.unused_data:
                    raise Unreadable(f"{path} has data after its end")
                position += len(part)
                yield content, position

    if not unpacker.eof:
        raise Unreadable(f"{path} is incomplete: it was cut short")


def _subject(line: bytes) -> str:
    """Return the match of a line, "" if it is no line of a record."""
    ending = _ENDING.search(line, max(0, len(line) - _MOST_ENDING))
    if ending is not None and ending.end() == len(line):
        return ending[1].decode()

    try:
        subject = orjson.loads(line)["subject"]
    except (ValueError, TypeError, KeyError):
        return ""
    return subject if isinstance(subject, str) else ""


def listed_digests(path: Path) -> dict[str, str]:
    """Return the digests of the records by match, from the lists beside a dump.

    Raises Unreadable if the dump's own digest differs from its list, or if a file cannot be read.
    """
    digests: dict[str, str] = {}
    _, *lists = files_of(path)
    try:
        for beside in lists:
            if beside.exists():
                digests |= _listed_in(beside)
        listed = digests.pop(path.name, None)
        if listed is not None and listed != _digest_of(path):
            raise Unreadable(f"{path} does not fit its SHA-256 in {lists[0]}")
    except OSError as error:
        raise Unreadable(f"{error.filename}: {error.strerror}") from None

    return {name.removesuffix(RECORD_SUFFIX): digest for name, digest in digests.items()}


def _listed_in(file: Path) -> dict[str, str]:
    """Return the digests by name in a list of sha256sum."""
    digests = {}
    for line in file.read_text(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        digests[name] = digest
    return digests


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
