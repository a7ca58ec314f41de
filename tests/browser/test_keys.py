"""Keys of players: made in a browser, taken to another, and under all that a seat does (M18)."""

import json
import random
import re
import secrets
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from service.record import record
from service.record.commit import Content
from service.record.signatures import is_key
from service.record.verify.audit import verify_record
from tests.attacks.forging import entries_of
from tests.browser.asking import ADA, BOB, BOT, get, open_match, record_of, seat_address
from tests.browser.pages import GREEDY, OPEN
from tests.browser.table import DRAWN, KEYBOARD, MOUSE, Table, Way, match_at, play_on, remembered
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_everyone import widths
from tests.browser.test_pace import send_a_move
from tests.browser.test_play import (
    MEANWHILE,
    MOST_REQUESTS,
    TAB_ICON,
    open_from_lobby,
    settled,
)
from tests.browser.test_trying import IS_SENT, Trying
from tests.browser.watched import PHONE, window
from tests.e2e.playing import Json, client
from tests.running import PATIENCE, RunningService, until
from tests.signing import CLEO, opening_text, proven

PASSPHRASE = "correct horse battery"
MADE = "Your key is made."
SIGNS = "Sign my moves with my key"

# A page asks unsigned first. The service refuses with the text to sign.
DEMANDED = "status of 422"
WAIT = PATIENCE * 1000  # milliseconds
MOST_TRIED = 4  # moves of a turn
DARK = {"color_scheme": "dark", **PHONE}

# Tries to read the private keys that a browser keeps. Returns how many there are, and how many
# tries succeeded.
READ_PRIVATE = """async () => {
  const opened = indexedDB.open("giornale");
  await new Promise((done) => (opened.onsuccess = done));
  const asked = opened.result.transaction("keys").objectStore("keys").getAll();
  await new Promise((done) => (asked.onsuccess = done));
  const formats = ["pkcs8", "jwk", "raw"];
  const tries = asked.result.flatMap(({ private: key }) =>
    formats.map((format) => crypto.subtle.exportKey(format, key)));
  const read = (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled");
  return [asked.result.length, read.length];
}"""

# Forgets all keys, as a browser may that is short of room.
LOSE_KEYS = """() => new Promise((done) => {
  const deleted = indexedDB.deleteDatabase("giornale");
  deleted.onsuccess = done;
})"""

# A browser that does not know Ed25519, and one with an insecure page.
WITHOUT_ED25519 = """
  const { generateKey } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.generateKey = function (algorithm, ...rest) {
    if (algorithm === "Ed25519") return Promise.reject(new DOMException("no", "NotSupportedError"));
    return generateKey.call(this, algorithm, ...rest);
  };"""
NOT_SECURE = "Object.defineProperty(crypto, 'subtle', { value: undefined });"


def keys_of(page: Page, way: Way = MOUSE) -> Locator:
    """Open the dialog of keys."""
    way.press(page.get_by_role("button", name=re.compile("^(Make or take a|Your) key")), WAIT)
    dialog = page.get_by_role("dialog", name="Your key")
    dialog.wait_for()
    return dialog


def make_key(page: Page, passphrase: str = "", way: Way = MOUSE) -> str:
    """Make a key on a page that offers to. Return its public half."""
    dialog = keys_of(page, way)
    another = dialog.get_by_text("Make another key")
    if another.count():
        way.press(another, WAIT)
    dialog.get_by_label("Passphrase for the file").fill(passphrase)
    dialog.get_by_label("The passphrase once more").fill(passphrase)
    way.press(dialog.get_by_role("button", name="Make a key"), WAIT)
    expect(dialog).to_contain_text(MADE)
    key = dialog.locator(".key-whole").first.text_content()
    way.press(dialog.get_by_role("button", name="Close"), WAIT)
    expect(page.get_by_label(SIGNS)).to_be_checked()
    assert key is not None
    return key.strip()


@pytest.mark.parametrize("way", [MOUSE, KEYBOARD], ids=["mouse", "keyboard"])
def test_a_key_is_made_and_cannot_be_read(
    browser: Browser, service: RunningService, way: Way
) -> None:
    """The dialog tells before what a key means. No script gets the private half."""
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        expect(page.get_by_label(SIGNS)).to_be_disabled()
        dialog = keys_of(page, way)
        expect(dialog).to_contain_text("everybody sees it, for ever")
        expect(dialog).to_contain_text("If you lose it, your seats cannot move any more")
        expect(dialog).to_contain_text("An owner can let a bot play on")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)

        keys = [make_key(page, passphrase, way) for passphrase in ("", PASSPHRASE)]

        assert all(map(is_key, keys))
        assert page.evaluate(READ_PRIVATE) == [2, 0]


