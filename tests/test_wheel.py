"""The wheel: what is built from the sources holds all that a service installed from it needs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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
