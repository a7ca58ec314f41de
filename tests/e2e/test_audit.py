"""A whole house, asked for the truth: bots play, a worker audits, a stranger verifies."""

import subprocess
import sys
from pathlib import Path

from tests.service.running import house, until

BOTS = {"game": "firenze", "seats": [{"kind": "bot", "level": "random"}] * 2, "options": {"turn_limit": 10}}


def verified(url: str) -> "subprocess.CompletedProcess[str]":
    """Run `giornale verify` in a process of its own, as a stranger would."""
    command = [sys.executable, "-m", "service.cli", "verify", url]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_match_is_audited_by_a_worker_and_by_a_stranger(tmp_path: Path) -> None:
    """The worker and the stranger find the same: all is right, and nothing was left unchecked."""
    with house(tmp_path / "house") as running:
        where = f"/v1/matches/{running.ask('/v1/matches', BOTS)['id']}"
        until(
            lambda: running.ask(where)["outcome"] and not running.ask(where)["waiting_for"]["house"], "the revelation"
        )
        report = until(lambda: running.ask(f"{where}/audit")["report"], "the audit")
        assert (report["ok"], report["unchecked"]) == (True, [])
        told = verified(running.url + where)
    assert (told.returncode, told.stderr) == (0, "")
    assert f"{report['commits']} commits, each folded and decided again" in told.stdout
