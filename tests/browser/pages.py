"""Every page there is, as tests and pictures visit it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

from service.base.config import Config
from service.bootstrap import open_context
from service.ops.cli.local_journal import running_journal
from service.store.journal.errors import Conflict
from tests.browser.asking import ADA, BOB, BOT, get, open_match, played_match, seat_address
from tests.running import RunningService, until
from tests.service.rated import played_by_chance, put

GAMES = {"calimala": 3, "firenze": 3}
CLOCK = {"bank_s": 600, "move_s": 15, "level": "random"}
PACE: dict[str, Any] = {"clock": CLOCK, "take_back": "consent", "seed": "a visit"}
GREEDY = {"kind": "bot", "level": "greedy"}


# Pages with all that is drawn of them later: the lobby with its lists, tables with their story, and
# those of ended matches with the chances of winning, and the points.
LOBBY = ".lobby:has(.lobby-match):not(:has-text('One moment'))"
GATHERING = ".table:has(.table-live):has([data-version]) .table-gathering"
BOARD = ".table:has([data-version]) .replay-board [data-place]"
REPLAY = ".table:has(.replay-curve):has([data-version]) .replay-board [data-place]"
END = ".table:has(.sheet-scores):has([data-version]) .replay-curve"


@dataclass(frozen=True, slots=True)
class Visit:
    """A page to look at.

    name: a short name, fit for a file. address: its path under the service's address. shown: a
    selector of an element that is there when the page is ready.
    """

    name: str
    address: str
    shown: str

    def pay(self, page: Page) -> None:
        """Go to the page, and wait until it is ready."""
        page.goto(self.address)
        page.locator(self.shown).first.wait_for()


def all_visits(service: RunningService) -> Iterator[Visit]:
    """Open the matches that the pages need, and yield all visits."""
    for game, seats in GAMES.items():
        ended = played_match(service, game, seats, seed="a visit")
        yield from visits_of(game, playing(service, game, seats), ended["match"])
    yield from visits_of_a_fork(service, ended["match"])

    rate_players(service)
    yield Visit("ladder", "/ladder?game=firenze", ".players-ladder")
    yield Visit("player", f"/players/{KEYS['Ada']}", ".players-history")

    timed = open_match(service, "calimala", [ADA, BOB, BOT], **PACE)
    yield Visit("timed", seat_address(timed, 0), ".play-choice")
    gathering = open_match(service, "calimala", [ADA, OPEN, BOT])
    yield Visit("gathering", f"/matches/{gathering['match']}", GATHERING)
    yield Visit("lobby", "/", LOBBY)
    yield Visit("docs", "/docs", ".docs-start")
    yield Visit("docs-play", "/docs/play", "article")
    yield Visit("docs-schemas", "/docs/schemas", "article")
    yield Visit("problems", "/problems", "main table, main ul")
    yield Visit("problem", "/problems/stale-version", "main h1")
    yield Visit("rules", "/rules", "main h1")
    for key in (*GAMES, "match"):
        yield Visit(f"rules-{key}", f"/rules/{key}", "#M1, #C1, #F1")


def visits_of_a_fork(service: RunningService, ended: str) -> Iterator[Visit]:
    """Yield the form that opens a fork of an ended match of Firenze, and the table of one (M21)."""
    base = {"match": ended, "version": 60}
    seats = [ADA, *[GREEDY] * (GAMES["firenze"] - 1)]
    fork = open_match(service, "firenze", seats, fork=base)
    yield Visit("fork-form", f"/?fork={ended}.60", f"{LOBBY} #lobby-kind-0")
    yield Visit("fork", f"/matches/{fork['match']}", BOARD)


OPEN = {"kind": "open"}
KEYS = {"Ada": "a1" * 32, "Bartolomeo di Lorenzo": "b2" * 32, "Contessina": "c3" * 32}
PAIRS = ((0, 1), (1, 2), (2, 0), (0, 2), (1, 0), (2, 1))


def rate_players(service: RunningService) -> None:
    """Put matches of players with keys into the journal, and wait until they are rated."""
    names = list(KEYS)
    settings = {"GIORNALE_DATA": str(service.directory)}
    with running_journal(Config.load(settings), make=False) as config:
        ctx, _queues = open_context(config)
        for number, seats in enumerate(PAIRS):
            players = [names[one] for one in seats]
            lines = played_by_chance("firenze", *(KEYS[one] for one in players), number=number)
            with suppress(Conflict):  # it is there already
                put(ctx, lines, dict(enumerate(players)))

    def are_rated() -> bool:
        places = get(service, "/v1/ladder", game="firenze")["players"]
        return bool(sum(one["rating"]["matches"] for one in places) == 2 * len(PAIRS))

    until(are_rated, "ratings")


def playing(service: RunningService, game: str, seats: int) -> dict[str, Any]:
    """Open a match with a person to move first."""
    return open_match(service, game, [ADA] + [GREEDY] * (seats - 1), seed="a visit")


def visits_of(game: str, opened: dict[str, Any], ended: str) -> Iterator[Visit]:
    """Yield the pages of a match with a person to move, and of one that has ended."""
    # The browser remembers the seat's token once it has seen it, so the public's look comes first.
    yield Visit(f"{game}-watching", f"/matches/{opened['match']}", BOARD)
    yield Visit(f"{game}-playing", seat_address(opened, 0), ".play-choice")
    yield Visit(f"{game}-replay", f"/matches/{ended}/60", REPLAY)
    yield Visit(f"{game}-end", f"/matches/{ended}", END)
    whole_audit = ".audit-findings li:has-text('in the log')"
    yield Visit(f"{game}-audit", f"/matches/{ended}/audit", whole_audit)
