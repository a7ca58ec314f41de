"""Moves that are only tried: a whole turn before it is sent, and a match continued otherwise.

The page is compared with the service's answer to the same line.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.browser.asking import ADA, BOB, get, open_match, played_match, seat_address
from tests.browser.table import DRAWN, FOLDED, Table, remembered
from tests.browser.test_advice import check_for_everybody, given_up
from tests.browser.test_ending import kept
from tests.browser.test_replay import TREE
from tests.browser.watched import PHONE, window
from tests.e2e.playing import Json, client
from tests.running import RunningService, until

DRAWING = Path(__file__).with_name("drawing.js").read_text()
CLEO = {"kind": "human", "name": "Cleo"}
FIRST = {"calimala": "place_disc", "firenze": "take_card"}  # the first move of a whole turn
DRAW = "Draw a card"  # Chance draws it: later moves of a try may not be legal in the match.
SEED_OF_LINES = f"{13:032x}"  # draws a Contribute card, and the match itself a Wood card
MOST_STEPS = 12
FEW_STEPS = 5

PANEL = ".play-trying"
SETTLED = f"{PANEL}[aria-busy=false]"
TRIED = f"{PANEL} .play-tried"
# Sending has come to its end: all is made, or the panel says why not.
IS_SENT = """() => {
  const panel = document.querySelector(".play-trying");
  return !panel || (panel.querySelector(".play-sent") && panel.ariaBusy === "false");
}"""

REFUSED = "status of 409"
CUT_OFF = ["Failed to load resource", "ERR_"]

KEYS: dict[str, Any] = {}  # of a window that is used by keyboard


class Trying:
    """A page for trying moves, with the lines that it sends to the service.

    token: of the trying seat, None for nobody's.
    """

    def __init__(
        self, page: Page, service: RunningService, match: str, token: str | None = None
    ) -> None:
        self.page = page
        self.service = service
        self.match = match
        self.token = token
        self.by_touch = page.viewport_size == PHONE["viewport"]
        self.lines: list[Json] = []
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        if request.url.endswith("/lines"):
            line: Json = json.loads(request.post_data or "")
            self.lines.append(line)

    def press(self, selector: str, key: str = "Enter") -> None:
        """Tap a control, or press its key. Then wait until the page has reacted."""
        control = self.page.locator(selector).first
        if self.by_touch:
            control.tap()
        else:
            control.wait_for()
            self.page.keyboard.press(key)
        self.settle()

    def settle(self) -> None:
        """Wait until no answer is awaited."""
        self.page.evaluate(DRAWN)
        self.page.locator(SETTLED).wait_for()

    def begin(self, name: str) -> None:
        """Press the button that begins the try."""
        button = self.page.get_by_role("button", name=name)
        if self.by_touch:
            button.tap()
        else:
            button.focus()
            self.page.keyboard.press("Enter")
        self.settle()
        self.page.evaluate(DRAWING, self.page.evaluate(TREE))

    def choose(self, *, draws: bool = True) -> bool:
        """Choose the first of the choices, or try the composed move.

        draws: True if the move may draw a card.
        """
        if self.page.locator(f"{PANEL} .primary", has_text="Try this move").count():
            self.press(f"{PANEL} .primary:has-text('Try this move')")
            return True
        choices = self.page.locator(f"{PANEL} .play-choice").all_text_contents()
        if not choices:
            return False
        folded = self.page.locator(f"{PANEL} {FOLDED}")
        if self.by_touch and folded.count():
            folded.tap()
        place = next(place for place, text in enumerate(choices) if draws or DRAW not in text)
        self.press(f"{PANEL} .play-choice >> nth={place}", str(place + 1))
        return True

    @property
    def moves(self) -> list[Json]:
        """The moves that are tried now."""
        moves: list[Json] = self.lines[-1]["moves"]
        return moves

    def answer(self, line: Json) -> Json:
        """Return the service's answer to a line."""
        with client(self.service, self.token) as asker:
            response = asker.post(f"/v1/matches/{self.match}/lines", json=line)
            answer: Json = response.raise_for_status().json()
            return answer

    def check(self, line: Json | None = None) -> Json:
        """Compare the page with the answer to a line, by default the last. Return the answer."""
        answer = self.answer(line or self.lines[-1])
        expected = [text_of(event) for step in answer["steps"] for event in step["events"]]
        sentences = self.page.locator(f"{TRIED} p").all_text_contents()
        assert [" ".join(text.split()) for text in sentences] == expected

        seats = get(self.service, f"/v1/matches/{self.match}", self.token)["seats"]
        fault = self.page.evaluate(
            "([game, view, seats, reader]) => boardFault(game, view, seats, reader)",
            [answer["game"], self.view_of(answer), seats, answer["seat"]],
        )
        assert fault == ""
        return answer

    def view_of(self, answer: Json) -> Json:
        """Return the board after a line."""
        if answer["steps"]:
            view: Json = answer["steps"][-1]["state"]
            return view
        path = f"/v1/matches/{self.match}/state"
        state: Json = get(self.service, path, self.token, version=answer["version"])["state"]
        return state


