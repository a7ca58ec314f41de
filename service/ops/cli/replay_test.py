"""`giornale replay-test`: decide all stored matches again with the installed rules."""

import gzip
import hashlib
import heapq
import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import click
import orjson

from service.ops.backup import dump_file
from service.ops.cli import interruptible
from service.ops.cli.bars import counting_bar
from service.ops.cli.errors import failed_reads, needs_server
from service.ops.cli.output import printable
from service.ops.cli.verify import Jobs
from service.record.commit import Json
from service.record.replay_test import ReplayResult, ReplayTask, replay
from service.record.verify.files import Unreadable, in_order

DIFFERENT = 1
PARTLY = 3

_RESULTS = ("same", "partly", "unknown", "different", "damaged")
_ENDS = {"same": 0, "partly": PARTLY, "unknown": DIFFERENT, "different": DIFFERENT}

_WORDS = {
    "same": "the same",
    "partly": "the same as far as their secrets are known",
    "unknown": "of unknown rules",
    "different": "different",
    "damaged": "damaged",
}

_MOST_LISTED = 1000  # matches in the report, those that are the same aside
_MOST_SHOWN = 10  # matches of one rules version, and changes of one match, in the text

_GZIP = b"\x1f\x8b"
_TAR = slice(257, 262)  # the place of a tar's mark
_TAR_MARK = b"ustar"


@click.command("replay-test")
@click.argument("names", metavar="[FILE...]", nargs=-1)
@click.option("--journal", is_flag=True, help="Test the matches of the journal.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Test only N matches.")
@click.option(
    "--jobs",
    type=Jobs(),
    default=1,
    show_default=True,
    help="Number of processes. auto: one for each processor.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def replay_test(
    names: tuple[str, ...], journal: bool, sample: int | None, jobs: int, as_json: bool
) -> None:
    """Test the installed rules on stored matches.

    Run it before an upgrade, with the new release. It reads all matches, running ones too, from
    the journal or from backups, dumps and records, and writes nothing. Every command is decided
    again. Ends with 0 if all matches are the same, 1 if one is different, damaged or of unknown
    rules, 2 if something cannot be read, 3 if secret parts are missing. The report may show
    secrets of running matches. Ends with 130 if interrupted.
    """
    if journal == bool(names):
        raise click.UsageError("give --journal, or FILES: backups, dumps or records")

    with failed_reads(), interruptible(), ExitStack() as stack:
        source = _open_journal(stack) if journal else Files(names)
        chosen = None if sample is None else _sampled(source.matches(), sample)
        report = ReplayReport()
        with counting_bar("replaying", 0 if chosen is None else len(chosen)) as progress:
            for result in in_order(replay, source.tasks(chosen), jobs):
                report.add(result)
                progress(1)

    if as_json:
        # In ASCII, so that no text of a record moves a cursor.
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        for line in report.lines():
            click.echo(printable(line))
    sys.exit(_ENDS.get(report.worst, DIFFERENT))


def _open_journal(stack: ExitStack) -> "MatchSource":
    try:
        from service.ops.cli.replayed_journal import open_journal
    except ModuleNotFoundError as error:
        raise click.ClickException(needs_server("the journal", error)) from None
    return stack.enter_context(open_journal())


def _sampled(matches: Iterable[str], number: int) -> frozenset[str]:
    """Return so many matches, the same ones in each run: those with the lowest SHA-256."""
    key = lambda match: hashlib.sha256(match.encode()).digest()  # noqa: E731
    return frozenset(heapq.nsmallest(number, set(matches), key=key))


# ---- where matches come from -----------------------------------------------------------------


class MatchSource(Protocol):
    """A place with stored matches."""

    def matches(self) -> Iterator[str]:
        """Yield the name of each match."""
        ...

    def tasks(self, chosen: frozenset[str] | None) -> Iterator[ReplayTask]:
        """Yield a task for each match, or for the chosen ones. Raises Unreadable."""
        ...


