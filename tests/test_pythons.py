"""Tests on other Pythons: versions are found, or named as not found, and what failed is told."""

import re
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import pythons

# A version that no machine has, so that nothing real is found by this name.
UNREAL = "3.99"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory and a PATH of this test alone."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    monkeypatch.delenv("UV_PYTHON_INSTALL_DIR", raising=False)
    return tmp_path


def install(program: Path, script: str) -> Path:
    """Write a program that is a shell script."""
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_the_promised_versions_are_those_of_the_classifiers() -> None:
    """They begin with the oldest that `requires-python` allows, and each is named once."""
    versions = pythons.promised()

    assert versions[0] == "3.11"
    assert versions == sorted(set(versions))
    assert len(versions) >= 4


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("bin/python3.99", id="path"),
        pytest.param(".pyenv/versions/3.99.1/bin/python3.99", id="pyenv"),
        pytest.param(".local/share/uv/python/cpython-3.99.1-linux/bin/python3.99", id="uv"),
    ],
)
def test_a_python_is_found_wherever_it_is_usually_installed(home: Path, place: str) -> None:
    """On the PATH, under pyenv, under uv."""
    program = install(home / place, f"echo {UNREAL}")

    assert pythons.find(UNREAL) == program


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("echo not installed >&2; exit 127", id="a shim that leads nowhere"),
        pytest.param("echo 3.10", id="another version"),
    ],
)
def test_a_program_that_does_not_work_is_passed_over(home: Path, script: str) -> None:
    """The next candidate is taken instead."""
    install(home / "bin/python3.99", script)
    assert pythons.find(UNREAL) is None

    working = install(home / ".pyenv/versions/3.99.0/bin/python3.99", f"echo {UNREAL}")
    assert pythons.find(UNREAL) == working


def test_the_running_python_works_as_its_own_version() -> None:
    """The probe is a program that a real interpreter runs."""
    assert pythons.works(Path(sys.executable), pythons.RUNNING)
    assert not pythons.works(Path(sys.executable), UNREAL)


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines of the summary."""
    _, _, summary = capsys.readouterr().out.partition("promises:\n")
    return summary.splitlines()


def test_a_version_that_is_not_found_is_named_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With one Python alone the only difference is the line that says so."""
    monkeypatch.setattr(pythons, "promised", lambda: [pythons.RUNNING, UNREAL])

    assert pythons.main("domain") == 0
    assert told(capsys) == [
        f"  Python {pythons.RUNNING} ran all tests ({sys.executable})",
        f"  Python {UNREAL} was not found",
    ]


@pytest.mark.parametrize(
    ("made", "passed", "failed", "text"),
    [
        pytest.param(True, True, False, "ran some tests", id="passed"),
        pytest.param(True, False, True, "failed some tests", id="failed"),
        pytest.param(
            False, True, False, "was found, but its packages cannot be had", id="no packages"
        ),
    ],
)
def test_the_outcome_of_a_version_is_told(
    made: bool, passed: bool, failed: bool, text: str, home: Path
) -> None:
    """Tests that fail count as a failure; packages that cannot be had do not."""
    program = install(home / "bin/python3.99", f"echo {UNREAL}")
    scope = pythons.Scope("some tests", "some", lambda *_: made, lambda _: passed)

    outcome = pythons.outcome(UNREAL, scope)

    assert outcome == pythons.Outcome(UNREAL, f"{text} ({program})", failed)


@pytest.mark.parametrize("failed", [False, True], ids=["passed", "failed"])
def test_one_failure_fails_the_whole(failed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code says so, whichever version failed."""
    outcomes = {"3.98": pythons.Outcome("3.98", "", failed), UNREAL: pythons.Outcome(UNREAL, "")}
    monkeypatch.setattr(pythons, "promised", lambda: list(outcomes))
    monkeypatch.setattr(pythons, "outcome", lambda version, _scope: outcomes[version])

    assert pythons.main("domain") == failed


def test_the_domains_tests_need_the_packages_that_are_listed() -> None:
    """Each needs only others of the list, so pip can install them all by their hashes."""
    for package in pythons.DOMAIN_PACKAGES:
        for requirement in map(Requirement, requires(package) or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert canonicalize_name(requirement.name) in pythons.DOMAIN_PACKAGES, package


def test_every_package_for_the_domain_is_locked_with_hashes() -> None:
    """The entries of the lock file are taken whole."""
    entries = pythons.locked(pythons.DOMAIN_PACKAGES)

    for package in pythons.DOMAIN_PACKAGES:
        [entry] = [one for one in entries.split("\n") if one.startswith(f"{package}==")]
        assert entry.endswith("\\")
    assert entries.count("--hash=sha256:") >= 2 * len(pythons.DOMAIN_PACKAGES)


def test_the_tests_that_are_chosen_exist() -> None:
    """Neither the folder of the domain's tests nor the file that is left out has been moved."""
    assert (pythons.ROOT / pythons.DOMAIN_TESTS).is_dir()
    assert (pythons.ROOT / pythons.LONG_TESTS).is_file()


def test_the_domains_tests_import_neither_the_service_nor_its_packages() -> None:
    """They run where only pytest is installed."""
    elsewhere = re.compile(
        r"^\s*(?:from|import) (?:service|workers|redis|flask|orjson)\b", re.MULTILINE
    )
    files = list((pythons.ROOT / pythons.DOMAIN_TESTS).rglob("*.py"))

    assert len(files) > 20
    assert [path for path in files if elsewhere.search(path.read_text())] == []
