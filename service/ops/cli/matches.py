"""`giornale match`: the operator lists, shows and deletes matches."""

import click
import orjson

from domain.errors import RulesUnknown
from domain.games import GAMES
from domain.names import isolated
from service.base import answers
from service.base.config import hours
from service.base.metadata_fields import COMMAND_LINE
from service.matches import automation, lifecycle
from service.matches.context import Context
from service.matches.listing import MatchFilter, Overviews, overview, overviews
from service.matches.repository import load
from service.matches.views import document
from service.ops.cli.local_journal import failed_requests, local_context
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
    """List, show and delete matches.

    Private matches are included.
    """


@match.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only matches with this status.")
@click.option("--game", type=click.Choice(list(GAMES)), help="Only matches of this game.")
@click.option(
    "--idle",
    metavar="AGE",
    default="",
    help="Only matches idle for at least this long, such as 36h or 30d.",
)
@click.option(
    "--limit", default=_SHOWN, type=click.IntRange(1), help="Number of listed matches at most."
)
@_as_json
def list_(status: str | None, game: str | None, idle: str, limit: int, as_json: bool) -> None:
    """List matches, the last updated first."""
    match_filter = MatchFilter(status or "", game or "", _age_ms(idle))
    with failed_requests(), local_context() as ctx:
        selection = overviews(ctx, match_filter, limit)

    if as_json:
        listing = {
            "total": selection.total,
            "matches": selection.matches,
            "damaged": selection.damaged,
        }
        click.echo(orjson.dumps(listing, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(_list_lines(selection)))


@match.command()
@click.argument("match_id", metavar="MATCH")
@_as_json
def show(match_id: str, as_json: bool) -> None:
    """Show one match.

    Prints its status, idle time, size and seats, and the actors that it waits for.
    """
    with failed_requests(), local_context() as ctx:
        facts = overview(ctx, match_id)
        pending = automation.pending_of(ctx, match_id)
        clock = _clock(ctx, facts)

    if as_json:
        view = {**facts, "clock": clock, "pending": _pending_document(pending)}
        click.echo(orjson.dumps(view, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(table(_rows(facts, pending, clock))))


@match.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--yes", is_flag=True, help="Delete without asking.")
def delete(match_id: str, yes: bool) -> None:
    """Delete a match for ever.

    All its data is deleted, except a line for each commit in the log and a mark of the deletion.
    Its ID is not used again.
    """
    with failed_requests(), local_context() as ctx:
        try:
            words = _in_words(overview(ctx, match_id))
        except (ArchiveDamaged, HeadDamaged) as error:
            words = str(error)
        if not yes:
            click.echo(f"{match_id}: {printable(words)}")
            click.confirm("Delete it for ever?", abort=True)
        lifecycle.delete(ctx, match_id, COMMAND_LINE)

    click.echo(f"{match_id}: deleted")


def _age_ms(text: str) -> int:
    """Return an age in milliseconds, 0 for ""."""
    try:
        return hours(text) * _HOUR_MS
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--idle") from None


def _list_lines(selection: Overviews) -> list[str]:
    rows = [_row(facts) for facts in selection.matches]
    damaged = [f"{match}: its head or its archive marker is damaged" for match in selection.damaged]
    return [*table([_COLUMNS, *rows]), *damaged, f"{len(rows)} of {selection.total} matches"]


def _row(facts: Json) -> tuple[str, ...]:
    return (
        facts["match"],
        facts["game"],
        facts["status"],
        str(facts["version"]),
        size(facts["bytes"]),
        duration(facts["idle_ms"]),
        _awaited(facts),
    )


def _clock(ctx: Context, facts: Json) -> answers.Clock | None:
    """Return the clock of an open or running match, None without one."""
    if facts["status"] not in ("open", "running"):
        return None
    try:
        return document(load(ctx, facts["match"]), {}).get("clock")
    except RulesUnknown:
        return None


def _rows(
    facts: Json, pending: Pending | None, clock: answers.Clock | None
) -> list[tuple[str, str]]:
    """Return the facts about one match, a row each."""
    rows = [
        ("match", facts["match"]),
        ("game", f"{facts['game']}, {facts['visibility']}"),
        ("status", facts["status"]),
        ("opened", facts["created"]),
        ("moved", f"{facts['updated']}, idle for {duration(facts['idle_ms'])}"),
        ("commits", f"{facts['version']}, {size(facts['bytes'])}"),
        ("waits for", _awaited(facts)),
    ]
    if "forked_from" in facts:
        base = facts["forked_from"]
        rows.append(("forked from", f"{base['match']} at version {base['version']}, not rated"))
    if pending is not None:
        rows.append(("pending", _trouble(pending)))

    if clock:
        rows.append(("time runs out", clock["due"] or "for nobody now"))

    for number, seat in enumerate(facts["seats"]):
        time_left = (
            f", {duration(clock['left_ms'][number])} left at the last commit" if clock else ""
        )
        rows.append((f"seat {number}", f"{_holder(seat)}{time_left}"))
    rows += [(name, facts[name]) for name in ("imported", "archived") if facts.get(name)]
    return rows


def _in_words(facts: Json) -> str:
    """Describe a match in one line, for the question before its deletion."""
    commits = f"{facts['version']} commits ({size(facts['bytes'])})"
    idle = f"idle for {duration(facts['idle_ms'])}"
    return f"{facts['game']}, {facts['status']}, {commits}, {idle}, waits for {_awaited(facts)}"


def _awaited(facts: Json) -> str:
    """Return the awaited actors of a match, in words."""
    if facts["status"] == "open":
        free = [seat["seat"] for seat in facts["seats"] if seat["kind"] == "open"]
        return f"players for {_seats(free)}" if free else "its owner to start it"

    waiting = facts["waiting_for"]
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
    """Return the holder of a seat, in words."""
    words = [seat["kind"], seat.get("level", ""), isolated(printable(seat.get("name", "")))]
    if seat.get("absent"):
        words.append(f"(absent: {seat['absent_because'].replace('_', ' ')})")
    return " ".join(filter(None, words))


def _trouble(pending: Pending) -> str:
    """Return the wait and the failures of a pending match, in words."""
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