class Files:
    """Backups, dumps and records in files."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def matches(self) -> Iterator[str]:
        """Yield the name of each match. A record in a file of its own has the file's name."""
        for task in self.tasks(None):
            yield task.match

    def tasks(self, chosen: frozenset[str] | None) -> Iterator[ReplayTask]:
        """Yield a task for each match, or for the chosen ones. Raises Unreadable."""
        for name in self._names:
            for task in _tasks_of(name):
                if chosen is None or task.match in chosen:
                    yield task


def _tasks_of(name: str) -> Iterator[ReplayTask]:
    if dump_file.is_dump(name):
        for dumped in dump_file.records(Path(name)):
            yield ReplayTask(dumped.match, dumped.lines)
    elif _is_backup(name):
        from service.ops.cli.replayed_journal import tasks_of_backup

        yield from tasks_of_backup(Path(name))
    else:
        yield ReplayTask(name, file=name)


def _is_backup(name: str) -> bool:
    """Return True if a file is a packed tar. Raises Unreadable if it cannot be read."""
    try:
        with Path(name).open("rb") as file:
            if file.read(len(_GZIP)) != _GZIP:
                return False
        with gzip.open(name) as unpacked:
            return unpacked.read(_TAR.stop)[_TAR] == _TAR_MARK
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(f"{name} cannot be read: {error}") from None


# ---- the report ------------------------------------------------------------------------------


@dataclass(slots=True)
class Totals:
    """The results of the matches of one rules version.

    others: results that are not the same, at most _MOST_LISTED.
    """

    matches: int = 0
    commits: int = 0
    results: dict[str, int] = field(default_factory=dict)
    others: list[ReplayResult] = field(default_factory=list)

    def add(self, result: ReplayResult) -> None:
        """Count a result."""
        self.matches += 1
        self.commits += result.commits
        self.results[result.result] = self.results.get(result.result, 0) + 1
        if result.result != "same" and len(self.others) < _MOST_LISTED:
            self.others.append(result)


class ReplayReport:
    """The results by rules version."""

    def __init__(self) -> None:
        self._totals: dict[str, Totals] = {}

    def add(self, result: ReplayResult) -> None:
        """Note the result of a match."""
        self._totals.setdefault(result.rules, Totals()).add(result)

    @property
    def worst(self) -> str:
        """The worst result of a match, "same" if there is none."""
        results = {result for totals in self._totals.values() for result in totals.results}
        return max(results, key=_RESULTS.index, default="same")

    def as_json(self) -> Json:
        """Return the report as JSON values."""
        rules = {
            name: {
                "matches": totals.matches,
                "commits": totals.commits,
                **{result: totals.results.get(result, 0) for result in _RESULTS},
                "others": [result.as_json() for result in totals.others],
            }
            for name, totals in sorted(self._totals.items())
        }
        return {"result": self.worst, "rules": rules}

    def lines(self) -> Iterator[str]:
        """Yield the report as lines for people."""
        for name, totals in sorted(self._totals.items()):
            counts = ", ".join(
                f"{totals.results[result]:,} {_WORDS[result]}"
                for result in _RESULTS
                if result in totals.results
            )
            matches = f"{totals.matches:,} matches, {totals.commits:,} commits"
            yield f"{name or 'unreadable matches'}: {matches}: {counts}"
            for result in totals.others[:_MOST_SHOWN]:
                yield from _lines_of(result)
            rest = len(totals.others) - _MOST_SHOWN
            if rest > 0:
                yield f"  ... and {rest} others (--json lists them)"
        if not self._totals:
            yield "there are no matches"


def _lines_of(result: ReplayResult) -> Iterator[str]:
    """Yield lines about one match that is not the same."""
    difference = result.difference
    if difference is None:
        yield f"  match {result.match}: {'; '.join(result.notes)}"
        return
    yield f"  match {result.match}, version {difference.version}: {difference.detail}"
    for change in difference.changes[:_MOST_SHOWN]:
        yield f"    {orjson.dumps(change).decode()}"
    rest = len(difference.changes) - _MOST_SHOWN
    if rest > 0:
        yield f"    ... and {rest} changes (--json lists them)"
