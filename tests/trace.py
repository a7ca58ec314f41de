"""The way of one move through the code: which functions and files a POSTed move runs through.

`make trace` opens a match of each game at the web application, over a bundled server, and plays
until one kind of move has come a few times, so that everything it needs is imported and
remembered. It follows the next move of the same kind, in this thread. Only functions of
`domain/` and `service/` count. Comprehensions belong to the function around them. What stands
before the application in a web process, such as the admission of requests, is not part of it. No
time passes meanwhile, so that a slow machine counts the same calls.
"""

import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

from werkzeug.test import Client, TestResponse

from benchmarks.matches import HUMANS
from benchmarks.web import application

ROOT = Path(__file__).parents[1]
PLACES = (f"{ROOT}/domain/", f"{ROOT}/service/")
SEED = "trace"

# A kind of move in every match of the game.
KINDS = {"calimala": "place_disc", "firenze": "take_card"}
TIMES_BEFORE = 3  # how often the kind of move was played before it is followed
WIDTH = 100


@dataclass
class Trace:
    """The calls of one move, and how often a call lies in another file than the one before."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    changes_of_file: int = 0
    last_file: str = ""

    def follow(self, frame: FrameType, event: str, _argument: object) -> None:
        """Count a call of one of the project's functions. `sys.setprofile` calls this."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PLACES):
            return
        if code.co_name.startswith("<") and code.co_name != "<lambda>":
            return

        file = str(Path(code.co_filename).relative_to(ROOT))
        self.calls[file, code.co_qualname] += 1
        if self.last_file not in ("", file):
            self.changes_of_file += 1
        self.last_file = file

    def files(self) -> dict[str, Counter[str]]:
        """Return the functions of each file with their calls, in the order of the first call."""
        by_file: dict[str, Counter[str]] = {}
        for (file, function), number in self.calls.items():
            by_file.setdefault(file, Counter())[function] = number
        return by_file

    def summary(self) -> str:
        """Return the figures in one line."""
        calls = self.calls.total()
        functions = len(self.calls)
        files = len(self.files())
        changes = self.changes_of_file
        return f"{calls} calls, {functions} functions, {files} files, {changes} changes of file"


def next_move(client: Client, match: dict[str, Any], kind: str) -> tuple[dict[str, str], Any]:
    """Return the headers of the seat that may move, and its first move of a kind or of any."""
    path = f"/v1/matches/{match['match']}"
    waiting_for = client.get(path).get_json()["waiting_for"]
    seat = waiting_for["seats"][0]
    token = match["tokens"][f"seat:{seat}"]
    headers = {"Authorization": f"Bearer {token}"}

    legal = client.get(f"{path}/moves", headers=headers).get_json()["moves"]
    for move in legal:
        if move["type"] == kind:
            return headers, move
    return headers, legal[0]


@contextmanager
def stopped_clocks() -> Iterator[None]:
    """Let no second end, since its text is cached, and no connection be idle for long."""
    wall_ns, monotonic = time.time_ns(), time.monotonic()
    with (
        patch("service.record.commit.time_ns", lambda: wall_ns),
        patch("time.monotonic", lambda: monotonic),
    ):
        yield


@stopped_clocks()
def trace_move(client: Client, game: str, kind: str) -> Trace:
    """Return the trace of a move of a kind in a new match of a game."""
    body = {"game": game, "seats": HUMANS, "seed": SEED}
    match = client.post("/v1/matches", json=body).get_json()
    path = f"/v1/matches/{match['match']}/moves"

    played_before = 0
    while True:
        headers, move = next_move(client, match, kind)
        if move["type"] == kind and played_before == TIMES_BEFORE:
            break

        accepted(client.post(path, json=move, headers=headers))
        if move["type"] == kind:
            played_before += 1

    trace = Trace()
    sys.setprofile(trace.follow)
    try:
        answer = client.post(path, json=move, headers=headers)
    finally:
        sys.setprofile(None)
    accepted(answer)
    return trace


def accepted(answer: TestResponse) -> None:
    """Fail unless the move was made."""
    assert answer.status_code == 201, answer.get_data(as_text=True)


def show(game: str, kind: str, trace: Trace) -> None:
    """Print the figures, and the functions of each file in the order of the first call."""
    print(f"{game}, {kind}: {trace.summary()}")
    for file, functions in trace.files().items():
        print(f"  {file}: {functions.total()}")
        names = [name if number == 1 else f"{name} x{number}" for name, number in functions.items()]
        indent = " " * 6
        print(
            textwrap.fill(", ".join(names), WIDTH, initial_indent=indent, subsequent_indent=indent)
        )
    print()


def main() -> None:
    """Trace a move of each game."""
    with application() as app:
        for game, kind in KINDS.items():
            show(game, kind, trace_move(app.test_client(), game, kind))


if __name__ == "__main__":
    main()
