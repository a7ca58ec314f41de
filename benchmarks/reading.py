"""Reading over HTTP, against a bare Flask route that sends the same bytes from memory.

Giornale is asked each question once, and the bare route is given the answers. Then both are asked
in turn, over four connections, under the same web server with the same number of threads. The last
list is read among 100,000 matches more. WORD=state measures the questions alone whose names have
this word in them.
"""

import http.client
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPMessage
from itertools import cycle, islice

from benchmarks.matches import HUMANS, SEED, common_moves, new_context, play_bots
from benchmarks.measure import Figures, Ratio, interleaved, show
from benchmarks.scale import fill
from benchmarks.sockets import play, request_bytes
from benchmarks.web import HOST, bare_service, server, web
from domain.games import GAMES
from service.journal.redis import open_journal
from service.matches import moves as match_moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new

RUNS = 11
CONNECTIONS = 4
ASKED = 200  # times by each connection in one run
MATCHES = 100_000
WORD = ""
LIST = "/v1/matches?limit=50"

# Every request is counted as in production, and none is refused for being one too many.
NO_BOUND = "100000000"


@dataclass(frozen=True)
class Question:
    """What both are asked; held: the ETag that the caller has, "" for none."""

    name: str
    goal: float
    paths: Sequence[str]
    token: str = ""
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

    def answered(self, port: int, paths: Sequence[str]) -> float:
        """Ask at a port, the paths in turn; return answers a second."""
        requests = [request_bytes("GET", path, self.headers) for path in paths]
        each = list(islice(cycle(requests), ASKED))
        return play(port, [each] * CONNECTIONS, status=304 if self.held else 200).rate


@dataclass(frozen=True)
class Contest:
    """Giornale and the bare route at their ports."""

    giornale: int
    bare: int

    def measure(self, *questions: Question) -> Figures:
        """Print answers a second of both to each question; return the ratios."""
        return [self._compare(question) for question in questions if WORD in question.name]

    def _compare(self, question: Question) -> Ratio:
        bare_paths = ["/unchanged"] if question.held else self._hand_over(question)
        contenders = {
            "bare": lambda: question.answered(self.bare, bare_paths),
            "giornale": lambda: question.answered(self.giornale, question.paths),
        }
        contenders["giornale"]()  # what only the first answers take does not count
        rates = interleaved(RUNS, contenders)
        show(question.name, rates, "answers/s")

        name = f"{question.name} against a bare route"
        return Ratio(name, rates["giornale"] / rates["bare"], question.goal)

    def _hand_over(self, question: Question) -> list[str]:
        """Ask Giornale, and give its answers to the bare route; return where that answers them."""
        bare_paths = []
        bare = http.client.HTTPConnection(HOST, self.bare)
        for number, path in enumerate(question.paths):
            body, headers = ask(self.giornale, path, question.headers)
            bare_paths.append(f"/given/{number}")
            bare.request("PUT", bare_paths[-1], body, {"Content-Type": headers["Content-Type"]})
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
    state = f"{match}/state"
    past = [f"{state}?version={version}" for version in range(1, head.version)]
    ended = f"/v1/matches/{play_bots(ctx, game)}"

    now = Question(f"{game}: state", 0.6, [state], token)
    _, headers = ask(port, state, now.headers)
    return [
        now,
        Question(f"{game}: state at a version", 0.5, past, token),
        Question(f"{game}: page of 100 commits", 0.5, [f"{match}/commits?limit=100"], token),
        Question(f"{game}: record", 0.4, [f"{ended}/record"]),
        Question(f"{game}: nothing new", 0.9, [state], token, held=headers["ETag"]),
    ]


def main() -> Figures:
    """Measure all questions, or those with a word in their names; return the ratios."""
    with server() as url, web(url, RATE_LIMIT=NO_BOUND) as port, bare_service(url) as bare_port:
        both = Contest(port, bare_port)
        ctx = new_context(open_journal(url))
        running_match(ctx, next(iter(GAMES)))

        ratios = both.measure(Question("list of the only match", 0.5, [LIST]))
        for game in GAMES:
            ratios += both.measure(*of_a_game(port, ctx, game))

        fill(url, MATCHES, 1)
        ratios += both.measure(Question(f"list of 50 among {MATCHES} matches", 0.5, [LIST]))
    return ratios
