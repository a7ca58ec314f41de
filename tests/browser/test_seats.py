"""Seats: opened for friends, kept by their players, and played by bots only after silence."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.asking import ADA, BOB, open_match, seat_address
from tests.browser.table import Table, remembered, send_form, take_seat, unfold_form
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_everyone import widths
from tests.browser.test_play import MEANWHILE
from tests.browser.watched import window
from tests.running import RunningService

OWN_SEAT = ".table-own"
LONG_AGO = '"time":"2020-01-31T12:00:00.000Z"'
MANAGE = re.compile("stand-ins")
CLOCK = {"bank_s": 600, "move_s": 15, "level": "random"}


def test_a_friend_takes_the_seat_and_sets_the_name(
    browser: Browser, service: RunningService
) -> None:
    """The form's own choice is an open seat. The opener's browser never has its token."""
    with (
        window(browser, service.url) as (ada, _watch),
        window(browser, service.url) as (bob, _bob_watch),
    ):
        unfold_form(ada)
        ada.locator("#lobby-open-game").select_option("firenze")
        expect(ada.get_by_label("Red", exact=True)).to_contain_text("You")
        friend = ada.get_by_label("Blue", exact=True)
        expect(friend).to_have_value("open")
        expect(friend).to_contain_text("Another person at this screen")
        check_for_everybody(ada)
        match = send_form(ada)
        expect(ada.locator(".table-gathering")).to_contain_text("Send your friends the link below")

        take_seat(bob, f"/matches/{match}", "Bob")
        expect(ada.locator(".table-seats")).to_contain_text("Bob")
        assert sorted(remembered(ada, match)["tokens"]) == ["owner", "seat:0"]
        assert list(remembered(bob, match)["tokens"]) == ["seat:1"]


def with_times(change: Callable[[str], str]) -> Callable[[Route], None]:
    """Return a handler that lets a page read other times than the service has told."""

    def handle(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=change(answer.text()))

    return handle


def test_a_bot_is_put_on_a_seat_after_silence_alone(
    browser: Browser, service: RunningService
) -> None:
    """The page shows how long a player has been awaited, and for whom no bot can be put yet."""
    opened = open_match(service, "firenze", [ADA, BOB], seed="silence")
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{opened['match']}#token={opened['tokens']['owner']}")
        page.locator("summary", has_text=MANAGE).click()
        rows = page.locator(".table-managing")
        expect(rows).to_contain_text(re.compile(r"Ada has been awaited for \d+:\d\d\. A bot can"))
        expect(rows).to_contain_text("Bob is not awaited now")
        expect(rows.get_by_role("button", name="Put a bot")).to_have_count(0)
        check_for_everybody(page)
        assert all(page_width <= width for width, page_width in widths(page).items())


def test_the_owner_is_told_how_long_a_silence_it_takes(
    browser: Browser, service: RunningService
) -> None:
    """The test changes the service's answer to ask for a day. With a clock no silence counts."""
    silent = open_match(service, "firenze", [ADA, BOB], seed="a day")
    timed = open_match(service, "firenze", [ADA, BOB], clock=CLOCK, seed="a day")
    with window(browser, service.url) as (page, _watch):
        page.route(f"**/v1/matches/{silent['match']}", with_times(in_a_day))
        rows = page.locator(".table-managing")
        for match, text in (
            (silent, re.compile(r"Ada has been awaited for \d+:\d\d\. .* after 1 day 0 h of")),
            (timed, "A bot plays for Bob once their time runs out."),
        ):
            Table(page).open(f"/matches/{match['match']}#token={match['tokens']['owner']}")
            page.locator("summary", has_text=MANAGE).click()
            expect(rows).to_contain_text(text)
            expect(rows.get_by_role("button", name="Put a bot")).to_have_count(0)
        page.unroute_all(behavior="wait")


def in_a_day(body: str) -> str:
    """Return a match with seats replaceable a day after the last commit."""
    match = json.loads(body)
    updated = datetime.fromisoformat(match["updated"])
    return json.dumps(match | {"replaceable_from": (updated + timedelta(days=1)).isoformat()})


