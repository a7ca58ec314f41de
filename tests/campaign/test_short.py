"""A short campaign: every part but jobs is killed under load. Nothing is lost, doubled or stuck."""

import json
import os
from pathlib import Path

import pytest

from tests.campaign import campaign
from tests.campaign.nemesis import DISK, FAULTS
from tests.campaign.report import REPORT_FILE
from tests.campaign.service import JOB, PARTS
from tests.campaign.settings import Settings

pytestmark = pytest.mark.whole

# How long it takes in all, and its seed. CAMPAIGN_SECONDS=600 looks harder. Each part but jobs is
# killed once in any case.
SECONDS = float(os.environ.get("CAMPAIGN_SECONDS", "40"))
SEED = int(os.environ.get("CAMPAIGN_SEED", "1"))

# The time to start, to see matches to their end and to check.
OTHER_SECONDS = 30.0


def test_a_short_campaign_breaks_no_promise(tmp_path: Path) -> None:
    """Killed, stopped, cut off, with wrong clocks: each acknowledged commit is there exactly once.

    No match is stuck, each is verified, and each part but jobs was killed.
    """
    settings = Settings(
        output=tmp_path,
        seed=SEED,
        minutes=(SECONDS - OTHER_SECONDS) / 60,
        faults=tuple(fault for fault in FAULTS if fault != DISK),  # it needs root
        pause=0.4,
        players=3,
        matches=1,
        readers=1,
        client_pause=0.15,
        finish=1,
        disk_mb=0,
    )
    assert campaign.run(settings) == []

    report = json.loads((tmp_path / REPORT_FILE).read_text())
    assert report["clients"]["acknowledged"] > len(PARTS)
    assert all(number for part, number in report["kills"].items() if part != JOB)
