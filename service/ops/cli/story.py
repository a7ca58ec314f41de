"""`giornale story` and `giornale view`: what happened in a match, as text or as one HTML file."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from domain.errors import RulesUnknown
from domain.games import RULES
from service.capabilities.single_file.page import single_file
from service.capabilities.single_file.replays import Replay, replay, replay_of_shown
from service.matches import stories
from service.matches.access import enter
from service.matches.repository import load
from service.matches.stories import Line, Names, Narrator, text_lines
from service.matches.views import Range
from service.ops.cli import sources
from service.ops.cli.bars import verifying_bar
from service.ops.cli.errors import CannotRead, failed_requests
from service.ops.cli.local_journal import context_instead_of
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
from service.store.keys.tokens import Caller


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH")
@with_output
@with_token("Whose ears to hear a match with; the public's without one.")
def story(what: str, target: Output, token: str | None) -> None:
    """Tell what happened in a record, or in a match, in English, event by event.

    A record is checked first, and its story says all that it lays open. That of a match that is on
    says what the public may hear.
    """
    target.check()
    with failed_requests():
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
    return _lines_of_match(what, token)


def _lines_of_record(name: str) -> Iterator[Line]:
    """Yield the story of a record, as far as its secret parts are there; raises Unreadable.

    Of a record in which something is wrong there is no story.
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
    """Yield the story of a record that is right; a record holds no names."""
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
    """Return the story that a server tells; raises Unreadable."""
    with sources.asked_for_match(url):
        version = sources.document_of(url, token).get("version")
    if not isinstance(version, int):
        raise Unreadable(f"{url} is no match")

    lines = sources.versions_of(f"{url}/story", "lines", token, version)
    if not all(map(is_line, lines)):
        raise Unreadable(f"{url}/story is no story")
    return lines


def _lines_of_match(match: str, token: str | None) -> Iterator[Line]:
    """Yield the story of a match of the local journal; raises Unreadable where there is none."""
    with context_instead_of(match) as ctx:
        # Without a token it is an operator who asks, also for matches that are not public.
        caller = enter(ctx, match, token).caller if token else Caller()
        try:
            loaded = load(ctx, match)
        except RulesUnknown as error:
            raise Unreadable(f"match {match}: {error}") from None
        names = stories.names_of(ctx, loaded)
        whole = Range(0, loaded.version, closed=True)
        yield from stories.lines(ctx, loaded, caller, names, whole)


# ---- a whole match as one HTML file --------------------------------------------------------------


@click.command()
@click.argument("what", metavar="FILE|URL")
@with_output
@with_token("Whose record to ask the URL for.")
def view(what: str, target: Output, token: str | None) -> None:
    """Write a match as one HTML file: board, story, record, and a check of them in the browser.

    The file needs no network and no server. Ends as `giornale verify` does: with 0 if all was
    checked and is right, 3 if all that could be checked is right. It writes nothing and ends with 1
    if something is wrong, with 2 if it cannot be read or written.
    """
    with failed_requests(), _without_verdict():
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
    """End with 2 if the file cannot be written: 1 would say that the record is wrong."""
    try:
        yield
    except CannotWrite as error:
        raise CannotRead(error.message) from None


def _source_of(what: str, token: str | None) -> Source:
    """Return the record in a file or at a URL; raises Unreadable."""
    if not sources.is_url(what):
        return sources.of_file(what)

    with sources.asked_for_match(what):
        source = sources.of_match(what, token)
    if source.document is None or not are_seats(source.document.get("seats")):
        raise Unreadable(f"{what} is no match")
    return source


def _audit_of(source: Source, name: str) -> RecordAudit:
    """Check a record, and hold it against what its server shows; raises Unreadable."""
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
    """Return the match to be looked at, as far as it can be; raises Unreadable if that is nowhere.

    Where secret parts are still sealed, a server is asked what it shows to the public: each view is
    bound to the chain by its digest.
    """
    report = audit.report
    if report.folded < report.commits and source.document is not None:
        shown = _shown(audit, source.document, sources.match_url(what), token)
        if shown is not None:
            return shown

    if report.folded == 0:
        raise Unreadable(f"nothing of {what} can be shown: {report.unchecked[-1]}")
    return replay(audit, _names_in(source))


def _shown(audit: RecordAudit, document: Json, url: str, token: str | None) -> Replay | None:
    """Return a match as its server shows it to the public; None if it shows more to the token.

    Raises Unreadable, also if a view is another than its commit says.
    """
    public_token = None if document.get("visibility") == "public" else token
    last = audit.report.commits
    frames = sources.versions_of(f"{url}/states", "states", public_token, last)
    if any(frame.get("seat") is not None for frame in frames):
        return None

    lines = sources.versions_of(f"{url}/story", "lines", public_token, last)
    if not all(map(is_line, lines)):
        raise Unreadable(f"{url}/story is no story")
    try:
        return replay_of_shown(audit, document["seats"], frames, lines)
    except Wrong as wrong:
        raise Unreadable(f"{url}: {wrong}") from None


def _report(audit: RecordAudit) -> None:
    """Say on standard error what was found, unless all is right."""
    if audit.report.verdict == "right":
        return
    for line in report_lines(audit.report):
        click.echo(line, err=True)
    if audit.report.wrong is not None:
        click.echo("no file is written of a record that is wrong", err=True)


def _names_in(source: Source) -> Mapping[int, str]:
    """Return what the seats are called, as far as a server says; a record holds no names."""
    if source.document is None:
        return {}
    return {seat["seat"]: seat["name"] for seat in source.document["seats"] if seat.get("name")}
