"""Drawing together over HTTP: pledges, disclosures, and the lost seats (M19)."""

from dataclasses import replace
from typing import Any

import pytest

from domain.match.terms.joint_entropy import HOUR_MS, pledge_of
from service.capabilities.clock import use_cases as clocks
from service.capabilities.webhooks import use_cases as webhooks
from service.matches.repository import load
from service.matches.timers import Pulse
from service.record.commit import milliseconds
from service.record.verify.audit import verify_record
from service.store.journal.values import CLOCK, Timer
from tests.service.api.conftest import Door, json, opened, problem
from tests.service.api.test_lists import listed
from tests.service.api.test_my_matches import Lines
from tests.service.api.test_webhooks import URL
from tests.signing import ADA

ENTROPY = {seat: f"{seat + 10:064x}" for seat in range(3)}
LATER = {seat: f"{seat + 20:064x}" for seat in range(3)}


def pledge(seat: int, entropy: dict[int, str] = ENTROPY) -> str:
    """Return the pledge of a seat."""
    return pledge_of(entropy[seat], seat)


def human(seat: int, **more: str) -> dict[str, str]:
    """Return the plan of a human with a pledge at the opening."""
    return {"kind": "human", "pledge": pledge(seat), **more}


@pytest.fixture
def gathering(door: Door) -> Door:
    """A match of joint draws: one human has pledged, one has not, a seat is open."""
    seats = [human(0, name="Ada"), {"kind": "human", "name": "Bob"}, {"kind": "open"}]
    return opened(door, seats=seats, joint_entropy=True)


def owed(door: Door) -> dict[int, str]:
    """Return the `owes` of the seats in the answer about the match."""
    seats = json(door.get())["seats"]
    return {seat["seat"]: seat["owes"] for seat in seats if "owes" in seat}


def join(door: Door, seat: int, **more: str) -> None:
    """Take a seat and keep its token."""
    answer = door.post(f"seats/{seat}", more)
    assert answer.status_code == 201, answer.text
    door.tokens = {**door.tokens, f"seat:{seat}": json(answer)["token"]}


def disclose(door: Door, seat: int, entropy: dict[int, str] = ENTROPY, **more: Any) -> Any:
    """Disclose the pledged entropy of a seat."""
    return door.post("disclose", {"entropy": entropy[seat]}, f"seat:{seat}", **more)


def all_pledged(door: Door) -> Door:
    """Take the open seat, and make the missing pledges."""
    join(door, 2, pledge=pledge(2))
    assert door.post("pledge", {"digest": pledge(1)}, "seat:1").status_code == 201
    return door


# ---- true stories --------------------------------------------------------------------------------


def test_three_friends_draw_together(gathering: Door) -> None:
    """M19: the match names each owing seat until all have disclosed. Then it starts by itself."""
    document = json(gathering.get())
    assert document["joint_entropy"] is True
    assert (document["status"], owed(gathering)) == ("open", {})
    assert document["deadline"] is None

    join(gathering, 2, pledge=pledge(2))
    assert owed(gathering) == {1: "pledge"}
    assert json(gathering.get())["waiting_for"]["seats"] == [1]
    assert problem(disclose(gathering, 0)) == (409, "illegal-move")

    assert gathering.post("pledge", {"digest": pledge(1)}, "seat:1").status_code == 201
    assert owed(gathering) == dict.fromkeys(range(3), "disclosure")
    for seat in (2, 0):
        assert disclose(gathering, seat).status_code == 201
    assert owed(gathering) == {1: "disclosure"}

    last = json(disclose(gathering, 1))
    assert [event["type"] for event in last["events"]][:2] == ["entropy_disclosed", "match_started"]
    document = json(gathering.get())
    assert document["status"] == "running"
    assert document["joint_entropy"] is True
    assert document["deadline"] is None
    sentences = [
        sentence["text"]
        for line in json(gathering.get("story"))["lines"]
        for sentence in line["sentences"]
    ]
    assert sentences[0].endswith("the players draw together.")
    assert "Bob pledges a part of the draws." in sentences
    assert "Ada discloses the pledged part of the draws." in sentences


def test_a_seat_that_owes_something_has_no_move_yet(gathering: Door) -> None:
    """M4, M19: the match waits for owing seats, but the game has not begun."""
    all_pledged(gathering)

    assert json(gathering.get("moves", "seat:1"))["moves"] == []
    assert json(gathering.get("state", "seat:1"))["state"] is None
    assert problem(gathering.post("moves", {"type": "x"}, "seat:1"))[0] in (409, 422)
    waiting = json(gathering.get("/v1/matches?waiting_for=me", "seat:1"))["matches"]
    assert [match["match"] for match in waiting] == [gathering.match]


