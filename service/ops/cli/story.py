"""`giornale story` and `giornale view`: a match as text, or in one HTML file."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from domain.games import RULES
from service.capabilities.single_file.page import single_file
from service.capabilities.single_file.replays import Replay, replay, replay_of_shown
from service.matches.stories import Line, Names, Narrator, text_lines
from service.ops.cli import sources
from service.ops.cli.bars import verifying_bar
from service.ops.cli.errors import CannotRead, failed_reads, importing_journal
from service.ops.cli.output import (
    CannotWrite,
    Output,
    are_seats,
    is_line,
    printable,
    report_lines,
    with_output,
    with_token,
)
from service.ops.cli.sources import Source
from service.ops.cli.verify import EXIT_CODES, lines_of
from service.record.commit import Json
from service.record.verify import receipts
from service.record.verify.audit import RecordAudit, verify_record
from service.record.verify.files import Unreadable
from service.record.verify.report import Wrong


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH")
@with_output
@with_token("Read the match as the holder of this token. Default: public.")
def story(what: str, target: Output, token: str | None) -> None:
    """Tell the story of a record or a match.

    It is in English, event by event. A record is checked first, and its story tells everything
    that it reveals. The story of an unended match tells the public facts.
    """
    target.check()
    with failed_reads():
        lines = list(text_lines(_lines_of(what, token)))
    target.write(f"{line}\n".encode() for line in lines)


def _lines_of(what: str, token: str | None) -> Iterable[Line]:
    """Return the story of the record in a file, of the match at a URL, or of a match's id.

    Raises Unreadable.
    """
    if Path(what).exists() or what == "-":
        return _lines_of_record(what)
    if sources.is_url(what):
        return _lines_of_server(sources.match_url(what), token)

    with importing_journal(what):
        from service.ops.cli import local_matches
    return local_matches.story(what, token)


def _lines_of_record(name: str) -> Iterator[Line]:
    """Yield the story of a record, as far as it has the secret parts. Raises Unreadable.

    Raises ClickException for a wrong record.
    """
    record_lines = lines_of(sources.of_file(name), name)
    with verifying_bar(len(record_lines)) as progress:
        audit = verify_record(record_lines, progress)

    report = audit.report
    if report.wrong is not None:
        raise click.ClickException(printable(f"the record is wrong: {report.wrong}"))
    if report.folded == 0:
        raise Unreadable(f"nothing of {name} can be told: {report.unchecked[-1]}")
    if report.folded < report.commits:
        click.echo(printable(f"not told to its end: {report.unchecked[-1]}"), err=True)
    yield from _lines_of_audit(audit)


def _lines_of_audit(audit: RecordAudit) -> Iterator[Line]:
    """Yield the story of a right record. A record has no names."""
    loaded = audit.loaded
    narrator = Narrator(
        match=None,
        rules=audit.report.rules,
        names=Names({}, loaded.match if loaded else None),
        redact=lambda event: event,
    )
    for stored in audit.unsealed[: audit.report.folded]:
        yield narrator.tell(stored)


def _lines_of_server(url: str, token: str | None) -> Sequence[Line]:
    """Fetch the story of a match from its server. Raises Unreadable."""
    with sources.asked_for_match(url):
        version = sources.document_of(url, token).get("version")
    if not isinstance(version, int):
        raise Unreadable(f"{url} is not a match")

    lines = sources.versions_of(f"{url}/story", "lines", token, version)
    if not all(map(is_line, lines)):
        raise Unreadable(f"{url}/story is not a story")
    return lines


# ---- a whole match as one HTML file --------------------------------------------------------------


@click.command()
@click.argument("what", metavar="FILE|URL")
@with_output
@with_token("Read the record at the URL as the holder of this token.")
def view(what: str, target: Output, token: str | None) -> None:
    """Write a match as one HTML file.

    It has the board, the story and the record, and checks them in the browser. It needs no network
    and no server. Ends like `giornale verify`: with 0 if all was checked and is right, 3 if all
    that could be checked is right. It writes nothing and ends with 1 if something is wrong, with 2
    if something cannot be read or written.
    """
    with failed_reads(), _without_verdict():
        target.check()
        source = _source_of(what, token)
        audit = _audit_of(source, what)
        _report(audit)

        if audit.report.wrong is None:
            replayed = _replayed(audit, source, what, token)
            target.write([single_file(replayed, source.content, audit.report)])

    sys.exit(EXIT_CODES[audit.report.verdict])


@contextmanager
def _without_verdict() -> Iterator[None]:
    """End with 2 if the file cannot be written, since 1 means that the record is wrong."""
    try:
        yield
    except CannotWrite as error:
        raise CannotRead(error.message) from None


def _source_of(what: str, token: str | None) -> Source:
    """Return the record in a file or at a URL. Raises Unreadable."""
    if not sources.is_url(what):
        return sources.of_file(what)

    with sources.asked_for_match(what):
        source = sources.of_match(what, token)
    if source.document is None or not are_seats(source.document.get("seats")):
        raise Unreadable(f"{what} is not a match")
    return source


def _audit_of(source: Source, name: str) -> RecordAudit:
    """Check a record, also against the match at its server, if any. Raises Unreadable."""
    lines = lines_of(source, name)
    with verifying_bar(len(lines)) as progress:
        audit = verify_record(lines, progress)

    report = audit.report
    if report.wrong is None and report.rules not in RULES:
        raise Unreadable(f"{name}: this program does not know the rules {report.rules}")
    if report.wrong is None and source.document is not None:
        try:
            receipts.check_document(audit, source.document, source.keys or [])
        except Wrong as wrong:
            report.wrong = wrong
    return audit


def _replayed(audit: RecordAudit, source: Source, what: str, token: str | None) -> Replay:
    """Return the replay of a match, as far as it goes. Raises Unreadable if it is empty.

    If secret parts are still sealed, the server of the match is asked for the public views. The
    digest of each view is in the chain.
    """
    report = audit.report
    if report.folded < report.commits and source.document is not None:
        public_replay = _shown(audit, source.document, sources.match_url(what), token)
        if public_replay is not None:
            return public_replay

    if report.folded == 0:
        raise Unreadable(f"nothing of {what} can be shown: {report.unchecked[-1]}")
    return replay(audit, _names_in(source))


def _shown(audit: RecordAudit, document: Json, url: str, token: str | None) -> Replay | None:
    """Return the replay of a server's public views, None if the views are those of a seat.

    Raises Unreadable, also if a view contradicts its commit.
    """
    public_token = None if document.get("visibility") == "public" else token
    last = audit.report.commits
    frames = sources.versions_of(f"{url}/states", "states", public_token, last)
    if any(frame.get("seat") is not None for frame in frames):
        return None

    lines = sources.versions_of(f"{url}/story", "lines", public_token, last)
    if not all(map(is_line, lines)):
        raise Unreadable(f"{url}/story is not a story")
    try:
        return replay_of_shown(audit, document["seats"], frames, lines)
    except Wrong as wrong:
        raise Unreadable(f"{url}: {wrong}") from None


def _report(audit: RecordAudit) -> None:
    """Print the report on standard error, unless all is right."""
    if audit.report.verdict == "right":
        return
    for line in report_lines(audit.report):
        click.echo(line, err=True)
    if audit.report.wrong is not None:
        click.echo("no file was written: the record is wrong", err=True)


def _names_in(source: Source) -> Mapping[int, str]:
    """Return the names of seats shown by a server. A record has no names."""
    if source.document is None:
        return {}
    return {seat["seat"]: seat["name"] for seat in source.document["seats"] if seat.get("name")}
