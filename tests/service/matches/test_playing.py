"""A move is made once, by whom it belongs to, at the version it was thought up for, or not at all."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from domain.errors import RuleBroken
from service.errors import Busy, Forbidden, Invalid, KeyConflict, NotFound, Stale, Unauthorized
from service.journal.port import Appended, Conflict, Entry
from service.matches import access, house, playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from service.matches.shelf import Shelf
from service.matches.submitting import Submission
from tests.service.matches.conftest import Wakes, bots, humans, play_on


def first_move(desk: Desk, opened: Opened, seat: int) -> dict[str, Any]:
    return playing.legal_moves(load(desk, opened.loaded.id), seat)[0]


def version(desk: Desk, opened: Opened) -> int:
    return load(desk, opened.loaded.id).version


def test_a_move_makes_the_next_version(desk: Desk, calimala: Opened) -> None:
    """An accepted move is one commit more, answered with what it caused."""
    made = playing.move(
        desk,
        Submission(calimala.loaded.id, calimala.tokens["seat:1"], expected=1),
        first_move(desk, calimala, 1),
    )
    assert (made.entry["commit"]["version"], made.entry["commit"]["actor"], made.repeated) == (
        2,
        "seat:1",
        False,
    )
    assert version(desk, calimala) == 2


def test_a_repeated_key_moves_once(desk: Desk, calimala: Opened) -> None:
    """A retry is answered with the first commit, even when the match has moved on and the move is illegal now."""
    move = first_move(desk, calimala, 0)
    token = calimala.tokens["seat:0"]
    first = playing.move(desk, Submission(calimala.loaded.id, token, expected=1, key="k"), move)
    playing.move(
        desk,
        Submission(calimala.loaded.id, calimala.tokens["seat:1"]),
        first_move(desk, calimala, 1),
    )
    again = playing.move(desk, Submission(calimala.loaded.id, token, expected=1, key="k"), move)
    assert again.repeated
    assert again.entry["commit"] == first.entry["commit"]
    assert version(desk, calimala) == 3


def test_a_key_used_for_another_move_is_refused(desk: Desk, calimala: Opened) -> None:
    """The same key with another body is a mistake, not a retry."""
    moves = playing.legal_moves(calimala.loaded, 0)
    playing.move(desk, Submission(calimala.loaded.id, calimala.tokens["seat:0"], key="k"), moves[0])
    with pytest.raises(KeyConflict):
        playing.move(
            desk, Submission(calimala.loaded.id, calimala.tokens["seat:0"], key="k"), moves[1]
        )


def test_keys_of_different_seats_do_not_meet(desk: Desk, calimala: Opened) -> None:
    """Two players who hit on the same key both move."""
    for seat in (0, 1):
        move = first_move(desk, calimala, seat)
        assert not playing.move(
            desk, Submission(calimala.loaded.id, calimala.tokens[f"seat:{seat}"], key="k"), move
        ).repeated


def test_a_stale_move_is_refused_with_the_version_now(desk: Desk, calimala: Opened) -> None:
    """Whoever expects an old version learns the new one, and nothing happens."""
    playing.move(
        desk,
        Submission(calimala.loaded.id, calimala.tokens["seat:0"]),
        first_move(desk, calimala, 0),
    )
    with pytest.raises(Stale) as refused:
        playing.move(
            desk,
            Submission(calimala.loaded.id, calimala.tokens["seat:1"], expected=1),
            first_move(desk, calimala, 1),
        )
    assert (refused.value.expected, refused.value.version) == (1, 2)
    assert version(desk, calimala) == 2


def test_a_version_from_the_future_is_stale_too(desk: Desk, calimala: Opened) -> None:
    """A gap is refused like a lag."""
    with pytest.raises(Stale):
        playing.move(
            desk,
            Submission(calimala.loaded.id, calimala.tokens["seat:0"], expected=9),
            first_move(desk, calimala, 0),
        )


def test_an_illegal_move_is_refused_with_its_rule(desk: Desk, calimala: Opened) -> None:
    """The rule it breaks comes with the refusal, and the match is as it was (C12)."""
    with pytest.raises(RuleBroken) as refused:
        playing.move(
            desk,
            Submission(calimala.loaded.id, calimala.tokens["seat:0"]),
            {"type": "end_activation"},
        )
    assert refused.value.rule.startswith("C")
    assert version(desk, calimala) == 1


def test_concurrent_moves_all_land_once(desk: Desk, calimala: Opened) -> None:
    """Three seats choose their cards at the same moment, each posting four times: three commits, no more."""
    moves = {seat: first_move(desk, calimala, seat) for seat in range(3)}

    def post(seat: int) -> bool:
        token = calimala.tokens[f"seat:{seat}"]
        return playing.move(
            desk, Submission(calimala.loaded.id, token, key=f"key-{seat}"), moves[seat]
        ).repeated

    with ThreadPoolExecutor(6) as pool:
        repeated = list(pool.map(post, [0, 1, 2] * 4))
    assert repeated.count(False) == 3
    assert version(desk, calimala) == 4


def test_another_process_may_have_moved_the_match_on(desk: Desk, calimala: Opened) -> None:
    """What a process keeps on its shelf never hides commits made elsewhere."""
    elsewhere = Desk(desk.journal, desk.secret, desk.clock, desk.wake)
    load(elsewhere, calimala.loaded.id)
    playing.move(
        desk,
        Submission(calimala.loaded.id, calimala.tokens["seat:0"]),
        first_move(desk, calimala, 0),
    )
    assert load(elsewhere, calimala.loaded.id) == load(desk, calimala.loaded.id)


def test_a_match_that_never_stands_still_is_busy_not_wrong(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Losing every race ends in a clear refusal."""

    def lose(_entry: Entry) -> Appended:
        raise Conflict(2)

    move = first_move(desk, calimala, 0)
    monkeypatch.setattr(desk.journal, "append", lose)
    with pytest.raises(Busy):
        playing.move(desk, Submission(calimala.loaded.id, calimala.tokens["seat:0"]), move)