@pytest.mark.parametrize("settings", [{}, DARK], ids=["wide", "dark-phone"])
def test_everybody_can_use_the_dialog(
    browser: Browser, service: RunningService, settings: dict[str, Any]
) -> None:
    """It has no findings, light and dark, wide and narrow. Controls are large enough to touch."""
    with window(browser, service.url, **settings) as (page, _watch):
        page.goto("/")
        make_key(page, PASSPHRASE)
        dialog = keys_of(page)
        for summary in dialog.locator("summary").all():
            summary.click()
        check_for_everybody(page)
        for control in dialog.locator("button, .button, summary, input:not([type=file])").all():
            box = control.bounding_box()
            assert box is not None
            assert box["height"] >= 24, control.text_content()
        assert all(page_width <= width for width, page_width in widths(page).items())


def keyed(page: Page, service: RunningService, game: str, **more: Any) -> tuple[Json, str]:
    """Make a key in a browser, and open a match with it on seat 0. Return answer and key."""
    page.goto("/")
    key = make_key(page, PASSPHRASE)
    return open_proven(page, service, game, [ADA, BOB, BOT], key, **more), key


# Signs a text with a key of the browser.
SIGN = """async ([key, text]) => {
  const opened = indexedDB.open("giornale");
  await new Promise((done) => (opened.onsuccess = done));
  const asked = opened.result.transaction("keys").objectStore("keys").get(key);
  await new Promise((done) => (asked.onsuccess = done));
  const bytes = new TextEncoder().encode(text);
  const signed = await crypto.subtle.sign("Ed25519", asked.result.private, bytes);
  return [...new Uint8Array(signed)].map((one) => one.toString(16).padStart(2, "0")).join("");
}"""


def open_proven(
    page: Page, service: RunningService, game: str, seats: list[Json], key: str, **more: Any
) -> Json:
    """Open a match with a key of the browser on seat 0."""
    once = secrets.token_hex(16)
    seats = [{**seats[0], "key": key}, *seats[1:]]
    request = {"game": game, "seats": seats, **more}
    proof = page.evaluate(SIGN, [key, opening_text(key, request, once, 0).decode()])
    return open_match(service, game, [{**seats[0], "proof": proof}, *seats[1:]], once, **more)


def revealed(service: RunningService, opened: Json) -> list[bytes]:
    """End a match. Return the lines of its record."""
    match = opened["match"]
    with client(service, opened["tokens"]["owner"]) as owner:
        owner.post(f"/v1/matches/{match}/abort", json={}).raise_for_status()
    until(lambda: not get(service, f"/v1/matches/{match}")["waiting_for"]["house"], "the end")
    return record.lines(record_of(service, match).encode())


def test_all_that_a_seat_does_is_signed(browser: Browser, service: RunningService) -> None:
    """The taking of a link, moves, taking back and resigning are signed. Audit and replay tell."""
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE, DEMANDED]
        opened, key = keyed(page, service, "calimala", take_back="own", seed="own")
        match = opened["match"]
        table = Table(page)
        table.open(seat_address(opened, 0))
        version = send_a_move(table)
        page.get_by_role("button", name="Take my last move back").click()
        table.wait_beyond(version)
        last = send_a_move(table)
        resign(page)
        lines = revealed(service, opened)

        report = verify_record(lines).report
        own = [one["commit"] for one in entries_of(lines) if one["commit"]["actor"] == "seat:0"]
        commands = [commit["command"]["type"] for commit in own if not is_of_bot(commit, last)]
        assert report.wrong is None
        assert report.signed == len(commands)
        assert {"replace_token", "ask_take_back", "resign"} < set(commands)

        check_told(page, match, key, version)


def is_of_bot(commit: Content, last: int) -> bool:
    """Return True if a commit is a bot's move for a human who resigned after version `last`."""
    return commit["version"] > last and commit["command"]["type"] != "resign"


def resign(page: Page) -> None:
    """Resign, and say so again when asked."""
    page.locator("summary", has_text="resigning").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".table-own")).to_contain_text("You have resigned.")


