"""Every command of Makefile and pages is run by `.ci/run`, here in a short form or elsewhere.

`giornale` commands are run in tests/service/ops/cli/test_terminal.py.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import plots
from benchmarks.__main__ import EVERY
from domain.games import RELEASED
from service.record import record
from service.record.commit import canonical, parse_commit
from service.store.archive import packing
from service.store.journal.values import Whole
from tests.browser import shots
from tests.browser.pages import Visit
from tests.records import train
from tests.records.make import files
from tests.running import environment

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
CI = (ROOT / ".ci/run").read_text()
MODULE = re.compile(r"(?:python3?|\$\(PY\)) -m ((?:tests|benchmarks|scaffold)[\w.]*)")

# Benchmarks in a short form: nothing is noted if a constant is set.
BENCHMARKS = {
    "append": "ROUNDS=1 COMMITS=10",
    "archive": "MATCHES=1 LOOKS=2",
    "compression": "RUNS=1 BYTES=1",
    "load": "NUMBERS=1,2 STEP=1 STAY=1 SOAK=0.05 LOOK_SECONDS=0.3",
    "log": "MATCHES=200 COMMITS=5 LOOKS=5 RATED=100",
    "moves": "RUNS=1 APP_RUNS=1 FEW_MATCHES=1 MANY_MATCHES=2 MOVES=20",
    "my_matches": "STREAMS=3 MATCHES=3 MOVES=10 RUNS=1",
    "page": "RUNS=1 STEPS=5 MOVES=3 SIGNED=5",
    "peers": "ROUNDS=1 MOVES=220 BESIDE=4 MOVES_BESIDE=5 MOVES_AT_ONCE=5",
    "playouts": "RUNS=1 MATCHES=1 COPY_RUNS=1 COPIES=10",
    "processes": "RUNS=1",
    "reading": "RUNS=1 ASKED=5 MATCHES=100",
    "replay": "RUNS=1 COMMITS=40",
    "scale": "NUMBERS=20,50 COMMITS=5 ROUNDS=2 LENGTHS=25,50 LOOKS=2 MATCHES=1",
    "streams": "STREAMS=4 SPREAD_OVER=2 COMMITS=8 BEHIND=30 NUMBERS=1,2 MOVES=5 RUNS=1",
    "verifying": "RUNS=1 RECORDS=2 NUMBER=4",
}

# Modules by the file that runs or tests them; of `.ci/run`, by the target of make.
RUN_BY = {
    "benchmarks": "tests/e2e/test_named_commands.py",
    "benchmarks.plots": "tests/e2e/test_named_commands.py",
    "scaffold": "tests/e2e/test_new_game.py",
    "tests.attacks.mutations": "make attack",
    "tests.campaign": "tests/campaign/test_short.py",
    "tests.campaign.runners": "tests/campaign/test_runners.py",
    "tests.browser.shots": "tests/e2e/test_named_commands.py",
    "tests.covered": "tests/e2e/test_named_commands.py",
    "tests.domain.calimala.test_story": "make test",
    "tests.e2e.agents": "tests/e2e/test_agents.py",
    "tests.failover": "make failover",
    "tests.pythons": "make test",
    "tests.figures": "make check",
    "tests.installed": "tests/release/test_release.py",
    "tests.language": "make check",
    "tests.records.make": "tests/records/test_golden.py",
    "tests.records.tell": "tests/records/test_golden.py",
    "tests.records.train": "tests/e2e/test_named_commands.py",
    "tests.records.test_bots": "make test",
    "tests.records.views": "tests/records/test_golden.py",
    "tests.rule_changes": "tests/rule_changes/test_rule_changes.py",
    "tests.scripted": "tests/scripted/test_scripted.py",
    "tests.service.api.fuzzing": "tests/service/api/test_fuzz.py",
    "tests.service.api.recording": "tests/e2e/test_new_game.py",
    "tests.service.record.event_page": "tests/service/record/test_schema_changes.py",
    "tests.service.record.verify.page_tables": "tests/service/record/verify/test_fairness.py",
    "tests.simulation": "tests/simulation/test_simulation.py",
    "tests.trace": "here",
}

# Targets of make that `.ci/run` does not name: the test that runs the recipe's commands, or the
# reason why nothing does.
TARGETS = {
    "agents": "tests/e2e/test_agents.py",
    "arena": "tests/service/ops/cli/test_terminal.py",
    "bench": "tests/e2e/test_named_commands.py",
    "bench-growth": "tests/e2e/test_named_commands.py",
    "bench-plots": "tests/e2e/test_named_commands.py",
    "campaign": "tests/campaign/test_short.py",
    "clean": "it removes the environment that tests run in",
    "contract": "make check runs it",
    "coverage": "tests/e2e/test_named_commands.py",
    "format": "make check runs the same tools without a change",
    "fuzz": "tests/service/api/test_fuzz.py",
    "help": "it prints the comments of Makefile",
    "installed": "it asks the package index for all packages",
    "load": "tests/e2e/test_named_commands.py",
    "lock": "it asks the package index for newest versions",
    "new-game": "tests/e2e/test_new_game.py",
    "openapi": "tests/e2e/test_new_game.py",
    "page": "make check runs it",
    "peers": "tests/e2e/test_named_commands.py",
    "records": "tests/records/test_golden.py",
    "release": "tests/release/test_release.py",
    "rule-changes": "tests/rule_changes/test_rule_changes.py",
    "runners": "tests/campaign/test_runners.py",
    "serve": "tests/running.py",
    "shots": "tests/e2e/test_named_commands.py",
    "simulate": "tests/simulation/test_simulation.py",
    "test-all": "it runs all tests on every Python",
    "trace": "tests/e2e/test_named_commands.py",
}


def is_named(module: str, text: str) -> bool:
    """Return True if a file imports a module or runs it by its name."""
    folder, _, leaf = module.rpartition(".")
    imported = rf"from {re.escape(folder)} import [^\n]*\b{leaf}\b"
    return bool(re.search(rf"\b{re.escape(module)}\b|{imported}", text))


def pages() -> str:
    """Return Makefile and pages: they name commands."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    texts = [path.read_text() for path in paths if path.name != "CHANGELOG.md"]
    return "\n".join([MAKEFILE, *texts])


