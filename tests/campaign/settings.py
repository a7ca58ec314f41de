"""What a campaign is told to do, and the options of its command line that say so."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.faults import FAULTS

DEFAULT_DIRECTORY = Path("var/campaign")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One campaign.

    output: where everything of it is written, the data of the service too.
    minutes: how long faults come at most.   kills: after so many they end, 0: only by time.
    faults: which kinds come.   pause: mean seconds between two faults, beside the waiting.
    players: threads that play; of each four the second is the rival of the first.
    matches: tables that a player has at once.   readers: threads that read.
    client_pause: mean seconds between two things that a client does.
    finish: how many matches are played to their end, the others aborted; -1: all.
    disk_mb: size of the small disk, 0: none.
    """

    output: Path
    seed: int = 1
    minutes: float = 35.0
    kills: int = 0
    faults: tuple[str, ...] = FAULTS
    pause: float = 0.5
    players: int = 8
    matches: int = 3
    readers: int = 2
    client_pause: float = 0.05
    finish: int = -1
    disk_mb: int = 2048


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    root = argparse.ArgumentParser(
        prog="python -m tests.campaign",
        description="Break every part of a running service at work, and check that nothing is lost "
        "and nothing is doubled.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    commands = root.add_subparsers(dest="command", metavar="run|summary|report")

    run = commands.add_parser(
        "run",
        help="run a campaign (the default), and write report.json into its directory",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    _add_options(run)

    report = commands.add_parser(
        "report",
        help="write docs/reliability.md and docs/reliability.svg from the directory of a campaign",
    )
    report.add_argument("directory", type=Path, help="the directory of a campaign")

    summary = commands.add_parser(
        "summary", help="count anew what a campaign recorded, also one that was cut off"
    )
    summary.add_argument("directory", type=Path, help="the directory of a campaign")
    return root


def _add_options(run: argparse.ArgumentParser) -> None:
    """Add the options of a campaign, which are the fields of Settings."""
    fields = Settings(output=DEFAULT_DIRECTORY)
    run.add_argument("--output", type=Path, default=fields.output, help="directory of the campaign")
    run.add_argument("--seed", type=int, default=fields.seed, help="the faults follow from it")
    run.add_argument("--minutes", type=float, default=fields.minutes, help="how long faults come")
    run.add_argument("--kills", type=int, default=0, help="end after so many; 0: only by time")
    run.add_argument(
        "--faults",
        nargs="+",
        choices=FAULTS,
        default=list(fields.faults),
        help="which faults come",
    )
    run.add_argument("--pause", type=float, default=fields.pause, help="mean seconds between them")
    run.add_argument("--players", type=int, default=fields.players, help="clients that play")
    run.add_argument("--matches", type=int, default=fields.matches, help="matches of each at once")
    run.add_argument("--readers", type=int, default=fields.readers, help="clients that read")
    run.add_argument(
        "--client-pause",
        type=float,
        default=fields.client_pause,
        help="mean seconds between two things that a client does",
    )
    run.add_argument("--finish", type=int, default=-1, help="matches to play to their end; -1: all")
    run.add_argument(
        "--disk-mb", type=int, default=fields.disk_mb, help="size of the small disk; 0: none"
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the settings that the command line gives."""
    return Settings(
        output=arguments.output.resolve(),
        seed=arguments.seed,
        minutes=arguments.minutes,
        kills=arguments.kills,
        faults=tuple(arguments.faults),
        pause=arguments.pause,
        players=arguments.players,
        matches=arguments.matches,
        readers=arguments.readers,
        client_pause=arguments.client_pause,
        finish=arguments.finish,
        disk_mb=arguments.disk_mb,
    )
