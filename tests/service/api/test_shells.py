"""The pages' shells and static files: their imports, permissions and sizes."""

import logging
import re
from pathlib import Path

import pytest

from domain.games import GAMES
from service.api.page.assets import STATIC, read_tree, tree
from service.api.routes.pages import SHELLS, Shell
from service.api.wsgi.codings import CODINGS
from service.capabilities.single_file.page import empty_file
from tests.service.api.conftest import Door, Make, json, problem

MATCH = "a" * 26
PAGES = {
    "/": "lobby",
    f"/matches/{MATCH}": "table",
    f"/matches/{MATCH}/17": "table",
    f"/matches/{MATCH}/audit": "audit",
    "/ladder": "players",
    f"/players/{'a' * 64}": "players",
    "/players/bot:greedy": "players",
}
GZIP = {"Accept-Encoding": "gzip"}
FOR_EVER = "public, max-age=31536000, immutable"


def style_of(door: Door) -> str:
    """Return the address of a static file. The lobby's page has the digest of all files."""
    [digest] = set(re.findall('"/static/([^/"]+)/', door.get("/").text))
    return f"/static/{digest}/style/colours.css"


@pytest.mark.parametrize(("path", "name"), PAGES.items(), ids=PAGES)
def test_a_shell_has_nothing_inline(door: Door, path: str, name: str) -> None:
    """The policy would block inline scripts and styles. The shell does not name its match."""
    page = door.get(path)
    policy = page.headers["Content-Security-Policy"]

    assert (page.status_code, page.mimetype) == (200, "text/html")
    assert f'<html lang="en" data-home="" data-page="{name}">' in page.text
    assert MATCH not in page.text
    assert "<noscript>" in page.text
    assert re.findall("<script[^>]*>([^<]*)</script>", page.text) == [""]
    assert "<style" not in page.text
    assert not re.search(r"\s(?:on[a-z]+|style)=", page.text)
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert page.headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("path", PAGES)
def test_a_shell_loads_only_own_existing_files(door: Door, path: str) -> None:
    """Every style, module and icon of a shell is served, and nothing is from elsewhere."""
    page = door.get(path)

    loaded = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
    missing = [address for address in loaded if door.get(address).status_code != 200]
    assert any(address.endswith(".css") for address in loaded)
    assert missing == []
    assert "://" not in page.text


@pytest.mark.parametrize("path", [*PAGES, "/docs"])
def test_a_page_makes_every_policy_that_it_names(door: Door, path: str) -> None:
    """Each policy is created as the page loads (Trusted Types), so no other script can do so."""
    page = door.get(path)

    [names] = re.findall("trusted-types ([^;]+);", page.headers["Content-Security-Policy"])
    modules = re.findall('"(/static/[^"]+[.]js)"', page.text)
    sources = "".join(door.get(address).text for address in modules)
    policies = re.findall(r'createPolicy\("(\w[\w-]*)"', sources)
    assert set(policies) == set(names.split())


