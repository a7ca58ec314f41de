"""What a match costs while it grows: moves, states and the whole record, over HTTP."""

import statistics
from collections import defaultdict
from functools import partial
from urllib.parse import urlsplit

from benchmarks.measure import Curve, Figures, timed
from benchmarks.web import Client, legal_move, open_match, whole_service
from domain.chance import FastChance
from domain.games import GAMES
from tests.running import until

NUMBERS = (25, 50, 100, 200, 300)  # commits; most matches of Firenze end before the last
AROUND = 10  # moves up to each number, whose median counts
ASKED = 15  # times
MATCHES = 3
QUESTIONS = {
    "the state": "state",
    "the state at the middle": "state?version={middle}",
    "the record": "record",
}

Seconds = dict[str, dict[int, list[float]]]
"""By what was done, and by the number of commits that the match had."""


def play(port: int, game: str, seed: int, seconds: Seconds) -> None:
    """Play a match of humans at random to its end or to the last number; note times on the way."""
    client = Client(port)
    match = open_match(client, game, seed=f"growth {seed}")
    path = f"/v1/matches/{match['id']}"
    chance = FastChance(seed)
    version = 1

    def awaits_no_house() -> bool:
        _, document = client.ask("GET", path)
        return bool(document["waiting_for"]["seats"]) or document["status"] == "finished"

    def post(move: object, token: str) -> None:
        nonlocal version
        status, answer = client.ask("POST", f"{path}/moves", move, token)
        assert status == 201, answer
        version = answer["version"]

    while version < NUMBERS[-1]:
        until(awaits_no_house, "the house has acted")
        found = legal_move(client, match, chance.below(1_000_000))
        if found is None:
            return

        token, move = found
        taken = timed(partial(post, move, token))
        for number in NUMBERS:
            if number - AROUND < version <= number:
                seconds["a move"][number].append(taken)
        if version in NUMBERS:
            for name, question in QUESTIONS.items():
                what = f"{path}/{question.format(middle=version // 2)}"
                seconds[name][version] += [timed(partial(client.read, what)) for _ in range(ASKED)]


def main() -> Figures:
    """Play a few matches of each game; return the milliseconds by the commits that a match has."""
    curves: Figures = []
    with whole_service() as service:
        port = urlsplit(service.url).port
        assert port is not None
        for game in GAMES:
            seconds: Seconds = {name: defaultdict(list) for name in ("a move", *QUESTIONS)}
            for seed in range(MATCHES):
                play(port, game, seed, seconds)
            for name, by_number in seconds.items():
                points = {
                    number: 1000 * statistics.median(by_number[number])
                    for number in NUMBERS
                    if by_number[number]
                }
                curves.append(Curve("commits", f"{game}: {name}", "ms", points))
    return curves