def text_of(event: Json) -> str:
    """Return the text of an event on the page: its sentence, its rules, and a mark if imagined."""
    sentence = event["sentence"]
    mark = ["imagined"] if event.get("drawn") else []
    return " ".join([sentence["text"], *sentence["rules"], *mark])


def turn_of(service: RunningService, game: str) -> Json:
    """Open a match of three people, and play until the first seat is to begin a turn.

    Return the answer to opening it.
    """
    opened = open_match(service, game, [ADA, BOB, CLEO], seed="a whole turn")
    path = f"/v1/matches/{opened['match']}"

    def legal(seat: int) -> list[Json]:
        token = opened["tokens"][f"seat:{seat}"]
        moves: list[Json] = get(service, f"{path}/moves", token)["moves"]
        return moves

    def begun() -> bool:
        waiting = get(service, path)["waiting_for"]["seats"]
        if not waiting:
            return False
        if waiting == [0] and legal(0)[0]["type"] == FIRST[game]:
            return True
        with client(service, opened["tokens"][f"seat:{waiting[0]}"]) as asker:
            asker.post(f"{path}/moves", json=legal(waiting[0])[0]).raise_for_status()
        return False

    until(begun, "the first seat's turn")
    return opened


def made_since(service: RunningService, match: str, version: int) -> list[Json]:
    """Return the moves that the first seat has made since a version."""
    path = f"/v1/matches/{match}/commits"
    commits = get(service, path, after=version, actor="seat:0")["commits"]
    return [commit["command"] for commit in commits]


def try_all(trying: Trying, game: str) -> None:
    """Try a turn until it ends. After each tried move the page equals the service's answer."""
    trying.begin("Try a whole turn")
    while len(trying.moves) < MOST_STEPS and trying.choose(draws=False):
        if trying.page.locator(f"{PANEL} .play-trail, {PANEL} .play-composer").count() == 0:
            trying.check()
    assert len(trying.moves) > 1
    assert trying.moves[0]["type"] == FIRST[game]


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        pytest.param("calimala", PHONE, id="calimala-touch"),
        pytest.param("firenze", KEYS, id="firenze-keys"),
        pytest.param("calimala", KEYS, id="calimala-keys", marks=pytest.mark.whole),
        pytest.param("firenze", PHONE, id="firenze-touch", marks=pytest.mark.whole),
    ],
)
def test_a_whole_turn_is_tried_taken_back_and_sent(
    browser: Browser, service: RunningService, game: str, settings: dict[str, Any]
) -> None:
    """Moves are sent after the try alone. They are made up to one that comes out otherwise.

    That is said, and the rest is tried from there and can be sent too. The browser keeps the
    receipt of each move.
    """
    opened = turn_of(service, game)
    match = opened["match"]
    with window(browser, service.url, **settings) as (page, _watch):
        Table(page).open(seat_address(opened, 0))
        page.locator(".play-try").wait_for()
        version = get(service, f"/v1/matches/{match}")["version"]
        token = remembered(page, match)["tokens"]["seat:0"]
        trying = Trying(page, service, match, token)
        try_all(trying, game)
        expect(page.locator(".replay-board")).to_have_attribute("data-mark", "Tried, not sent")
        check_for_everybody(page)

        last = trying.lines[-1]
        trying.press(f"{TRIED} li:last-child button", "Escape")
        trying.check({**last, "moves": last["moves"][:-1]})
        assert get(service, f"/v1/matches/{match}")["version"] == version
        while trying.choose(draws=False):
            pass
        whole = trying.check()

        send(trying)
        expected_moves = [{**move, "seat": 0} for move in made_since(service, match, version)]
        path = f"/v1/matches/{match}/state"
        differs = [
            number
            for number in range(len(expected_moves))
            if get(service, path, token, version=version + number + 1)["state"]
            != whole["steps"][number]["state"]
        ]
        assert differs in ([], [len(expected_moves) - 1])
        if len(expected_moves) < len(whole["steps"]):
            assert differs
            report = f"{len(expected_moves)} of {len(whole['steps'])} moves"
            expect(page.locator(".play-sent")).to_contain_text(report)
            trying.check()
            check_for_everybody(page)
            while page.locator(PANEL).count():
                send(trying)
        expected = [move["type"] for move in last["moves"]]
        assert [move["type"] for move in made_since(service, match, version)] == expected
        assert kept(page, match) == len(expected)


