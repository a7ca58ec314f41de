"""Players and ladders over HTTP: their public data, page by page, and clear refusals."""

from pathlib import Path

import pytest

from service.bootstrap import open_sequencer
from service.capabilities.players import use_cases as players
from service.record.verify.audit import verify_record
from service.store import seat_holders
from tests import toy
from tests.service.api.conftest import SETTINGS, Door, Make, json, links, opened, problem, tag
from tests.service.api.test_signatures import Signing
from tests.service.capabilities.players.test_use_cases import GREEDY, several
from tests.service.rated import ADA, BEN, CLEO, CLOCK, fold_now, played, put
from tests.service.store.tlog.conftest import run_out
from tests.service.toy_matches import new_context
from tests.signing import Player

HIDDEN = "f" * 64
NOBODY = "0" * 63 + "1"


@pytest.fixture
def empty(make_door: Make, monkeypatch: pytest.MonkeyPatch) -> Door:
    """A door of a service without a match."""
    toy.install(monkeypatch)
    door = make_door(**SETTINGS, RATE_LIMIT="0")
    keep_up(door)
    return door


@pytest.fixture
def door(make_door: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Door:
    """A door to matches of three keys and a bot, rated and not rated, and a private one."""
    toy.install(monkeypatch)
    door = make_door(**SETTINGS, RATE_LIMIT="0")
    for lines in several():
        put(door.ctx, lines, {seat: f"Player {seat}" for seat in range(3)})
    put(door.ctx, played(HIDDEN, ADA, visibility="private", seed="p", ctx=new_context()))
    keep_up(door)
    return door


def keep_up(door: Door) -> None:
    """Do the work of the scheduler: give positions and rate matches."""
    ratings = door.ctx.ratings
    assert ratings is not None
    run_out(open_sequencer(door.services.config, door.ctx))
    while players.keep_up(door.ctx, ratings):
        pass
    fold_now(ratings)


def test_the_ladder_has_all_players_with_their_names(door: Door) -> None:
    """The ladder is sorted by mean minus three times the uncertainty.

    A level of bots has no name.
    """
    ladder = json(door.get("/v1/ladder?game=toy"))
    assert ladder["game"] == "toy"
    lines = ladder["players"]
    assert {line["player"] for line in lines} == {ADA, BEN, CLEO, GREEDY}
    ordinals = [line["rating"]["ordinal"] for line in lines]
    assert ordinals == sorted(ordinals, reverse=True)
    for line in lines:
        rating = line["rating"]
        sure = rating["mean"] - 3 * rating["uncertainty"]
        assert rating["ordinal"] == pytest.approx(sure, abs=0.003)
        assert (line["name"] is None) == (line["player"] == GREEDY)


def test_pages_of_the_ladder_lead_on(door: Door) -> None:
    """The header Link keeps the parameters. The last page has no next one."""
    whole = json(door.get("/v1/ladder?game=toy&humans=true"))["players"]
    assert GREEDY not in {line["player"] for line in whole}
    path, lines = "/v1/ladder?game=toy&humans=true&limit=2", []
    while path:
        page = door.get(path)
        lines += json(page)["players"]
        path = links(page).get("next", "")
    assert lines == whole


def test_a_player_has_ratings_history_and_matches(door: Door) -> None:
    """Each match names the player's seat. Pages of one match make up the whole list."""
    player = json(door.get(f"/v1/players/{ADA}"))
    assert player["player"] == ADA
    [rating] = player["ratings"]
    assert rating["game"] == "toy"
    assert rating["history"][-1]["rating"] == rating["rating"]
    for one in player["matches"]:
        assert one["seats"][one["seat"]]["key"] == ADA

    path, matches = f"/v1/players/{ADA}?limit=1&game=toy", []
    while path:
        page = door.get(path)
        matches += json(page)["matches"]
        path = links(page).get("next", "")
    assert matches == player["matches"]
    assert len(matches) == 4


def test_a_level_of_bots_is_a_player(door: Door) -> None:
    """A level of bots has ratings under an id such as bot:greedy."""
    assert json(door.get(f"/v1/players/{GREEDY}"))["ratings"][0]["game"] == "toy"


@pytest.mark.parametrize("path", ["/v1/ladder?game=toy", f"/v1/players/{BEN}"])
def test_unchanged_answers_are_not_sent_again(door: Door, path: str) -> None:
    """The answer to a known ETag is 304 until another match is rated."""
    first = door.get(path)
    assert first.headers["Cache-Control"] == "public, no-cache"
    condition = {"If-None-Match": tag(first)}
    again = door.get(path, headers=condition)
    assert (again.status_code, again.data) == (304, b"")

    put(door.ctx, played(BEN, CLEO, seed="one more", ctx=new_context()))
    keep_up(door)
    assert door.get(path, headers=condition).status_code == 200


def test_an_erased_name_changes_the_tag(door: Door) -> None:
    """After a name is erased, the old ETag gets a new answer without the name."""
    path = f"/v1/players/{ADA}"
    first = door.get(path)
    assert json(first)["name"] == "Player 1"
    for one in json(first)["matches"]:
        door.ctx.journal.metadata.put(one["match"], {seat_holders.name_field(1): None})
    second = door.get(path, headers={"If-None-Match": tag(first)})
    assert second.status_code == 200
    assert json(second)["name"] is None


@pytest.mark.parametrize("key", [HIDDEN, NOBODY, "bot:nobody"])
def test_a_key_of_private_matches_alone_is_unknown(door: Door, key: str) -> None:
    """A key used only in private matches gets the same refusal as an unused key."""
    answer = door.get(f"/v1/players/{key}")
    assert problem(answer) == (404, "not-found")
    assert json(answer)["detail"] == json(door.get(f"/v1/players/{NOBODY}"))["detail"]


@pytest.mark.parametrize("key", ["ada", ADA.upper(), ADA[:-1], f"{ADA}0", "bot:", "bot:GREEDY"])
def test_a_malformed_key_is_no_player(door: Door, key: str) -> None:
    """A malformed key is 404, as is a malformed id of a match."""
    assert problem(door.get(f"/v1/players/{key}")) == (404, "not-found")


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("", "game"),
        ("?game=chess", "game"),
        ("?game=TOY", "game"),
        ("?game=toy&limit=0", "limit"),
        ("?game=toy&limit=1001", "limit"),
        ("?game=toy&after=1000001", "after"),
        ("?game=toy&humans=1", "humans"),
    ],
)
def test_a_malformed_parameter_is_named(empty: Door, query: str, parameter: str) -> None:
    """A malformed parameter is answered 422 with its name."""
    answer = empty.get(f"/v1/ladder{query}")
    assert problem(answer) == (422, "invalid-request")
    assert [one["parameter"] for one in json(answer)["errors"]] == [parameter]


