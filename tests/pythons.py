"""Run tests on the other promised Pythons of pyproject.toml, as far as this machine has them.

`python -m tests.pythons domain` runs tests of the domain. They need few packages: pytest and
hypothesis. `python -m tests.pythons all` runs all tests of `make test`. It needs all packages, so
it is slow at first. Nothing is downloaded but packages: an interpreter that is not installed is
named as not found.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = Path(sys.prefix) / "pythons"
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"

# These tests run in the scope "domain", but for the laws, since those take most of the time.
DOMAIN_TESTS = "tests/domain"
LAWS = "tests/domain/test_laws.py"

PROMISE = "Programming Language :: Python :: 3."

# Packages for tests of the domain: pytest, its plugins and their requirements.
DOMAIN_PACKAGES = (
    "hypothesis",
    "iniconfig",
    "packaging",
    "pluggy",
    "pygments",
    "pytest",
    "sortedcontainers",
)

# Prints the version of a CPython that can make an environment, and fails otherwise.
PROBE = """\
import ensurepip, sys, venv
assert sys.implementation.name == "cpython"
print("%d.%d" % sys.version_info[:2])
"""


def promised() -> list[str]:
    """Return the versions in pyproject.toml, such as "3.11"."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [
        f"3.{name.removeprefix(PROMISE)}"
        for name in project["classifiers"]
        if name.startswith(PROMISE)
    ]


def candidates(version: str) -> Iterator[Path]:
    """Yield programs that may be this version: on the PATH, installed by pyenv, installed by uv."""
    program = f"python{version}"
    on_path = shutil.which(program)
    if on_path is not None:
        yield Path(on_path)

    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions"
    yield from sorted(pyenv.glob(f"{version}.*/bin/{program}"))

    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", home / ".local/share/uv/python"))
    yield from sorted(uv.glob(f"cpython-{version}.*/bin/{program}"))


def works(program: Path, version: str) -> bool:
    """Return True if a program is a CPython of this version that can make an environment.

    A name on the PATH may be a shim of pyenv that leads nowhere, so each program is asked.
    """
    try:
        answer = subprocess.run(
            [program, "-c", PROBE],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and answer.stdout.strip() == version


def find(version: str) -> Path | None:
    """Return the first working program of this version, or None."""
    for program in candidates(version):
        if works(program, version):
            return program
    return None


def succeeds(*command: str | Path) -> bool:
    """Run a command in the project's root. Return True if it succeeds."""
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def locked(packages: tuple[str, ...]) -> str:
    """Return the entries of the lock file for these packages, hashes included."""
    lock = (ROOT / "requirements-dev.lock").read_text()
    names = "|".join(map(re.escape, packages))
    entries = re.findall(rf"^(?:{names})==(?:.*\\\n)*.*\n", lock, re.MULTILINE)
    return "".join(entries)


def make_for_domain(program: Path, directory: Path) -> bool:
    """Make an environment with pytest, unless it is up to date. Return True if it is ready."""
    lock = locked(DOMAIN_PACKAGES)
    installed = directory / "installed.txt"
    if installed.is_file() and installed.read_text() == lock:
        return True

    if not succeeds(program, "-m", "venv", "--clear", directory):
        return False

    requirements = directory / "requirements.txt"
    requirements.write_text(lock)
    pip = directory / "bin/pip"
    options = ["--disable-pip-version-check", "--no-input", "--quiet", "--require-hashes"]
    if not succeeds(pip, "install", *options, "--requirement", requirements):
        return False

    requirements.rename(installed)
    return True


def make_for_all(program: Path, directory: Path) -> bool:
    """Make an environment as `make test` does for the main Python. Return True if it is made."""
    settings = [f"VENV={directory}", f"PYTHON={program}"]
    return succeeds("make", "--no-print-directory", *settings, f"{directory}/.dev")


def run_domain(python: Path) -> bool:
    """Run the short tests of the domain but its laws.

    They need nothing of tests/conftest.py, since that would need more packages. Their output is
    shown if one fails, since several Pythons run them at once.
    """
    options = [f"--confcutdir={DOMAIN_TESTS}", f"--deselect={LAWS}"]
    command = [str(python), "-m", "pytest", *options, DOMAIN_TESTS]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if completed.returncode:
        print(f"{completed.stdout}{completed.stderr}", flush=True)
    return completed.returncode == 0


def run_all(python: Path) -> bool:
    """Run the tests of `make test`."""
    return succeeds(python, "-m", "pytest", "-n", "2")


@dataclass(frozen=True)
class Scope:
    """The tests for the other Pythons, and the number of Pythons at once."""

    name: str
    at_once: int
    folder: str
    make_environment: Callable[[Path, Path], bool]
    run: Callable[[Path], bool]


SCOPES = {
    "domain": Scope(
        "the domain's tests", os.cpu_count() or 1, "domain", make_for_domain, run_domain
    ),
    "all": Scope("all that `make test` runs", 1, "all", make_for_all, run_all),
}


@dataclass(frozen=True)
class Outcome:
    """The result of one promised version."""

    version: str
    text: str
    failed: bool = False


def outcome(version: str, scope: Scope) -> Outcome:
    """Run the tests of a scope on one version, if it is found, and return the result."""
    if version == RUNNING:
        return Outcome(version, f"ran {SCOPES['all'].name} ({sys.executable})")

    program = find(version)
    if program is None:
        return Outcome(version, "was not found")

    print(f"\nPython {version} ({program}): {scope.name}", flush=True)
    directory = ENVIRONMENTS / f"{version}-{scope.folder}"
    if not scope.make_environment(program, directory):
        return Outcome(version, f"was found, but its packages cannot be had ({program})")

    if not scope.run(directory / "bin/python"):
        return Outcome(version, f"failed {scope.name} ({program})", failed=True)
    return Outcome(version, f"ran {scope.name} ({program})")


def main(name: str) -> int:
    """Run the tests of a scope on every other promised Python. Return 1 if any failed, else 0."""
    scope = SCOPES[name]
    with ThreadPoolExecutor(scope.at_once) as pool:
        outcomes = list(pool.map(lambda version: outcome(version, scope), promised()))

    print("\nOf the Pythons that pyproject.toml promises:")
    for each in outcomes:
        print(f"  Python {each.version} {each.text}")
    return int(any(each.failed for each in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
