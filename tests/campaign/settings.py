"""The settings of a campaign. Each is an option of the command line."""

import argparse
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, get_type_hints

from tests.campaign.nemesis import FAULTS

ALL = -1  # of `finish`: every match is played to its end


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One campaign. Beside each setting stands its text for `--help`."""

    output: Annotated[Path, "directory for all of it, also the service's data"] = Path(
        "var/campaign"
    )
    seed: Annotated[int, "the faults follow from it"] = 1
    minutes: Annotated[float, "how long faults come at most"] = 35.0
    kills: Annotated[int, "end after so many; 0: only by time"] = 0
    faults: Annotated[tuple[str, ...], "which faults come"] = FAULTS
    pause: Annotated[float, "mean seconds between two faults, beside the waiting"] = 0.5
    players: Annotated[
        int,
        "clients that play; of four the second races with the first, the third has webhooks",
    ] = 8
    matches: Annotated[int, "matches of each player at once"] = 3
    readers: Annotated[int, "clients that read"] = 2
    followers: Annotated[int, "clients that follow all matches by one stream"] = 2
    client_pause: Annotated[float, "mean seconds between two things that a client does"] = 0.05
    finish: Annotated[int, "matches to play to their end, the others are aborted; -1: all"] = ALL
    disk_mb: Annotated[int, "size of the small disk; 0: none"] = 2048


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
    hints = get_type_hints(Settings, include_extras=True)
    for one in fields(Settings):
        name = "--" + one.name.replace("_", "-")
        [text] = hints[one.name].__metadata__
        if one.name == "faults":
            run.add_argument(name, nargs="+", choices=FAULTS, default=one.default, help=text)
        else:
            run.add_argument(name, type=type(one.default), default=one.default, help=text)

    summary = commands.add_parser(
        "summary", help="count anew what a campaign noted, also one that was cut off"
    )
    report = commands.add_parser(
        "report",
        help="write the tables of docs/explanation/reliability.md, campaign.md and the picture",
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
