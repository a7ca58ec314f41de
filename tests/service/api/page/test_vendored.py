"""Vendored files of the pages: each is listed with its version, licence and digest."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from service.api.page.assets import STATIC

PAGE = STATIC.parent
VENDOR = STATIC / "vendor"
LISTED: list[dict[str, Any]] = json.loads((VENDOR / "vendored.json").read_text())
# Not vendored: the list, and a file that refers type checkers to the package's own types.
OURS = {"vendored.json", "lit-html.d.ts"}

LIBRARIES = pytest.mark.parametrize("library", LISTED, ids=lambda library: str(library["name"]))


def digest(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


@LIBRARIES
def test_a_vendored_file_is_as_it_was_taken(library: dict[str, Any]) -> None:
    """The digest of each vendored file is the listed one."""
    digests = {name: digest(VENDOR / name) for name in library["files"]}

    assert digests == library["files"]


def test_every_vendored_file_is_listed() -> None:
    listed = {name for library in LISTED for name in library["files"]}
    files = {file.relative_to(VENDOR).as_posix() for file in VENDOR.rglob("*") if file.is_file()}

    assert files - OURS == listed


@LIBRARIES
def test_a_library_has_its_licence_and_the_locked_version(library: dict[str, Any]) -> None:
    """Each vendored library is listed with a version, a licence and a source."""
    packages = json.loads((PAGE / "package-lock.json").read_text())["packages"]

    assert {"name", "version", "licence", "from", "files"} == set(library)
    assert any(name.endswith(".LICENSE") for name in library["files"])
    assert packages[f"node_modules/{library['name']}"]["version"] == library["version"]


def test_the_library_is_named_in_one_place() -> None:
    """Only base/dom.js names a vendored file, so another library takes one change."""
    naming = [
        file.relative_to(STATIC).as_posix()
        for file in STATIC.rglob("*.js")
        if "vendor/" in file.read_text() and file.parent != VENDOR
    ]
    assert naming == ["base/dom.js"]
