"""`giornale pending`: the matches that wait for the house or a bot, and those that have failed."""

from collections.abc import Sequence

import click
import orjson

from service.cli.complaints import failed_requests
from service.cli.local_journal import local_desk
from service.cli.printing import duration, printable, table
from service.ledger.canonical import Json
from service.matches import failing, waiting
from service.matches.desk import Desk
from service.matches.failing import WaitingMatch

_SHOWN = 100
_COLUMNS = ("match", "waits for", "waited", "tries", "error", "parked")


@click.group(invoke_without_command=True)
@click.option("--limit", default=_SHOWN, type=click.IntRange(1), help="How many to list at most.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def pending(context: click.Context, limit: int, as_json: bool) -> None:
    """List the matches that wait for the house or a bot, longest first."""
    if context.invoked_subcommand is not None:
        return

    with failed_requests(), local_desk() as desk:
        matches = failing.waiting_matches(desk, limit)
        if as_json:
            click.echo(orjson.dumps(_document(desk, matches), option=orjson.OPT_INDENT_2))
        else:
            click.echo("\n".join(table([_COLUMNS, *map(_row, matches)])))
            click.echo(_summary(desk))


@pending.command()
@click.argument("match_id", metavar="[MATCH]", required=False)
@click.option("--all", "all_matches", is_flag=True, help="Every match that has failed.")
def retry(match_id: str | None, all_matches: bool) -> None:
    """Have a match that has failed, or is parked, tried again at once."""
    if (match_id is None) != all_matches:
        raise click.UsageError("name a match, or say --all")

    with failed_requests(), local_desk() as desk:
        freed = failing.free_all(desk) if match_id is None else _free_one(desk, match_id)

    for match in freed:
        click.echo(f"{match}: is tried again")
    if not freed:
        click.echo("no match has failed")


def _free_one(desk: Desk, match_id: str) -> list[str]:
    """Free one match; raises ClickException if it has not failed."""
    if not failing.free(desk, match_id):
        raise click.ClickException(f"match {printable(match_id)} has not failed")
    return [match_id]


def _document(desk: Desk, matches: Sequence[WaitingMatch]) -> Json:
    totals = waiting.totals(desk)
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
        "work": match.work,
        "waited_ms": one.waited,
        "tries": one.tries,
        "error": one.error,
        "parked": one.parked,
    }


def _row(match: WaitingMatch) -> tuple[str, ...]:
    one = match.pending
    return (
        printable(one.match),
        match.work or "nobody",
        duration(one.waited),
        str(one.tries),
        printable(one.error) or "-",
        "yes" if one.parked else "no",
    )


def _summary(desk: Desk) -> str:
    totals = waiting.totals(desk)
    return f"{totals.waiting} wait, {totals.parked} are parked"
