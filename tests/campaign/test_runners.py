"""Bots play on while parts are killed.

Cuts alone: tests/e2e/test_giornale_client.py. A whole service that ends: tests/e2e/test_bot.py.
"""

from pathlib import Path

import pytest

from tests.campaign.nemesis import KILL, TOGETHER
from tests.campaign.runners import play_through_kills
from tests.campaign.settings import Settings


@pytest.mark.whole
def test_bots_forfeit_no_match_while_parts_are_killed(tmp_path: Path) -> None:
    """One match of each game is finished, and each record verifies."""
    settings = Settings(output=tmp_path, faults=(KILL, TOGETHER), pause=1.0, disk_mb=0)
    kills, findings = play_through_kills(settings, 1)
    assert findings == []
    assert kills
