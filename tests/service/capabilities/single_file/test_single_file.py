"""`service.capabilities.single_file`: a whole match in one file that names nothing outside it."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from service.capabilities.single_file.page import single_file
from service.capabilities.single_file.replays import replay, replay_of_shown
from service.record import record
from service.record.commit import digest
from service.record.verify.audit import verify_record
from tests.attacks.forging import entries_of
from tests.records import make
from tests.service.record.verify.node import Case, reports, with_node

ADDRESSES = ("href", "src", "srcset", "data", "action", "poster")
EXECUTED = ("importmap", "module")

# The ways of a module to load something, but for imports.
LOADS = re.compile(
    r"import\.meta|(?<![\w.])fetch\(|XMLHttpRequest|WebSocket|importScripts|Worker\("
)
IMPORTS = re.compile(r'^(?:import|export)\s[^;]*?from "([^"]+)";|^import "([^"]+)";', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)


@dataclass
class Element:
    """An element of a page with its attributes and its text."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""


@dataclass
class Reader(HTMLParser):
    """Reads the elements of a page, each with the text up to the next tag."""

    elements: list[Element] = field(default_factory=list)
    is_inside: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))
        self.is_inside = True

    def handle_endtag(self, _tag: str) -> None:
        self.is_inside = False

    def handle_data(self, data: str) -> None:
        if self.is_inside:
            self.elements[-1].text += data


@dataclass(frozen=True)
class Page:
    """A page that was made of a record."""

    content: bytes
    lines: list[bytes]
    elements: list[Element]

    def by_id(self, name: str) -> bytes:
        """Return the unpacked content of an element."""
        elements = [one for one in self.elements if one.attributes.get("id") == name]
        return gzip.decompress(base64.b64decode(elements[0].text))

    def scripts(self, kind: str) -> list[str]:
        """Return the texts of the scripts of a kind."""
        return [
            one.text
            for one in self.elements
            if one.tag == "script" and one.attributes["type"] == kind
        ]

    @property
    def match(self) -> Any:
        """The content of the page."""
        return json.loads(self.by_id("single-match"))

    @property
    def modules(self) -> dict[str, str]:
        """The modules of the import map by their names."""
        [import_map] = self.scripts("importmap")
        imports: dict[str, str] = json.loads(import_map)["imports"]
        return {name: module_of(url) for name, url in imports.items()}

    @property
    def policy(self) -> dict[str, list[str]]:
        """The allowed sources of the page, by directive."""
        [meta] = [one for one in self.elements if "http-equiv" in one.attributes]
        directives = [part.split() for part in (meta.attributes["content"] or "").split(";")]
        return {name: sources for name, *sources in directives}


def module_of(url: str) -> str:
    """Return the module in a `data:` URL."""
    head, _, content = url.partition(",")
    assert head == "data:text/javascript;base64"
    return base64.b64decode(content).decode()


@pytest.fixture(scope="module", params=["calimala/1-3-09", "firenze/1-3-09"])
def page(request: pytest.FixtureRequest) -> Page:
    """The page of a short golden record."""
    lines = make.lines_in(make.HOME / f"{request.param}.ndjson.gz")
    audit = verify_record(lines)
    page = single_file(replay(audit, {0: "Ada <b>"}), b"".join(lines), audit.report)

    reader = Reader()
    reader.feed(page.decode())
    return Page(page, lines, reader.elements)


def test_it_names_nothing_outside(page: Page) -> None:
    """Every address in the page is a fragment or data, and no module has a way to load anything."""
    addresses = [
        value or ""
        for element in page.elements
        for name, value in element.attributes.items()
        if name in ADDRESSES
    ]
    styles = "".join(one.text for one in page.elements if one.tag == "style")
    codes = {name: COMMENT.sub("", code) for name, code in page.modules.items()}

    assert addresses != []
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert "url(" not in styles
    assert "@import" not in styles
    assert {name for name, code in codes.items() if LOADS.search(code)} == set()
    assert "import(" not in "".join(codes.values())


def test_each_module_finds_its_imports(page: Page) -> None:
    """Imports of modules name modules of the map, and each module of the map is imported."""
    modules = page.modules
    codes = [*modules.values(), *page.scripts("module")]
    imported = {one or other for code in codes for one, other in IMPORTS.findall(code)}

    assert len(imported) > 20
    assert imported <= modules.keys()
    assert imported == modules.keys()


