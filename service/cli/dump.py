"""`giornale dump`: whole records of public matches for everybody, and their check."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import click
import orjson
from zstandard import ZstdDecompressor, ZstdError

from service.backup import dump as dumping
from service.backup.dump import LIST_SUFFIX, RECORD_SUFFIX, Span
from service.bootstrap import open_desk
from service.cli.backup import complaints
from service.cli.local_journal import running_journal
from service.cli.progress import counting_bar
from service.cli.sources import Unreadable
from service.config import Config
from service.verify.audit import verify_record
from service.verify.report import Report, Wrong

_MAGIC = b"\x28\xb5\x2f\xfd"  # of a frame of zstd (RFC 8878)
_MOST_LINE = 64 * 1024 * 1024
_PIECE = 4096  # bytes unpacked at once
_LAST_MS = 1 << 60


@click.command()
@click.option("--from", "start", metavar="TIME", help="Matches that ended at this time or later.")
@click.option("--to", "end", metavar="TIME", help="Matches that ended before this time.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file, such as 2026-01.ndjson.zst; its list of SHA-256 gets the ending .sha256.",
)
def dump(start: str | None, end: str | None, output: Path) -> None:
    """Write the records of all public matches that ended within a time to one file.

    TIME is a date or a time in RFC 3339, in UTC if it does not say otherwise. `giornale verify`
    reads the file.
    """
    span = Span(
        start=_milliseconds(start, "--from") if start else 0,
        end=_milliseconds(end, "--to") if end else _LAST_MS,
    )
    with complaints(), running_journal(Config.load(os.environ), make=False) as config:
        desk, _queues = open_desk(config)
        with counting_bar("matches", 0) as progress:
            dumped = dumping.dump(desk, span, output, progress)
    click.echo(f"{output}: {dumped.matches} matches, {dumped.commits} commits")


def _milliseconds(text: str, option: str) -> int:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            "must be a date or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
            param_hint=option,
        ) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return round(time.timestamp() * 1000)


@dataclass(slots=True)
class Verified:
    """The reports on the records of a dump that are not right, and how many are.

    commits: of all records.   others: the other reports.
    """

    right: int = 0
    commits: int = 0
    others: list[Report] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """The worst verdict on a record."""
        verdicts = {report.verdict for report in self.others}
        if "wrong" in verdicts:
            return "wrong"
        return "partly_checked" if verdicts else "right"


def is_dump(name: str) -> bool:
    """Return whether a file is compressed as a dump is."""
    try:
        with Path(name).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def verify(name: str, progress: Callable[[int], None]) -> Verified:
    """Check every record of a dump, and its SHA-256 where its list lies beside it.

    progress: told of each record as 1.   Raises Unreadable.
    """
    path = Path(name)
    digests = _listed_digests(path)
    verified = Verified()
    try:
        for match, lines in _records(path):
            report = verify_record(lines).report
            _check_digest(digests, match, lines, report)
            verified.commits += len(lines)
            if report.verdict == "right":
                verified.right += 1
            else:
                verified.others.append(report)
            progress(1)
    except (OSError, ZstdError) as error:
        raise Unreadable(f"{name} cannot be read to its end: {error}") from None

    for match in digests:
        missing = Report(match=match)
        missing.wrong = Wrong(0, "missing", f"the record of match {match} is in the list only")
        verified.others.append(missing)
    return verified


def _records(path: Path) -> Iterator[tuple[str, list[bytes]]]:
    """Yield each record's match and lines; raises Unreadable."""
    lines: list[bytes] = []
    match = ""
    for line in _lines(path):
        subject = _subject(line)
        if lines and subject != match:
            yield match, lines
            lines = []
        match = subject
        lines.append(line)
    if lines:
        yield match, lines


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a compressed file, line feeds included; raises Unreadable."""
    unpacker = ZstdDecompressor().decompressobj()
    rest = b""
    with path.open("rb") as packed:
        # A piece is small, since a forged one may unpack to thirty thousand times as much.
        while piece := packed.read(_PIECE):
            if unpacker.eof:
                raise Unreadable(f"{path} holds more than its end")
            *whole, rest = (rest + unpacker.decompress(piece)).split(b"\n")
            if len(rest) > _MOST_LINE:
                raise Unreadable(f"{path} has a line that is too long")
            for line in whole:
                yield line + b"\n"

    if rest:
        yield rest
    if not unpacker.eof:
        raise Unreadable(f"{path} cannot be read to its end: it was cut short")


def _subject(line: bytes) -> str:
    """Return which match a line names, "" for what is no line of a record."""
    try:
        return str(orjson.loads(line)["subject"])
    except (ValueError, TypeError, KeyError):
        return ""


def _listed_digests(path: Path) -> dict[str, str]:
    """Return the digests of the records by match that the list beside a dump has.

    Raises Unreadable if the dump is not the one of the list.
    """
    beside = path.with_name(path.name + LIST_SUFFIX)
    if not beside.exists():
        return {}

    digests = {}
    for line in beside.read_text(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        digests[name.removesuffix(RECORD_SUFFIX)] = digest

    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if digests.pop(path.name, actual) != actual:
        raise Unreadable(f"{path} is not the file whose SHA-256 is in {beside}")
    return digests


def _check_digest(digests: dict[str, str], match: str, lines: list[bytes], report: Report) -> None:
    """Hold a record against the list, where there is one; take it off the list."""
    expected = digests.pop(match, None)
    actual = hashlib.sha256(b"".join(lines)).hexdigest()
    if expected is not None and expected != actual and report.wrong is None:
        detail = "the record is not the one whose SHA-256 is in the list"
        report.wrong = Wrong(0, "not_listed", detail)