def test_a_player_replaced_by_a_bot_comes_back_with_one_click(
    browser: Browser, service: RunningService
) -> None:
    """The owner is asked first. A no changes nothing."""
    opened = open_match(service, "firenze", [ADA, BOB], seed="stand in")
    match = opened["match"]
    with (
        window(browser, service.url) as (owner, _watch),
        window(browser, service.url) as (ada, ada_watch),
    ):
        ada_watch.expected = [MEANWHILE]
        Table(ada).open(seat_address(opened, 0))
        owner.route(
            "**/states?*", with_times(lambda body: re.sub(r'"time":"[^"]+"', LONG_AGO, body))
        )
        Table(owner).open(f"/matches/{match}#token={opened['tokens']['owner']}")
        owner.locator("summary", has_text=MANAGE).click()
        put = owner.get_by_role("button", name="Put a bot on the red seat")

        put.click()
        dialog = owner.get_by_role("dialog", name="Let a bot play for Ada?")
        expect(dialog).to_contain_text("comes back with one click")
        check_for_everybody(owner)
        dialog.get_by_role("button", name="Wait on").click()
        expect(owner.locator(".table-managing")).to_contain_text("Ada has been awaited for")

        put.click()
        dialog.get_by_role("button", name="Put the bot there").click()
        box = ada.locator(OWN_SEAT)
        expect(box).to_contain_text("The owner has put a bot on your seat. A bot plays for you.")
        expect(owner.locator(".table-managing")).to_contain_text("A bot stands in for Ada.")
        comes_back(ada)
        expect(owner.locator(".table-managing")).not_to_contain_text("A bot stands in for Ada.")
        owner.unroute_all(behavior="wait")


def comes_back(page: Page) -> None:
    """Press the one button, and see that the seat is one's own again."""
    page.locator(OWN_SEAT).get_by_role("button", name="Return").click()
    expect(page.locator(OWN_SEAT)).to_have_count(0)


# ---- lost links ----------------------------------------------------------------------------------


def test_the_owner_makes_a_new_link_for_a_player_who_lost_theirs(
    browser: Browser, service: RunningService
) -> None:
    """The old link is dead, the new one opens the seat, and the story tells of it.

    The browser that opens the new link replaces its token.
    """
    opened = open_match(service, "firenze", [ADA, BOB], seed="lost")
    match = opened["match"]
    with (
        window(browser, service.url) as (owner, _watch),
        window(browser, service.url) as (old, old_watch),
        window(browser, service.url) as (new, _new_watch),
    ):
        old_watch.expected = [REFUSED]
        Table(old).open(seat_address(opened, 0))
        Table(owner).open(f"/matches/{match}#token={opened['tokens']['owner']}")
        owner.locator("summary", has_text=MANAGE).click()
        owner.get_by_role("button", name="Make a new link for Ada").click()
        dialog = owner.get_by_role("dialog", name="Make a new link for Ada?")
        expect(dialog).to_contain_text("Everybody reads in the story that you did it.")
        check_for_everybody(owner)
        dialog.get_by_role("button", name="Make the link").click()

        copied = owner.get_by_role("button", name="Copy link: The new link for Ada")
        owner.evaluate(KEEP_COPIES)
        copied.click()
        link = str(owner.wait_for_function("() => window.copied").json_value())
        assert list(remembered(owner, match)["tokens"]) == ["owner"]
        expect(old.locator(".table-door")).to_contain_text("The token does not open this match")

        Table(new).open(link)
        new.locator(".play-choice").first.wait_for()
        expect(owner.locator(".story")).to_contain_text("The owner makes a new link for Ada")
        assert link.partition("#token=")[2] not in str(remembered(new, match))


KEEP_COPIES = """() => {
  navigator.clipboard.writeText = async (text) => { window.copied = text; };
}"""
REFUSED = "status of 401"


def test_a_spectator_takes_a_seat_by_pasting_its_link(
    browser: Browser, service: RunningService
) -> None:
    """A text without a token is refused."""
    opened = open_match(service, "firenze", [ADA, BOB], seed="mine")
    with window(browser, service.url) as (page, _watch):
        Table(page).open(f"/matches/{opened['match']}")
        page.get_by_role("button", name="This is my seat").click()
        dialog = page.get_by_role("dialog", name="This is my seat")
        check_for_everybody(page)
        field = dialog.get_by_label("Your token, or the link with it")
        field.fill("my seat")
        dialog.get_by_role("button", name="Open the match").click()
        assert field.evaluate("(element) => element.validationMessage").startswith("This holds no")

        field.fill(f"Here: {service.url}{seat_address(opened, 0)} !")
        dialog.get_by_role("button", name="Open the match").click()
        page.locator(".play-choice").first.wait_for()
        expect(page.get_by_role("button", name="This is my seat")).to_have_count(0)


# ---- another device ------------------------------------------------------------------------------


