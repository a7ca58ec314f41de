"""`giornale_client` signs nothing that a lying server could use (M18)."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import giornale_client
from domain.games import GAMES
from giornale_client import Client, Entropy, Key, Match, Problem
from service.record.commit import canonical
from tests.lying import (
    FALSE_HASH,
    Lie,
    LyingProxy,
    broken_link,
    lying_proxy,
    other_commit,
    other_hash,
    other_view,
)
from tests.running import RunningService, until

Json = dict[str, Any]


@dataclass
class Table:
    """A match before a lying proxy: `seat` is the one that signs, `other` sits beside it."""

    proxy: LyingProxy
    seat: Match
    other: Match
    entropy: Entropy


@pytest.fixture
def proxy(service: RunningService) -> Iterator[LyingProxy]:
    """A proxy that does not lie yet."""
    with lying_proxy(service.url) as running:
        yield running


def begun(proxy: LyingProxy, game: str = "calimala", **more: Any) -> Table:
    """Open a match in which seat 0 signs and has made a move."""
    client = Client(proxy.url, patience=1)
    key = Key(os.urandom(32))
    keyed = {"kind": "human", "key": key}
    opened = client.open(game, [keyed, "human", "human"], take_back="consent", **more)
    seat = opened.seat(0).signing(key)
    return Table(proxy, seat, opened.seat(1), Entropy())


def moved(proxy: LyingProxy) -> Table:
    table = begun(proxy)
    table.seat.act(lambda _, moves: moves[0])
    return table


def asked(proxy: LyingProxy) -> Table:
    table = moved(proxy)
    table.other.take_back(1)
    return table


def absent(proxy: LyingProxy) -> Table:
    table = begun(proxy)
    table.seat.resign()
    return table


def replaced(proxy: LyingProxy) -> Table:
    client = Client(proxy.url, patience=1)
    key = Key(os.urandom(32))
    opened = client.open("calimala", [{"kind": "human", "key": key}, "human", "human"])
    client.post(f"/v1/matches/{opened.id}/seats/0/bot", {"level": "greedy"}, opened.tokens["owner"])

    def rests() -> bool:
        """Return True once the bot has moved, so that nobody moves the match on."""
        waiting = opened.owner.document()["waiting_for"]
        return not waiting["house"] and 0 not in waiting["seats"]

    until(rests, "the end of the bot's turn")
    return Table(proxy, opened.seat(0).signing(key), opened.seat(1), Entropy())


def drawing(proxy: LyingProxy) -> Table:
    client = Client(proxy.url, patience=1)
    key = Key(os.urandom(32))
    seats: list[str | Json] = [{"kind": "human", "key": key}, "open", "bot:random"]
    opened = client.open("calimala", seats, joint_entropy=True)
    seat = opened.seat(0)
    other = client.match(opened.id).join(1)
    return Table(proxy, replace(seat, key=key), other, Entropy())


def pledged(proxy: LyingProxy) -> Table:
    table = drawing(proxy)
    table.seat.draw(table.entropy)
    table.other.draw(Entropy())
    return table


def chooses(number: int) -> giornale_client.Choose:
    """Return a chooser of the move of a number."""
    return lambda _, moves: moves[number]


Act = Callable[[Table], object]

# The beginning of a match, and the seat's next act: each act that is signed.
ACTS: dict[str, tuple[Callable[[LyingProxy], Table], Act]] = {
    "act": (begun, lambda table: table.seat.act(lambda _, moves: moves[0])),
    "move": (begun, lambda table: table.seat.move(table.seat.moves()[0])),
    "move-seen": (
        begun,
        lambda table: (lambda moves: table.seat.move(moves[0], expected=moves))(table.seat.moves()),
    ),
    "take-back": (moved, lambda table: table.seat.take_back(1)),
    "agree": (asked, lambda table: table.seat.agree()),
    "refuse": (asked, lambda table: table.seat.refuse()),
    "resign": (moved, lambda table: table.seat.resign()),
    "return": (replaced, lambda table: table.seat.return_()),
    "pledge": (drawing, lambda table: table.seat.draw(table.entropy)),
    "disclose": (pledged, lambda table: table.seat.draw(table.entropy)),
}
LIES: dict[str, Lie] = {
    "hash": other_hash,
    "link": broken_link,
    "commit": other_commit,
}


@pytest.mark.parametrize("name", ACTS)
def test_each_act_is_made_through_an_honest_proxy(proxy: LyingProxy, name: str) -> None:
    begin, act = ACTS[name]
    table = begin(proxy)
    assert act(table) is not None


@pytest.mark.whole
@pytest.mark.parametrize("status", [412, 409, 422])
@pytest.mark.parametrize("name", ACTS)
def test_one_text_is_signed_for_a_version(proxy: LyingProxy, name: str, status: int) -> None:
    """Three tries of an act sign one text, also with other moves between them."""
    begin, act = ACTS[name]
    table = begin(proxy)
    proxy.forget()
    proxy.refusal = status

    for number in range(3):
        with pytest.raises(Problem) as refused:
            act(table)
        if status == 412:
            assert "same history" in str(refused.value)
        if name in ("act", "move"):
            with pytest.raises(Problem):
                table.seat.act(chooses(number))

    assert len(set(proxy.signatures)) == 1
    assert len(set(proxy.bodies)) == 1
    assert proxy.refused >= 3


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", ACTS)
def test_nothing_is_signed_in_a_false_history(proxy: LyingProxy, name: str, lie: str) -> None:
    begin, act = ACTS[name]
    table = begin(proxy)
    table.seat = fresh(table.seat) if lie != "hash" else table.seat
    proxy.forget()
    proxy.lie = LIES[lie]

    with pytest.raises(Problem, match="histor"):
        act(table)

    assert proxy.signatures == []
    assert all(FALSE_HASH not in str(body) for body in proxy.bodies)


def fresh(seat: Match) -> Match:
    """Return a seat with a key without memory, so that it reads the history from the start."""
    assert seat.key is not None
    return replace(seat, key=Key(seat.key.seed, giornale_client.Memory()))


@pytest.mark.parametrize("name", ["act", "move", "move-seen", "take-back", "agree", "resign"])
def test_nothing_is_signed_for_a_false_table(proxy: LyingProxy, name: str) -> None:
    begin, act = ACTS[name]
    table = begin(proxy)
    proxy.forget()
    proxy.lie = other_view

    with pytest.raises(Problem, match="another table"):
        act(table)

    assert proxy.signatures == []


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_is_played_and_signed(service: RunningService, game: str) -> None:
    """No true view is taken for a false one, at any move of the match."""
    key = Key(os.urandom(32))
    with Client(service.url) as client:
        bots = ["bot:random"] * (GAMES[game].seats[0] - 1)
        opened = client.open(game, [{"kind": "human", "key": key}, *bots])
        token = opened.tokens["seat:0"]
        giornale_client.play(client, [token], lambda _, moves: moves[0], key=key)
        assert opened.seat(0).document()["status"] == "ended"


def test_a_signed_text_is_known_after_a_restart(proxy: LyingProxy, tmp_path: Path) -> None:
    """The text is stored before it is sent, so a program that begins anew sends it again."""
    file = tmp_path / "ada.key"
    with Client(proxy.url, patience=1) as client:
        seats: list[str | Json] = [
            {"kind": "human", "key": Key.from_file(file)},
            "human",
            "human",
        ]
        opened = client.open("calimala", seats)
        proxy.refusal = 412
        for number in range(3):
            seat = opened.seat(0).signing(Key.from_file(file))
            with pytest.raises(Problem, match="same history"):
                seat.act(chooses(number))
        assert len(set(proxy.signatures)) == 1

        proxy.refusal = 0
        first = opened.seat(0).moves()[0]
        seat = opened.seat(0).signing(Key.from_file(file))
        seat.act(lambda _, moves: moves[-1])
        commit = next(one for one in seat.history() if one["actor"] == "seat:0")
        assert commit["command"] == {**first, "seat": 0}
        assert len(set(proxy.signatures[:4])) == 1


def test_threads_of_one_key_sign_one_text(proxy: LyingProxy, tmp_path: Path) -> None:
    """Eight programs of one seat choose three moves at once."""
    file = tmp_path / "ada.key"
    key = Key.from_file(file)
    with Client(proxy.url, patience=1) as client:
        opened = client.open("calimala", [{"kind": "human", "key": key}, "human", "human"])
        proxy.refusal = 412
        moves = opened.seat(0).moves()
        assert len(moves) == 3

        def act(number: int) -> None:
            seat = replace(opened.seat(0), key=Key.from_file(file))
            with pytest.raises(Problem):
                seat.move(moves[number % len(moves)], expected=moves)

        threads = [threading.Thread(target=act, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(proxy.signatures)) == 1


def test_a_history_that_goes_back_is_not_signed(proxy: LyingProxy) -> None:
    """The server shows an earlier state again as the present one."""
    table = begun(proxy)
    path = f"{table.seat.path}/state"
    bodies: list[bytes] = []

    def remember(target: str, body: bytes) -> bytes:
        if target == path and not bodies:
            bodies.append(body)
        return body

    proxy.lie = remember
    table.seat.state()
    table.seat.act(lambda _, moves: moves[0])
    signed = set(proxy.signatures)
    proxy.lie = lambda target, body: bodies[0] if target == path else body

    for _ in range(2):
        with pytest.raises(Problem, match="same history"):
            table.seat.resign()
    assert set(proxy.signatures) == signed


def test_nothing_is_signed_that_cannot_be_remembered(proxy: LyingProxy, tmp_path: Path) -> None:
    file = tmp_path / "ada.key"
    table = begun(proxy)
    assert table.seat.key is not None
    file.write_text(table.seat.key.seed.hex())
    (tmp_path / "ada.key.signed").write_text(
        "this is no database, and too long to be taken for one"
    )

    with pytest.raises(Problem, match="nothing is signed"):
        replace(table.seat, key=Key.from_file(file)).act(lambda _, moves: moves[0])
    assert proxy.signatures == []


def test_a_move_that_the_rules_refuse_is_not_signed(proxy: LyingProxy) -> None:
    """So another move can be signed at once."""
    table = begun(proxy)
    moves = table.seat.moves()
    with pytest.raises(Problem) as refused:
        table.seat.take_back(5)
    assert refused.value.kind == "illegal-move"
    assert proxy.signatures == []
    table.seat.move(moves[0], expected=moves)
    assert len(proxy.signatures) == 1


@pytest.mark.whole
def test_many_processes_make_one_key(tmp_path: Path) -> None:
    """40 processes that start at once all have the same key."""
    program = (
        "import sys; from giornale_client import Key; print(Key.from_file(sys.argv[1]).public)"
    )
    root = Path(giornale_client.__file__).parent
    file = tmp_path / "one.key"
    started = [
        subprocess.Popen(
            [sys.executable, "-S", "-c", program, str(file)],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(40)
    ]
    outputs = [process.communicate() for process in started]

    assert {out for out, _ in outputs} == {f"{Key.from_file(file).public}\n"}, outputs
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.key"]


def test_a_full_disk_leaves_no_key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next start makes the key."""

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "one.key"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            Key.from_file(file)
    assert list(tmp_path.iterdir()) == []
    assert Key.from_file(file).public == Key.from_file(file).public


