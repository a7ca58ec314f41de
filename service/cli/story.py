"""`giornale story`: what happened in a match, as text for people."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from service.cli import sources
from service.cli.errors import failed_requests
from service.cli.local_journal import context_instead_of
from service.cli.output import Output, is_line, printable, verifying_bar, with_output, with_token
from service.cli.verify import lines_of
from service.keys.tokens import Caller
from service.matches import stories
from service.matches.access import enter
from service.matches.repository import load
from service.matches.stories import Line, Names, Narrator, text_lines
from service.matches.views import Range
from service.verify.audit import Audit, verify_record
from service.verify.files import Unreadable


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH")
@with_output
@with_token("Whose ears to hear a match with; the public's without one.")
def story(what: str, output: Output, token: str | None) -> None:
    """Tell what happened in a record, or in a match, in English, event by event.

    A record is checked first, and its story says all that it lays open. That of a match that is on
    says what the public may hear.
    """
    output.check()
    with failed_requests():
        lines = list(text_lines(_lines_of(what, token)))
    output.write(f"{line}\n".encode() for line in lines)


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


def _lines_of_audit(audit: Audit) -> Iterator[Line]:
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
        loaded = load(ctx, match)
        names = stories.names_of(ctx, loaded)
        whole = Range(0, loaded.version, closed=True)
        yield from stories.lines(ctx, loaded, caller, names, whole)