WRONG = {
    "no-token": (None, Unauthorized),
    "owner": ("owner", Forbidden),
    "unknown-token": ("gio_" + "a" * 26 + "_" + "b" * 43, Unauthorized),
}


@pytest.mark.parametrize(("who", "refusal"), WRONG.values(), ids=WRONG)
def test_only_a_seats_token_moves(
    desk: Desk, calimala: Opened, who: str | None, refusal: type[Exception]
) -> None:
    """No token, the owner's and a made-up one move nothing (M6)."""
    with pytest.raises(refusal):
        playing.move(
            desk,
            Submission(calimala.loaded.id, calimala.tokens.get(who or "", who)),
            first_move(desk, calimala, 0),
        )
    assert version(desk, calimala) == 1


def test_an_unknown_match_is_not_found(desk: Desk) -> None:
    """There is no match without commits."""
    with pytest.raises(NotFound):
        access.enter(desk, "a" * 26, None)


def test_a_private_match_is_unknown_to_strangers(desk: Desk) -> None:
    """Who holds no token cannot even tell that the match exists."""
    opened = open_new(desk, Wish("calimala", humans(3), visibility="private"))
    with pytest.raises(NotFound):
        access.enter(desk, opened.loaded.id, None)
    assert access.enter(desk, opened.loaded.id, opened.tokens["spectator"])[1].role == "spectator"


def test_a_bots_seat_is_moved_by_no_human(desk: Desk) -> None:
    """A seat that a bot holds waits for the bot (M6)."""
    opened = open_new(desk, Wish("calimala", [*humans(1), *bots(2)], seed="x"))
    assert playing.legal_moves(opened.loaded, 1) == []
    assert playing.legal_moves(opened.loaded, 0) != []


BAD = {
    "no-type": ({}, "/type"),
    "unknown-type": ({"type": "castle"}, "/type"),
    "house-command": ({"type": "score"}, "/type"),
    "lobby-command": ({"type": "abort"}, "/type"),
    "names-a-seat": ({"type": "end_activation", "seat": 1}, "/seat"),
    "unknown-field": ({"type": "end_activation", "colour": "red"}, "/colour"),
    "missing-field": ({"type": "place_disc", "street": "0-1"}, "/disc"),
    "unknown-street": ({"type": "place_disc", "street": "0-8", "disc": "white"}, "/street"),
    "wrong-kind": ({"type": "place_disc", "street": 1, "disc": "white"}, "/street"),
    "deep-value": (
        {"type": "perform", "action": "ship", "cities": ["lisbon", "rome"]},
        "/cities/1",
    ),
}


