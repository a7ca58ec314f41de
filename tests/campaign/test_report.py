"""A campaign that has been recorded is counted and published as it was."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.campaign import report, summary
from tests.campaign.history import ANSWERED, History
from tests.campaign.nemesis import FAULTS_FILE
from tests.campaign.settings import Settings

SETTINGS = Settings(output=Path("somewhere"), seed=77, minutes=1, kills=2, faults=("kill",))
OUTCOME = {"began": 9.0, "fought": 69.0, "finished": 80.0, "ends": [], "disk": True}


def note_fault(directory: Path, number: int, name: str, parts: list[str], at: float) -> None:
    """Write down a fault as the nemesis does."""
    line = {"what": "begun", "number": number, "fault": "kill", "name": name, "parts": parts}
    with (directory / FAULTS_FILE).open("a") as file:
        file.write(json.dumps(line | {"at": at}) + "\n")


def note_moves(directory: Path) -> None:
    """Write down three moves that were acknowledged, with the versions 2 to 4."""
    moments = iter([10.0, 10.1, 20.5, 21.5, 30.2, 30.4])
    history = History(directory, clock=lambda: next(moments))
    for version in (2, 3, 4):
        begun = history.begin(
            version,
            "c",
            "move",
            match="m",
            actor="seat:0",
            key=str(version),
        )
        history.end(
            begun,
            ANSWERED,
            status=201,
            version=version,
            told=((version, "h"),),
        )
    history.close()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """The directory of a campaign with two kills, three moves and one finding."""
    note_moves(tmp_path)
    note_fault(tmp_path, 1, "kill journal", ["journal"], 20.0)
    note_fault(tmp_path, 2, "kill web", ["web"], 30.0)
    written = {
        "settings.json": asdict(SETTINGS),
        summary.MACHINE_FILE: summary.machine(),
        "findings.json": [{"rule": "stuck", "match": "m", "text": "it waits"}],
        "outcome.json": OUTCOME,
        "journal.json": {"matches": 1, "commits": 5, "verified": 1},
    }
    for name, value in written.items():
        text = json.dumps(value, default=str)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_was_recorded_is_counted(directory: Path) -> None:
    """Kills by part, what clients were told, what was found, and recovery."""
    counts = summary.write(directory)
    assert counts["kills"]["journal"] == 1
    assert sum(counts["kills"].values()) == 2
    assert counts["clients"]["acknowledged"] == 3
    assert counts["findings"]["stuck"] == 1
    assert counts["recovery"]["kill journal"]["longest"] == pytest.approx(1.5)


def test_the_page_tells_what_was_counted(directory: Path, tmp_path: Path) -> None:
    """The page has the figures and no place left open; the picture is SVG without a date."""
    summary.write(directory)
    page, picture = tmp_path / "page.md", tmp_path / "picture.svg"
    report.publish(directory, page, picture)

    text = page.read_text()
    assert "| commits acknowledged to clients | **3** |" in text
    assert "| stuck | **1** |" in text
    assert "| journal | 1 | 1 | | | 1.50 |" in text
    assert "--seed 77" in text
    assert "--faults kill" in text
    assert "all matches are played to their end" in text
    assert "$" not in text

    drawing = picture.read_text()
    assert "<svg" in drawing
    assert "<dc:date>" not in drawing


def test_a_campaign_that_was_cut_off_is_not_published(tmp_path: Path) -> None:
    """Without a check there is no page, and the reason is said."""
    with pytest.raises(report.Unfinished, match="come to its end"):
        report.publish(tmp_path, tmp_path / "page.md", tmp_path / "picture.svg")
    assert not (tmp_path / "page.md").exists()
