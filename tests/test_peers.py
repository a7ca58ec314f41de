"""The peers beside the service do the measured work: they keep moves and make states."""

from contextlib import ExitStack
from typing import Any

import pytest

from benchmarks import peer_servers, peers
from benchmarks.matches import Part
from benchmarks.peers import TABLE, Boardgame, Giornale, Match, Peer, SocketIo
from benchmarks.web import Client

pytestmark = pytest.mark.whole

LIBRARY = [f"eventsourcing, {place}{kind}" for place in peers.PLACES for kind in peers.SNAPSHOTS]
ON_POSTGRES = [name for name in (TABLE, *LIBRARY) if "PostgreSQL" in name]
MOVES = 220  # the house acts between them, and snapshots are taken


@pytest.fixture(autouse=True)
def _short_story(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a match have fewer moves than when it is measured."""
    monkeypatch.setattr(peers, "MOVES", MOVES)


def played(peer: Peer) -> Match:
    """Play the story of a match on a peer. It takes each move."""
    match = peer.open()
    for part in peer.parts():
        peer.let_house_act(match)
        statuses = peer.play([peer.moves(match, part)]).statuses
        assert statuses == {201: len(part.moves)}
    return match


@pytest.mark.parametrize("name", [TABLE, *LIBRARY])
def test_a_store_of_events_keeps_moves_and_makes_states(name: str) -> None:
    """Each move has a version, one at another version is refused, and past states are there."""
    if name in ON_POSTGRES and peer_servers.program("postgres") is None:
        pytest.skip("PostgreSQL is not installed")

    with ExitStack() as places:
        peer = places.enter_context(peers.peers(places)[name]())
        match = played(peer)
        client = Client(peer.port)
        path = f"/v1/matches/{match.id}"
        stale: tuple[int, Any] = client.ask("POST", f"{path}/moves", {}, **{"If-Match": '"60"'})
        states = [client.ask("GET", f"{path}/state?version={one}")[1] for one in (1, 50, 77)]
        head = client.ask("GET", f"{path}/state")[1]
        history = client.ask("GET", f"{path}/commits")[1]
        client.connection.close()

    [all_moves] = peer.parts()
    assert stale == (409, {"expected": 60})
    assert states == [{"version": one, "count": one - 1} for one in (1, 50, 77)]
    assert head == {"version": MOVES + 1, "count": MOVES}
    assert history == [one.move for one in all_moves.moves]


def test_giornale_plays_the_story_with_its_house() -> None:
    """All moves are taken, after the house has acted between them. The states can be read."""
    with peers.giornale() as peer:
        assert isinstance(peer, Giornale)
        match = played(peer)
        assert peer.states(match).statuses == {200: peers.VERSIONS}
        assert peer.past_states(match).statuses == {200: peers.VERSIONS}
        assert peer.history(match).statuses == {200: 1}
        assert len(peer.parts()) > 1


@pytest.mark.parametrize("files", [False, True], ids=["memory", "files"])
def test_boardgame_io_counts_the_moves_and_refuses_a_stale_one(*, files: bool) -> None:
    """A match, read again, has counted each move once and has all moves in its log."""
    if not (peers.NODE_PROJECT / "node_modules").exists():
        pytest.skip("boardgame.io is not installed: `make peers` installs it")

    with peers.boardgame(files=files) as peer:
        assert isinstance(peer, Boardgame)
        match = played(peer)
        first = Part(1, peer.parts()[0].moves[:1])
        _, stale = peer.moves(match, first)
        connection = SocketIo(peer.port, [(peer.sync(match), 0.0)])
        with connection.socket:
            connection.socket.sendall(stale)
            connection.socket.sendall(peer.sync(match))
            while connection.receive() is None:
                pass

    assert f'"count":{MOVES}}}'.encode() in connection.answer
    assert connection.answer.count(b'"MAKE_MOVE"') == MOVES
