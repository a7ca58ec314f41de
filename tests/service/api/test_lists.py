"""The list of matches: pages, filters, matches that wait for a token, and players of the seats."""

import unicodedata
from json import dumps
from typing import Any

import pytest

from service.base.metadata_fields import OUTCOME, SEATS
from service.matches import automation
from service.matches.stories import text_lines
from tests.service.api.conftest import (
    IN_THE_LOBBY,
    Door,
    json,
    links,
    match_ids_on,
    moved,
    opened,
    problem,
)
from workers.bots import choose

BOT = {"kind": "bot", "level": "random"}
NAMED = [
    {"kind": "human", "name": "Cosimo"},
    {"kind": "open"},
    {"kind": "bot", "level": "random"},
]


def listed(door: Door, query: str = "") -> dict[str, Any]:
    """Return the newest match's entry in the list."""
    summary: dict[str, Any] = json(door.get(f"/v1/matches?{query}"))["matches"][0]
    return summary


def check_list_and_match_agree(door: Door) -> None:
    """Fail unless the list and the match tell the same seats, turn, advice and outcome."""
    match = json(door.get())
    summary = listed(door)
    for name in ("seats", "waiting_for", "advice", "outcome"):
        assert summary[name] == match[name]


def test_a_list_names_the_players_of_the_seats(door: Door) -> None:
    """List and match agree on kinds, levels and names of seats, also after joins and leaves.

    They also agree on stand-ins with the humans' names, and on the awaited bots.
    """
    opened(door, seats=NAMED)
    kinds = [seat["kind"] for seat in listed(door)["seats"]]
    assert kinds == ["human", "open", "bot"]
    check_list_and_match_agree(door)

    door.tokens["seat:1"] = json(door.post("seats/1", {"name": "Lucrezia"}))["token"]
    assert listed(door)["seats"][1] == {"seat": 1, "kind": "human", "name": "Lucrezia"}
    check_list_and_match_agree(door)

    for method, path, body, who in STEPS:
        content = {} if body is None else {"json": body}
        answer = door.ask(method, path, who, **content)
        assert answer.status_code in (200, 201), answer.text
        check_list_and_match_agree(door)

    summary = listed(door)

    assert summary["seats"][0] == {
        "seat": 0,
        "kind": "bot",
        "level": "random",
        "absent": True,
        "absent_because": "replaced",
        "may_return": True,
        "name": "Cosimo",
    }

    waiting_for = summary["waiting_for"]
    assert waiting_for["bots"] == waiting_for["seats"] != []

    door.delete("players/0", "owner")
    assert "name" not in listed(door)["seats"][0], "it is erased"


STEPS: tuple[tuple[str, str, Any, str], ...] = (
    ("DELETE", "seats/1", None, "seat:1"),
    ("POST", "seats/1/bot", {"level": "greedy"}, "owner"),
    ("POST", "start", None, "owner"),
    ("POST", "seats/0/bot", {"level": "random"}, "owner"),
)


def test_a_list_computes_missing_metadata(door: Door) -> None:
    """A list computes metadata that an earlier release did not store, and stores it."""
    opened(door, advice=True)
    door.ctx.journal.metadata.put(door.match, {SEATS: None, "advice": None})

    for _look in range(2):
        check_list_and_match_agree(door)

    assert door.ctx.journal.metadata.field(door.match, SEATS) is not None
    assert door.ctx.journal.metadata.field(door.match, "advice") == "true"


def test_a_list_tells_how_a_match_has_ended(door: Door) -> None:
    """A list has the outcome of an ended match.

    If the outcome is not stored, it is computed and stored, as the seats are.
    """
    greedy = {"kind": "bot", "level": "greedy"}
    opened(door, "firenze", seats=[greedy] * 2)
    assert listed(door)["outcome"] is None
    while listed(door)["status"] == "running":
        automation.play_bots(door.ctx, door.match, choose)
        door.house()

    assert 1 in listed(door)["outcome"]["ranks"]
    check_list_and_match_agree(door)
    door.ctx.journal.metadata.put(door.match, {SEATS: None, OUTCOME: None})
    check_list_and_match_agree(door)
    assert door.ctx.journal.metadata.field(door.match, OUTCOME) is not None


def test_a_stand_in_without_a_reason_is_the_owners(door: Door) -> None:
    """A stand-in without a stored reason counts as the owner's, so the human may return (M8).

    Early states of 0.2.0 stored no reason.
    """
    opened(door)
    stored = '[{"kind":"bot","level":"random","absent":true},{"kind":"human"},{"kind":"human"}]'
    door.ctx.journal.metadata.put(door.match, {SEATS: stored})

    assert listed(door)["seats"][0] == {
        "seat": 0,
        "kind": "bot",
        "level": "random",
        "absent": True,
        "absent_because": "replaced",
        "may_return": True,
    }


