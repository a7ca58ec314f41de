"""Resigning, coming back, and taking moves back over HTTP (M15-M17)."""

from typing import Any

import pytest

from service.matches.stories import text_lines
from tests.service.api.conftest import KEY, Door, json, opened, problem, run_out, tag
from tests.service.api.test_my_matches import Lines
from tests.service.api.test_non_interference import new_door
from tests.service.toy_matches import first_match_rules

AT_TURN = 7  # the version of seat 0's first turn of Calimala, after the draft


@pytest.fixture
def consent(door: Door) -> Door:
    """A match with take-backs by consent, after the draft."""
    return drafted(opened(door, take_back="consent"))


def drafted(match: Door) -> Door:
    """Let all seats draft. Then it is seat 0's turn."""
    for seat in (0, 1, 2, 2, 1, 0):
        assert match.move(f"seat:{seat}").status_code == 201
    return match


def take_back(match: Door, to: int, who: str = "seat:0", **more: Any) -> Any:
    """Ask to go back to a version."""
    return match.post("take-back", {"to": to}, who, **more)


def agree(match: Door, who: str, **more: Any) -> Any:
    """Agree to the pending request."""
    return match.post("take-back/agree", None, who, **more)


def game_of(match: Door, version: int | None = None) -> Any:
    """Return the game's state as seat 0 sees it, now or at a version."""
    return json(match.get(f"state?version={version}" if version else "state", "seat:0"))["state"]


def types_of(answer: Any) -> list[str]:
    """Return the types of the events of an answered commit."""
    return [event["type"] for event in json(answer)["events"]]


# ---- taking back ---------------------------------------------------------------------------------


def test_ones_own_moves_are_taken_back_at_once(consent: Door) -> None:
    """M17: the state is again that of the version. The moves taken back are shown as before."""
    before = game_of(consent)
    consent.move("seat:0")
    after_moves = game_of(consent)

    answer = take_back(consent, AT_TURN)

    assert answer.status_code == 201
    assert types_of(answer) == ["take_back_asked", "taken_back"]
    assert json(answer)["version"] == AT_TURN + 2
    assert game_of(consent) == before
    assert game_of(consent, AT_TURN + 1) == after_moves
    assert after_moves != before
    assert json(consent.get())["take_back"]["taken_back"] == [AT_TURN + 1]
    assert consent.move("seat:0").status_code == 201


def test_others_moves_are_taken_back_with_the_last_consent(consent: Door) -> None:
    """M17: until the last consent everybody sees the request and the consents."""
    before = game_of(consent)
    for _ in range(2):
        consent.move("seat:0")

    request = take_back(consent, AT_TURN, "seat:2")
    ask = {"seat": 2, "to": AT_TURN, "agreed": []}
    assert types_of(request) == ["take_back_asked"]
    assert json(consent.get("state"))["take_back_ask"] == ask
    assert types_of(agree(consent, "seat:0")) == ["take_back_agreed"]
    assert json(consent.get())["take_back"]["ask"] == {**ask, "agreed": [0]}

    assert types_of(agree(consent, "seat:1")) == ["take_back_agreed", "taken_back"]
    assert game_of(consent) == before
    assert json(consent.get())["take_back"] == {
        "option": "consent",
        "earliest": 1,
        "house_at": [],
        "refused": [],
        "ask": None,
        "taken_back": [AT_TURN + 1, AT_TURN + 2],
    }
    assert "take_back_ask" not in json(consent.get("state"))


def test_the_match_tells_seats_that_ask_no_more(consent: Door) -> None:
    """M17: the next move lets a refused seat ask again."""
    consent.move("seat:0")
    take_back(consent, AT_TURN, "seat:2")
    assert consent.post("take-back/refuse", None, "seat:1").status_code == 201
    assert json(consent.get())["take_back"]["refused"] == [2]
    assert problem(take_back(consent, AT_TURN, "seat:2"))[0] == 409

    consent.move("seat:0")
    assert json(consent.get())["take_back"]["refused"] == []