@pytest.mark.parametrize(("move", "place"), BAD.values(), ids=BAD)
def test_a_move_that_cannot_be_read_names_the_place(
    desk: Desk, calimala: Opened, move: dict[str, Any], place: str
) -> None:
    """Bad input is told where it is bad, and the match is as it was."""
    with pytest.raises(Invalid) as refused:
        playing.move(desk, Submission(calimala.loaded.id, calimala.tokens["seat:0"]), move)
    assert [one.pointer for one in refused.value.places] == [place]
    assert version(desk, calimala) == 1


@pytest.mark.parametrize(("game", "drawn"), [("calimala", set()), ("firenze", {"card", "bricks"})])
def test_a_dry_run_changes_nothing_and_leaves_draws_out(
    desk: Desk, game: str, drawn: set[str]
) -> None:
    """The events of a move are told beforehand, what chance decides is only named; the version stays."""
    opened = open_new(desk, Wish(game, humans(3), seed="test"))
    match, token, move = opened.loaded.id, opened.tokens["seat:0"], first_move(desk, opened, 0)
    loaded, _, events = playing.dry_run(desk, Submission(match, token), move)
    assert loaded.version == version(desk, opened) == 1
    made = playing.move(desk, Submission(match, token, expected=1), move)
    assert [event["type"] for event in events] == [
        event["type"] for event in made.entry["commit"]["events"]
    ]
    assert {name for event in events for name in event.get("drawn", ())} == drawn
    assert not [event for event in events if event.keys() & set(event.get("drawn", ()))]


def test_after_the_end_no_move_is_made(desk: Desk) -> None:
    """A finished match refuses moves (M5)."""
    opened = open_new(desk, Wish("calimala", [*humans(1), *bots(2)], seed="x"))
    play_on(desk, opened)
    with pytest.raises(RuleBroken) as refused:
        playing.move(
            desk, Submission(opened.loaded.id, opened.tokens["seat:0"]), {"type": "end_activation"}
        )
    assert refused.value.rule == "M5"


def test_a_commit_wakes_whom_the_match_waits_for(desk: Desk, wakes: Wakes) -> None:
    """The web process wakes bots and house at once, and nobody when a human is to move."""
    opened = open_new(desk, Wish("calimala", [*humans(1), *bots(2)], seed="x"))
    assert wakes == [(opened.loaded.id, 1, "bots")]
    wakes.clear()
    three = open_new(desk, Wish("calimala", humans(3), seed="x"))
    playing.move(
        desk, Submission(three.loaded.id, three.tokens["seat:0"]), first_move(desk, three, 0)
    )
    assert wakes == []


def test_the_shelf_keeps_the_newest_and_forgets_the_oldest(desk: Desk) -> None:
    """At most `size` matches are kept, and an older version never replaces a newer one."""
    shelf = Shelf(2)
    opened = [open_new(desk, Wish("calimala", humans(3), seed=str(i))).loaded for i in range(3)]
    for loaded in opened:
        shelf.put(loaded)
    assert [shelf.get(loaded.id) is not None for loaded in opened] == [False, True, True]
    newer = replace(opened[2], version=2)
    shelf.put(newer)
    shelf.put(opened[2])
    assert shelf.get(opened[2].id) is newer


def test_the_house_does_nothing_when_it_has_nothing_to_do(desk: Desk, calimala: Opened) -> None:
    """A job that comes too late or twice appends nothing."""
    house.act(desk, calimala.loaded.id)
    house.play_bots(desk, calimala.loaded.id, lambda *_: pytest.fail("no bot sits here"))
    assert version(desk, calimala) == 1


def test_what_cannot_be_listed_is_described(desk: Desk) -> None:
    """Beside the listed moves of Firenze stands what may be built at all, for the seat whose turn it is alone (F19)."""
    opened = open_new(desk, Wish("firenze", humans(2), seed="x"))
    take = next(
        move for move in playing.legal_moves(opened.loaded, 0) if move["type"] == "take_card"
    )
    playing.move(desk, Submission(opened.loaded.id, opened.tokens["seat:0"]), take)
    loaded = load(desk, opened.loaded.id)
    assert playing.unlisted(opened.loaded, 0) == {}, "first a card is taken"
    assert {"bricks", "cost", "free"} <= playing.unlisted(loaded, 0)["build"].keys()
    assert playing.unlisted(loaded, 1) == {}