def test_a_shell_is_asked_for_again(door: Door) -> None:
    """A shell names the files of its release, so caches have to revalidate it.

    /favicon.ico, which browsers request by themselves, redirects to the icon.
    """
    first = door.get("/")
    again = door.get("/", headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Cache-Control"] == "public, no-cache"
    assert again.status_code == 304

    where = door.get("/favicon.ico").headers["Location"]

    assert door.get(where).mimetype == "image/svg+xml"


# ---- static files --------------------------------------------------------------------------


def test_a_static_file_may_be_kept_for_ever(door: Door) -> None:
    """The address of a static file has the digest of all files, so its bytes never change.

    It is compressed more than an answer of the API, and each form has its own ETag.
    """
    address = style_of(door)
    plain = door.get(address)
    packed = door.get(address, headers=GZIP)

    assert plain.data == (STATIC / "style/colours.css").read_bytes()
    assert packed.data == CODINGS[-1].small(plain.data)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(plain.data) / 2
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert door.ask("HEAD", address).data == b""
    for form, headers in ((plain, {}), (packed, GZIP)):
        condition = {**headers, "If-None-Match": form.headers["ETag"]}
        assert form.headers["Cache-Control"] == FOR_EVER
        assert door.get(address, headers=condition).status_code == 304


@pytest.mark.parametrize("path", ["base/dom.js", "icons/icon.svg", "style/colours.css"])
def test_every_kind_of_file_has_its_media_type(door: Door, path: str) -> None:
    """Browsers run a module only with its media type. All files have the policy of the pages."""
    answer = door.get(tree().address(path))
    kinds = {"js": "text/javascript", "svg": "image/svg+xml", "css": "text/css"}

    assert answer.mimetype == kinds[path.rpartition(".")[2]]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "style/none.css",
        "../assets.py",
        "style/../../assets.py",
        "%2e%2e/assets.py",
        "..%2fassets.py",
        "/etc/passwd",
        "style",
        "style/",
        "style/colours.css/",
        "style//colours.css",
        "style/colours.css%00",
        "STYLE/colours.css",
        "vendor/lit-html.d.ts",
    ],
)
def test_nothing_but_the_files_is_served(door: Door, path: str) -> None:
    """The path of a static file is looked up in a table, not on the disk."""
    answer = door.get(f"/static/{tree().digest}/{path}")

    assert problem(answer) == (404, "not-found")
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_page_that_a_browser_fills_with_a_match_is_a_text(door: Door) -> None:
    """Each game has such a page. As a text it runs nothing, and it may be cached for ever."""
    address = f"/static/{tree().digest}/single"
    for game in GAMES:
        answer = door.get(f"{address}/{game}.txt")
        assert answer.mimetype == "text/plain"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == FOR_EVER
        assert answer.data == empty_file(game)

    assert problem(door.get(f"{address}/chess.txt")) == (404, "not-found")
    other = f"/static/0123456789abcdef/single/{game}.txt"
    assert problem(door.get(other)) == (404, "not-found")


def test_a_file_of_another_release_is_refused(door: Door) -> None:
    """Modules of two releases do not fit together, so the reader is told to load the page again."""
    answer = door.get("/static/0123456789abcdef/style/colours.css")

    assert problem(answer) == (404, "not-found")
    assert "Load the page again" in json(answer)["detail"]


@pytest.mark.usefixtures("one_window")
def test_static_files_use_up_nobodys_allowance(
    make_door: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """Static files count against no rate limit, since a page loads dozens. They are not logged."""
    door = make_door()
    caplog.set_level(logging.INFO, "giornale.request")
    address = style_of(door)
    caplog.clear()
    before = door.get("/v1/games").headers["RateLimit"]

    for _ in range(40):
        assert "RateLimit" not in door.get(address).headers

    after = door.get("/v1/games").headers["RateLimit"]
    assert left(before) - left(after) == 1
    logged = [line for line in caplog.records if line.name == "giornale.request"]
    assert len(logged) == 2


def left(header: str) -> int:
    """Return the number of requests a caller has left."""
    [number] = re.findall(r"r=(\d+)", header)
    return int(number)


# ---- the tree ------------------------------------------------------------------------------


def test_every_import_is_in_the_tree() -> None:
    """No module asks for a file that is not served."""
    files = tree().assets
    missing = [
        f"{path}: {imported}"
        for path, asset in files.items()
        for imported in asset.imports()
        if imported not in files
    ]
    assert missing == []


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell.name)
def test_a_page_preloads_all_that_its_module_imports(door: Door, shell: Shell) -> None:
    """The preloaded files have all modules that the page's entry imports."""
    path = next(path for path, name in PAGES.items() if name == shell.name)
    page = door.get(path).text
    preloaded = re.findall(r'"modulepreload" href="/static/\w+/([^"]+)"', page)
    texts = "".join(tree().joined[file].content.decode() for file in preloaded)

    assert preloaded == tree().files(shell.entry)
    assert set(re.findall("^// ==== (.*)$", texts, re.MULTILINE)) == set(
        tree().modules(shell.entry)
    )


def test_the_digest_stands_for_every_path_and_byte(tmp_path: Path) -> None:
    """Another name, another byte or another file is another digest."""
    trees = {
        "first": {"a.js": "1", "b.js": "2"},
        "swapped": {"a.js": "2", "b.js": "1"},
        "renamed": {"a.js": "1", "c.js": "2"},
        "longer": {"a.js": "1", "b.js": "2", "c.js": ""},
        "joined": {"a.js": "12", "b.js": ""},
    }
    for tree_name, texts in trees.items():
        (tmp_path / tree_name).mkdir()
        for name, text in texts.items():
            (tmp_path / tree_name / name).write_text(text)

    assert len({read_tree(tmp_path / name).digest for name in trees}) == len(trees)