def test_one_file_carries_all_my_matches_to_another_device(
    browser: Browser, service: RunningService, tmp_path: Path
) -> None:
    """Both devices can play then, and no requested address holds a token."""
    matches = [open_match(service, "firenze", [ADA, BOB], seed=f"carry {n}") for n in range(2)]
    file = tmp_path / "matches.json"
    with (
        window(browser, service.url) as (first, first_watch),
        window(browser, service.url) as (second, second_watch),
    ):
        for opened in matches:
            Table(first).open(seat_address(opened, 0))
            first.goto("/")
        with first.expect_download() as saved:
            first.get_by_role("button", name="Save my matches").click()
        saved.value.save_as(file)

        second.goto("/")
        take = second.get_by_label("Take matches from a file")
        take.set_input_files({"name": "x", "mimeType": "text/plain", "buffer": b"{}"})
        expect(second.locator(".lobby-carrying")).to_contain_text("holds no matches")
        take.set_input_files(file)
        expect(second.locator(".lobby-carrying")).to_contain_text("2 matches are here now")
        mine = second.get_by_role("region", name="My matches")
        expect(mine.locator(".lobby-turn")).to_have_count(2)
        check_for_everybody(second)
        assert all(page_width <= width for width, page_width in widths(second).items())

        for page in (first, second):
            Table(page).open(f"/matches/{matches[0]['match']}")
            page.locator(".play-choice").first.wait_for()
        addresses = first_watch.requests + second_watch.requests
        assert not [address for address in addresses if "gio_" in address.partition("#")[0]]


def test_a_link_moves_all_my_matches_to_another_device(
    browser: Browser, service: RunningService
) -> None:
    """The second device asks first, and its address loses the token at once. The link counts once.

    Each token is replaced. If the server does not answer, the tokens are taken as soon as it does.
    """
    matches = [open_match(service, "firenze", [ADA, BOB], seed=f"move {n}") for n in range(2)]
    with (
        window(browser, service.url) as (first, first_watch),
        window(browser, service.url) as (second, second_watch),
    ):
        first_watch.expected = [REFUSED]
        second_watch.expected = ["ERR_FAILED"]
        for opened in matches:
            Table(first).open(seat_address(opened, 0))
            first.goto("/")
        first.evaluate(KEEP_COPIES)
        first.get_by_role("button", name="Copy a link that moves them").click()
        link = str(first.wait_for_function("() => window.copied").json_value())

        second.route("**/tokens", lambda route: route.abort())
        second.goto(link)
        dialog = second.get_by_role("dialog", name="Take 2 matches from the link?")
        expect(dialog).to_contain_text("The link counts once")
        assert "#" not in second.url
        check_for_everybody(second)
        dialog.get_by_role("button", name="Take them").click()
        carrying = second.locator(".lobby-carrying")
        expect(carrying).to_contain_text("No answer yet")
        second.unroute("**/tokens")
        expect(carrying).to_contain_text("2 matches are here now")
        mine = second.get_by_role("region", name="My matches")
        expect(mine.locator(".lobby-turn")).to_have_count(2)

        for opened in matches:
            token = remembered(second, opened["match"])["tokens"]["seat:0"]
            assert token != remembered(first, opened["match"])["tokens"]["seat:0"]
        first.goto(f"/matches/{matches[0]['match']}")
        expect(first.locator(".table-door")).to_contain_text("A link to a seat counts once")
        Table(second).open(f"/matches/{matches[0]['match']}")
        second.locator(".play-choice").first.wait_for()


def test_a_file_of_another_server_is_asked_about(
    browser: Browser, service: RunningService, tmp_path: Path
) -> None:
    """Tokens of that server are not sent to this one before the reader agrees."""
    opened = open_match(service, "firenze", [ADA, BOB], seed="elsewhere")
    entry = {"match": opened["match"], "tokens": {"seat:0": opened["tokens"]["seat:0"]}}
    file = tmp_path / "matches.json"
    kind = "giornale matches 1"
    file.write_text(json.dumps({"kind": kind, "home": "http://elsewhere", "matches": [entry]}))
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        for answer, number in (("Leave it", 0), ("It is the same", 1)):
            page.get_by_label("Take matches from a file").set_input_files(file)
            dialog = page.get_by_role("dialog", name="Is this the same server?")
            expect(dialog).to_contain_text("http://elsewhere")
            dialog.get_by_role("button", name=answer).click()
            save = page.get_by_role("button", name="Save my matches")
            expect(save).to_have_count(number)
