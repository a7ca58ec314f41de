"""Lines over HTTP: moves that are tried from any version on, and stored nowhere."""

from itertools import product
from typing import Any

import pytest

from domain.games import GAMES
from service.record.commit import Json
from tests.service.api.conftest import Door, json, opened, problem

SECRETIVE = "calimala"  # a game of seats with hidden cards
MOST_MOVES = 256
ROUNDS = 6


def tried(door: Door, who: str, moves: list[Json], **more: Any) -> Json:
    """Return the answer to a line at the present version, unless another one is named."""
    body = {"version": json(door.get())["version"], "moves": moves} | more
    answer = door.post("lines", body, who)
    assert answer.status_code == 200, answer.text
    line: Json = json(answer)
    return line


def actor(door: Door) -> str:
    """Return a seat to act."""
    return f"seat:{door.waiting_seats()[0]}"


def first_moves(door: Door, who: str, length: int, **more: Any) -> list[Json]:
    """Return a line of the first legal moves, until its end or of `length` moves."""
    moves: list[Json] = []
    while len(moves) < length:
        legal_moves = tried(door, who, moves, **more)["moves"]
        if not legal_moves:
            break
        moves.append(legal_moves[0])
    return moves


@pytest.mark.parametrize("game", GAMES)
def test_a_line_foretells_the_events_of_its_move(door: Door, game: str) -> None:
    """If a move draws nothing, the state after its step equals the state after the move itself."""
    match = opened(door, game)
    foretold = 0
    for _ in range(ROUNDS):
        who = actor(match)
        [first, *_] = tried(match, who, [])["moves"]
        [step, *_] = tried(match, who, [first])["steps"]
        match.move(who)
        if any("drawn" in event for event in step["events"]):
            continue

        state = json(match.get("state", who))
        assert step["state"] == state["state"]
        assert [step["waiting_for"][name] for name in ("house", "seats")] == [
            state["waiting_for"][name] for name in ("house", "seats")
        ]
        foretold += 1
    assert foretold > 0


@pytest.mark.parametrize("game", GAMES)
def test_a_line_lists_the_next_moves(door: Door, game: str) -> None:
    """A line lists the moves of the seat to act, and describes its legal moves beyond the list."""
    match = opened(door, game)
    for _ in range(ROUNDS):
        who = actor(match)
        seat = int(who.removeprefix("seat:"))
        line = tried(match, who, [])
        legal = json(match.get("moves", who))
        assert [move for move in line["moves"] if move["seat"] == seat] == [
            {**move, "seat": seat} for move in legal["moves"]
        ]
        assert line["beyond"].get(who, {}) == legal["beyond"]
        match.move(who)


@pytest.mark.parametrize("game", GAMES)
def test_trying_a_whole_turn_of_all_seats_writes_nothing(door: Door, game: str) -> None:
    """The house acts by itself, each event has a sentence, and the match is unchanged."""
    match = opened(door, game)
    before = json(match.get(""))
    moves = first_moves(match, actor(match), 24)
    line = tried(match, actor(match), moves)

    assert line["refusal"] is None
    assert {move["seat"] for move in moves} == set(range(len(before["seats"])))
    indices = [step["move_index"] for step in line["steps"] if step["move_index"] is not None]
    assert indices == list(range(len(moves)))
    for step in line["steps"]:
        assert all(event["sentence"]["text"] for event in step["events"])
    assert json(match.get("")) == before


def test_a_longer_line_begins_like_the_shorter_one(door: Door) -> None:
    """The same seed gives the same draws, and another seed other draws."""
    match = opened(door, SECRETIVE)
    who = actor(match)
    moves = first_moves(match, who, 12, seed="one")
    long = tried(match, who, moves, seed="one")
    short = tried(match, who, moves[:6], seed="one")

    assert short["steps"] == long["steps"][: len(short["steps"])]
    assert tried(match, who, moves, seed="one") == long
    assert tried(match, who, moves[:6], seed="two") != short


def test_a_line_ends_at_the_first_move_that_is_not_allowed(door: Door) -> None:
    """The refusal has the index of the illegal move and the rule. The steps before it stay."""
    match = opened(door, SECRETIVE)
    who = actor(match)
    [first, *_] = tried(match, who, [])["moves"]
    line = tried(match, who, [first, first, first])

    assert line["refusal"]["move_index"] == 1
    assert line["refusal"]["rule"].startswith("C")
    assert line["steps"] == tried(match, who, [first])["steps"]


