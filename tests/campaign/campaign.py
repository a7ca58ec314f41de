"""A campaign from its start to its report: load, faults, the end of all matches, the check."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from click.testing import CliRunner

from service.ops.cli.commands import main
from service.ops.process.preflight import free_port
from tests.campaign import report
from tests.campaign.clients import Asker
from tests.campaign.load import Finisher, Load
from tests.campaign.nemesis import DISK, FAULTS_FILE, Battlefield, Nemesis, Step, plan
from tests.campaign.proxy import ROOT, FaultProxy
from tests.campaign.reported import Receiver
from tests.campaign.service import HOST, JOURNAL, SUPERVISOR, CampaignService, Clocks, Disk, NoDisk
from tests.campaign.settings import Settings
from tests.promises.checker import STUCK, UNVERIFIED, Finding, check, check_log
from tests.promises.history import History, read
from tests.promises.rematches import check_rematches
from tests.promises.reports import Span, check_reports
from tests.promises.stored import read_journal
from tests.running import environment

DATA_DIRECTORY = "data"
SETTINGS_FILE = "settings.json"
FINDINGS_FILE = "findings.json"
OUTCOME_FILE = "outcome.json"

WEB_PROCESSES = "2"
READY_SECONDS = 180.0
READ_SECONDS = 60.0
WARM_UP_MOVES = 5
TELL_SECONDS = 60.0


def run(settings: Settings) -> list[Finding]:
    """Run a campaign and write its report. Return all broken promises."""
    output = settings.output
    if output.exists():
        shutil.rmtree(output)
    output.mkdir(parents=True)
    _write(output / SETTINGS_FILE, asdict(settings))
    _write(output / report.MACHINE_FILE, report.machine())

    with battlefield(settings) as field:
        findings = _fight(settings, field)
        findings += _check(settings, field)

    rows = [asdict(finding) for finding in findings]
    _write(output / FINDINGS_FILE, rows)
    report.write(output)
    return findings


@contextmanager
def battlefield(settings: Settings) -> Iterator[Battlefield]:
    """Start everything that a campaign needs, and end it."""
    output = settings.output
    output.mkdir(parents=True, exist_ok=True)
    data = output / DATA_DIRECTORY
    with ExitStack() as stack:
        disk = _small_disk(settings, data, stack)
        clocks = stack.enter_context(Clocks(output))
        # The path of a socket has a bound that the directory's may exceed.
        sockets = Path(stack.enter_context(TemporaryDirectory(prefix="campaign-")))
        address_file = data / "journal" / "server.url"
        proxy = stack.enter_context(FaultProxy(sockets, address_file))

        service = CampaignService(
            output,
            data,
            free_port(HOST, 0),
            GIORNALE_WEB_WORKERS=WEB_PROCESSES,
            GIORNALE_OPENINGS="0",
            GIORNALE_RATE_LIMIT="0",
            GIORNALE_HOOKS="true",
            GIORNALE_HOOKS_ALLOW="127.0.0.1",
            CAMPAIGN_CLOCK=str(clocks.path),
            CAMPAIGN_PROXY=str(sockets),
        )
        stack.callback(service.close)
        service.wait_until_ready(READY_SECONDS)

        history = History(output)
        stack.callback(history.close)
        yield Battlefield(service, proxy, clocks, disk, history)


def _small_disk(settings: Settings, data: Path, stack: ExitStack) -> Disk | None:
    """Mount a small disk for the data. None, with the reason on the screen, if that fails."""
    if not settings.disk_mb:
        return None
    try:
        return stack.enter_context(Disk(settings.output, data, settings.disk_mb))
    except NoDisk as reason:
        print(f"The disk is not filled: {reason}.", flush=True)
        return None


def _fight(settings: Settings, field: Battlefield) -> list[Finding]:
    """Let clients play while the nemesis breaks things. Then see all matches to their end."""
    service, history = field.service, field.history
    nemesis = Nemesis(field, settings.output / FAULTS_FILE)
    receiver = Receiver(history, f"{settings.seed}-receiver")
    load = Load.of(settings, history, service.port, receiver)
    finisher_asker = Asker(service.port, history, "finisher")

    with receiver.receiving(), load:
        while history.acknowledged < WARM_UP_MOVES:
            load.raise_failures()
            time.sleep(0.1)

        began = time.monotonic()
        steps = _telling(plan(settings.seed, settings.faults, settings.pause), nemesis)
        nemesis.fight(steps, settings.minutes * 60, settings.kills)
        fought = time.monotonic()

        findings = _wait_for_readiness(service)
        findings += Finisher(finisher_asker, load).finish(settings.finish)

    finisher_asker.close()
    load.raise_failures()
    _write(
        settings.output / OUTCOME_FILE,
        {
            "began": began,
            "fought": fought,
            "finished": time.monotonic(),
            "ends": [asdict(end) for end in service.ends],
            "disk": field.disk is not None,
        },
    )
    return findings


def _telling(steps: Iterator[Step], nemesis: Nemesis) -> Iterator[Step]:
    """Yield the steps, and say on the screen now and then how far it is."""
    history = nemesis.battlefield.history
    began = last_report = time.monotonic()
    for step in steps:
        now = time.monotonic()
        if now - last_report > TELL_SECONDS:
            last_report = now
            minutes = (now - began) / 60
            kills = nemesis.kills.total()
            print(
                f"{minutes:.0f} min: {kills} kills, {history.acknowledged} acknowledged", flush=True
            )
        yield step


def _wait_for_readiness(service: CampaignService) -> list[Finding]:
    """Wait until the service is ready. Return a finding if it does not get ready."""
    try:
        service.wait_until_ready(READY_SECONDS)
    except AssertionError:
        return [Finding(STUCK, "", f"the service is not ready after {READY_SECONDS:.0f} s")]
    return []


def _check(settings: Settings, field: Battlefield) -> list[Finding]:
    """Compare clients' answers with the journal, and verify every match."""
    service = field.service
    field.history.close()
    with service.redis(seconds=READ_SECONDS) as client:
        journal = read_journal(client)

    tries = read(settings.output)
    last = {match: len(stored.commits) for match, stored in journal.matches.items()}
    faults = report.read_faults(settings.output / FAULTS_FILE)
    findings = [
        *check(tries, journal),
        *check_rematches(tries, journal),
        *check_reports(tries, last, _excuses(faults)),
    ]
    commits = sum(len(stored.commits) for stored in journal.matches.values())
    findings += check_log(_log_of(service, commits), journal)
    url = service.address_file.read_text()
    verified, wrong = verify_all(settings.output, service.data, url)

    stored = {
        "matches": len(journal.matches),
        "commits": commits,
        "verified": verified,
    }
    _write(settings.output / "journal.json", stored)
    return [*findings, *wrong]


