"""The second opinion: `giornale verify` on the exported record of every match."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from click.testing import CliRunner

from service.cli.commands import main
from tests.campaign.findings import UNVERIFIED, Finding
from tests.campaign.proxying import ROOT
from tests.running import environment

RECORDS_DIRECTORY = "records"
RIGHT = 0
_LAST_LINES = 3


def verify_all(directory: Path, data: Path, url: str) -> tuple[int, list[Finding]]:
    """Export every match and verify its record; return how many are right, and the others."""
    records = directory / RECORDS_DIRECTORY
    settings = environment(GIORNALE_JOURNAL_URL=url, GIORNALE_DATA=str(data))
    command = [sys.executable, "-m", "service.cli", "export", "--all", str(records)]
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
    """Return what `giornale verify` finds wrong with a record, None if it is right."""
    result = CliRunner().invoke(main, ["verify", "--strict", str(path)])
    if result.exit_code == RIGHT:
        return None

    said = " / ".join(result.output.splitlines()[-_LAST_LINES:])
    return Finding(UNVERIFIED, path.name.partition(".")[0], said)