def check_told(page: Page, match: str, key: str, version: int) -> None:
    """Look at the audit of a match, at a version that is signed, and at its table."""
    page.goto(f"/matches/{match}/audit")
    page.locator(".audit-seal.audit-proven").wait_for()
    findings = page.locator(".audit-findings")
    expect(findings).to_contain_text("Signed by Ada's key at every move")
    expect(findings).to_contain_text("Signed by no player")
    expect(findings).to_contain_text("Bob, who has no key")
    findings.locator(".audit-key summary").click()
    expect(findings.locator(".audit-key")).to_contain_text(key)
    check_for_everybody(page)

    page.goto(f"/matches/{match}/{version}")
    expect(page.locator(".replay-signed")).to_have_text("Signed by Ada's key")
    page.locator(".table-signers summary").click()
    expect(page.locator(".table-signers")).to_contain_text(key)
    expect(page.locator(".table-signers")).to_contain_text("Bob has no key, and signs nothing.")
    check_for_everybody(page)
    assert all(page_width <= width for width, page_width in widths(page).items())


def test_a_whole_turn_is_signed_move_by_move(browser: Browser, service: RunningService) -> None:
    """Each of its moves is signed with the hash of the commit before it."""
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE, DEMANDED]
        page.goto("/")
        key = make_key(page)
        opened = open_proven(page, service, "firenze", [ADA, BOB], key, seed="turn")
        match = opened["match"]
        Table(page).open(seat_address(opened, 0))
        trying = Trying(page, service, match, remembered(page, match)["tokens"]["seat:0"])
        trying.begin("Try a whole turn")
        while len(trying.moves) < MOST_TRIED and trying.choose():
            pass
        assert len(trying.moves) > 1
        send = page.get_by_role("button", name=re.compile("^Send "))
        while send.count():  # chance has it otherwise than tried, so the rest is sent apart
            send.click()
            page.evaluate(DRAWN)
            page.wait_for_function(IS_SENT)

        lines = revealed(service, opened)
        report = verify_record(lines).report
        own = [one for one in entries_of(lines) if one["commit"]["actor"] == "seat:0"]
        assert report.wrong is None
        assert report.signed == len(own) > 1 + 1  # the link's token was replaced first


def test_a_key_goes_to_another_device_by_a_file(
    browser: Browser, service: RunningService, tmp_path: Path
) -> None:
    """Without the key a device sees the seat and cannot move. A wrong passphrase opens nothing."""
    with (
        window(browser, service.url) as (page, watch),
        window(browser, service.url) as (other, other_watch),
    ):
        watch.expected = [DEMANDED]
        other_watch.expected = [MEANWHILE, DEMANDED]
        opened, key = keyed(page, service, "firenze", seed="file")
        dialog = keys_of(page)
        with page.expect_download() as download:
            dialog.get_by_role("button", name="Save it as a file").click()
        file = tmp_path / "key.json"
        download.value.save_as(file)
        assert json.loads(file.read_text())["key"] == key

        table = Table(other)
        table.open(seat_address(opened, 0))
        try_to_move(table)
        problem = other.locator(".play-panel .box-bad")
        expect(problem).to_contain_text("The key of this seat is not in this browser")

        other.goto("/")
        take_key(other, file, "another passphrase")
        expect(other.get_by_role("dialog")).to_contain_text(
            "The passphrase is not that of this file"
        )
        check_for_everybody(other)
        other.get_by_role("dialog").get_by_label("Its passphrase").fill(PASSPHRASE)
        other.get_by_role("button", name="Take the key").click()
        expect(other.get_by_role("dialog")).to_contain_text("is here now")
        assert other.evaluate(READ_PRIVATE) == [1, 0]

        table.open(f"/matches/{opened['match']}")
        assert send_a_move(table) > 1


def try_to_move(table: Table) -> None:
    """Choose a move, and send it."""
    chance = random.Random(1)
    while play_on(table, chance) != "send":
        pass


def take_key(page: Page, file: Path, passphrase: str) -> None:
    """Take a key from a file in the dialog of keys."""
    dialog = keys_of(page)
    dialog.get_by_text("Take a key from a file").click()
    dialog.locator("input[type=file]").set_input_files(file)
    expect(dialog).to_contain_text(file.name)
    dialog.get_by_label("Its passphrase").fill(passphrase)
    dialog.get_by_role("button", name="Take the key").click()


def test_a_file_that_holds_no_key_is_refused(
    browser: Browser, service: RunningService, tmp_path: Path
) -> None:
    """Another text is refused, and a file whose passphrase would take for ever to try."""
    slow = {"kind": "giornale key 1", "key": CLEO.key, "iterations": 10**12, "salt": "00" * 16}
    texts = ["{}", "no JSON", json.dumps({**slow, "iv": "00" * 12, "sealed": "00"}), "x" * 9000]
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        for number, text in enumerate(texts):
            file = tmp_path / f"{number}.json"
            file.write_text(text)
            take_key(page, file, PASSPHRASE)
            dialog = page.get_by_role("dialog", name="Your key")
            expect(dialog).to_contain_text("This file holds no key of Giornale.")
            dialog.get_by_role("button", name="Close").click()