def _log_of(service: CampaignService, commits: int) -> list[dict[str, Any]]:
    """Return the feed of all commits, once it has so many, or a while has passed."""
    entries: list[dict[str, Any]] = []
    deadline = time.monotonic() + READ_SECONDS
    while len(entries) < commits and time.monotonic() < deadline:
        url = f"http://{HOST}:{service.port}/v1/commits?after={len(entries)}&wait=1"
        with urlopen(url, timeout=READ_SECONDS) as answer:
            entries += json.load(answer)["commits"]
    return entries


# Parts that hold an answer of a webhook's receiver until it is noted.
_NOTING = frozenset({"hooks", SUPERVISOR, JOURNAL, "workers"})


def _excuses(faults: Sequence[report.Fault]) -> list[Span]:
    """Return the spans in which notes of answers to webhooks may be missing."""
    return [
        (fault.began, fault.ended)
        for fault in faults
        if fault.kind == DISK or not _NOTING.isdisjoint(fault.parts)
    ]


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, default=str) + "\n")


RECORDS_DIRECTORY = "records"
RIGHT = 0
_LAST_LINES = 3


def verify_all(directory: Path, data: Path, url: str) -> tuple[int, list[Finding]]:
    """Export and verify every match. Return the number of right ones, and the other verdicts."""
    records = directory / RECORDS_DIRECTORY
    settings = environment(GIORNALE_JOURNAL_URL=url, GIORNALE_DATA=str(data))
    command = [sys.executable, "-m", "workers.giornale", "export", "--all", str(records)]
    subprocess.run(
        command,
        env=settings | {"PYTHONPATH": str(ROOT)},
        check=True,
        stdout=subprocess.DEVNULL,
    )

    paths = sorted(records.glob("*.ndjson*"))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(_verdict, paths))

    wrong = [finding for finding in verdicts if finding is not None]
    return len(paths) - len(wrong), wrong


def _verdict(path: Path) -> Finding | None:
    """Return the fault that `giornale verify` finds in a record, None if it is right."""
    result = CliRunner().invoke(main, ["verify", "--strict", str(path)])
    if result.exit_code == RIGHT:
        return None

    last_lines = " / ".join(result.output.splitlines()[-_LAST_LINES:])
    return Finding(UNVERIFIED, path.name.partition(".")[0], last_lines)