def run(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a module by its name, to its end."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_module_that_is_named_is_run() -> None:
    """The table gives a place for each module."""
    modules = {name.rstrip(".") for name in MODULE.findall(pages())}
    assert modules >= {"benchmarks", "tests.trace"}
    assert modules <= RUN_BY.keys()
    for module, place in RUN_BY.items():
        if place.startswith("make "):
            assert f"{place} " in CI or f"{place}\n" in CI, module
        elif place != "here":
            assert is_named(module, (ROOT / place).read_text()), module


def test_each_target_of_make_is_run() -> None:
    """`.ci/run` names each target, or the table does. No page names another one."""
    targets = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    in_ci = set(re.findall(r"^make ([a-z-]+)(?![\w/-])", CI, re.MULTILINE)) & targets
    assert in_ci >= {"check", "test"}
    assert in_ci | TARGETS.keys() == targets
    assert not in_ci & TARGETS.keys()
    for target, place in TARGETS.items():
        assert not place.startswith("tests/") or (ROOT / place).is_file(), target
    assert set(re.findall(r"`make ([a-z-]+)", pages())) <= targets


@pytest.mark.whole
def test_the_plots_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The noted figures of all three kinds make pictures."""
    monkeypatch.setattr(plots, "IMAGES", tmp_path)
    plots.main()
    drawn = {path.name for path in tmp_path.iterdir() if "<svg" in path.read_text()}
    assert drawn == {"bench-ratios.svg", "bench-growth.svg", "bench-peers.svg"}


@pytest.mark.whole
def test_a_table_of_coverage_is_printed(tmp_path: Path) -> None:
    """Measured is one test that runs little of the domain, so the floors are not reached."""
    env = {**environment(), "COVERAGE_FILE": str(tmp_path / "coverage")}
    tests = ["-m", "pytest", "-p", "no:cacheprovider", "tests/test_version.py"]
    measured = run("coverage", "run", *tests, env=env)
    assert measured.returncode == 0, measured.stdout + measured.stderr
    run("coverage", "combine", "--quiet", env=env)
    completed = run("tests.covered", env=env)

    assert completed.returncode == 1, completed.stdout + completed.stderr
    assert re.search(r"^service/matches +[\d.]+ % +[\d.]+ %$", completed.stdout, re.MULTILINE)
    assert re.search(r"^domain/game.py:\d+ did not run$", completed.stdout, re.MULTILINE)
    assert re.search(
        r"^The tests ran [\d.]+ % of the domain's lines, not 100 %\.$",
        completed.stdout,
        re.MULTILINE,
    )


@pytest.mark.whole
def test_a_dictionary_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dictionary is trained for rules without one. A match packed with it is read again."""
    game = RELEASED[0]
    home = tmp_path / "new"
    monkeypatch.setattr(packing, "HOME", home)
    monkeypatch.setattr(train, "HOME", home)
    monkeypatch.setattr(packing, "NEWEST", {one.rules: "old" for one in RELEASED[1:]})
    train.main()

    [path] = home.iterdir()
    assert f'"{game.rules}": "{path.stem}",' in capsys.readouterr().out
    assert path.stem.endswith(f"-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}")
    monkeypatch.setattr(packing, "NEWEST", {game.rules: path.stem})
    content = train.read(files()[0])
    whole = Whole([canonical(record.read_line(line)[0]) for line in record.lines(content)], {})
    packed = packing.pack(parse_commit(whole.commits[0])["commit"]["match"], whole)
    assert packing.read_header(packed).dictionary == path.stem
    assert packing.unpack(packed) == whole


@pytest.mark.whole
def test_pictures_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are taken of two pages, in both windows."""
    visits = [
        Visit("docs", "/docs", ".docs-start"),
        Visit("problems", "/problems", "main table, main ul"),
    ]
    monkeypatch.setattr(shots, "IMAGES", tmp_path / "images")
    monkeypatch.setattr(shots, "all_visits", lambda _service: visits)
    shots.main()

    pictures = {path.name: path.read_bytes() for path in (tmp_path / "images").iterdir()}
    names = {f"{visit.name}-{kind}.png" for visit in visits for kind in shots.WINDOWS}
    assert pictures.keys() == names
    for name, content in pictures.items():
        width = shots.WINDOWS[name.removesuffix(".png").rpartition("-")[2]]["viewport"]["width"]
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20]) == width


def test_each_benchmark_that_is_named_is_run() -> None:
    """Each benchmark has a short form."""
    assert BENCHMARKS.keys() == EVERY.keys()


@pytest.mark.whole
@pytest.mark.parametrize(
    "words",
    [f"benchmarks {name} {settings}" for name, settings in BENCHMARKS.items()] + ["tests.trace"],
)
def test_a_command_in_a_short_form(words: str) -> None:
    """A command in a short form ends with 0."""
    completed = run(*words.split(), env=environment())
    assert completed.returncode == 0, completed.stdout + completed.stderr
