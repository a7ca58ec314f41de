"""The pages that are read, in a browser: rules, documentation, problems."""

import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from werkzeug.serving import make_server

from tests.page.looking import NARROW, WIDE, WINDOWS, Window, look, with_browser
from tests.service.api.contract_file import quiet_app

pytestmark = with_browser

PAGES = (
    "/rules",
    "/rules/calimala",
    "/rules/firenze",
    "/rules/match",
    "/docs",
    "/problems",
    "/problems/stale-version",
)
_UNFOLD = "document.querySelectorAll('#openMatch details').forEach((one) => { one.open = true; })"
A_WINDOW = Window(WIDE, "light")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Where the pages are served; they need no journal."""
    server = make_server("127.0.0.1", 0, quiet_app(), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: f"{window.width}-{window.scheme}")
@pytest.mark.parametrize("path", PAGES)
def test_everybody_can_read_a_page(browser: Browser, url: str, path: str, window: Window) -> None:
    """The browser has nothing to complain of, axe-core finds nothing, and nothing is too wide."""
    with look(browser, window) as looking:
        looking.page.goto(url + path)

        assert looking.sideways() == 0
        assert looking.barriers() == []
        assert looking.complaints == []


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: f"{window.width}-{window.scheme}")
def test_an_unfolded_operation_fits_the_window(browser: Browser, url: str, window: Window) -> None:
    """Its examples are long and stay within the page."""
    with look(browser, window) as looking:
        looking.page.goto(f"{url}/docs#openMatch")
        looking.page.evaluate(_UNFOLD)

        assert looking.page.locator("#openMatch pre:visible").count() >= 2
        assert looking.sideways() == 0


def test_the_menu_stands_beside_the_text_where_there_is_room(browser: Browser, url: str) -> None:
    """In a narrow window it is folded, and can be unfolded without scripts."""
    link = "text=Open a match >> nth=0"

    with look(browser, A_WINDOW) as wide:
        wide.page.goto(f"{url}/docs")
        assert wide.page.locator(".docs-menu").locator(link).is_visible()

    with look(browser, Window(NARROW, "light"), java_script_enabled=False) as narrow:
        narrow.page.goto(f"{url}/docs")
        in_menu = narrow.page.locator(".docs-menu").locator(link)
        assert not in_menu.is_visible()
        narrow.page.locator(".docs-menu summary").click()
        assert in_menu.is_visible()


def test_search_is_done_with_the_keyboard_alone(browser: Browser, url: str) -> None:
    """A slash, some letters, the arrows, Enter; Escape takes the results away."""
    with look(browser, A_WINDOW) as looking:
        page = looking.page
        page.goto(f"{url}/docs")
        page.keyboard.press("/")
        page.keyboard.type("stat")
        results = page.locator(".docs-results a")
        assert "See the state operation" in results.all_inner_texts()

        page.keyboard.press("Escape")
        assert results.count() == 0

        page.keyboard.type("calimalaview")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_function("location.hash === '#schema-CalimalaView'")
        assert page.locator("#schema-CalimalaView table").is_visible()
        assert looking.complaints == []


def test_search_says_that_it_found_nothing(browser: Browser, url: str) -> None:
    """It says so to screen readers, too."""
    with look(browser, A_WINDOW) as looking:
        looking.page.goto(f"{url}/docs")
        looking.page.keyboard.press("/")
        looking.page.keyboard.type("monopoly")

        assert looking.page.get_by_role("status").inner_text() == "Nothing is called so."


def test_a_rule_is_shown_where_its_link_leads(browser: Browser, url: str) -> None:
    """The rule is in the window, and a rule named in it leads on."""
    with look(browser, A_WINDOW) as looking:
        page = looking.page
        page.goto(f"{url}/rules/calimala#C38")
        page.locator("#C38 a.rule").click()
        page.wait_for_function("location.hash === '#C41'")

        inside = "document.querySelector('#C41').getBoundingClientRect().top < innerHeight"
        assert page.evaluate(inside)
