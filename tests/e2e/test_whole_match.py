"""A human over plain HTTP and bots: a whole match, its history and some of its versions."""

from collections import Counter
from itertools import cycle, islice

import httpx
import pytest
from click.testing import CliRunner

from domain.games import GAMES
from service.ops.cli.commands import main
from tests.e2e.playing import LONG_GAMES, Json, client, history, to_end
from tests.running import RunningService, until
from tests.whole import whole_but

ANN = {"kind": "human", "name": "Ann"}
BOTS = [{"kind": "bot", "level": "greedy"}, {"kind": "bot", "level": "random"}]


def seats_of(game: str) -> list[Json]:
    """Return the seats of a game: a person and two bots, if the game allows three."""
    allowed = GAMES[game].seats
    number = 3 if 3 in allowed else allowed[0]
    return [ANN, *islice(cycle(BOTS), number - 1)]


def wait_for_turn(me: httpx.Client, match: str) -> Json | None:
    """Wait for the seat's turn and return its legal moves. None when the match has ended."""
    match_path = f"/v1/matches/{match}"

    def turn_or_end() -> Json | None:
        legal: Json = me.get(f"{match_path}/moves").raise_for_status().json()
        if legal["moves"]:
            return legal
        has_ended = me.get(match_path).json()["status"] == "ended"
        return legal if has_ended else None

    legal: Json = until(turn_or_end, "the seat's turn or the end")
    return legal if legal["moves"] else None


def play(me: httpx.Client, match: str) -> int:
    """Make a legal move whenever the seat may act, to the end. Return how many were made."""
    moves_made = 0
    while True:
        legal = wait_for_turn(me, match)
        if legal is None:
            return moves_made

        move = legal["moves"][moves_made % len(legal["moves"])]
        expected = {"If-Match": f'"{legal["version"]}"'}
        answer = me.post(f"/v1/matches/{match}/moves", json=move, headers=expected)
        if answer.status_code == httpx.codes.PRECONDITION_FAILED:
            continue

        assert answer.status_code == httpx.codes.CREATED, answer.text
        moves_made += 1


@pytest.mark.parametrize("game", whole_but(["firenze"], GAMES))
def test_a_human_and_bots_play_a_whole_match(service: RunningService, game: str) -> None:
    """Opened, played, scored by a worker, ended, revealed. The versions have no gap.

    A worker audits the match, and finds the same as a stranger who verifies it.
    """
    with client(service) as anyone:
        opening = {"game": game, "seats": seats_of(game), "seed": "e2e"}
        opened = anyone.post("/v1/matches", json=opening)
        assert opened.status_code == httpx.codes.CREATED

        answer = opened.json()
        match = answer["match"]
        with client(service, answer["tokens"]["seat:0"]) as me:
            moves_made = play(me, match)

        document = to_end(anyone, match)
        commits = history(anyone, match)
        last_version = document["version"]
        for version in (1, last_version // 2, last_version):
            state = state_at(anyone, match, version)
            assert state["version"] == version
            assert state["time"] == commits[version - 1]["time"]

    assert sorted(document["outcome"]) == ["points", "ranks"]
    assert [commit["version"] for commit in commits] == list(range(1, last_version + 1))
    assert commits[-1]["command"]["type"] == "reveal"
    actors = Counter(commit["actor"] for commit in commits)
    seats = [f"seat:{seat}" for seat in range(len(seats_of(game)))]
    assert actors.keys() == {"owner", "house", *seats}
    assert actors["seat:0"] == moves_made > (10 if game in LONG_GAMES else 0)
    scorers = {commit["actor"] for commit in commits if commit["command"]["type"] == "score"}
    assert scorers == {"house"} or game not in LONG_GAMES

    path = f"/v1/matches/{match}"
    audit = httpx.post(f"{service.url}{path}/audits").raise_for_status().headers["Location"]
    report = until(lambda: service.ask(audit)["report"], "the audit")
    assert (report["ok"], report["unchecked"]) == (True, [])
    verified = CliRunner().invoke(main, ["verify", service.url + path])
    assert verified.exit_code == 0, verified.output
    assert f"{report['commits']} commits, each folded and decided again" in verified.output


def state_at(asker: httpx.Client, match: str, version: int) -> Json:
    """Return the state of a match after a version."""
    moment = {"version": version}
    state: Json = asker.get(f"/v1/matches/{match}/state", params=moment).json()
    return state
