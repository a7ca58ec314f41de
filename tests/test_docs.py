"""The pages name nothing that is not there: no file, no link, no module, no target of make."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALL_PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
)


# The changelog tells of names that have gone.
PAGES = [page for page in ALL_PAGES if page != "CHANGELOG.md"]

FOLDERS = ("domain", "service", "workers", "tests", "docs", "benchmarks", "examples")
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
PLACE = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./-]*")
FILE_IN_A_FOLDER = re.compile(r"[\w-]+/[\w./-]+\.(?:py|lua|md|mjs|json|yaml|yml)")
DOTTED_NAME = re.compile(r"(?:domain|service|workers)(?:\.\w+)+")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MAKE = re.compile(r"(?:^    |`)make ([a-z][a-z-]*)", re.MULTILINE)

MADE_BY_A_COMMAND = {"benchmarks/history.jsonl"}


def quoted(page: str) -> list[str]:
    """Return what a page has in backticks."""
    return IN_BACKTICKS.findall((ROOT / page).read_text())


def places(page: str) -> Iterator[str]:
    """Return the files and folders of the project that a page names in backticks."""
    for words in quoted(page):
        if PLACE.fullmatch(words) or FILE_IN_A_FOLDER.fullmatch(words):
            yield words


def resolves(name: str) -> bool:
    """Return whether a dotted name is a module, or a name in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            holder = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            if not hasattr(holder, attribute):
                return False
            holder = getattr(holder, attribute)
        return True
    return False


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(page.read_text())
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_pages_are_read() -> None:
    """There are names to check; a change of form does not make the next tests empty."""
    assert len(PAGES) > 40
    assert sum(len(list(places(page))) for page in PAGES) > 60


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_are_there(page: str) -> None:
    """A path in backticks leads from the root of the project to a file or a folder."""
    missing = [
        place
        for place in places(page)
        if not (ROOT / place).exists() and place not in MADE_BY_A_COMMAND
    ]
    assert missing == []


@pytest.mark.parametrize("page", ALL_PAGES)
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    """A link to another page leads to a file, and its anchor to a heading there."""
    dead = []
    for link in LINK.findall((ROOT / page).read_text()):
        if link.startswith(("http:", "https:")):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


@pytest.mark.parametrize("page", PAGES)
def test_names_in_the_code_that_a_page_has_are_there(page: str) -> None:
    """A dotted name in backticks is a module of the project, or a name in one."""
    names = [words for words in quoted(page) if DOTTED_NAME.fullmatch(words)]
    assert [name for name in names if not resolves(name)] == []


@pytest.mark.parametrize("page", ALL_PAGES)
def test_targets_of_make_that_a_page_names_are_there(page: str) -> None:
    """`make NAME` is a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert set(MAKE.findall((ROOT / page).read_text())) <= targets
