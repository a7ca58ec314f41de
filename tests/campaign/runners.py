"""The client at a distance: it plays through cut connections, and its bots while parts are killed.

`python -m tests.campaign.runners` ends with 1 if a turn was missed, or a match was not finished.
"""

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import giornale_client
from domain.games import GAMES
from giornale_client import Client, Event, Opened
from tests.campaign.campaign import READ_SECONDS, battlefield, verify_all
from tests.campaign.nemesis import FAULTS_FILE, KILL, TOGETHER, Battlefield, Nemesis, plan
from tests.campaign.service import HOST
from tests.campaign.settings import Settings
from tests.e2e.cutting import cutting_proxy
from tests.promises.checker import STUCK, Finding, check_ended, check_journal
from tests.promises.stored import StoredJournal, read_head, read_journal
from tests.running import COMMAND

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/bot"

LONG_GAMES = ("calimala", "firenze")
PATIENCE = 600.0
MATCHES_AT_ONCE = 10

# After so many bytes of answers a connection is cut: within the status line, or after a few moves.
BUDGETS = (5, 20_000, 100_000)


def opened(client: Client, game: str, humans: int) -> Opened:
    """Open a match of so many humans, with bots on the seats that are left."""
    bots = ["bot:random"] * (GAMES[game].seats[0] - humans)
    return client.open(game, ["human"] * humans + bots)


# ---- through cuts --------------------------------------------------------------------------


def play_through_cuts(url: str, cuts: int) -> tuple[int, list[str]]:
    """Play matches through a proxy until it has cut so often.

    Return how many moves were made, and each match in which a turn was missed or a move doubled.
    """
    moves = 0
    wrong: list[str] = []
    with cutting_proxy(url, budgets=BUDGETS) as proxy:
        while proxy.cuts < cuts:
            with Client(proxy.url, patience=PATIENCE) as client:
                batch = [
                    opened(client, LONG_GAMES[number % 2], 2) for number in range(MATCHES_AT_ONCE)
                ]
                made = _play(client, batch)
            for match in batch:
                moves += len(made[match.id])
                wrong += _missed(Client(url).match(match.id), made[match.id])
            print(f"{proxy.cuts} cuts, {moves} moves", flush=True)
    return moves, wrong


def _play(client: Client, batch: Sequence[Opened]) -> dict[str, list[int]]:
    """Play both seats of some matches to their ends; return the versions made in each."""
    made: dict[str, list[int]] = {match.id: [] for match in batch}
    chance = random.Random(len(batch))

    def report(event: Event) -> None:
        if event.name == "made":
            made[event.data["match"]].append(event.data["version"])

    tokens = [match.tokens[f"seat:{seat}"] for match in batch for seat in (0, 1)]
    giornale_client.play(client, tokens, lambda _, moves: chance.choice(moves), report=report)
    return made


def _missed(match: giornale_client.Match, made: Sequence[int]) -> list[str]:
    """Return what is wrong with a match after all its turns should have been played."""
    status = match.document()["status"]
    own = [one["version"] for one in match.history() if one["actor"] in ("seat:0", "seat:1")]
    is_right = status == "finished" and sorted(made) == own
    return [] if is_right else [f"{match.id}: {status}, made {len(made)} of {len(own)} moves"]


# ---- while parts are killed ----------------------------------------------------------------


def play_through_kills(settings: Settings, matches: int) -> tuple[int, list[Finding]]:
    """Let `giornale bot` play so many matches of each game while parts of the service are killed.

    Return how many processes were killed, and each match that was not played to its end.
    """
    with battlefield(settings) as field:
        with Client(f"http://{HOST}:{field.service.port}", patience=PATIENCE) as client:
            played = [opened(client, game, 1) for game in LONG_GAMES for _ in range(matches)]
        bots = _started(settings.output, field, played)

        nemesis = Nemesis(field, settings.output / FAULTS_FILE)
        steps = (
            # Nobody notes here when a move was acknowledged.
            replace(step, patient=False)
            for step in plan(settings.seed, settings.faults, settings.pause)
        )
        some_play = takewhile(lambda _: any(bot.poll() is None for bot in bots), steps)
        nemesis.fight(some_play, settings.minutes * 60, settings.kills)

        ends = [bot.wait(PATIENCE) for bot in bots]
        found = [Finding(STUCK, "", f"a bot has ended with {end}") for end in ends if end]
        with field.service.redis(seconds=READ_SECONDS) as redis:
            journal = read_journal(redis)
        url = field.service.address_file.read_text()
        _, wrong = verify_all(settings.output, field.service.data, url)
    return nemesis.kills.total(), [
        *found,
        *check_journal(journal),
        *check_ended(journal),
        *_forfeits(journal, [match.id for match in played]),
        *wrong,
    ]


def _started(
    directory: Path, field: Battlefield, played: Sequence[Opened]
) -> "list[subprocess.Popen[bytes]]":
    """Start a bot for each 50 matches; what it says is in a file of its own."""
    bots = []
    url = f"http://{HOST}:{field.service.port}"
    for first in range(0, len(played), giornale_client.MOST_TOKENS):
        share = played[first : first + giornale_client.MOST_TOKENS]
        tokens = directory / f"tokens-{first}.txt"
        tokens.write_text("".join(match.tokens["seat:0"] + "\n" for match in share))
        with (directory / f"bot-{first}.log").open("wb") as log:
            command = [*COMMAND, "bot", url, "mybot:choose", "--tokens", str(tokens)]
            environment = os.environ | {"PYTHONPATH": str(ROOT)}
            bots.append(
                subprocess.Popen(command, cwd=EXAMPLE, env=environment, stdout=log, stderr=log)
            )
    return bots


def _forfeits(journal: StoredJournal, played: Sequence[str]) -> list[Finding]:
    """Return the matches that did not end by the rules of their game."""
    heads = {match: read_head(journal.matches[match].head) for match in played}
    return [
        Finding(STUCK, match, f"{head.status}, not finished")
        for match, head in heads.items()
        if head.status != "finished"
    ]


# ---- both, at length -----------------------------------------------------------------------


def main() -> int:
    """Run both, and say what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.runners", description=__doc__)
    parser.add_argument("--cuts", type=int, default=1000, help="cut so many connections; 0: none")
    parser.add_argument("--matches", type=int, default=100, help="of each game for bots; 0: none")
    parser.add_argument("--pause", type=float, default=2.0, help="mean seconds between two kills")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long parts are killed")
    parser.add_argument("--output", type=Path, default=Path("var/runners"))
    chosen = parser.parse_args()
    settings = Settings(
        output=chosen.output.resolve(),
        minutes=chosen.minutes,
        faults=(KILL, TOGETHER),
        pause=chosen.pause,
        disk_mb=0,
    )

    missed: list[str] = []
    found: list[Finding] = []
    if chosen.cuts:
        with battlefield(replace(settings, output=settings.output / "cuts")) as field:
            moves, missed = play_through_cuts(f"http://{HOST}:{field.service.port}", chosen.cuts)
        print(f"{moves} moves through {chosen.cuts} cuts; matches with a missed turn: {missed}")
    if chosen.matches:
        to_kill = replace(settings, output=settings.output / "kills")
        kills, found = play_through_kills(to_kill, chosen.matches)
        print(f"{chosen.matches} matches a game through {kills} kills; forfeits: {len(found)}")
    for finding in found:
        print(f"{finding.rule}: {finding.match} {finding.text}")
    return int(bool(missed or found))


if __name__ == "__main__":
    sys.exit(main())
