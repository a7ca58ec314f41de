"""`python -m release VERSION`: make the files of a release in dist/VERSION, and tag its commit.

Nothing is uploaded. The workflow `release.yml` publishes the files of a tag.

A fault of the commit, such as another version in pyproject.toml, ends it at once. Then `make check`
must pass. The commit is cloned twice, and each clone builds all files. They must be equal byte for
byte. So files that git does not track, and the state of this directory, never reach a release.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SUMS = "SHA256SUMS"
SBOM = "giornale-{version}.cdx.json"
NOTES = "CHANGES.md"
USAGE = "Name the version: make release VERSION=0.2.0"

_VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")  # PEP 440, without post and dev releases
_FROM = re.compile(r"^FROM (\S+)", re.MULTILINE)
_CONTAINER = "examples/deploy/container/Containerfile"


class Refused(Exception):
    """No release can be made. The message has a line for each reason."""


def main(arguments: Sequence[str]) -> int:
    """Make a release. Return the exit status: 1 if it is refused."""
    if len(arguments) != 1:
        print(USAGE, file=sys.stderr)
        return 1

    [version] = arguments
    try:
        refuse(faults(ROOT, version))
        _run(ROOT, "make", "--no-print-directory", "check")
        directory = make(ROOT, version)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(error.cmd)} has failed.", file=sys.stderr)
        return 1

    tag(ROOT, version)
    for path in sorted(directory.iterdir()):
        print(path.relative_to(ROOT))
    print(f"The commit has the tag v{version}. Push it to publish: git push origin v{version}")
    return 0


def make(root: Path, version: str) -> Path:
    """Make the files of a release in dist/VERSION and return that directory. Raises Refused."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        builds = [build(root, Path(place)) for place in (first, second)]
        refuse(differences(*builds))

        directory = root / "dist" / version
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(builds[0], directory)

    shutil.copy(root / _CONTAINER, directory)
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    (directory / NOTES).write_text(f"{section_of(changelog, version)}\n", encoding="utf-8")
    write_sbom(root, directory / SBOM.format(version=version))
    write_sums(directory)
    return directory


def refuse(reasons: Iterable[str]) -> None:
    """Raise Refused if there are reasons."""
    sentences = list(reasons)
    if sentences:
        raise Refused("\n".join(sentences))


def faults(root: Path, version: str) -> Iterator[str]:
    """Yield a sentence for each reason against a release of this commit."""
    if not _VERSION.fullmatch(version):
        yield f"{version!r} is no version such as 0.2.0."
        return

    if _git(root, "status", "--porcelain"):
        yield "The working tree has changes. Commit them first."

    current = project_of(root)["version"]
    if current != version:
        yield f"pyproject.toml has version {current}. Set it to {version}."

    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not section_of(changelog, version):
        yield f"CHANGELOG.md has no section `## [{version}] - YYYY-MM-DD` with changes."

    unpinned = [
        image
        for image in _FROM.findall((root / _CONTAINER).read_text(encoding="utf-8"))
        if "@sha256:" not in image
    ]
    if unpinned:
        yield f"{_CONTAINER} names images without a digest: {', '.join(unpinned)}."

    tagged = _git(root, "tag", "--list", f"v{version}")
    if tagged and _commit(root, f"v{version}") != _commit(root, "HEAD"):
        yield f"The tag v{version} names another commit."


def project_of(root: Path) -> dict[str, Any]:
    """Return the table `project` of pyproject.toml."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    table: dict[str, Any] = settings["project"]
    return table


def section_of(changelog: str, version: str) -> str:
    """Return the text of a version's section, without its heading. "" without a section."""
    heading = re.compile(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}$", re.MULTILINE)
    start = heading.search(changelog)
    if start is None:
        return ""
    text = changelog[start.end() :]
    end = re.search(r"^(## |\[[^\]]+\]: )", text, re.MULTILINE)
    return text[: end.start()].strip() if end else text.strip()


def build(root: Path, place: Path) -> Path:
    """Build the sdist and the wheels of HEAD in a new clone. Return the directory of the files."""
    source, files = place / "source", place / "files"
    _run(root, "git", "clone", "--quiet", "--no-hardlinks", str(root), str(source))
    _run(source, "git", "checkout", "--quiet", _commit(root, "HEAD"))

    files.mkdir()
    hatchling = (sys.executable, "-m", "hatchling", "build", "-d", str(files))
    _run(source, *hatchling, "-t", "sdist", "-t", "wheel")
    _run(source / "client", *hatchling, "-t", "wheel")
    return files


def differences(first: Path, second: Path) -> Iterator[str]:
    """Yield a sentence for each file that two builds do not share byte for byte."""
    names = {path.name for build in (first, second) for path in build.iterdir()}
    for name in sorted(names):
        paths = [build / name for build in (first, second)]
        if not all(path.exists() for path in paths):
            yield f"Only one of two builds has {name}."
        elif _digest(paths[0]) != _digest(paths[1]):
            yield f"Two builds of {name} differ."


def write_sbom(root: Path, path: Path) -> None:
    """Write the bill of materials of the locked packages (CycloneDX 1.6, JSON)."""
    program = Path(sys.executable).with_name("cyclonedx-py")
    options = ["--output-reproducible", "--spec-version", "1.6", "--output-format", "JSON"]
    options += ["--pyproject", "pyproject.toml", "--output-file", str(path)]
    _run(root, str(program), "requirements", *options, "requirements.lock")


def write_sums(directory: Path) -> None:
    """Write the SHA-256 of each file, as `sha256sum --check` reads them."""
    lines = [f"{_digest(path)}  {path.name}\n" for path in sorted(directory.iterdir())]
    (directory / SUMS).write_text("".join(lines), encoding="utf-8")


def tag(root: Path, version: str) -> None:
    """Tag HEAD with a version, unless it has the tag."""
    name = f"v{version}"
    if not _git(root, "tag", "--list", name):
        _run(root, "git", "tag", "--annotate", name, "--message", f"Giornale {version}")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _commit(root: Path, name: str) -> str:
    return _git(root, "rev-parse", f"{name}^{{commit}}")


def _git(root: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _run(directory: Path, *command: str) -> None:
    """Run a command without the variables that change a build."""
    environ = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    subprocess.run(command, cwd=directory, env=environ, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
