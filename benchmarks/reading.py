"""Reading over HTTP, against a bare Flask route that sends the same bytes from memory.

`python -m benchmarks.reading` asks Giornale each question once and hands the answers to a bare
route (`http_bare`). Then both are asked in turn, over four connections, under the same web server
with the same number of threads. The last list is read among 100,000 matches more. Prints answers a
second and the ratios; `python -m benchmarks.reading state` measures the questions alone whose names
have this word in them.
"""

import http.client
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPMessage

from benchmarks.asking import answered_each_second
from benchmarks.filling import fill
from benchmarks.http import bare_service
from benchmarks.matches import HUMANS, SEED, common_moves, new_context, play_bots
from benchmarks.measure import Ratio, interleaved
from benchmarks.sockets import request_bytes
from benchmarks.web import HOST, server, web
from domain.games import GAMES
from service.journal.redis import open_journal
from service.matches import moves as match_moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new

RUNS = 11
SECONDS = 0.18  # of asking in one run
WARM_SECONDS = 0.2
MATCHES = 100_000
LIST = "/v1/matches?limit=50"

# Every request is counted as in production, and none is refused for being one too many.
NO_BOUND = "100000000"


@dataclass(frozen=True)
class Question:
    """What both are asked."""

    name: str
    goal: float
    paths: Sequence[str]
    token: str = ""
    # The ETag that the caller has, "" for none.
    held: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of its requests."""
        headers = {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.held:
            headers["If-None-Match"] = self.held
        return headers

    @property
    def status(self) -> int:
        """The status of the answers."""
        return 304 if self.held else 200


@dataclass(frozen=True)
class Contest:
    """Giornale and the bare route at their ports."""

    giornale: int
    bare: int
    # Only questions whose names hold this word are asked.
    word: str

    def measure(self, questions: Sequence[Question]) -> list[Ratio]:
        """Print answers a second of both to each question; return the ratios."""
        return [self._compare(question) for question in questions if self.word in question.name]

    def _compare(self, question: Question) -> Ratio:
        to_giornale = [request_bytes("GET", path, question.headers) for path in question.paths]
        bare_paths = ["/unchanged"] if question.held else self._hand_over(question)
        to_bare = [request_bytes("GET", path, question.headers) for path in bare_paths]

        contenders = {
            "bare": lambda: answered_each_second(self.bare, to_bare, SECONDS, question.status),
            "giornale": lambda: answered_each_second(
                self.giornale, to_giornale, SECONDS, question.status
            ),
        }
        answered_each_second(self.giornale, to_giornale, WARM_SECONDS, question.status)
        rates = interleaved(RUNS, contenders)
        print(f"{question.name}: {rates['giornale']:.0f}/s, bare {rates['bare']:.0f}/s")

        ratio = Ratio(
            f"{question.name} against a bare route",
            rates["giornale"] / rates["bare"],
            question.goal,
        )
        print(ratio, flush=True)
        return ratio

    def _hand_over(self, question: Question) -> list[str]:
        """Ask Giornale, and give its answers to the bare route; return where that answers them."""
        bare_paths = []
        bare = http.client.HTTPConnection(HOST, self.bare)
        for number, path in enumerate(question.paths):
            body, told = ask(self.giornale, path, question.headers)
            bare_paths.append(f"/given/{number}")
            bare.request("PUT", bare_paths[-1], body, {"Content-Type": told["Content-Type"]})
            assert bare.getresponse().read() == b""
        bare.close()
        return bare_paths


def ask(port: int, path: str, headers: dict[str, str]) -> tuple[bytes, HTTPMessage]:
    """Return the body of an answer, and its headers."""
    connection = http.client.HTTPConnection(HOST, port)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()

    assert answer.status == 200, body
    return body, answer.headers


def running_match(ctx: Context, game: str) -> Opened:
    """Return a match of humans that has come far and waits for one of them."""
    moves = common_moves(game)
    opened = open_new(ctx, OpenRequest(game, HUMANS, seed=SEED))
    for seat_move in moves:
        token = opened.tokens[f"seat:{seat_move.seat}"]
        match_moves.move(ctx, Submission(opened.loaded.id, token), seat_move.move)
    return opened


def of_a_game(port: int, ctx: Context, game: str) -> list[Question]:
    """Return the questions about matches of a game: one that is being played, one that has ended.

    The first is read with the token of a seat, the other by a stranger.
    """
    opened = running_match(ctx, game)
    match = f"/v1/matches/{opened.loaded.id}"
    token = opened.tokens["seat:0"]
    head = ctx.journal.events.head(opened.loaded.id)
    assert head is not None
    versions = range(1, head.version)
    state = f"{match}/state"
    ended = f"/v1/matches/{play_bots(ctx, game)}"

    now = Question(f"{game}: state", 0.6, [state], token)
    _, told = ask(port, state, now.headers)
    return [
        now,
        Question(
            f"{game}: state at a version",
            0.5,
            [f"{state}?version={version}" for version in versions],
            token,
        ),
        Question(f"{game}: page of 100 commits", 0.5, [f"{match}/commits?limit=100"], token),
        Question(f"{game}: record", 0.4, [f"{ended}/record"]),
        Question(f"{game}: nothing new", 0.9, [state], token, held=told["ETag"]),
    ]


@contextmanager
def contest(url: str, word: str) -> Iterator[Contest]:
    """Run both on a server."""
    with web(url, RATE_LIMIT=NO_BOUND) as port, bare_service(url) as bare_port:
        yield Contest(port, bare_port, word)


def main(word: str = "") -> list[Ratio]:
    """Measure all questions, or those with a word in their names; return the ratios."""
    os.environ.setdefault("PYTHONPATH", ".")
    ratios: list[Ratio] = []
    with server() as url, contest(url, word) as both:
        ctx = new_context(open_journal(url))
        running_match(ctx, next(iter(GAMES)))
        ratios += both.measure([Question("list of the only match", 0.5, [LIST])])
        for game in GAMES:
            ratios += both.measure(of_a_game(both.giornale, ctx, game))

        among_many = Question(f"list of 50 among {MATCHES} matches", 0.5, [LIST])
        if word in among_many.name:
            fill(url, MATCHES, 1)
            ratios += both.measure([among_many])
    return ratios


if __name__ == "__main__":
    main(*sys.argv[1:])