def test_a_seat_is_taken_with_a_key(browser: Browser, service: RunningService) -> None:
    """One seat is taken in the lobby, one at the table, each with a key of its player."""
    opened = open_match(service, "calimala", [ADA, OPEN, OPEN], seed="join")
    path = f"/v1/matches/{opened['match']}"
    with (
        window(browser, service.url) as (bob, bob_watch),
        window(browser, service.url) as (cleo, _cleo_watch),
    ):
        bob_watch.expected = ["status of 401", DEMANDED]  # of his token, once he has left
        bob.goto(f"/matches/{opened['match']}")
        bob.get_by_label("Your name").fill("Bob")
        keys = {1: make_key(bob)}
        check_for_everybody(bob)
        bob.get_by_role("button", name="Take the seat").click()
        expect(bob.locator(".table-signers")).to_be_visible()

        cleo.goto("/")
        keys[2] = make_key(cleo)
        card = cleo.locator(f'.lobby-match:has(a[href*="{opened["match"]}"])')
        card.get_by_role("button", name="Take").click()
        dialog = cleo.locator("#lobby-join")
        expect(dialog.get_by_label(SIGNS)).to_be_checked()
        check_for_everybody(cleo)
        dialog.get_by_role("button", name="Take the seat").click()
        cleo.wait_for_url("**/matches/*")

        bob.get_by_role("button", name="Leave the table").click()
        until(lambda: get(service, path)["seats"][1]["kind"] == "open", "the seat to be left")
        seats = get(service, path)["seats"]
        assert [seat.get("key") for seat in seats] == [None, None, keys[2]]
        commits = get(service, f"{path}/commits")["commits"]
        assert [commit["events"][0].get("key") for commit in commits[1:3]] == list(keys.values())


@pytest.mark.parametrize("lack", [WITHOUT_ED25519, NOT_SECURE], ids=["ed25519", "not-secure"])
def test_a_browser_without_keys_says_so_and_plays(
    browser: Browser, service: RunningService, lack: str
) -> None:
    """A browser cannot sign if it does not know how, or if the page is not secure."""
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE, DEMANDED]
        page.add_init_script(lack)
        page.goto("/")
        dialog = keys_of(page)
        expect(dialog).to_contain_text("You can play without a key all the same.")
        expect(dialog.get_by_label("Passphrase for the file")).to_have_count(0)
        check_for_everybody(page)
        dialog.get_by_role("button", name="Close").click()

        match = open_from_lobby(page, "Firenze", MOUSE)
        send_a_move(Table(page))
        assert "key" not in get(service, f"/v1/matches/{match}")["seats"][0]


def test_a_key_that_the_browser_has_lost_is_given_to_no_seat(
    browser: Browser, service: RunningService
) -> None:
    """A seat with it could never move: the player is told, and may go on without."""
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE, DEMANDED]
        page.goto("/")
        make_key(page)
        page.evaluate(LOSE_KEYS)
        page.get_by_role("button", name="Play Firenze").click()
        expect(page.locator(".lobby-opening .box-bad")).to_contain_text("not in this browser")
        expect(page.get_by_label(SIGNS)).to_be_disabled()

        page.get_by_role("button", name="Play Firenze").click()
        page.wait_for_url("**/matches/*")
        assert "key" not in get(service, f"/v1/matches/{match_at(page)}")["seats"][0]


def test_a_table_with_keys_loads_no_more(browser: Browser, service: RunningService) -> None:
    """The code that signs is loaded with the first move."""
    seats = [{**ADA, "key": CLEO.key}, GREEDY, GREEDY]
    once = secrets.token_hex(16)
    body = proven({"game": "calimala", "seats": seats, "seed": "a visit"}, once)
    opened = open_match(service, "calimala", body["seats"], once, seed="a visit")
    until(lambda: settled(service, opened["match"]), "the match to wait for its human alone")
    with window(browser, service.url) as (page, watch):
        page.goto(f"/matches/{opened['match']}")
        page.locator(".table-live").wait_for()
        page.locator(".table-signers").wait_for()
        urls = [url for url in watch.requests if TAB_ICON not in url]
        assert len(urls) <= MOST_REQUESTS, urls
        assert not any("/keys/" in url for url in urls)
