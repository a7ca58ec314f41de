"""A whole house, asked for the truth: bots play, a worker audits, a stranger verifies."""

import os
import subprocess
import sys
from pathlib import Path

from tests.running import running_service, until

BOTS = {
    "game": "firenze",
    "seats": [{"kind": "bot", "level": "random"}] * 2,
    "options": {"turn_limit": 10},
}


def verified(what: str, data: Path) -> "subprocess.CompletedProcess[str]":
    """Run `giornale verify` in a process of its own."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")}
    command = [sys.executable, "-m", "service.cli", "verify", what]
    environ = {**plain, "GIORNALE_DATA": str(data)}
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_match_is_audited_by_a_worker_and_by_a_stranger(tmp_path: Path) -> None:
    """All find the same, also whoever keeps the house and names the match alone: all is right, nothing unchecked."""
    with running_service(tmp_path / "house") as running:
        where = f"/v1/matches/{running.ask('/v1/matches', BOTS)['id']}"
        until(
            lambda: (
                running.ask(where)["outcome"] and not running.ask(where)["waiting_for"]["house"]
            ),
            "the revelation",
        )
        report = until(lambda: running.ask(f"{where}/audit")["report"], "the audit")
        assert (report["ok"], report["unchecked"]) == (True, [])
        stranger = verified(running.url + where, tmp_path / "elsewhere")
        keeper = verified(where.rpartition("/")[2], tmp_path / "house")
    for told in (stranger, keeper):
        assert (told.returncode, told.stderr) == (0, "")
        assert f"{report['commits']} commits, each folded and decided again" in told.stdout
