"""`giornale games`: the games of this installation, and the distributions that brought them."""

import sys
from collections.abc import Iterator

import click
import orjson

from domain.errors import RulesUnknown
from domain.games import ORIGINS, OWN, RELEASED, UNUSABLE, Origin
from service.ops.cli.output import printable, table
from service.record.codec import commands_of, events_of
from service.record.commit import Json

_UNUSABLE = 1  # exit code if a game cannot be used


@click.command()
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def games(as_json: bool) -> None:
    """List the installed games.

    One line for each released version of rules, with the distribution that brought it. Ends with 1
    if a game cannot be used. Its matches stay as they are, and are answered 409 `rules-unknown`.
    """
    listed = list(_listed())
    if as_json:
        for one in listed:
            click.echo(orjson.dumps(one))
    else:
        for line in table([_row(one) for one in listed]):
            click.echo(printable(line))
    sys.exit(_UNUSABLE if any(one["fault"] for one in listed) else 0)


def _listed() -> Iterator[Json]:
    for game in RELEASED:
        yield {
            "rules": game.rules,
            "title": game.title,
            "seats": list(game.seats),
            "origin": _origin(ORIGINS[game.rules]),
            "fault": _fault(game.rules),
        }
    for one in UNUSABLE:
        yield {
            "rules": one.name,
            "title": None,
            "seats": [],
            "origin": _origin(one.origin),
            "fault": one.reason,
        }


def _origin(origin: Origin) -> str:
    return f"{origin.distribution or OWN} {origin.version}".strip()


def _fault(rules: str) -> str:
    """Return the reason why matches by some rules cannot be played, "" for none."""
    try:
        commands_of(rules)
        events_of(rules)
    except RulesUnknown:
        return "one of its tags is a tag of every match (docs/rules/match.md)"
    return ""


def _row(one: Json) -> list[str]:
    seats = f"{one['seats'][0]} to {one['seats'][-1]} seats" if one["seats"] else ""
    title = one["title"] or "cannot be loaded"
    return [one["rules"], title, seats, one["origin"], one["fault"]]