def test_a_cursor_of_another_form_is_refused(door: Door) -> None:
    """A cursor that is not from a Link is refused."""
    assert problem(door.get(f"/v1/players/{ADA}?cursor=1")) == (422, "invalid-request")


def test_a_match_that_was_signed_through_the_door_is_rated(door: Door) -> None:
    """A match with keys whose seats sign over HTTP has a right record and is rated."""
    people = {"seat:0": Player("Ada"), "seat:1": Player("Bea")}
    seats = [{"kind": "human", "name": one.name, "key": one.key} for one in people.values()]
    match = opened(door, "toy", seats, clock=CLOCK, options={"rounds": 1}, seed=None)
    signing = Signing(match, people)
    while json(door.get())["status"] == "running":
        for seat in door.waiting_seats():
            assert signing.move(f"seat:{seat}").status_code == 201
        door.house()
    door.house()
    report = verify_record(door.get("record").data.splitlines(keepends=True)).report
    assert (report.wrong, report.signed > 0) == (None, True)

    keep_up(door)
    for who, one in people.items():
        player = json(door.get(f"/v1/players/{one.key}"))
        [match] = player["matches"]
        assert (player["name"], match["why_not_rated"]) == (one.name, None)
        assert (match["match"], f"seat:{match['seat']}") == (door.match, who)
        assert player["ratings"][0]["rating"]["matches"] == 1
