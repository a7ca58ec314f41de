"""`giornale match`: what the operator sees of matches, and does with them."""

import click
import orjson

from domain.errors import RulesUnknown
from domain.games import GAMES
from domain.names import isolated
from service.base import answers
from service.base.config import hours
from service.matches import automation, lifecycle
from service.matches.context import Context
from service.matches.listing import MatchFilter, Overviews, overview, overviews
from service.matches.repository import load
from service.matches.views import document
from service.ops.cli.errors import failed_requests
from service.ops.cli.local_journal import local_context
from service.ops.cli.output import duration, printable, size, table
from service.record.commit import Json
from service.store.journal.errors import ArchiveDamaged, HeadDamaged
from service.store.journal.values import STATUSES, Pending

_SHOWN = 100
_COLUMNS = ("match", "game", "status", "commits", "size", "idle", "waits for")
_HOUR_MS = 3_600_000

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def match() -> None:
    """What the operator sees of matches, private ones too, and does with them."""


@match.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only of this status.")
@click.option("--game", type=click.Choice(list(GAMES)), help="Only of this game.")
@click.option(
    "--idle", metavar="AGE", default="", help="Only idle for so long, such as 36h or 30d."
)
@click.option("--limit", default=_SHOWN, type=click.IntRange(1), help="How many to list at most.")
@_as_json
def list_(status: str | None, game: str | None, idle: str, limit: int, as_json: bool) -> None:
    """List matches, those that were moved in last first."""
    wanted = MatchFilter(status or "", game or "", _age_ms(idle))
    with failed_requests(), local_context() as ctx:
        found = overviews(ctx, wanted, limit)

    if as_json:
        listing = {"total": found.total, "matches": found.matches, "damaged": found.damaged}
        click.echo(orjson.dumps(listing, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(_list_lines(found)))


@match.command()
@click.argument("match_id", metavar="MATCH")
@_as_json
def show(match_id: str, as_json: bool) -> None:
    """Show a match: status, idle time, size, seats, and what it waits for."""
    with failed_requests(), local_context() as ctx:
        shown = overview(ctx, match_id)
        pending = automation.pending_of(ctx, match_id)
        clock = _clock(ctx, shown)

    if as_json:
        view = {**shown, "clock": clock, "pending": _pending_document(pending)}
        click.echo(orjson.dumps(view, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(table(_rows(shown, pending, clock))))


@match.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(match_id: str, yes: bool) -> None:
    """Delete a match for ever, with all that is kept of it; its id is not used again."""
    with failed_requests(), local_context() as ctx:
        try:
            words = _in_words(overview(ctx, match_id))
        except (ArchiveDamaged, HeadDamaged) as error:
            words = str(error)
        if not yes:
            click.echo(f"{match_id}: {printable(words)}")
            click.confirm("Delete it for ever?", abort=True)
        lifecycle.delete(ctx, match_id, lifecycle.COMMAND_LINE)

    click.echo(f"{match_id}: deleted")


def _age_ms(text: str) -> int:
    """Return an age in milliseconds, 0 for ""."""
    try:
        return hours(text) * _HOUR_MS
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--idle") from None


def _list_lines(found: Overviews) -> list[str]:
    rows = [_row(shown) for shown in found.matches]
    damaged = [f"{match}: its head or its archive marker is damaged" for match in found.damaged]
    return [*table([_COLUMNS, *rows]), *damaged, f"{len(rows)} of {found.total} matches"]


def _row(shown: Json) -> tuple[str, ...]:
    return (
        shown["id"],
        shown["game"],
        shown["status"],
        str(shown["version"]),
        size(shown["bytes"]),
        duration(shown["idle_ms"]),
        _awaited(shown),
    )


def _clock(ctx: Context, shown: Json) -> answers.Clock | None:
    """Return the clock of a match that goes on, None without one."""
    if shown["status"] not in ("open", "running"):
        return None
    try:
        return document(load(ctx, shown["id"]), {}).get("clock")
    except RulesUnknown:
        return None


def _rows(
    shown: Json, pending: Pending | None, clock: answers.Clock | None
) -> list[tuple[str, str]]:
    """Return what is shown of one match, a line each."""
    rows = [
        ("match", shown["id"]),
        ("game", f"{shown['game']}, {shown['visibility']}"),
        ("status", shown["status"]),
        ("opened", shown["created"]),
        ("moved", f"{shown['updated']}, idle for {duration(shown['idle_ms'])}"),
        ("commits", f"{shown['version']}, {size(shown['bytes'])}"),
        ("waits for", _awaited(shown)),
    ]
    if "forked_from" in shown:
        base = shown["forked_from"]
        rows.append(("forked from", f"{base['match']} at version {base['version']}, not rated"))
    if pending is not None:
        rows.append(("pending", _trouble(pending)))

    if clock:
        rows.append(("time runs out", clock["due"] or "for nobody now"))

    for number, seat in enumerate(shown["seats"]):
        left = f", {duration(clock['left_ms'][number])} left at the last commit" if clock else ""
        rows.append((f"seat {number}", f"{_holder(seat)}{left}"))
    rows += [(name, shown[name]) for name in ("imported", "archived") if shown.get(name)]
    return rows


def _in_words(shown: Json) -> str:
    """Return in a line what is at stake when a match is deleted."""
    commits = f"{shown['version']} commits ({size(shown['bytes'])})"
    idle = f"idle for {duration(shown['idle_ms'])}"
    return f"{shown['game']}, {shown['status']}, {commits}, {idle}, waits for {_awaited(shown)}"


def _awaited(shown: Json) -> str:
    """Return what a match waits for, in words."""
    if shown["status"] == "open":
        free = [seat["seat"] for seat in shown["seats"] if seat["kind"] == "open"]
        return f"players for {_seats(free)}" if free else "its owner to start it"

    waiting = shown["waiting_for"]
    bots = waiting["bots"]
    humans = [seat for seat in waiting["seats"] if seat not in bots]
    awaited = [
        "the house" if waiting["house"] else "",
        _seats(humans),
        f"{_seats(bots)} (bots)" if bots else "",
    ]
    return ", ".join(filter(None, awaited)) or "nobody"


def _seats(numbers: list[int]) -> str:
    """Return seats by their numbers, "" for none."""
    if not numbers:
        return ""
    word = "seat" if len(numbers) == 1 else "seats"
    return f"{word} {', '.join(map(str, numbers))}"


def _holder(seat: Json) -> str:
    """Return who holds a seat, in words."""
    words = [seat["kind"], seat.get("level", ""), isolated(printable(seat.get("name", "")))]
    if seat.get("absent"):
        words.append(f"(absent: {seat['absent_because'].replace('_', ' ')})")
    return " ".join(filter(None, words))


def _trouble(pending: Pending) -> str:
    """Return how it goes with what the service has to do, in words."""
    words = f"for {duration(pending.waited)}"
    if pending.tries:
        words += f", failures: {pending.tries} ({printable(pending.error)})"
    return f"{words}, parked" if pending.parked else words


def _pending_document(pending: Pending | None) -> Json | None:
    if pending is None:
        return None
    return {
        "waited_ms": pending.waited,
        "tries": pending.tries,
        "error": pending.error,
        "parked": pending.parked,
    }
