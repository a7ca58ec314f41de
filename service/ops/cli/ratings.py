"""`giornale ratings`: the ladders computed from dumps, or shown by a server."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlencode

import click
import orjson

from service.base.answers import LadderPlace
from service.capabilities.players.answers import Ladder
from service.ops.backup import dump_file
from service.ops.cli import interruptible, output, sources, verify
from service.ops.cli.bars import counting_bar
from service.ops.cli.errors import failed_reads
from service.record import ratings
from service.record.commit import Json
from service.record.ratings import MatchResult, in_order, placed
from service.record.record import commit_in
from service.record.verify.files import Unreadable

_PAGE = 100  # places of one request
_FARTHEST = 1_000_000  # largest number of places that are requested of a ladder

Ladders = Iterable[Ladder]


@click.command("ratings")
@click.argument("what", metavar="DUMP...|URL", nargs=-1, required=True)
@click.option("--game", metavar="GAME", help="Only the ladder of this game.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def ratings_(what: tuple[str, ...], game: str | None, as_json: bool) -> None:
    """Print ladders from dumps or from a server.

    Both are equal to the byte if the dumps have all matches that the server has rated. `giornale
    dump` without --from and --to writes such a dump. A match in several dumps counts once. Dumps
    are believed: check them with `giornale verify` first. Names are not printed.
    """
    with failed_reads(), interruptible():
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
    """Yield the ladders computed from dumps. Raises Unreadable."""
    results: dict[str, MatchResult] = {}
    with counting_bar("reading", verify.size_of(names)) as progress:
        for name in names:
            if not dump_file.is_dump(name):
                raise Unreadable(f"{name} is not a dump of giornale dump")
            for dumped in dump_file.records(Path(name)):
                if dumped.match not in results:
                    results[dumped.match] = _result_in(name, dumped.match, dumped.lines)
                progress(dumped.size)

    for key, of_game in sorted(ratings.fold(results.values()).items()):
        if game in (None, key):
            yield {
                "game": key,
                "model": ratings.MODEL,
                "model_version": ratings.MODEL_VERSION,
                "players": placed(in_order(of_game)),
                "next": None,
            }


def _result_in(name: str, match: str, lines: Sequence[bytes]) -> MatchResult:
    """Return the result in the record of a match. Raises Unreadable."""
    try:
        return ratings.result_of(list(map(commit_in, lines)))
    except Exception as error:  # noqa: BLE001 - a forged record may hold anything
        reason = f"the record of match {match} cannot be folded ({type(error).__name__})"
        raise Unreadable(f"{name}: {reason}. Find the reason with giornale verify") from None


def _ladders_at(url: str, game: str | None) -> Ladders:
    """Yield the ladders with players at a server. Raises Unreadable."""
    for key in sorted(str(one.get("key")) for one in _listed_at(f"{url}/v1/games", "games")):
        if game in (None, key) and (ladder := _ladder_at(url, key))["players"]:
            yield ladder


def _ladder_at(url: str, game: str) -> Ladder:
    """Return the whole ladder of a game."""
    ladder: Ladder = {"game": game, "model": "", "model_version": "", "players": [], "next": None}
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
        places += [_place_in(line, address) for line in listed]
    return ladder


def _listed_at(address: str, member: str) -> list[Json]:
    """Return the objects listed at an address. Raises Unreadable."""
    return _listed(sources.parsed(sources.fetched(address), address), member, address)


def _listed(page: Json, member: str, address: str) -> list[Json]:
    """Return the objects listed in a page of a server. Raises Unreadable."""
    listed = page.get(member)
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Unreadable(f"{address} lists no {member}")
    return listed


def _place_in(line: Json, address: str) -> LadderPlace:
    """Return a line of the ladder at an address, without the name. Raises Unreadable."""
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
        raise Unreadable(f"{address} lists a malformed player") from None