def test_its_policy_allows_its_own_scripts_alone(page: Page) -> None:
    """The policy holds the digests of the scripts and of the style, and else `data:` alone."""
    executed = [text for kind in EXECUTED for text in page.scripts(kind)]
    [style] = [one.text for one in page.elements if one.tag == "style"]

    policy = page.policy

    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == [*map(source_of, executed), "data:"]
    assert policy["style-src"] == [source_of(style)]
    assert policy["img-src"] == ["data:"]
    assert policy["base-uri"] == policy["form-action"] == ["'none'"]
    assert policy["require-trusted-types-for"] == ["'script'"]
    assert "connect-src" not in policy


def source_of(text: str) -> str:
    """Return a text's digest as policies name it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_each_frame_is_bound_to_the_chain(page: Page) -> None:
    """Each frame has the version and hash of its commit, and its view the digest in it.

    The record can be taken out of the page to the byte. Hands are open once the match is over, so
    the file shows it with the eyes of each seat. Each version has its line of the story, told to
    the public. Times and hashes are the record's, even if a server sends others beside a right
    view.
    """
    frames = page.match["frames"]
    entries = entries_of(page.lines)

    assert [frame["version"] for frame in frames] == list(range(1, len(entries) + 1))
    assert [frame["hash"] for frame in frames] == [entry["hash"] for entry in entries]
    assert [view_digest(frame["state"]) for frame in frames] == [
        entry["commit"]["view"] for entry in entries
    ]

    assert page.by_id("single-record") == b"".join(page.lines)

    match = page.match
    public = [frame["state"] for frame in match["frames"]]

    seat_states = match["seat_states"]
    assert len(seat_states) == 3
    assert all(len(states) == len(public) for states in seat_states)
    assert all(states != public for states in seat_states)

    lines = page.match["lines"]

    assert [line["version"] for line in lines] == list(range(1, len(page.lines) + 1))
    assert all(sentence["text"] for line in lines for sentence in line["sentences"])
    assert any("Ada <b>" in line["sentences"][0]["text"] for line in lines)

    audit = verify_record(page.lines)
    false_frames = [
        {**frame, "time": "2099-01-01T00:00:00.000Z", "hash": "0" * 64} for frame in frames
    ]

    replayed = replay_of_shown(audit, [], false_frames, page.match["lines"])

    assert replayed.frames == frames


def view_digest(state: Any) -> str:
    """Return the digest of a view as a commit holds it."""
    return "" if state is None else digest(state)


def test_it_holds_the_chances_of_winning(page: Page) -> None:
    """The page holds points with a chance for each seat, and the module that draws them."""
    points = page.match["curve"]["points"]

    assert len(points) > 5
    assert "replay/curve.js" in page.modules
    assert all(len(point["win_chances"]) == 3 for point in points)


def test_a_name_cannot_write_html(page: Page) -> None:
    """A name in the page's title is escaped. Elsewhere names lie packed."""
    [title] = [one.text for one in page.elements if one.tag == "title"]

    assert title.endswith(": Ada <b>")
    assert b"Ada <b>" not in page.content


@with_node
def test_its_own_checker_finds_it_right(page: Page, tmp_path: Path) -> None:
    """On opening the page checks itself: the record is right, and all that is shown fits."""
    path = tmp_path / "record.ndjson"
    path.write_bytes(page.by_id("single-record"))
    match = page.match
    beside = {"shown": match["frames"], "viewVersion": match["view_version"]}

    [report] = reports(tmp_path, [Case(path, beside=beside)])

    assert report["verdict"] == "right"
    assert report["counts"]["views"] == len(page.lines)


def test_a_redacted_record_is_shown_as_far_as_it_can_be_folded() -> None:
    """A game without hidden cards is shown to the last commit although its secret is sealed."""
    path = make.HOME / "firenze" / "1-3-09.ndjson.gz"
    entries = entries_of(make.lines_in(path))[:-1]
    audit = verify_record([record.line(record.redact(entry, [])) for entry in entries])

    replayed = replay(audit, {})

    assert audit.report.verdict == "partly_checked"
    assert len(replayed.frames) == len(replayed.lines) == len(entries)
    assert replayed.frames[-1]["state"] is not None
    assert replayed.seat_states == []


@with_node
def test_another_version_of_the_view_is_not_compared(page: Page, tmp_path: Path) -> None:
    """Views of another version are no fault, but they are not proven either."""
    path = tmp_path / "record.ndjson"
    path.write_bytes(page.by_id("single-record"))
    beside = {"shown": [{"version": 30, "state": {}}], "viewVersion": 2}

    [report] = reports(tmp_path, [Case(path, beside=beside)])

    assert report["verdict"] == "partly_checked"
    assert report["unchecked"][0].startswith("what is shown:")
