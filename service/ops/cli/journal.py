"""`giornale journal`, `keys` and `pending`: the journal, its keys, and its pending matches."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click
import orjson

from service.base import answers
from service.base.config import ConfigError
from service.base.datadir import DataUnusable, explained
from service.bootstrap import open_signer
from service.matches import automation, journal_watch
from service.matches.automation import WaitingMatch
from service.matches.context import Context
from service.ops.cli.local_journal import NoJournal, failed_requests, local_context
from service.ops.cli.output import duration, printable, table
from service.ops.cli.settings import load_settings
from service.ops.process.server_files import EmbeddedError
from service.record.commit import Json
from service.store.journal.errors import JournalUnavailable
from service.store.keys.signer import NoKeys, Signer

_SHOWN = 100
_COLUMNS = ("match", "waits for", "waited", "tries", "error", "parked")


@click.group()
def journal() -> None:
    """Manage the journal."""


@journal.command()
def accept() -> None:
    """Accept that the journal has gone back.

    The warnings about it stop. Lost commits stay lost: look for a better copy to restore first.
    """
    try:
        with local_context() as ctx:
            accepted = journal_watch.accept(ctx.journal)
    except (ConfigError, DataUnusable, NoJournal, EmbeddedError) as error:
        raise click.ClickException(str(error)) from None
    except JournalUnavailable as error:
        raise click.ClickException(f"the journal cannot be written: {error}") from None

    if accepted is None:
        click.echo("there is nothing to accept: no loss is known")
    else:
        click.echo(f"accepted: {journal_watch.sentence(accepted)}")


@click.group()
def keys() -> None:
    """Manage the keys of receipts."""


@keys.command("list")
def list_() -> None:
    """Print the public keys.

    It makes no key.
    """
    public_keys: list[answers.Key] = []

    with failed_requests(), _local_signer() as signer:
        try:
            public_keys = signer.existing_keys()
        except NoKeys as error:
            click.echo(str(error), err=True)

    click.echo(orjson.dumps({"keys": public_keys}, option=orjson.OPT_INDENT_2))


@keys.command()
def rotate() -> None:
    """Sign with a new key from now on.

    Earlier receipts stay valid.
    """
    with failed_requests(), _local_signer() as signer:
        new_key = signer.rotate()

    click.echo(new_key["id"])


@contextmanager
def _local_signer() -> Iterator[Signer]:
    """Open the keys of the data directory. Raises ConfigError, DataUnusable."""
    config = load_settings()
    with explained(config.data):
        yield open_signer(config)


@click.group(invoke_without_command=True)
@click.option(
    "--limit", default=_SHOWN, type=click.IntRange(1), help="Number of listed matches at most."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def pending(context: click.Context, limit: int, as_json: bool) -> None:
    """List matches waiting for the house or a bot.

    The longest wait comes first.
    """
    if context.invoked_subcommand is not None:
        return

    with failed_requests(), local_context() as ctx:
        matches = automation.waiting_matches(ctx, limit)
        if as_json:
            click.echo(orjson.dumps(_document(ctx, matches), option=orjson.OPT_INDENT_2))
        else:
            click.echo("\n".join(table([_COLUMNS, *map(_row, matches)])))
            click.echo(_summary(ctx))


@pending.command()
@click.argument("match_id", metavar="[MATCH]", required=False)
@click.option("--all", "all_matches", is_flag=True, help="Retry every failed match.")
def retry(match_id: str | None, all_matches: bool) -> None:
    """Retry failed or parked matches at once."""
    if (match_id is None) != all_matches:
        raise click.UsageError("give a MATCH, or --all")

    with failed_requests(), local_context() as ctx:
        freed = automation.free_all(ctx) if match_id is None else _free_one(ctx, match_id)

    for match in freed:
        click.echo(f"{match}: will be retried")
    if not freed:
        click.echo("no match has failed")


def _free_one(ctx: Context, match_id: str) -> list[str]:
    """Free one match. Raises ClickException if it has not failed."""
    if not automation.free(ctx, match_id):
        raise click.ClickException(f"match {printable(match_id)} has not failed")
    return [match_id]


def _document(ctx: Context, matches: Sequence[WaitingMatch]) -> Json:
    totals = automation.totals(ctx)
    return {
        "waiting": totals.waiting,
        "parked": totals.parked,
        "longest_wait_ms": totals.longest_wait,
        "matches": [_shown(match) for match in matches],
    }


def _shown(match: WaitingMatch) -> Json:
    one = match.pending
    return {
        "match": one.match,
        "work": match.awaiting,
        "waited_ms": one.waited,
        "tries": one.tries,
        "error": one.error,
        "parked": one.parked,
    }


def _row(match: WaitingMatch) -> tuple[str, ...]:
    one = match.pending
    return (
        printable(one.match),
        match.awaiting or "nobody",
        duration(one.waited),
        str(one.tries),
        printable(one.error) or "-",
        "yes" if one.parked else "no",
    )


def _summary(ctx: Context) -> str:
    totals = automation.totals(ctx)
    return f"{totals.waiting} waiting, {totals.parked} parked"