def test_a_repeat_takes_nothing_back_twice(consent: Door) -> None:
    """With the same key the same commit is answered. With another body the key is refused."""
    consent.move("seat:0")
    key = {"Idempotency-Key": KEY}
    first = take_back(consent, AT_TURN, headers=key)
    again = take_back(consent, AT_TURN, headers=key)

    assert again.headers["Idempotent-Replayed"] == "true"
    assert json(again)["hash"] == json(first)["hash"]
    other = take_back(consent, AT_TURN - 1, headers=key)
    assert problem(other) == (422, "idempotency-key-reused")
    assert json(consent.get())["version"] == AT_TURN + 2


def test_the_story_marks_moves_that_were_taken_back(consent: Door) -> None:
    """Pages, lines, text and diffs mark the moves, even on a page that was read before."""
    consent.move("seat:0")
    page = f"story?from={AT_TURN + 1}&to={AT_TURN + 1}"
    before = consent.get(page)
    take_back(consent, AT_TURN)
    after = consent.get(page, headers={"If-None-Match": tag(before)})

    assert "taken_back" not in json(before)["lines"][0]
    assert [line["taken_back"] for line in json(after)["lines"]] == [True]
    whole = json(consent.get("story"))["lines"]
    assert [line["version"] for line in whole if line.get("taken_back")] == [AT_TURN + 1]
    in_lines = consent.get("story.ndjson").text.splitlines()
    assert [number for number, line in enumerate(in_lines, 1) if '"taken_back":true' in line] == [
        AT_TURN + 1
    ]
    text = "\n".join(text_lines(whole))
    assert f"    {AT_TURN + 1}  (taken back) " in text
    diff = json(consent.get(f"diff?from={AT_TURN}"))
    assert [line.get("taken_back", False) for line in diff["story"]] == [True, False]
    assert diff["changes"] == []


# ---- who is told ---------------------------------------------------------------------------------


def test_the_awaited_consent_is_told(consent: Door) -> None:
    """M17: an event `take_back` comes before `turn`, also on a stream opened later."""
    secrets = [consent.tokens[who] for who in ("seat:0", "seat:1", "owner")]
    stream = Lines(consent, secrets)
    for _ in secrets:
        stream.next()
    consent.move("seat:0")
    for _ in secrets:
        stream.next()

    take_back(consent, AT_TURN, "seat:1")

    news = [stream.next() for _ in range(4)]
    stream.close()
    assert [(one["event"], one["seat"], one.get("to")) for one in news] == [
        ("take_back", 0, AT_TURN),
        ("turn", 0, None),
        ("waiting", 1, None),
        ("waiting", None, None),
    ]
    later = Lines(consent, secrets)
    first = later.next()
    assert (first["event"], first["to"]) == ("take_back", AT_TURN)
    later.close()

    # A reader of the first of the two lines alone is sent both again.
    again = Lines(consent, secrets, first["id"])
    assert [again.next()["event"] for _ in range(2)] == ["take_back", "turn"]
    again.close()


def test_an_ask_that_is_over(consent: Door) -> None:
    """M17: the next move ends a request, also in the metadata outside the hash chain.

    A consent with If-Match of the version with the request gets 412 and the commits since.
    """
    consent.move("seat:0")
    take_back(consent, AT_TURN, "seat:1")
    assert consent.ctx.journal.metadata.field(consent.match, "take_back") is not None
    condition = {"If-Match": tag(consent.get("state", "seat:2"))}
    consent.move("seat:0")
    assert consent.ctx.journal.metadata.field(consent.match, "take_back") is None

    stale = agree(consent, "seat:2", headers=condition)

    assert problem(stale) == (412, "stale-version")
    assert [one["actor"] for one in json(stale)["commits"]] == ["seat:0"]


# ---- resigning and coming back -------------------------------------------------------------------