def test_a_card_of_the_try_alone_cannot_be_played(
    browser: Browser, service: RunningService
) -> None:
    """Moves that are legal without that card can be sent. The rest is refused by its rule."""
    opened = turn_of(service, "calimala")
    match = opened["match"]

    def seeded(route: Route) -> None:
        line = {**json.loads(route.request.post_data or ""), "seed": SEED_OF_LINES}
        route.continue_(post_data=json.dumps(line))

    with window(browser, service.url) as (page, _watch):
        page.route("**/lines", seeded)
        Table(page).open(seat_address(opened, 0))
        page.locator(".play-try").wait_for()
        version = get(service, f"/v1/matches/{match}")["version"]
        trying = Trying(page, service, match)
        trying.begin("Try a whole turn")
        while trying.choose():
            pass
        moves = trying.moves
        assert [move["type"] for move in moves][2:] == ["compensate", "play_card", "play_card"]

        send(trying)
        expect(page.locator(".play-sent")).to_contain_text("3 of 5 moves were made.")
        expect(page.locator(f"{PANEL} .box-bad")).to_contain_text("C20")
        assert [{**move, "seat": 0} for move in made_since(service, match, version)] == moves[:3]
        expect(page.locator(f"{TRIED} li")).to_have_count(1)

        page.get_by_role("button", name="Send this move").click()
        expect(page.locator(PANEL)).to_have_count(0)
        assert [{**move, "seat": 0} for move in made_since(service, match, version)] == moves[:4]
        assert kept(page, match) == 4


def send(trying: Trying) -> None:
    """Send the tried moves, and wait until that is done."""
    page = trying.page
    primary = page.locator(f"{PANEL} .play-end .primary")
    if trying.by_touch:
        primary.tap()
    else:
        primary.wait_for()
        page.keyboard.press("Enter")
    page.evaluate(DRAWN)
    page.wait_for_function(IS_SENT)


def answered_once(answer: Callable[[Route], None], number: int) -> Callable[[Route], None]:
    """Return a handler that answers the move of this number. Other requests go to the service."""
    posted = 0

    def handle(route: Route) -> None:
        nonlocal posted
        is_move = route.request.method == "POST" and "dry_run" not in route.request.url
        posted += is_move
        if is_move and posted == number:
            answer(route)
        else:
            route.continue_()

    return handle


def refuse(route: Route) -> None:
    """Refuse a move as the service does."""
    body = {"title": "Illegal move", "status": 409, "detail": "Not now.", "rule": "C1"}
    route.fulfill(status=httpx.codes.CONFLICT, json=body)


def lose(route: Route) -> None:
    """Let a move be made, and its answer get lost."""
    route.fetch()
    route.abort()


def test_sending_stops_at_a_move_that_is_refused(browser: Browser, service: RunningService) -> None:
    """The page says how many were made and why the next was not. Then one chooses anew."""
    opened = turn_of(service, "calimala")
    with window(browser, service.url) as (page, watch):
        watch.expected = [REFUSED]
        Table(page).open(seat_address(opened, 0))
        trying = Trying(page, service, opened["match"])
        trying.begin("Try a whole turn")
        while trying.choose():
            pass
        number = len(trying.moves)
        page.route("**/moves", answered_once(refuse, 2))
        page.locator(f"{PANEL} .play-end .primary").click()
        report = page.locator(".play-sent")
        expect(report).to_contain_text(f"1 of {number} moves was made. The next one was refused")
        expect(page.locator(PANEL)).to_contain_text("Not now.")
        page.unroute_all(behavior="wait")

        page.keyboard.press("Enter")
        expect(page.locator(PANEL)).to_have_count(0)
        page.locator(".play-choice").first.wait_for()