def test_lists_stay_right_while_matches_are_added(door: Door) -> None:
    """A reader of all pages sees once each match that was opened before the first page."""
    there_before = [opened(door).match for _ in range(5)]

    ids: list[str] = []
    where = "/v1/matches?limit=2&status=running&game=calimala"
    while where:
        page = door.get(where)
        ids += match_ids_on(page)
        opened(door)
        where = links(page).get("next", "")

    assert sorted(ids) == sorted(there_before)


def test_lists_are_filtered(door: Door) -> None:
    """The list is filtered by game and by status. It has no private matches."""
    running = opened(door).match
    aborted = opened(door, game="firenze").match
    door.post("abort", None, "owner")
    opened(door, seats=IN_THE_LOBBY, visibility="private")

    def listed(query: str) -> list[str]:
        page = door.get(f"/v1/matches?{query}")
        return match_ids_on(page)

    assert listed("") == [aborted, running]
    assert listed("game=firenze") == [aborted]
    assert listed("status=aborted") == [aborted]
    assert listed("game=calimala&status=running") == [running]
    assert listed("status=open") == []
    assert listed("game=firenze&status=running") == []


WAITING_FOR_ME = "/v1/matches?waiting_for=me"


def test_a_list_of_matches_that_wait_for_me(match: Door) -> None:
    """With `waiting_for=me` a list has a match only if the token's seat must act."""
    moved(match, 3)
    waiting_seats = match.waiting_seats()

    for seat in range(3):
        expected = [match.match] if seat in waiting_seats else []
        mine = match.get(WAITING_FOR_ME, f"seat:{seat}")
        assert match_ids_on(mine) == expected
        kinds = [seat["kind"] for one in json(mine)["matches"] for seat in one["seats"]]
        assert kinds == ["human"] * 3 * len(expected)

    tokens = [match.tokens[f"seat:{seat}"] for seat in range(3)]
    of_all = match.get(WAITING_FOR_ME, headers={"Giornale-Tokens": ", ".join(tokens)})
    assert match_ids_on(of_all) == [match.match]


def test_a_player_is_found_by_the_longest_name(door: Door) -> None:
    """The filter `player` has the same limit and the same normal form as names of seats."""
    name = "e\u0301" * 60
    opened(door, seats=[{"kind": "human", "name": f" {name}  "}, {"kind": "human"}, BOT])
    stored_name = json(door.get())["seats"][0]["name"]
    assert stored_name == "\u00e9" * 60

    for query in (stored_name, name, f" {name} "):
        matches = json(door.ask("GET", "/v1/matches", query_string={"player": query}))["matches"]
        assert [match["match"] for match in matches] == [door.match]
    for too_long in ("x" * 61, "e\u0301" * 61):
        refused = door.ask("GET", "/v1/matches", query_string={"player": too_long})
        assert problem(refused) == (422, "invalid-request")


def test_a_player_is_found_by_the_longest_decomposed_name(door: Door) -> None:
    """A name of 60 letters is found in NFD, with four characters for each letter.

    No letter has more characters in NFD.
    """
    name = "\u1f82" * 60
    opened(door, seats=[{"kind": "human", "name": name}, {"kind": "human"}, BOT])
    decomposed = unicodedata.normalize("NFD", name)
    assert len(decomposed) == 4 * len(name)

    matches = json(door.ask("GET", "/v1/matches", query_string={"player": decomposed}))["matches"]
    assert [match["match"] for match in matches] == [door.match]


@pytest.mark.parametrize("name", ["\u200b" * 15, "\u202eadA", "A\ue000", "   ", "x" * 61, 7])
def test_invisible_names_are_refused_everywhere(door: Door, name: object) -> None:
    """An invalid name, such as an invisible one, is refused in an opening and in a join."""
    seats = [{"kind": "human", "name": name}, {"kind": "human"}, BOT]
    answer = door.post("/v1/matches", {"game": "calimala", "seats": seats})
    assert problem(answer) == (422, "invalid-request")
    assert [place["pointer"] for place in json(answer)["errors"]] == ["/seats/0/name"]

    opened(door, seats=[{"kind": "human"}, {"kind": "open"}, BOT])
    joined = door.post("seats/1", {"name": name})
    assert problem(joined) == (422, "invalid-request")
    assert [place["pointer"] for place in json(joined)["errors"]] == ["/name"]


def test_a_name_of_an_earlier_release_is_still_shown(door: Door) -> None:
    """A name with a mark for right-to-left text is shown unchanged. A story escapes the mark."""
    opened(door, seats=[{"kind": "human", "name": "Ada"}, {"kind": "human"}, BOT])
    record = dumps({"name": "\u202eeve", "salt": "0" * 32})
    door.ctx.journal.metadata.put(door.match, {"name:0": record})

    assert json(door.get())["seats"][0]["name"] == "\u202eeve"
    story = text_lines(json(door.get("story"))["lines"])
    assert "\u2068\\u202eeve\u2069" in "\n".join(story)
