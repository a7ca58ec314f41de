"""What a newcomer stumbles over: lists without seats, moves without a token, ids that are none."""

from typing import Any

import pytest

from service.journal.memory import MemoryJournal
from service.matches import listing
from service.matches.seating import SEATS
from tests.service.api.conftest import THREE, Door, json, opened
from tests.service.api.test_history import moved

NAMED = [{"kind": "human", "name": "Cosimo"}, {"kind": "open"}, {"kind": "bot", "level": "random"}]


def listed(door: Door, query: str = "") -> dict[str, Any]:
    """Return what the list says of the newest match."""
    summary: dict[str, Any] = json(door.get(f"/v1/matches?{query}"))["matches"][0]
    return summary


def same_as_the_match(door: Door) -> None:
    """Assert that the list says of seats and waiting what the match itself says."""
    match, summary = json(door.get()), listed(door)
    assert summary["seats"] == match["seats"]
    assert summary["waiting_for"] == match["waiting_for"]


def test_a_list_tells_who_holds_the_seats(door: Door) -> None:
    """Kinds, levels and names as in the match, at every step of a lobby and of a game."""
    opened(door, seats=NAMED)
    assert [seat["kind"] for seat in listed(door)["seats"]] == ["human", "open", "bot"]
    same_as_the_match(door)
    token = json(door.post("seats/1", {"name": "Lucrezia"}))["token"]
    assert listed(door)["seats"][1] == {"seat": 1, "kind": "human", "name": "Lucrezia"}
    door.tokens["seat:1"] = token
    steps: list[tuple[str, str, Any, str]] = [
        ("DELETE", "seats/1", None, "seat:1"),
        ("POST", "seats/1/bot", {"level": "greedy"}, "owner"),
        ("POST", "start", None, "owner"),
        ("POST", "seats/0/bot", {"level": "random"}, "owner"),
    ]
    for method, path, body, who in steps:
        sent = {} if body is None else {"json": body}
        answer = door.ask(method, path, who, **sent)
        assert answer.status_code in (200, 201), answer.text
        same_as_the_match(door)
    assert listed(door)["seats"][0] == {
        "seat": 0, "kind": "bot", "level": "random", "absent": True, "name": "Cosimo"
    }  # fmt: skip
    assert listed(door)["waiting_for"]["bots"] == listed(door)["waiting_for"]["seats"] != []


def test_a_list_forgets_an_erased_name(door: Door) -> None:
    """A name that was erased is on no list any more."""
    opened(door, seats=NAMED)
    door.ask("DELETE", "players/0", "owner")
    assert "name" not in listed(door)["seats"][0]


def test_a_list_of_mine_tells_the_seats(match: Door) -> None:
    """So does the list of what waits for me."""
    found = json(match.get("/v1/matches?waiting_for=me", "seat:0"))["matches"]
    assert [seat["kind"] for seat in found[0]["seats"]] == ["human"] * 3


def test_a_match_from_before_seats_were_kept_has_them_on_the_list(match: Door) -> None:
    """What is not kept beside the chain is worked out once, and then kept."""
    match.desk.journal.put_aside(match.match, {SEATS: None})
    same_as_the_match(match)
    assert match.desk.journal.aside(match.match, SEATS) is not None


def test_a_page_of_the_list_costs_two_round_trips(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for what is on the page and one for all that is told of it, however many matches there are."""
    for _ in range(5):
        door.post("/v1/matches", {"game": "calimala", "seats": THREE})
    journal: Any = door.desk.journal
    asked: list[str] = []
    for name in [name for name in dir(MemoryJournal) if not name.startswith("_")]:
        method = getattr(journal, name)

        def counted(*args: Any, _name: str = name, _method: Any = method, **more: Any) -> Any:
            asked.append(_name)
            return _method(*args, **more)

        monkeypatch.setattr(journal, name, counted)
    assert len(listing.public(door.desk, "", None, None, 5).matches) == 5
    assert asked == ["listing", "overviews"]


def test_moves_say_whose_they_are(match: Door) -> None:
    """No moves for want of a seat's token look other than no moves because it is not one's turn."""
    moved(match, 3)
    waiting = json(match.get())["waiting_for"]["seats"][0]
    other = (waiting + 1) % 3
    mine, others = (
        json(match.get("moves", f"seat:{waiting}")),
        json(match.get("moves", f"seat:{other}")),
    )
    nobody, owner = json(match.get("moves")), json(match.get("moves", "owner"))
    assert mine["seat"] == waiting
    assert mine["moves"]
    assert (others["seat"], others["moves"]) == (other, [])
    assert [(one["seat"], one["moves"]) for one in (nobody, owner)] == [(None, [])] * 2


PATHS = {
    "id": ("/v1/matches/abc", "26 characters"),
    "id-in-capitals": (f"/v1/matches/{'A' * 26}/state", "26 characters"),
    "version": (f"/v1/matches/{'a' * 26}/commits/last", "number of a commit"),
    "seat": (f"/v1/matches/{'a' * 26}/players/16", "0 to 15"),
    "elsewhere": ("/v2/matches", "/openapi.json"),
    "no-such-part": (f"/v1/matches/{'a' * 26}/history", "/openapi.json"),
}


@pytest.mark.parametrize(("path", "said"), PATHS.values(), ids=PATHS)
def test_a_path_that_leads_nowhere_says_why(door: Door, path: str, said: str) -> None:
    """A 404 tells what the wrong part of the path looks like."""
    answer = door.ask("DELETE" if "players" in path else "GET", path)
    assert (answer.status_code, json(answer)["type"]) == (404, "/problems/not-found")
    assert said in json(answer)["detail"]


def test_a_record_is_kept_under_the_id_of_its_match(match: Door) -> None:
    """A browser stores it as a file with a name that tells what it is."""
    kept = match.get("record").headers["Content-Disposition"]
    assert kept == f'attachment; filename="{match.match}.ndjson"'
