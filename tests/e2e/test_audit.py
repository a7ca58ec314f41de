"""A whole service, asked for the truth: bots play, a worker audits, a stranger verifies."""

import subprocess
from pathlib import Path
from typing import Any

from tests.running import COMMAND, RunningService, environment, until

MATCH_OF_BOTS = {
    "game": "firenze",
    "seats": [{"kind": "bot", "level": "random"}] * 2,
    "options": {"turn_limit": 10},
}


def verify(what: str, data: Path) -> "subprocess.CompletedProcess[str]":
    """Run `giornale verify` in a process of its own, on a data directory."""
    return subprocess.run(
        [*COMMAND, "verify", what],
        env=environment(GIORNALE_DATA=str(data)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_match_is_audited_by_a_worker_and_by_a_stranger(
    service: RunningService, tmp_path: Path
) -> None:
    """All find the same: all is right, nothing unchecked.

    So does whoever has the data directory and names the match alone.
    """
    match = service.ask("/v1/matches", MATCH_OF_BOTS)["id"]
    match_path = f"/v1/matches/{match}"

    def is_revealed() -> bool:
        document: dict[str, Any] = service.ask(match_path)
        return bool(document["outcome"]) and not document["waiting_for"]["house"]

    until(is_revealed, "the revelation")
    report = until(lambda: service.ask(f"{match_path}/audit")["report"], "the audit")
    by_stranger = verify(service.url + match_path, tmp_path / "elsewhere")
    by_operator = verify(match, service.directory)

    assert report["ok"] is True
    assert report["unchecked"] == []

    finding = f"{report['commits']} commits, each folded and decided again"
    for verified in (by_stranger, by_operator):
        assert verified.returncode == 0
        assert verified.stderr == ""
        assert finding in verified.stdout