def test_the_record_proves_the_joint_draws(gathering: Door) -> None:
    """M10, M19: every draw is checked with the entropy that was disclosed."""
    all_pledged(gathering)
    for seat in range(3):
        disclose(gathering, seat)
    gathering.move("seat:0")
    gathering.post("abort", {}, "owner")
    gathering.house()

    report = verify_record(gathering.get("record").data.splitlines(keepends=True)).report

    assert (report.verdict, report.decided) == ("right", report.commits)


def test_everybody_is_told_until_when_something_is_owed(gathering: Door) -> None:
    """M19: the match, lists and the stream of one's matches have the deadline.

    A webhook is called.
    """
    token = gathering.tokens["seat:1"]
    webhooks.put(gathering.ctx, gathering.match, token, URL, ("turn",))
    stream = Lines(gathering, [token])
    assert stream.next()["event"] == "waiting"

    join(gathering, 2)
    document = json(gathering.get())
    due = document["deadline"]
    assert milliseconds(due) == milliseconds(document["updated"]) + HOUR_MS
    summary = listed(gathering)
    assert (summary["deadline"], summary["joint_entropy"]) == (due, True)
    assert [seat.get("owes") for seat in summary["seats"]] == [None, "pledge", "pledge"]
    assert summary["waiting_for"]["seats"] == [1, 2]
    news = stream.next()
    assert (news["event"], news["status"], news["deadline"]) == ("turn", "open", due)
    assert [call.event for call in webhooks.calls(gathering.ctx, gathering.match)[0]] == ["turn"]

    gathering.post("abort", {}, "owner")
    assert owed(gathering) == {}
    assert "owes" not in listed(gathering)["seats"][1]
    assert listed(gathering)["deadline"] is None


def test_a_player_who_does_not_disclose_loses_the_seat(gathering: Door) -> None:
    """M19: the player loses seat and token. Disclosures of others are void, and all pledge anew."""
    all_pledged(gathering)
    disclose(gathering, 0)
    disclose(gathering, 1)
    withheld = gathering.tokens["seat:2"]

    let_lapse(gathering)

    seats = json(gathering.get())["seats"]
    assert [seat["kind"] for seat in seats] == ["human", "human", "open"]
    assert problem(disclose(gathering, 2)) == (401, "unauthorized")
    join(gathering, 2, pledge=pledge(2, LATER))
    assert gathering.tokens["seat:2"] != withheld
    assert owed(gathering) == {0: "pledge", 1: "pledge"}
    for seat in (0, 1):
        gathering.post("pledge", {"digest": pledge(seat, LATER)}, f"seat:{seat}")
    assert problem(disclose(gathering, 0)) == (409, "illegal-move"), "the old entropy is known"
    for seat in range(3):
        assert disclose(gathering, seat, LATER).status_code == 201
    assert json(gathering.get())["status"] == "running"
    lines = json(gathering.get("story"))["lines"]
    [lapsed] = [line for line in lines if line["command"] == "lapse"]
    assert [sentence["text"] for sentence in lapsed["sentences"]] == [
        "Yellow has not given a part of the draws in time. The seat is open again.",
        "No pledge counts any more. All humans pledge again.",
    ]


def let_lapse(door: Door) -> None:
    """Let the time of the seats that owe something run out, and the scheduler see to it."""
    due = load(door.ctx, door.match).match.next_due
    assert due is not None
    later = replace(door.ctx, clock=lambda: due)
    assert clocks.see_to(later, Timer(CLOCK, door.match, due, due), Pulse(due, 0, ()))


def test_a_token_replaced_often_does_not_outlive_the_seat(gathering: Door) -> None:
    """M13, M19: if a seat may lapse, further replacements of its token are refused after 20."""
    join(gathering, 2)
    for _ in range(20):
        answer = gathering.post("tokens", {}, "seat:2")
        gathering.tokens = {**gathering.tokens, "seat:2": json(answer)["token"]}

    assert problem(gathering.post("tokens", {}, "seat:2")) == (403, "forbidden")
    let_lapse(gathering)
    assert problem(gathering.post("pledge", {"digest": pledge(2)}, "seat:2"))[0] == 401


def test_a_rematch_of_such_a_match_is_drawn_together_again(door: Door) -> None:
    """M19, M20: each player of the rematch pledges, and it starts with the last disclosure."""
    seats = [human(0), human(1), {"kind": "bot", "level": "random"}]
    opened(door, seats=seats, joint_entropy=True)
    disclose(door, 0)
    disclose(door, 1)
    door.post("abort", {}, "owner")
    door.house()

    bare = door.post("rematch", {"entropy": "00"}, "seat:0")
    assert problem(bare) == (409, "illegal-move")
    # Each sits one seat further on (M20): seat 1 on 0, seat 0 on the last.
    first = json(door.post("rematch", {"pledge": pledge(2)}, "seat:0"))
    second = json(door.post("rematch", {"pledge": pledge(0)}, "seat:1"))
    again = json(door.post("rematch", {"pledge": pledge(0)}, "seat:1"))

    assert first["match"] == second["match"]
    assert (first["seat"], second["seat"], second["status"]) == (2, 0, "open")
    assert again == second
    door.match = first["match"]
    door.tokens = {**first["tokens"], **second["tokens"]}
    assert owed(door) == {0: "disclosure", 2: "disclosure"}
    for seat in (0, 2):
        disclose(door, seat)
    assert json(door.get())["status"] == "running"