def test_a_move_with_a_lost_answer_is_sent_once(browser: Browser, service: RunningService) -> None:
    """The rest follows when the player says so."""
    opened = turn_of(service, "calimala")
    with window(browser, service.url) as (page, watch):
        watch.expected = CUT_OFF
        Table(page).open(seat_address(opened, 0))
        page.locator(".play-try").wait_for()
        version = get(service, f"/v1/matches/{opened['match']}")["version"]
        trying = Trying(page, service, opened["match"])
        trying.begin("Try a whole turn")
        while trying.choose(draws=False):
            pass
        expected = [move["type"] for move in trying.moves]

        page.route("**/moves", answered_once(lose, 2))
        page.locator(f"{PANEL} .play-end .primary").click()
        expect(page.locator("#play-title")).to_have_text("No answer came")
        page.keyboard.press("Enter")
        expect(page.locator(PANEL)).to_have_count(0)
        page.unroute_all(behavior="wait")
        moves = made_since(service, opened["match"], version)
        assert [move["type"] for move in moves] == expected
        assert kept(page, opened["match"]) == len(expected)


def test_a_turn_that_no_longer_fits_is_not_sent(browser: Browser, service: RunningService) -> None:
    """Somebody with the same token has moved meanwhile: the page says so, and one chooses anew."""
    opened = turn_of(service, "calimala")
    with window(browser, service.url) as (page, _watch):
        Table(page).open(seat_address(opened, 0))
        trying = Trying(page, service, opened["match"])
        trying.begin("Try a whole turn")
        while trying.choose():
            pass

        token = remembered(page, opened["match"])["tokens"]["seat:0"]
        with client(service, token) as asker:
            path = f"/v1/matches/{opened['match']}/moves"
            move = asker.get(path).json()["moves"][0]
            asker.post(path, json=move).raise_for_status()
        report = page.locator(".play-sent")
        expect(report).to_contain_text("The match has moved on, so the tried moves no longer fit.")
        page.keyboard.press("Enter")
        expect(page.locator(PANEL)).to_have_count(0)
        page.locator(".play-try").wait_for()


@pytest.mark.parametrize(
    ("game", "settings"), [("calimala", KEYS), ("firenze", PHONE)], ids=["calimala", "firenze"]
)
def test_a_match_that_is_over_goes_on_otherwise(
    browser: Browser, service: RunningService, game: str, settings: dict[str, Any]
) -> None:
    """Each seat moves in its turn, and one press leads back to the match."""
    match = played_match(service, game, 3, seed="a branch")
    version = match["version"] // 2
    with window(browser, service.url, **settings) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match['match']}/{version}")
        table.wait_for_version(version)
        trying = Trying(page, service, match["match"])
        trying.begin("Go on from here")
        while len(trying.moves) < FEW_STEPS and trying.choose():
            is_between = page.locator(f"{PANEL} .play-trail, {PANEL} .play-composer").count()
            if not is_between:
                assert trying.check()["imagined"] is False
        check_for_everybody(page)

        back = page.get_by_role("button", name="Back to the match")
        if trying.by_touch:
            back.tap()
        else:
            back.click()
        expect(page.locator(PANEL)).to_have_count(0)
        table.wait_for_version(version)
        assert get(service, f"/v1/matches/{match['match']}")["version"] == match["version"]


def test_a_branch_shows_the_options_that_a_bot_weighed(
    browser: Browser, service: RunningService
) -> None:
    """A press tries its move. Of a turn never played the page says that nothing was weighed."""
    match = given_up(service)
    thoughts = get(service, f"/v1/matches/{match}/thoughts")["thoughts"]
    thought = next(thought for thought in thoughts if len(thought["best"]) > 1)
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match}/{thought['version'] - 1}")
        trying = Trying(page, service, match)
        trying.begin("Go on from here")
        weighed = page.locator(f"{PANEL} .play-advised")
        expect(weighed).to_have_count(len(thought["best"]))
        check_for_everybody(page)

        weighed.nth(1).click()
        expect(page.locator(f"{TRIED} li").first).to_be_visible()
        trying.settle()
        assert trying.moves == [{**thought["best"][1]["move"], "seat": thought["seat"]}]
        trying.check()
        expect(page.locator(PANEL)).to_contain_text(
            "No bot has weighed moves that were never played."
        )
