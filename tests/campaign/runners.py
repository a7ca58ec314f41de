"""The client at a distance: it plays through cut connections, and its bots while parts are killed.

`python -m tests.campaign.runners` ends with 1 if a turn was missed, a match was not ended, or
another promise was broken.
"""

import argparse
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from random import choice

import giornale_client
from domain.games import GAMES
from giornale_client import MOST_TOKENS, Client, Event, Match, Opened
from tests.campaign.campaign import READ_SECONDS, battlefield, verify_all
from tests.campaign.nemesis import FAULTS_FILE, KILL, TOGETHER, Nemesis, plan
from tests.campaign.service import HOST
from tests.campaign.settings import Settings
from tests.e2e.cutting import cutting_proxy
from tests.promises.checker import STUCK, Finding, check_ended, check_journal
from tests.promises.stored import read_head, read_journal
from tests.running import COMMAND

ROOT = Path(__file__).parents[2]
LONG_GAMES = ("calimala", "firenze")
PATIENCE = 600.0
MATCHES_AT_ONCE = 10

# After so many bytes of answers a connection is cut: within the status line, or after a few moves.
BUDGETS = (5, 20_000, 100_000)


def opened(client: Client, game: str, humans: int) -> Opened:
    """Open a match of so many humans, with bots on the seats that are left."""
    bots = ["bot:random"] * (GAMES[game].seats[0] - humans)
    return client.open(game, ["human"] * humans + bots)


def play_through_cuts(url: str, cuts: int) -> tuple[int, list[str]]:
    """Play matches through a proxy until it has cut so often.

    Return the number of moves, and each match with a missed turn or a doubled move.
    """
    versions: defaultdict[str, list[int]] = defaultdict(list)
    wrong: list[str] = []

    def report(event: Event) -> None:
        if event.name == "made":
            versions[event.match].append(event.data["version"])

    with (
        cutting_proxy(url, budgets=BUDGETS) as proxy,
        Client(proxy.url, patience=PATIENCE) as client,
    ):
        while proxy.cuts < cuts:
            games = LONG_GAMES * (MATCHES_AT_ONCE // 2)
            matches = [opened(client, game, 2) for game in games]
            tokens = [match.tokens[f"seat:{seat}"] for match in matches for seat in (0, 1)]
            giornale_client.play(client, tokens, lambda _, moves: choice(moves), report=report)
            wrong += [
                match.id for match in matches if not _is_whole(match.owner, versions[match.id])
            ]
            print(f"{proxy.cuts} cuts, {sum(map(len, versions.values()))} moves", flush=True)
    return sum(map(len, versions.values())), wrong


def _is_whole(match: Match, versions: Sequence[int]) -> bool:
    """Return True if a match was played to its end by the moves of this process, each once."""
    own = [one["version"] for one in match.history() if one["actor"] in ("seat:0", "seat:1")]
    return match.document()["status"] == "ended" and sorted(versions) == own


def play_through_kills(settings: Settings, matches: int) -> tuple[int, list[Finding]]:
    """Let `giornale bot` play so many matches of each game while parts of the service are killed.

    Return the number of killed processes, and the findings: unfinished matches and broken promises.
    """
    with battlefield(settings) as field:
        url = f"http://{HOST}:{field.service.port}"
        with Client(url, patience=PATIENCE) as client:
            played = [opened(client, game, 1) for game in LONG_GAMES for _ in range(matches)]
        starts = range(0, len(played), MOST_TOKENS)
        bots = [_bot(url, settings.output, played[at : at + MOST_TOKENS]) for at in starts]

        nemesis = Nemesis(field, settings.output / FAULTS_FILE)
        steps = plan(settings.seed, settings.faults, settings.pause)
        # Nobody notes here when a move is acknowledged, so no step waits for that.
        hasty = (replace(step, patient=False) for step in steps)
        while_some_play = takewhile(lambda _: any(bot.poll() is None for bot in bots), hasty)
        nemesis.fight(while_some_play, settings.minutes * 60, settings.kills)

        ends = [bot.wait(PATIENCE) for bot in bots]
        findings = [Finding(STUCK, "", f"a bot has ended with {end}") for end in ends if end]
        with field.service.redis(seconds=READ_SECONDS) as redis:
            journal = read_journal(redis)
        address = field.service.address_file.read_text()
        findings += verify_all(settings.output, field.service.data, address)[1]

    heads = {match.id: read_head(journal.matches[match.id].head) for match in played}
    findings += [
        Finding(STUCK, match, f"{head.status}, without a result")
        for match, head in heads.items()
        if head.status != "finished"  # the stored name of `ended`
    ]
    return nemesis.kills.total(), [*findings, *check_journal(journal), *check_ended(journal)]


def _bot(url: str, directory: Path, played: Sequence[Opened]) -> "subprocess.Popen[bytes]":
    """Start a bot for the first seats of some matches. Its output is in a file."""
    tokens = directory / f"tokens-{played[0].id}.txt"
    tokens.write_text("".join(match.tokens["seat:0"] + "\n" for match in played))
    with tokens.with_suffix(".log").open("wb") as log:
        return subprocess.Popen(
            [*COMMAND, "bot", url, "mybot:choose", "--tokens", str(tokens)],
            cwd=ROOT / "examples/bot",
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
        )


def main() -> int:
    """Play through cuts and kills at length, and print the results."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.runners", description=__doc__)
    parser.add_argument("--cuts", type=int, default=1000, help="cut so many connections")
    parser.add_argument("--matches", type=int, default=100, help="of each game for bots")
    parser.add_argument("--output", type=Path, default=Path("var/runners"))
    chosen = parser.parse_args()

    output = chosen.output.resolve()
    settings = Settings(output=output / "cuts", faults=(KILL, TOGETHER), pause=2.0, disk_mb=0)
    with battlefield(settings) as field:
        url = f"http://{HOST}:{field.service.port}"
        moves, wrong = play_through_cuts(url, chosen.cuts)
    print(f"{moves} moves through {chosen.cuts} cuts; with missed turns: {wrong}", flush=True)

    kills, findings = play_through_kills(replace(settings, output=output / "kills"), chosen.matches)
    print(f"{chosen.matches} matches of each game through {kills} kills; forfeits: {findings}")
    return int(bool(wrong or findings))


if __name__ == "__main__":
    sys.exit(main())
