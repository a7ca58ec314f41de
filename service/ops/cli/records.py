"""`giornale export`, `import`, `dump`, `backup` and `restore`: matches that leave and come back.

And `giornale ratings`: what follows from dumps.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import BinaryIO
from urllib.parse import urlencode

import click
import orjson

from service.base.answers import LadderPlace
from service.base.config import Config, ConfigError
from service.base.private_files import private_file
from service.base.release import with_extra
from service.bootstrap import open_context, open_whole_journal
from service.capabilities.players.answers import Ladder
from service.matches import journal_watch, records
from service.matches.access import enter_as_operator
from service.matches.context import Context
from service.matches.journal_watch import note_file, read_note
from service.ops.backup import export as exports, file_format, restore as restores
from service.ops.backup.export import Dumped, Span
from service.ops.backup.file_format import BadBackup, Incomplete, Manifest
from service.ops.cli import interruptible, output, sources, verify
from service.ops.cli.bars import counting_bar, verifying_bar
from service.ops.cli.errors import failed_requests
from service.ops.cli.local_journal import NoJournal, local_context, running_journal
from service.ops.cli.output import Output, with_output, with_token
from service.ops.process.preflight import Unsafe
from service.ops.process.server_files import EmbeddedError
from service.record import ratings
from service.record.commit import Json, clock, timestamp
from service.record.ratings import MatchResult, in_order, placed
from service.record.record import commit_in
from service.record.verify.files import Unreadable
from service.store.journal.errors import JournalError, JournalFull
from service.store.journal.ports import Journal

MISSING = 3  # the exit code where all could be written but matches that cannot be read

_MOST_NAMED = 10  # matches that a message names
_UNREADABLE = (
    "left out, since it cannot be read; giornale archive verify and giornale verify say why"
)

_EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_LAST_MS = 1 << 60


# ---- records: export, import, dump -----------------------------------------------------------


@click.command()
@click.argument("match", required=False)
@with_output
@with_token("Whose eyes to see it with; the public's without one.")
@click.option(
    "--all",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Every match, to a file of its own there; what is there and whole is passed over.",
)
def export(match: str | None, target: Output, token: str | None, directory: Path | None) -> None:
    """Write a match as a record: whole once its secrets are revealed, redacted before."""
    if match is not None and directory is None:
        target.check()
        with failed_requests(), local_context() as ctx:
            lines = list(_record_lines(ctx, match, token))
        target.write(lines)
    elif match is None and directory is not None:
        _export_all(directory)
    else:
        raise click.UsageError("give a MATCH, or --all DIRECTORY")


@click.command("import")
@click.argument("file", type=click.File("rb"))
def import_(file: BinaryIO) -> None:
    """Take a whole record into the journal, if every line of it is right."""
    with failed_requests(), local_context() as ctx, verifying_bar(0) as progress:
        audit, was_there = records.import_record(ctx, file, progress)

    report = audit.report
    result = "it was there already" if was_there else f"{report.commits} commits"
    click.echo(f"{report.match}: {result}")


def _record_lines(ctx: Context, match: str, token: str | None) -> Iterator[bytes]:
    """Return the lines of a match's record, as the token's holder may see it."""
    if token:
        return records.export(ctx, match, token)

    return records.lines_of(ctx, enter_as_operator(ctx, match))


def _export_all(directory: Path) -> None:
    """Write every match's record to a file of its own in a directory.

    What is there and whole is passed over. Ends with 3 if matches cannot be read.
    """
    output.remove_left(directory / f"any{exports.SUFFIX}")

    with _reported(), running_journal(Config.load(os.environ), make=False) as config:
        ctx, _queues = open_context(config)
        with output.failed_writes(directory), counting_bar("matches", 0) as progress:
            done = exports.export_all(ctx, directory, progress)

    click.echo(f"{directory}: {done.written} records written, {done.present} there already")
    _end_if_missing(done.missing)


@click.command()
@click.option("--from", "start", metavar="TIME", help="Matches that ended at this time or later.")
@click.option("--to", "end", metavar="TIME", help="Matches that ended before this time.")
@click.option(
    "-o",
    "--output",
    "file",
    type=output.FILE,
    help="The file, such as 2026-01.ndjson.zst. Its SHA-256 goes into a file with the further "
    "ending .sha256, those of its records into one with .records.sha256.",
)
@click.option(
    "--parquet",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Write tables instead, a Parquet file each: matches, seats, commits and events. Needs "
    'the extra "tables".',
)
@output.with_replace
def dump(
    start: str | None, end: str | None, file: Path | None, directory: Path | None, replace: bool
) -> None:
    """Write all public matches that ended within a time: their records to one file, or tables.

    TIME is a date or a time in RFC 3339, in UTC if it does not say otherwise. `giornale verify`
    reads the file. Ends with 3 if matches are missing because they cannot be read.
    """
    span = _span(start, end)
    if file is not None and directory is None:
        place = output.behind_links(file)
        _write_dump(
            file,
            exports.files_of(file),
            lambda ctx, progress: exports.dump(ctx, span, place, progress, replace=replace),
            replace=replace,
        )
    elif directory is not None and file is None:
        writer = _tables()
        with output.failed_writes(directory):
            directory.mkdir(parents=True, exist_ok=True)
        _write_dump(
            directory,
            writer.files_of(directory),
            lambda ctx, progress: writer.dump(ctx, span, directory, progress, replace=replace),
            replace=replace,
        )
    else:
        raise click.UsageError("give --output FILE, or --parquet DIRECTORY")


def _write_dump(
    place: Path,
    files: Sequence[Path],
    write: Callable[[Context, Callable[[int], None]], Dumped],
    *,
    replace: bool,
) -> None:
    """Write a dump of several files to a place, and say what it holds.

    write: is called with a context and with what counts the matches.
    """
    for path in files:
        output.prepare(path, replace=replace)

    with _reported(), running_journal(Config.load(os.environ), make=False) as config:
        ctx, _queues = open_context(config)
        with output.failed_writes(place), counting_bar("matches", 0) as progress:
            dumped = write(ctx, progress)

    click.echo(f"{place}: {dumped.matches} matches, {dumped.commits} commits")
    _end_if_missing(dumped.missing)


def _tables() -> ModuleType:
    """Return the module that writes tables, if what it needs is installed."""
    if find_spec("pyarrow") is None:
        raise click.ClickException(
            f'tables need pyarrow: install the wheel with "tables", {with_extra("tables")}'
        )
    from service.ops.backup import tables

    return tables


def _span(start: str | None, end: str | None) -> Span:
    """Return the time that was asked for; raises BadParameter if nothing can lie in it."""
    span = Span(
        start=_milliseconds(start, "--from") if start else 0,
        end=_milliseconds(end, "--to") if end else _LAST_MS,
    )
    if span.start >= span.end:
        raise click.BadParameter("must be a later time than --from", param_hint="--to")
    return span


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


# ---- ratings, from dumps or as a server shows them -----------------------------------------------

_PAGE = 100  # places asked for at once
_FARTHEST = 1_000_000  # places of a ladder that a server shows

Ladders = Iterable[Ladder]


@click.command("ratings")
@click.argument("what", metavar="DUMP...|URL", nargs=-1, required=True)
@click.option("--game", metavar="GAME", help="Only the ladder of this game.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def ratings_(what: tuple[str, ...], game: str | None, as_json: bool) -> None:
    """Print the ladders that follow from dumps, or that the server at URL shows.

    Both are the same to the byte if the dumps hold all that the server has rated: `giornale dump`
    without --from and --to writes such a dump. A match that stands in several dumps counts once.
    What dumps say is believed: check them with `giornale verify` first. Names are not printed.
    """
    with failed_requests(), interruptible():
        if len(what) == 1 and sources.is_url(what[0]):
            ladders = _ladders_at(what[0].rstrip("/"), game)
        else:
            ladders = _ladders_in(what, game)
        for ladder in ladders:
            for line in _ladder_lines(ladder, as_json=as_json):
                click.echo(line)


def _ladder_lines(ladder: Ladder, *, as_json: bool) -> Iterator[bytes | str]:
    """Yield the lines of a ladder."""
    places = ladder["players"]
    if as_json:
        of_all = {name: ladder[name] for name in ("game", "model", "model_version")}
        for place in places:
            line: Json = {**of_all, **place}
            del line["name"]
            yield orjson.dumps(line)
        return

    model = f"{ladder['model']}, {ladder['model_version']}"
    columns = "place, player, mean, uncertainty, ordinal, rated matches"
    yield output.printable(f"{ladder['game']} ({model}): {columns}")
    yield from map(output.printable, output.table([_row(place) for place in places]))


def _row(place: LadderPlace) -> list[str]:
    rating = place["rating"]
    figures = [f"{rating[name]:.3f}" for name in ("mean", "uncertainty", "ordinal")]
    return [str(place["place"]), place["player"], *figures, str(rating["matches"])]


def _ladders_in(names: Sequence[str], game: str | None) -> Ladders:
    """Yield the ladders that follow from dumps; raises Unreadable."""
    found: dict[str, MatchResult] = {}
    with counting_bar("reading", verify.size_of(names)) as progress:
        for name in names:
            if not verify.names_dump(name):
                raise Unreadable(f"{name} is no dump as giornale dump writes it")
            for dumped in verify.records(Path(name)):
                if dumped.match not in found:
                    found[dumped.match] = _result_in(name, dumped.match, dumped.lines)
                progress(dumped.size)

    for key, of_game in sorted(ratings.fold(found.values()).items()):
        if game in (None, key):
            yield {
                "game": key,
                "model": ratings.MODEL,
                "model_version": ratings.MODEL_VERSION,
                "players": placed(in_order(of_game)),
            }


def _result_in(name: str, match: str, lines: Sequence[bytes]) -> MatchResult:
    """Return what the record of a match says; raises Unreadable."""
    try:
        return ratings.result_of(list(map(commit_in, lines)))
    except Exception as error:  # noqa: BLE001 - whatever a forged record holds
        reason = f"the record of match {match} cannot be folded ({type(error).__name__})"
        raise Unreadable(f"{name}: {reason}; giornale verify says why") from None


def _ladders_at(url: str, game: str | None) -> Ladders:
    """Yield the ladders that a server shows; raises Unreadable."""
    for key in sorted(str(one.get("key")) for one in _listed_at(f"{url}/v1/games", "games")):
        if game in (None, key) and (ladder := _ladder_at(url, key))["players"]:
            yield ladder


def _ladder_at(url: str, game: str) -> Ladder:
    """Return the whole ladder of a game."""
    ladder: Ladder = {"game": game, "model": "", "model_version": "", "players": []}
    places = ladder["players"]
    while len(places) < _FARTHEST:
        query = urlencode({"game": game, "limit": _PAGE, "after": len(places)})
        address = f"{url}/v1/ladder?{query}"
        page = sources.parsed(sources.fetched(address), address)
        ladder["model"] = str(page.get("model", ""))
        ladder["model_version"] = str(page.get("model_version", ""))
        listed = _listed(page, "players", address)
        if not listed:
            break
        places += map(_place_in, listed)
    return ladder


def _listed_at(address: str, member: str) -> list[Json]:
    """Return the objects that a server lists; raises Unreadable."""
    return _listed(sources.parsed(sources.fetched(address), address), member, address)


def _listed(page: Json, member: str, address: str) -> list[Json]:
    """Return the objects that a page of a server lists; raises Unreadable."""
    listed = page.get(member)
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Unreadable(f"{address} lists no {member}")
    return listed


def _place_in(line: Json) -> LadderPlace:
    """Return a line of a ladder, without the name; raises Unreadable."""
    try:
        rating = line["rating"]
        return {
            "place": int(line["place"]),
            "player": str(line["player"]),
            "name": None,
            "rating": {
                "mean": float(rating["mean"]),
                "uncertainty": float(rating["uncertainty"]),
                "ordinal": float(rating["ordinal"]),
                "matches": int(rating["matches"]),
            },
        }
    except (KeyError, TypeError, ValueError):
        raise Unreadable("the server shows a ladder that is none") from None


# ---- the whole journal: backup and restore ---------------------------------------------------


@click.command()
@click.argument("file", type=output.FILE)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Leave out the server's secret and the keys of receipts.",
)
@output.with_replace
def backup(file: Path, without_secrets: bool, replace: bool) -> None:
    """Write the whole journal to one file while the service goes on.

    The file holds the server's secret and the keys of receipts, too, since a restored service
    needs both. Whoever has it can do what the server can: keep it as well as the server. Ends with
    3 if matches are missing in it because they cannot be read; such a file replaces none.
    """
    output.prepare(file, replace=replace)
    place = output.behind_links(file)

    with _reported(), running_journal(Config.load(os.environ), make=False) as config:
        secrets = {} if without_secrets else file_format.collect(config)
        journal = open_whole_journal(config)
        with (
            output.failed_writes(file),
            private_file(place, replace=replace) as content,
            counting_bar("backup", journal.events.commit_count()) as progress,
        ):
            manifest = exports.write(journal, content, secrets, clock, progress)
            if manifest.missing and place.exists():
                raise Incomplete(manifest.missing)

    ending = "without the secrets" if without_secrets else "with the secrets"
    click.echo(f"{file}: {_summary(manifest)}, {ending}")
    _end_if_missing(manifest.missing)


@click.command()
@click.argument("file", type=_EXISTING_FILE)
@click.option(
    "--merge",
    is_flag=True,
    help="Add the matches that are not there to a journal that holds some.",
)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Leave the secret and the keys of receipts here as they are.",
)
@click.option("--check", is_flag=True, help="Only check the file; write nothing.")
def restore(file: Path, merge: bool, without_secrets: bool, check: bool) -> None:
    """Put a backup into an empty journal.

    The whole file is checked before anything is written: every digest, and every match's chain of
    commits.
    """
    with _reported():
        reader = _check_file(file)
        if check:
            return

        settings = Config.load(os.environ)
        if not without_secrets and not merge:
            file_format.demand_fitting(settings, reader.private)

        with running_journal(settings, make=True) as config:
            journal = open_whole_journal(config)
            if not merge:
                restores.demand_empty(journal)

            # First, since a restore that is cut short goes on with --merge, and that leaves a
            # secret as it is.
            secrets_news: list[str] = []
            if not without_secrets:
                secrets_news = file_format.put_back(settings, reader.private, merge=merge)
            for sentence in secrets_news:
                click.echo(sentence)
            _restore_matches(config, journal, reader, merge=merge)

    if file_format.SECRET_BACK in secrets_news:
        click.echo("start the web processes again, so that they learn the secret")
    if not reader.private:
        click.echo("the backup holds no secrets: put the secret and keys.json back by other means")


def _check_file(file: Path) -> restores.BackupReader:
    """Check a whole backup and say what it holds; raises BadBackup."""
    with counting_bar("checking", 0) as progress:
        reader = restores.check(file, progress)

    manifest = reader.manifest
    click.echo(f"{file}: {_summary(manifest)}, made {manifest.begun}; all of it is right")
    _name(manifest.missing, "could not be read when the backup was made")
    return reader


def _restore_matches(
    config: Config, journal: Journal, reader: restores.BackupReader, *, merge: bool
) -> None:
    """Put the matches back and say what was done."""
    with counting_bar("restoring", reader.manifest.commits) as progress:
        done = restores.restore(journal, reader, progress, merge=merge)
    _begin_epoch(journal, config)

    restored = f"{done.restored} matches restored"
    deleted = f"{done.deleted} marks of deleted ones"
    click.echo(f"{restored}, {deleted}, {done.present} there already")

    _name(done.differing, "left as it is; it is another than the backup's, or has fewer commits")


def _begin_epoch(journal: Journal, config: Config) -> None:
    """Give the journal a new generation, and say if it once held more than it does now."""
    noted = read_note(note_file(config.data))
    journal_watch.begin_anew(journal, noted, clock())

    commits = journal.events.commit_count()
    if noted is not None and noted.commits > commits:
        before = f"{noted.commits} commits at {timestamp(noted.time)}"
        click.echo(f"the journal held {before}, and now holds {commits}", err=True)


def _summary(manifest: Manifest) -> str:
    """Return what a backup holds, in words."""
    deleted = f"{manifest.deleted} marks of deleted matches"
    return f"{manifest.matches} matches, {manifest.commits} commits, {deleted}"


# ---- what all of them report -----------------------------------------------------------------


def _end_if_missing(matches: Sequence[str]) -> None:
    """Name the matches that are missing in what was written, if any, and end with MISSING."""
    if not matches:
        return

    _name(matches, _UNREADABLE)
    sys.exit(MISSING)


def _name(matches: Sequence[str], what: str) -> None:
    """Say on standard error what is to be known of some matches."""
    for match in matches[:_MOST_NAMED]:
        click.echo(f"{output.printable(match)}: {what}", err=True)

    unnamed = len(matches) - _MOST_NAMED
    if unnamed > 0:
        click.echo(f"... and {unnamed} others", err=True)


@contextmanager
def _reported() -> Iterator[None]:
    """End with one sentence, and exit code 1, instead of a traceback."""
    try:
        yield
    except restores.NotEmpty:
        advice = "--merge adds those that are not there"
        raise click.ClickException(f"the journal holds matches; {advice}") from None
    except file_format.OtherSecret:
        raise click.ClickException(
            "GIORNALE_SECRET is another than the backup's, "
            "so repeated openings would get other tokens: set the backup's, "
            "or leave the secrets here as they are with --without-secrets"
        ) from None
    except file_format.Missing as error:
        raise click.ClickException(
            f"{error}. Run the command with the service's data directory and settings, "
            "or leave both out with --without-secrets"
        ) from None
    except Incomplete as error:
        _name(error.missing, _UNREADABLE)
        reason = "what lacks matches replaces no file"
        raise click.ClickException(f"{reason}: write it to another one") from None
    except BadBackup as error:
        raise click.ClickException(
            f"the backup is not right: {output.printable(str(error))}"
        ) from None
    except JournalFull as error:
        reason = f"the journal is full: {output.printable(str(error))}"
        raise click.ClickException(f"{reason}; go on later with --merge") from None
    except (ConfigError, NoJournal, Unsafe, EmbeddedError) as error:
        raise click.ClickException(str(error)) from None
    except (JournalError, OSError) as error:
        raise click.ClickException(output.printable(str(error))) from None