def test_a_seat_with_a_key_signs_its_pledge(door: Door) -> None:
    """M18, M19: a pledge without the seat's signature is refused."""
    seats = [{"kind": "human", "key": ADA.key}, human(1), {"kind": "bot", "level": "random"}]
    opened(door, seats=seats, joint_entropy=True)
    digest = pledge(0)
    command = {"type": "pledge", "seat": 0, "digest": digest}
    head = json(door.get())
    signature = ADA.sign(door.match, 2, head["hash"], command)
    version = {"If-Match": f'"{head["version"]}"'}

    bare = door.post("pledge", {"digest": digest}, "seat:0", headers=version)
    assert problem(bare) == (422, "signature-wrong")
    signed = {**version, "Giornale-Signature": signature}
    answer = door.post("pledge", {"digest": digest}, "seat:0", headers=signed)
    assert json(answer)["signature"] == signature
    assert owed(door) == {0: "disclosure", 1: "disclosure"}


# ---- what is refused -----------------------------------------------------------------------------

BOT = {"kind": "bot", "level": "random"}
WITH_ENTROPY = {"kind": "human", "entropy": "00"}

BAD_OPENINGS: dict[str, tuple[list[dict[str, str]], bool | None, str]] = {
    "M19-bots-alone": ([BOT, BOT, BOT], True, "/joint_entropy"),
    "M19-entropy": ([human(0), WITH_ENTROPY, BOT], True, "/seats/1/entropy"),
    "M19-pledge-without": ([human(0), BOT, BOT], None, "/seats/0/pledge"),
    "M19-no-digest": ([{**human(0), "pledge": "00"}, BOT, BOT], True, "/seats/0/pledge"),
}


@pytest.mark.parametrize(("seats", "joint", "place"), BAD_OPENINGS.values(), ids=BAD_OPENINGS)
def test_an_opening_that_does_not_fit_is_refused_by_place(
    door: Door, seats: list[dict[str, str]], joint: bool | None, place: str
) -> None:
    """M19: a match of joint draws takes pledges, another match entropy.

    The error names the member.
    """
    body = {"game": "calimala", "seats": seats, **({"joint_entropy": joint} if joint else {})}

    answer = door.post("/v1/matches", body)

    assert problem(answer) == (422, "invalid-request")
    assert [error["pointer"] for error in json(answer)["errors"]] == [place]


BAD_REQUESTS: dict[str, tuple[str, dict[str, str], str, tuple[int, str]]] = {
    "M19-no-hex": ("pledge", {"digest": "x"}, "seat:1", (422, "invalid-request")),
    "M19-entropy-too-short": ("disclose", {"entropy": "00"}, "seat:0", (422, "invalid-request")),
    "M19-too-early": ("disclose", {"entropy": ENTROPY[0]}, "seat:0", (409, "illegal-move")),
    "M19-twice": ("pledge", {"digest": pledge(0)}, "seat:0", (409, "illegal-move")),
    "M19-started-by-the-owner": ("start", {}, "owner", (409, "illegal-move")),
    "M19-without-a-token": ("pledge", {"digest": pledge(1)}, "", (401, "unauthorized")),
    "M19-by-the-owner": ("pledge", {"digest": pledge(1)}, "owner", (403, "forbidden")),
}


@pytest.mark.parametrize(
    ("path", "body", "who", "expected"), BAD_REQUESTS.values(), ids=BAD_REQUESTS
)
def test_illegal_requests_are_refused(
    gathering: Door, path: str, body: dict[str, str], who: str, expected: tuple[int, str]
) -> None:
    """M19: a refused pledge or disclosure commits nothing."""
    before = json(gathering.get())["version"]

    assert problem(gathering.post(path, body, who)) == expected
    assert json(gathering.get())["version"] == before


def test_a_repeated_pledge_or_disclosure_is_made_once(gathering: Door) -> None:
    """M19: a repeated request with the same Idempotency-Key gets the first commit."""
    join(gathering, 2, pledge=pledge(2))
    key = {"Idempotency-Key": "pledged-only-once"}
    body = {"digest": pledge(1)}

    check_made_once([gathering.post("pledge", body, "seat:1", headers=key) for _ in range(2)])
    assert owed(gathering) == dict.fromkeys(range(3), "disclosure")

    key = {"Idempotency-Key": "disclosed-only-once"}
    check_made_once([disclose(gathering, 0, headers=key) for _ in range(2)])
    assert owed(gathering) == dict.fromkeys((1, 2), "disclosure")


def check_made_once(answers: list[Any]) -> None:
    """Fail unless the second answer repeats the first."""
    first, second = answers
    assert (first.status_code, json(second)) == (201, json(first))
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