# ---- joins -----------------------------------------------------------------------------------


def new_key() -> Key:
    """Return a key with a memory of its own."""
    return Key(os.urandom(32), giornale_client.Memory())


def table_to_join(proxy: LyingProxy) -> Match:
    """Open a match with open seats. Return it for the public."""
    client = Client(proxy.url, patience=1)
    return client.match(client.open("calimala", ["open", "open", "bot:random"]).id)


@pytest.mark.parametrize("lie", LIES)
def test_no_join_is_proven_in_a_false_history(proxy: LyingProxy, lie: str) -> None:
    match, key = table_to_join(proxy), new_key()
    proxy.lie = LIES[lie]
    with pytest.raises(Problem, match="histor"):
        match.join(1, key=key)
    assert proxy.signatures == []

    proxy.lie = lambda _path, body: body
    assert match.join(1, key=key).document()["seats"][1]["key"] == key.public
    assert len(proxy.signatures) == 1


def test_a_known_history_is_not_told_anew_at_a_join(proxy: LyingProxy) -> None:
    """The hash that the server tells is of no commit that the key has verified."""
    match, key = table_to_join(proxy), new_key()
    proxy.refusal = 409
    with pytest.raises(Problem):
        match.join(1, key=key)
    assert len(proxy.signatures) == 1

    proxy.refusal, proxy.lie = 0, other_hash
    with pytest.raises(Problem, match="two histories"):
        match.join(1, key=key)
    assert len(proxy.signatures) == 1


