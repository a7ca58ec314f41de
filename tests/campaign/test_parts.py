"""The parts of a campaign by themselves: plan, clocks, history, recovery, options."""

import itertools
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaign import history, recovery
from tests.campaign.__main__ import main
from tests.campaign.clocks import Clocks
from tests.campaign.faults import CUT, CUTS, FAULTS, KILL, LONGEST_SECONDS, STOP, STOPPABLE, Step
from tests.campaign.history import ANSWERED, UNKNOWN, History, Try
from tests.campaign.plan import plan
from tests.campaign.recovery import Fault
from tests.campaign.service import INJECTED, JOB, PARTS
from tests.campaign.settings import Settings, parser, settings_of

HOUR_MS = 3_600_000


def steps(seed: int, number: int = 2000) -> list[Step]:
    """Return the beginning of a plan."""
    return list(itertools.islice(plan(seed, FAULTS, 0.5), number))


def test_a_plan_follows_from_its_seed() -> None:
    """The same seed gives the same steps, another one others."""
    assert steps(1) == steps(1)
    assert steps(1) != steps(2)


def test_a_plan_hits_everything() -> None:
    """Every fault comes, every part is killed and stopped, every mode of the proxy is used."""
    drawn = steps(1)
    kills = [step for step in drawn if step.fault == KILL]
    stops = [step for step in drawn if step.fault == STOP]
    cuts = [step for step in drawn if step.fault == CUT]

    assert {step.fault for step in drawn} == set(FAULTS)
    assert {step.parts[0] for step in kills} == {*PARTS} - {JOB}
    assert {step.parts[0] for step in stops} == set(STOPPABLE)
    assert {step.mode for step in cuts} == set(CUTS)
    assert all(step.seconds <= LONGEST_SECONDS for step in drawn)


def test_a_plan_begins_with_every_part() -> None:
    """However short a campaign is, it first kills each part once."""
    drawn = steps(3, len(PARTS) - 1)
    assert sorted(step.parts for step in drawn) == sorted((part,) for part in PARTS if part != JOB)


def test_only_chosen_faults_come() -> None:
    """A plan of some faults holds no other."""
    drawn = itertools.islice(plan(1, ["flush", "clock"], 0.5), 100)
    assert {step.fault for step in drawn} == {"flush", "clock"}


def test_clocks_of_the_service_are_moved(tmp_path: Path) -> None:
    """A process with the campaign's path and file has a wrong clock; the file names how wrong."""
    with Clocks(tmp_path) as clocks:
        clocks.move("workers", HOUR_MS)
        paths = {"PYTHONPATH": str(INJECTED), "CAMPAIGN_CLOCK": str(clocks.path)}
        program = "import time; print(time.time_ns() // 10**6, time.time())"
        said = subprocess.run(
            [sys.executable, "-P", "-c", program],
            env=os.environ | paths,
            capture_output=True,
            text=True,
            check=True,
        )

    milliseconds, seconds = map(float, said.stdout.split())
    ahead_ms = milliseconds - time.time() * 1000
    assert ahead_ms == pytest.approx(HOUR_MS, abs=60_000)
    assert seconds == pytest.approx(milliseconds / 1000, abs=1)


def test_a_history_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Tries come back as they ended; one that never ended is unknown; a cut-off line is left."""
    common = {"match": "m", "actor": "seat:0"}
    written = History(tmp_path)
    begun = written.begin(1, "c", "move", key="k", **common)
    ended = written.end(begun, ANSWERED, status=201, version=2, told=((2, "h"),))
    never_ended = written.begin(2, "c", "move", key="l", **common)
    written.close()

    history_file = tmp_path / history.HISTORY_FILE
    with history_file.open("a") as file:
        file.write('{"number": 3, "requ')

    unknown = replace(never_ended, outcome=UNKNOWN)
    assert history.read(tmp_path) == [ended, unknown]
    assert written.acknowledged == 1
    assert written.latest_sent == begun.sent


def fault(number: int, began: float, lasted: float = 0.0) -> Fault:
    """Return a fault."""
    return Fault(number, "kill", "kill journal", ("journal",), began, began + lasted)


def moves(*times: tuple[float, float]) -> list[Try]:
    """Return acknowledged moves that were sent and answered at these times."""
    return [
        Try(
            number=number,
            request=number,
            client="c",
            what="move",
            key=str(number),
            sent=sent,
            ended=ended,
            outcome=ANSWERED,
            status=201,
        )
        for number, (sent, ended) in enumerate(times)
    ]


@pytest.mark.parametrize(
    ("lasted", "times", "seconds"),
    [
        # A move that was under way when the fault came does not count.
        (0.0, [(9.9, 10.1), (10.2, 10.5)], 0.5),
        # The time of a fault that lasts runs from its end.
        (2.0, [(10.5, 10.6), (12.1, 12.4)], 0.4),
        # What goes on for a moment and stands still then has not recovered.
        (0.0, [(10.1, 10.2), (10.3, 10.4), (10.5, 14.0), (14.1, 14.2)], 4.0),
        # A standstill that comes later is not this fault's.
        (0.0, [(10.1, 10.2), (11.0, 11.1), (11.2, 14.0)], 1.1),
    ],
)
def test_recovery(lasted: float, times: list[tuple[float, float]], seconds: float) -> None:
    """Recovery runs until moves that were sent after the fault are acknowledged, and go on."""
    [(_, gap, alone)] = recovery.gaps([fault(1, 10.0, lasted)], moves(*times))
    assert gap == pytest.approx(seconds)
    assert alone


def test_overlapping_faults_are_told_apart() -> None:
    """A fault that comes before another one is recovered from is counted apart."""
    faults = [fault(1, 10.0), fault(2, 10.5), fault(3, 20.0)]
    told = recovery.by_name(faults, moves((11.0, 11.2), (19.0, 19.1), (20.1, 20.3)))
    assert {name: one.count for name, one in told.items()} == {
        "kill journal": 1,
        recovery.OVERLAPPING: 2,
    }
    assert told["kill journal"].p50 == pytest.approx(0.3)


def test_options() -> None:
    """The command line chooses seed, minutes, kills, faults, clients and the directory."""
    words = (
        "run --seed 7 --minutes 2 --kills 9 --faults kill flush "
        "--players 3 --matches 4 --output somewhere"
    )
    chosen = parser().parse_args(words.split())
    assert settings_of(chosen) == Settings(
        output=Path("somewhere").resolve(),
        seed=7,
        minutes=2.0,
        kills=9,
        faults=("kill", "flush"),
        players=3,
        matches=4,
    )


def test_help_names_what_can_be_done(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` names the commands."""
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "report" in capsys.readouterr().out
