"""Reading over HTTP, against a bare Flask route that sends the same bytes from memory.

Giornale answers each question once, and the bare route is given the answers. Then both are asked
in turn, over four connections, under the same web server with the same number of threads. The last
list is read among 100,000 matches more.
"""

import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.log import seal, sequencer_of
from benchmarks.matches import HUMANS, SEED, common_moves, new_context, play_bots
from benchmarks.measure import Figures, Ratio, compare
from benchmarks.scale import fill
from benchmarks.sockets import Service, request_bytes
from benchmarks.web import NO_BOUND, Client, bare_service, server, web
from domain.games import GAMES
from service.matches import moves as match_moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.store.journal.redis import open_journal
from service.store.tlog.log import open_log

RUNS = 11
CONNECTIONS = 4
ASKED = 200  # times by each connection in one run
MATCHES = 100_000
LIST = "/v1/matches?limit=50"


class Question(NamedTuple):
    """A question for Giornale and the bare route. is_cached: True if the caller has the answer."""

    name: str
    goal: float
    paths: Sequence[str]
    token: str = ""
    is_cached: bool = False


def measure(port: int, bare_port: int, question: Question) -> Ratio:
    """Give Giornale's answers to the bare route, and ask both. Print and compare their rates."""
    client, bare = Client(port), Client(bare_port)
    headers = {"Authorization": f"Bearer {question.token}"} if question.token else {}
    bare_paths = []
    for number, path in enumerate(question.paths):
        body, answered = client.read(path, **headers)
        bare_paths.append("/unchanged" if question.is_cached else f"/given/{number}")
        kind = {"Content-Type": answered["Content-Type"]}
        bare.connection.request("PUT", f"/given/{number}", body, kind)
        assert bare.connection.getresponse().read() == b""
        if question.is_cached:
            headers["If-None-Match"] = answered["ETag"]

    def service(port: int, paths: Sequence[str]) -> Service:
        each = [request_bytes("GET", path, headers) for path in paths]
        requests = [list(islice(cycle(each), ASKED))] * CONNECTIONS
        return Service(port, lambda: requests, 304 if question.is_cached else 200)

    giornale = service(port, question.paths)
    giornale.rate()  # first answers cost more, and do not count
    contenders = {"bare": service(bare_port, bare_paths).rate, "giornale": giornale.rate}
    rates = compare(question.name, "answers/s", RUNS, contenders)
    name = f"{question.name} against a bare route"
    return Ratio(name, rates["giornale"] / rates["bare"], question.goal)


def running_match(ctx: Context, game: str) -> NewMatch:
    """Return a match of humans that has come far and waits for one of them."""
    moves = common_moves(game)
    opened = open_new(ctx, OpenRequest(game, HUMANS, seed=SEED))
    for seat_move in moves:
        token = opened.tokens[f"seat:{seat_move.seat}"]
        match_moves.move(ctx, Submission(opened.loaded.id, token), seat_move.move)
    return opened


def questions(ctx: Context, url: str, directory: Path) -> Iterator[Question]:
    """Yield all questions. Prepare the matches of each one before it.

    directory: of the log.

    Each game has a running match, read with the token of a seat, and an ended one, read by a
    stranger.
    """
    running_match(ctx, next(iter(GAMES)))
    yield Question("list of the only match", 0.5, [LIST])

    for game in GAMES:
        opened = running_match(ctx, game)
        match = f"/v1/matches/{opened.loaded.id}"
        token = opened.tokens["seat:0"]
        head = ctx.journal.events.head(opened.loaded.id)
        assert head is not None
        state = f"{match}/state"
        past = [f"{state}?version={version}" for version in range(1, head.version)]
        ended = f"/v1/matches/{play_bots(ctx, game)}"

        yield Question(f"{game}: state", 0.6, [state], token)
        yield Question(f"{game}: state at a version", 0.5, past, token)
        yield Question(f"{game}: page of 100 commits", 0.5, [f"{match}/commits?limit=100"], token)
        yield Question(f"{game}: record", 0.4, [f"{ended}/record"])
        yield Question(f"{game}: nothing new", 0.9, [state], token, is_cached=True)

    log = open_log(ctx.journal.order, str(directory), directory)
    seal(sequencer_of(ctx.journal, log, directory))
    yield Question("page of 100 of the feed", 0.5, ["/v1/commits?limit=100"])
    fill(url, range(MATCHES), 1)
    yield Question(f"list of 50 among {MATCHES} matches", 0.5, [LIST])


def main() -> Figures:
    """Measure all questions. Return the ratios."""
    with (
        tempfile.TemporaryDirectory() as place,
        server() as url,
        web(url, ARCHIVE=place, **NO_BOUND) as port,
        bare_service(url) as bare_port,
    ):
        all_questions = questions(new_context(open_journal(url)), url, Path(place))
        return [measure(port, bare_port, question) for question in all_questions]