def test_a_refused_join_gets_one_proof_for_a_head(proxy: LyingProxy) -> None:
    """If the server shows the same head again, the client raises a Problem."""
    match, key = table_to_join(proxy), new_key()
    proxy.refusal = 412
    for _ in range(2):
        with pytest.raises(Problem, match="same history"):
            match.join(1, key=key)
    assert len(set(proxy.signatures)) == 1
    assert proxy.refused == 2


def ended_match(proxy: LyingProxy, **more: Any) -> tuple[giornale_client.Opened, Key]:
    """Open a match with a key on seat 0, and end it."""
    client, key = Client(proxy.url, patience=1), new_key()
    opened = client.open("calimala", [{"kind": "human", "key": key}, "human", "human"], **more)
    client.post(f"/v1/matches/{opened.id}/abort", None, opened.tokens["owner"])
    return opened, key


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_rematch_is_joined_with_a_proof(proxy: LyingProxy, visibility: str) -> None:
    """Each player sits one seat lower, and a repeat is the same seat."""
    opened, key = ended_match(proxy, visibility=visibility)
    seat = opened.seat(0).rematch(key=key)
    again = opened.seat(0).rematch(key=key)
    bare = opened.seat(1).rematch()
    owner = opened.owner.rematch()

    assert len(set(proxy.signatures)) == 1
    assert seat.token == again.token
    assert (seat.id, bare.key) == (bare.id, None)
    assert owner.document()["rematch_of"] == opened.id
    seats = owner.document()["seats"]
    assert [one["kind"] for one in seats] == ["human", "open", "human"]
    assert seats[2]["key"] == key.public
    opened.seat(2).rematch()
    assert seat.document()["status"] == "running"