def test_a_player_who_resigns_is_replaced_for_good(match: Door) -> None:
    """M16: neither the human nor the owner can undo the replacement. The human may watch."""
    resigned = match.post("resign", None, "seat:1")

    assert types_of(resigned) == ["seat_resigned", "seat_replaced"]
    stand_in = {"seat": 1, "kind": "bot", "level": "greedy", "absent": True}
    assert seat_told(match, 1) == {**stand_in, "absent_because": "resigned"}
    assert match.get("state", "seat:1").status_code == 200

    for refused in (
        match.post("return", None, "seat:1"),
        match.delete("seats/1/bot", "owner"),
    ):
        assert (refused.status_code, json(refused)["rule"]) == (409, "M16")


def test_the_last_human_waits_for_room_for_a_match_of_bots(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resignation is refused (503) while the server has no capacity for a match of bots alone."""
    bot = {"kind": "bot", "level": "random"}
    opened(door, "firenze", seats=[{"kind": "human"}, bot])
    full = "service.matches.lobby.count_waiting"
    monkeypatch.setattr(full, lambda ctx: ctx.exhibitions)
    assert problem(door.post("resign", None, "seat:0")) == (503, "overloaded")

    monkeypatch.setattr(full, lambda _: 0)
    assert door.post("resign", None, "seat:0").status_code == 201


def test_a_player_out_of_time_comes_back() -> None:
    """M15: a player out of time gets the seat back with its own token."""
    door = new_door()
    clock = {"bank_s": 5, "move_s": 5, "level": "random"}
    opened(door, clock=clock)
    run_out(door, 0)

    stand_in = {"seat": 0, "kind": "bot", "level": "random", "absent": True}
    assert seat_told(door, 0) == {
        **stand_in,
        "absent_because": "time_ran_out",
        "may_return": True,
    }
    assert types_of(door.post("return", None, "seat:0")) == ["seat_restored"]
    assert seat_told(door, 0) == {"seat": 0, "kind": "human"}
    assert json(door.post("return", None, "seat:0"))["code"] == "not_replaced"


def test_only_players_who_can_come_back_are_told_to() -> None:
    """M15: players cannot come back if the clock adds nothing, or after the end."""
    clock = {"bank_s": 5, "move_s": 0, "level": "random"}
    without_more = opened(new_door(), clock=clock)
    run_out(without_more, 0)
    ended = opened(new_door(), clock={**clock, "move_s": 5})
    run_out(ended, 0)
    assert seat_told(ended, 0)["may_return"] is True
    ended.post("abort", None, "owner")

    for door in (without_more, ended):
        summary = seat_told(door, 0)
        assert (summary["absent_because"], "may_return" in summary) == ("time_ran_out", False)
        assert door.post("return", None, "seat:0").status_code == 409


def test_a_player_out_of_time_comes_back_from_the_owners_bot_too() -> None:
    """M15: under match rules 1 the owner may change the bot's level. The human may still return."""
    with first_match_rules():
        door = opened(new_door(), clock={"bank_s": 5, "move_s": 5, "level": "random"})
    run_out(door, 0)
    assert door.post("seats/0/bot", {"level": "greedy"}, "owner").status_code == 201

    summary = seat_told(door, 0)
    assert (summary["level"], summary["absent_because"]) == ("greedy", "time_ran_out")
    assert summary["may_return"] is True
    assert types_of(door.post("return", None, "seat:0")) == ["seat_restored"]


def test_a_player_replaced_by_the_owner_comes_back() -> None:
    """M8: the player comes back with the seat's own token, without the owner."""
    door = opened(new_door())
    assert door.post("seats/0/bot", {"level": "greedy"}, "owner").status_code == 201

    summary = seat_told(door, 0)
    assert (summary["absent_because"], summary["may_return"]) == ("replaced", True)
    assert types_of(door.post("return", None, "seat:0")) == ["seat_restored"]
    assert seat_told(door, 0) == {"seat": 0, "kind": "human"}


def seat_told(door: Door, seat: int) -> dict[str, Any]:
    """Return a seat of the match. Fail unless the public list has the same."""
    summary: dict[str, Any] = json(door.get())["seats"][seat]
    assert json(door.get("/v1/matches"))["matches"][0]["seats"][seat] == summary
    return summary