def test_hidden_state_is_redrawn(door: Door) -> None:
    """The seat's own cards are unchanged. The moves of others depend on the seed."""
    match = opened(door, SECRETIVE)
    own_hands = set()
    others_moves = set()
    for seed in range(8):
        line = tried(match, "seat:0", [], seed=str(seed))
        assert (line["imagined"], line["seat"]) == (True, 0)
        own_hands.add(str([move for move in line["moves"] if move["seat"] == 0]))
        others_moves.add(str([move for move in line["moves"] if move["seat"] == 1]))
    assert len(own_hands) == 1
    assert own_hands != {"[]"}
    assert len(others_moves) > 1


def test_after_the_end_everybody_tries_from_any_version(door: Door) -> None:
    """After the end anybody tries lines as any seat or the public.

    Before it strangers and the owner cannot.
    """
    match = opened(door, SECRETIVE)
    moves = {}
    for version in (1, 2, 3):
        who = actor(match)
        moves[version] = {**match.moves(who)[0], "seat": int(who[-1])}
        assert json(match.move(who))["version"] == version + 1
    for version in moves:
        assert match.post("lines", {"version": version, "moves": []}, "").status_code == 401
        assert match.post("lines", {"version": version, "moves": []}, "owner").status_code == 403
    match.post("abort", None, "owner")
    match.house()

    for (version, move), seat in product(moves.items(), (None, 0, 1, 2)):
        chosen = {} if seat is None else {"seat": seat}
        line = tried(match, "", [move], version=version, **chosen)
        assert (line["version"], line["seat"], line["imagined"]) == (version, seat, False)
        assert line["refusal"] is None
        eyes = "" if seat is None else f"&seat={seat}"
        after = json(match.get(f"state?at={version + 1}{eyes}"))
        assert line["steps"][0]["state"] == after["state"]


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"version": 0}, "/version"),
        ({"version": "1"}, "/version"),
        ({"moves": None}, "/moves"),
        ({"moves": [7]}, "/moves/0"),
        ({"moves": [{}]}, "/moves/0/seat"),
        ({"moves": [{"seat": 3, "type": "end_activation"}]}, "/moves/0/seat"),
        ({"moves": [{"seat": True, "type": "end_activation"}]}, "/moves/0/seat"),
        ({"moves": [{"seat": 0, "type": "castle"}]}, "/moves/0/type"),
        ({"moves": [{"seat": 0, "type": "end_activation", "disc": 1}]}, "/moves/0/disc"),
        ({"moves": [{}] * (MOST_MOVES + 1)}, "/moves"),
        ({"seat": -1}, "/seat"),
        ({"seed": "s" * 201}, "/seed"),
        ({"other": 1}, "/other"),
    ],
)
def test_an_illegal_line_is_refused_with_its_place(door: Door, changes: Json, pointer: str) -> None:
    """An illegal line is answered 422 with the wrong member."""
    match = opened(door, SECRETIVE)
    answer = match.post("lines", {"version": 1, "moves": []} | changes, "seat:0")
    assert answer.status_code == 422
    assert [one["pointer"] for one in json(answer)["errors"]] == [pointer]


def test_a_line_is_seen_with_ones_own_eyes_until_the_end(door: Door) -> None:
    """Another seat's view is refused with 409. After the end a seat that does not exist is 404."""
    match = opened(door, SECRETIVE)
    body = {"version": 1, "moves": [], "seat": 2}
    answer = match.post("lines", body, "seat:0")
    assert problem(answer) == (409, "not-revealed")
    assert match.post("lines", body, "seat:2").status_code == 200

    match.post("abort", None, "owner")
    match.house()
    assert match.post("lines", body | {"seat": 3}, "").status_code == 404


def test_there_is_no_line_without_a_running_game(door: Door) -> None:
    """A version that does not exist is 404, a match that has not started 409 (M4)."""
    match = opened(door, SECRETIVE)
    assert match.post("lines", {"version": 2, "moves": []}, "seat:0").status_code == 404

    human, free = {"kind": "human"}, {"kind": "open"}
    waiting = opened(door, SECRETIVE, seats=[human, free, free])
    answer = waiting.post("lines", {"version": 1, "moves": []}, "seat:0")
    assert (answer.status_code, json(answer)["rule"]) == (409, "M4")
