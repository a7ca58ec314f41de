"""The settings of a campaign, each of which is an option of the command line."""

import argparse
from dataclasses import dataclass, fields
from pathlib import Path

from tests.campaign.nemesis import FAULTS

ALL = -1  # of `finish`: every match is played to its end


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One campaign; HELP explains each setting."""

    output: Path = Path("var/campaign")
    seed: int = 1
    minutes: float = 35.0
    kills: int = 0
    faults: tuple[str, ...] = FAULTS
    pause: float = 0.5
    players: int = 8
    matches: int = 3
    readers: int = 2
    client_pause: float = 0.05
    finish: int = ALL
    disk_mb: int = 2048


HELP = {
    "output": "directory for all of it, also the service's data",
    "seed": "the faults follow from it",
    "minutes": "how long faults come at most",
    "kills": "end after so many; 0: only by time",
    "faults": "which faults come",
    "pause": "mean seconds between two faults, beside the waiting",
    "players": "clients that play; of each four the second races with the first",
    "matches": "matches of each player at once",
    "readers": "clients that read",
    "client_pause": "mean seconds between two things that a client does",
    "finish": "matches to play to their end, the others are aborted; -1: all",
    "disk_mb": "size of the small disk; 0: none",
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    shows_defaults = argparse.ArgumentDefaultsHelpFormatter
    root = argparse.ArgumentParser(
        prog="python -m tests.campaign",
        description="Break every part of a running service at work, and check that nothing is lost "
        "and nothing is doubled.",
    )
    commands = root.add_subparsers(dest="command", metavar="run|summary|report")

    run = commands.add_parser(
        "run",
        help="run a campaign (the default), and write report.json into its directory",
        formatter_class=shows_defaults,
    )
    for one in fields(Settings):
        name = "--" + one.name.replace("_", "-")
        text = HELP[one.name]
        if one.name == "faults":
            run.add_argument(name, nargs="+", choices=FAULTS, default=one.default, help=text)
        else:
            run.add_argument(name, type=type(one.default), default=one.default, help=text)

    summary = commands.add_parser(
        "summary", help="count anew what a campaign noted, also one that was cut off"
    )
    report = commands.add_parser(
        "report", help="write the tables of docs/reliability.md and its picture from a directory"
    )
    for reader in (summary, report):
        reader.add_argument("directory", type=Path, help="the directory of a campaign")
    return root


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the settings that the command line gives."""
    values = {one.name: getattr(arguments, one.name) for one in fields(Settings)}
    values["output"] = values["output"].resolve()
    values["faults"] = tuple(values["faults"])
    return Settings(**values)