def of_another_match(proxy: LyingProxy) -> Lie:
    """Ask for a join of a match of others, at its true head."""
    other = table_to_join(proxy)
    head = other.document()
    return _asked_for(match=other.id, prev=head["hash"])


def _asked_for(**changed: Any) -> Lie:
    """Ask for another text than that of the join."""

    def lie(_path: str, body: bytes) -> bytes:
        value = None if body[:1] != b"{" else json.loads(body.splitlines()[0])
        if not isinstance(value, dict) or "to_sign" not in value:
            return body
        text = {**json.loads(value["to_sign"]), **changed}
        return json.dumps({**value, "to_sign": canonical(text).decode()}).encode()

    return lie


TEXTS: dict[str, tuple[Callable[[LyingProxy], Lie], str]] = {
    "another match": (of_another_match, "another match"),
    "another seat": (lambda _: _asked_for(seat=0), "something else"),
    "another key": (lambda _: _asked_for(key="00" * 32), "something else"),
    "a move": (lambda _: _asked_for(command={"type": "resign"}), "something else"),
    "no text": (lambda _: _asked_for(prev=7), "something else"),
    "another head": (lambda _: _asked_for(prev=FALSE_HASH), "moved on too often"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_rematch_signs_no_other_text(proxy: LyingProxy, name: str) -> None:
    opened, key = ended_match(proxy)
    lie, message = TEXTS[name]
    proxy.lie = lie(proxy)
    with pytest.raises(Problem, match=message):
        opened.seat(0).rematch(key=key)
    assert proxy.signatures == []


@pytest.mark.parametrize("lie", LIES)
def test_a_rematch_signs_no_false_history(proxy: LyingProxy, lie: str) -> None:
    opened, key = ended_match(proxy)
    proxy.lie = LIES[lie]
    with pytest.raises(Problem, match="histor"):
        opened.seat(0).rematch(key=key)
    assert proxy.signatures == []
