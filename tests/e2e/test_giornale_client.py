"""The client in one file: as people have it, through cuts, and its words on faults."""

import itertools
import json
import logging
import random
import stat
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from http.client import HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import giornale_client
from domain.games import GAMES
from giornale_client import Answer, Client, Entropy, Event, Key, Moves, Opened, Problem
from tests.e2e.cutting import cutting_proxy
from tests.e2e.playing import LONG_GAMES
from tests.running import PATIENCE, RunningService
from tests.whole import whole_but

Json = dict[str, Any]

EVENT_STREAM = "text/event-stream"
ENOUGH_MOVES = 10  # of a match that its owner then ends

# Runs without site-packages, so the file must need none.
ALONE = (sys.executable, "-I", "-S", "-W", "error", "-c")

PROGRAM = """
import json, random, sys
sys.path.insert(0, sys.argv[1])
from giornale_client import Client, play

chance = random.Random(1)
with Client(sys.argv[2]) as giornale:
    opened = giornale.open(sys.argv[3], json.loads(sys.argv[4]), key=f"{sys.argv[3]}-{sys.argv[1]}")
    again = giornale.open(sys.argv[3], json.loads(sys.argv[4]), key=f"{sys.argv[3]}-{sys.argv[1]}")
    seat = giornale.match(opened.id).join(0, name="Vera")
    opened.owner.start()

    begun = seat.state()
    moves = seat.moves()
    made = seat.move(moves[0], key="first-move-of-a-match")
    repeated = seat.move(moves[0], key="first-move-of-a-match")
    play(giornale, [seat.token], lambda view, moves: chance.choice(moves))

    # A stream ends after the last commit of all, which reveals the secrets.
    followed = [event.data["hash"] for event in seat.follow(after=0)]
    history = list(seat.history())
    print(json.dumps({
        "same": again.id == opened.id,
        "past": seat.state(version=begun["version"]) == begun,
        "then": seat.state(at=begun["time"])["version"] == begun["version"],
        "repeated": repeated["version"] == made["version"],
        "followed": followed == [commit["hash"] for commit in history],
        "record": len(seat.record().splitlines()) == len(history),
        "moves": sum(commit["actor"] == "seat:0" for commit in history),
        "document": seat.document(),
        "modules": sorted(name for name in sys.modules if "site-packages" in str(
            getattr(sys.modules[name], "__file__", ""))),
    }))
"""


@pytest.mark.parametrize("game", whole_but(["firenze"], GAMES))
def test_the_served_file_plays_a_whole_match_without_any_package(
    game: str, service: RunningService, tmp_path: Path
) -> None:
    """The file opens, joins, looks back, moves twice with one key, plays on, follows and reads."""
    with urllib.request.urlopen(f"{service.url}/client.py") as answer:  # noqa: S310
        (tmp_path / "giornale_client.py").write_bytes(answer.read())
    seats = json.dumps(["open", *["bot:random"] * (GAMES[game].seats[0] - 1)])

    command = [*ALONE, PROGRAM, str(tmp_path), service.url, game, seats]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)

    assert completed.returncode == 0, completed.stderr
    report = json.loads(completed.stdout)
    document = report.pop("document")
    assert document["status"] == "ended"
    assert document["seats"][0]["name"] == "Vera"
    assert report.pop("moves") > (20 if game in LONG_GAMES else 0)
    assert report.pop("modules") == []
    assert set(report.values()) == {True}


# ---- cuts ----------------------------------------------------------------------------------


def two_humans(client: Client, game: str = "calimala") -> Opened:
    """Open a match with two humans, and bots on the other seats."""
    bots = max(GAMES[game].seats[0] - 2, 0)
    return client.open(game, ["human", "human", *["bot:random"] * bots])


@pytest.mark.whole
def test_no_turn_is_missed_and_no_move_made_twice_through_cuts(service: RunningService) -> None:
    """Two seats are played through a proxy that cuts every connection, also before an answer."""
    chance = random.Random(2)
    versions: list[int] = []

    def report(event: Event) -> None:
        if event.name == "made":
            versions.append(event.data["version"])

    def choose(_view: Answer, moves: Moves) -> Json:
        return chance.choice(moves)

    with cutting_proxy(service.url) as proxy, Client(proxy.url, patience=PATIENCE) as client:
        opened = two_humans(client, "firenze")
        tokens = [opened.tokens["seat:0"], opened.tokens["seat:1"]]
        giornale_client.play(client, tokens, choose, report=report)
        followed = [event.data["version"] for event in opened.owner.follow(after=0)]
        commits = list(opened.owner.history())
        assert proxy.cuts > 5

    own = [one["version"] for one in commits if one["actor"] in ("seat:0", "seat:1")]
    assert versions == own
    assert followed == [one["version"] for one in commits]
    assert commits[-1]["events"][-1]["type"] == "secrets_revealed"


class WithoutOneStream(Client):
    """A client of a server of an earlier release."""

    def stream(self, path: str, *arguments: Any, **keywords: Any) -> Iterator[Event]:
        if path == "/v1/me/stream":
            raise Problem(404, {"title": "Not found"})
        return super().stream(path, *arguments, **keywords)


def test_a_seat_of_the_wrong_type_is_refused_before_a_request() -> None:
    """The error lists legal seats. Nobody listens at the address."""
    with (
        Client("http://127.0.0.1:1") as client,
        pytest.raises(TypeError, match="a seat is a string"),
    ):
        client.open("firenze", ["human", 3])  # type: ignore[list-item]


def test_a_server_without_one_stream_is_asked_for_each_match(service: RunningService) -> None:
    """Two matches are played until they end. Each has ended once, for any watched seats."""
    events: list[tuple[str, str]] = []
    counts: Counter[str] = Counter()

    def report(event: Event) -> None:
        events.append((event.name, event.match))

    with WithoutOneStream(service.url) as client:
        matches = [two_humans(client, "firenze") for _ in range(2)]
        owners = {opened.id: opened.owner for opened in matches}
        tokens = [opened.tokens[f"seat:{seat}"] for opened in matches for seat in (0, 1)]

        def choose(view: Answer, moves: Moves) -> Json:
            match = view["match"]
            counts[match] += 1
            if counts[match] == ENOUGH_MOVES:
                client.post(f"{owners[match].path}/abort", None, owners[match].token)
            return moves[-1]

        giornale_client.play(client, tokens, choose, report=report)
        for match, owner in owners.items():
            assert owner.document()["status"] == "aborted"
            assert events.count(("made", match)) == ENOUGH_MOVES - 1
            assert events.count(("ended", match)) == 1


@pytest.mark.whole
def test_a_running_private_match_is_checked_in_part(service: RunningService) -> None:
    """The installed command has the token of a seat. Its report counts the seat's move, too."""
    with Client(service.url) as client:
        opened = client.open("calimala", ["human", "human", "bot"], visibility="private")
        player = opened.seat(0)
        moved = player.move(player.moves()[0])
        report = player.verify()
        assert report["verdict"] == "partly_checked"
        assert report["match"] == opened.id
        assert report["commits"] >= moved["version"]

        with pytest.raises(Problem, match="A private match needs a token"):
            client.match(opened.id).verify()


def test_verify_without_giornale_names_the_wheels_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """No package index has that wheel, so the message names its file."""
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(Problem, match="pipx install") as refused:
        Client("http://127.0.0.1:1").match("a" * 26).verify()

    wheel = f"./giornale-{version('giornale')}-py3-none-any.whl"
    _, file = refused.value.detail.split("pipx install ")
    assert fnmatch(wheel, file.rstrip("`"))


def test_a_match_is_forked_with_the_token_of_a_player(service: RunningService) -> None:
    """M21: a player forks a running match without secrets. A stranger is refused."""
    with Client(service.url) as client:
        opened = client.open("firenze", ["human"] * 2)
        player = opened.seat(0)
        forked = player.fork(1, ["bot", "human"], take_back="own")

        assert forked.document["forked_from"] == {"match": opened.id, "version": 1}
        assert forked.seat(1).state()["state"]["turn"] == player.state()["state"]["turn"]
        with pytest.raises(Problem) as refused:
            client.match(opened.id).fork(1, ["bot", "bot"])
        assert refused.value.status == 401


def test_moves_are_taken_back_and_seats_given_up(service: RunningService) -> None:
    """M16, M17: one's own moves at once, others' after the event that asks for one's consent."""
    with Client(service.url) as client:
        opened = client.open("calimala", ["human"] * 3, take_back="consent")
        first, second, third = map(opened.seat, range(3))
        answer = first.move(first.moves()[0])
        reply = first.take_back(answer["version"] - 1)
        assert [event["type"] for event in reply["events"]] == ["take_back_asked", "taken_back"]

        answer = first.move(first.moves()[0])
        second.take_back(answer["version"] - 1)
        news = client.follow([opened.tokens["seat:2"]])
        request = next(news)
        assert (request.name, request.data["to"]) == ("take_back", answer["version"] - 1)
        third.refuse(expected=third.state())
        moved = third.move(third.moves()[0])
        second.take_back(answer["version"] - 1)
        third.agree()
        first.agree(expected=first.state())
        taken_back = first.document()["take_back"]["taken_back"]
        assert taken_back == [2, answer["version"], moved["version"]]

        third.resign()
        assert first.document()["seats"][2]["absent_because"] == "resigned"
        with pytest.raises(Problem) as refused:
            third.return_()
        assert refused.value.fields["rule"] == "M16"

        client.post(f"{first.path}/abort", None, opened.tokens["owner"])
        assert [event.name for event in news][-1] == "ended"


@pytest.mark.whole
def test_actions_on_a_seat_with_a_key_are_signed(service: RunningService, tmp_path: Path) -> None:
    """M18: moves to the end of a match, and commands around them. The record proves it."""
    chance = random.Random(3)
    ada, bea = Key.from_file(tmp_path / "ada.key"), Key.from_file(tmp_path / "bea.key")
    keyed = {"kind": "human", "key": ada}
    with Client(service.url) as client:
        opened = client.open("firenze", [keyed, "open"])
        first = opened.seat(0).signing(ada)
        second = client.match(opened.id).join(1, key=bea)
        opened.owner.start()
        moves = first.moves()
        first.move(moves[0], expected=moves)
        first.act(lambda _, moves: moves[-1])
        client.post(f"{first.path}/seats/0/bot", {"level": "greedy"}, opened.tokens["owner"])
        first.return_()
        # Not before: two bots may play the match to its end meanwhile.
        second.resign()
        giornale_client.play(
            client, [opened.tokens["seat:0"]], lambda _, moves: chance.choice(moves), key=ada
        )

        own = [one for one in first.history() if one["actor"] == "seat:0" and "signature" in one]
        report = first.verify()
        assert (report["verdict"], report["signed"]) == ("right", len(own) + 1)
        assert [seat["key"] for seat in first.document()["seats"]] == [ada.public, bea.public]


def test_signing_players_take_moves_back_by_consent(
    service: RunningService, tmp_path: Path
) -> None:
    """M17, M18: asking, agreeing and refusing are signed as well."""
    keys = [Key.from_file(tmp_path / f"{name}.key") for name in "abc"]
    seats: list[str | Json] = [{"kind": "human", "key": key} for key in keys]
    with Client(service.url) as client:
        opened = client.open("calimala", seats, take_back="consent")
        first, second, third = (opened.seat(n).signing(key) for n, key in enumerate(keys))
        first.move(first.moves()[0])
        second.take_back(1)
        third.refuse(expected=third.state())
        third.take_back(1)
        second.agree()
        first.agree()
        assert [one["version"] for one in first.history() if "signature" not in one] == [1]
        assert first.document()["take_back"]["taken_back"] == [2]


def test_a_key_is_kept_for_its_user_alone(tmp_path: Path) -> None:
    """A key is made once and read again. Another file's content is no key."""
    file = tmp_path / "ada.key"
    key = Key.from_file(file)
    other = tmp_path / "other"
    other.write_text("hunter2")

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert Key.from_file(file).public == key.public != Key.from_file(tmp_path / "bea.key").public
    assert key.seed.hex() not in repr(key)
    with pytest.raises(Problem, match="must hold 64 digits"):
        Key.from_file(other)


def test_a_key_signs_as_others_do() -> None:
    """Plain Ed25519 (RFC 8032), with the examples of docs/reference/proofs.md and random texts."""
    chance = random.Random(4)
    for length in range(40):
        seed = chance.randbytes(32)
        private = Ed25519PrivateKey.from_private_bytes(seed)
        text = chance.randbytes(length * 5)

        assert Key(seed).public == private.public_key().public_bytes_raw().hex()
        assert Key(seed).sign(text) == private.sign(text).hex()


def test_a_seat_signs_with_its_own_key_alone(service: RunningService, tmp_path: Path) -> None:
    """M18: the client refuses another key before it sends. Without any key the server refuses."""
    key, other = Key.from_file(tmp_path / "one"), Key.from_file(tmp_path / "other")
    with Client(service.url) as client:
        opened = client.open("calimala", [{"kind": "human", "key": key}, "human", "human"])
        for seat in (0, 1):
            with pytest.raises(Problem, match="another key, or none"):
                opened.seat(seat).signing(other)
        with pytest.raises(Problem) as unsigned:
            opened.seat(0).act(lambda _, moves: moves[0])
        assert (unsigned.value.status, unsigned.value.kind) == (422, "signature-wrong")


# ---- drawing together ----------------------------------------------------------------------


def drawn_together(client: Client, *seats: str) -> Opened:
    """Open a match of Firenze with joint draws."""
    return client.open("firenze", list(seats), joint_entropy=True)


@pytest.mark.whole
def test_seats_that_are_played_draw_together_by_themselves(service: RunningService) -> None:
    """M19: all pledge, all disclose, and then they play."""
    counts: Counter[str] = Counter()

    def choose(_view: Answer, moves: Moves) -> Json:
        if counts["move"] >= ENOUGH_MOVES:
            opened.owner.client.post(f"{opened.owner.path}/abort", None, opened.owner.token)
        return moves[0]

    def report(event: Event) -> None:
        if event.name == "made":
            counts[event.data["command"]["type"]] += 1
            counts["move"] += event.data["command"]["type"] not in ("pledge", "disclose")

    with Client(service.url) as client:
        opened = drawn_together(client, "human", "human")
        tokens = [opened.tokens["seat:0"], opened.tokens["seat:1"]]
        giornale_client.play(client, tokens, choose, report=report)
        report_on = opened.owner.verify()

    assert (counts["pledge"], counts["disclose"]) == (2, 2)
    assert report_on["wrong"] is None


def test_a_pledge_is_kept_over_a_restart(service: RunningService, tmp_path: Path) -> None:
    """M19: its user alone can read its file. The pledge is disclosed when all have pledged."""
    path = tmp_path / "entropy"
    with Client(service.url) as client:
        opened = drawn_together(client, "human", "open")
        seat = opened.seat(0)
        assert seat.draw(Entropy(path)) is None, "a seat is open"
        other = client.match(opened.id).join(1)
        others = Entropy()
        pledged = seat.draw(Entropy(path))
        assert pledged is not None
        assert pledged["command"]["type"] == "pledge"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

        other.draw(others)
        other.draw(others)
        with pytest.raises(Problem, match="was not made here"):
            seat.draw(Entropy())
        started = seat.draw(Entropy(path))

    assert started is not None
    assert started["events"][1]["type"] == "match_started"
    assert path.read_text().split()[1] == started["command"]["entropy"]


def test_nothing_is_disclosed_before_all_pledges_are_shown(
    service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M19: a server that wants a disclosure earlier, or shows another history, gets none."""
    entropy = Entropy()
    with Client(service.url) as client:
        opened = drawn_together(client, "human", "human")
        seats = [opened.seat(0), opened.seat(1)]
        for seat in seats:
            seat.draw(entropy)
        true = seats[0].record()
        lies = {
            b"".join(true.splitlines(keepends=True)[:-1]): "two histories",
            true.replace(b'"digest":"', b'"digest":"0'): "two histories",
        }
        for lie, why in lies.items():
            monkeypatch.setattr(giornale_client.Match, "record", lambda _seat, lie=lie: lie)
            with pytest.raises(Problem, match=why):
                seats[0].draw(entropy)
        monkeypatch.undo()

        early = seats[0].state()
        early.update({"version": 2, "hash": json.loads(true.splitlines()[1])["data"]["hash"]})
        with pytest.raises(Problem, match="too early"):
            seats[0]._disclose(early, entropy)
        assert seats[0].draw(entropy) is not None


def test_entropy_is_disclosed_only_for_the_same_pledges(tmp_path: Path) -> None:
    """M19: a server that has read it gets it for no other pledges, not even after a restart."""
    path = tmp_path / "entropy"
    store = Entropy(path)
    pledges = {1: store.pledge(1), 0: "aa" * 32}

    entropy = store.disclosure(1, pledges)
    again = Entropy(path)
    for one in (store, again):
        assert one.disclosure(1, dict(sorted(pledges.items()))) == entropy
        with pytest.raises(Problem, match="pledged anew"):
            one.disclosure(1, {**pledges, 0: "bb" * 32})
        with pytest.raises(Problem, match="not made here"):
            one.disclosure(0, pledges)
    assert entropy not in repr(store)


def test_a_pledge_is_kept_behind_a_line_that_was_cut_off(tmp_path: Path) -> None:
    """A full disk may cut off any line. A pledge in such a line was not sent. Later lines count."""
    path = tmp_path / "entropy"
    Entropy(path).pledge(0)
    path.write_text(path.read_text()[:100])
    pledge = Entropy(path).pledge(1)

    again = Entropy(path)
    assert len(again.disclosure(1, {1: pledge})) == 64


def test_a_tried_line_leaves_the_match_unchanged(
    service: RunningService,
) -> None:
    """Each answer holds the possible next moves, in the form that a line takes."""
    with Client(service.url) as client:
        opened = client.open("calimala", ["human"] * 3)
        seat = opened.seat(0)
        moves: list[Any] = []
        for _ in range(6):
            line = seat.try_line(1, moves, seed="one")
            moves.append(line["moves"][0])

        assert (line["imagined"], line["refusal"], len(line["steps"])) == (True, None, 5)
        assert seat.document()["version"] == 1


# ---- what goes wrong -----------------------------------------------------------------------


def test_another_move_meanwhile_makes_it_look_again(service: RunningService) -> None:
    """`move` is refused with 412 for an earlier state. `act` lets the function choose again."""
    with Client(service.url) as client:
        # Without bots, since they would move meanwhile, too.
        opened = client.open("calimala", ["human"] * 3)
        first, second = opened.seat(0), opened.seat(1)
        choices = second.moves()
        first.move(first.moves()[0])
        with pytest.raises(Problem) as stale:
            second.move(choices[0], expected=choices)
        assert (stale.value.status, stale.value.kind) == (412, "stale-version")

        other = client.open("calimala", ["human"] * 3)
        looks: list[int] = []

        def choose(view: Answer, moves: Moves) -> Json:
            looks.append(view["version"])
            if len(looks) == 1:
                other.seat(0).act(lambda _view, moves: moves[0])
            return moves[0]

        commit = other.seat(1).act(choose)
        assert commit is not None
        assert len(looks) == 2
        assert commit["version"] == looks[1] + 1


def test_nothing_secret_is_in_a_repr_or_a_log(
    service: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    """Openings and errors about tokens show none, nor do logs at their finest level."""
    with caplog.at_level(logging.DEBUG), Client(service.url) as client:
        opened = two_humans(client)
        token = opened.tokens["seat:0"]
        forged = token[:-5] + "AAAAA"
        texts = [repr(opened), repr(opened.seat(0)), repr(client), repr(opened.tokens)]
        for bad in (forged, f"{token}\n", "hunter2"):
            with pytest.raises(Problem) as refused:
                giornale_client.play(client, [bad], lambda _, moves: moves[0])
            texts += [repr(refused.value), str(refused.value), *refused.value.__notes__]
            assert "token 1 of 1" in "".join(refused.value.__notes__)
        assert caplog.text

    output = "".join([*texts, caplog.text])
    assert opened.id in output
    assert not any(secret[31:60] in output for secret in opened.tokens.values())
    assert "hunter2" not in output


# ---- a server that answers as it is told ---------------------------------------------------


@contextmanager
def told_server(answers: list[tuple[int, dict[str, str], str]]) -> Iterator[tuple[str, list[Any]]]:
    """A server with these answers in turn. Yield its URL, and paths and headers asked."""
    requests: list[Any] = []
    queue = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.path, self.headers))
            status, headers, body = queue.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if headers.get("Content-Type") != EVENT_STREAM:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", requests
        server.shutdown()
        thread.join()


@pytest.mark.whole
def test_passing_errors_are_retried_and_lasting_ones_raised() -> None:
    """429 and 503 are asked again when Retry-After says, if that is soon. A redirect is refused."""
    busy = (503, {"Retry-After": "1"}, '{"title": "Overloaded"}')
    often = (429, {"Retry-After": "0"}, "{}")
    with told_server([busy, often, (200, {"ETag": '"7"'}, '{"version": 7}')]) as (url, requests):
        answer = Client(url).get("/v1/games")
        assert answer is not None
        assert (answer["version"], answer.etag, len(requests)) == (7, '"7"', 3)

    with told_server([(503, {"Retry-After": "90"}, "{}")]) as (url, _):
        with pytest.raises(Problem) as refused:
            Client(url, patience=60).get("/v1/games")
        assert refused.value.retry_after == 90

    for odd in ("ftp://127.0.0.1", "http://", "http://127.0.0.1:port", "http://me@127.0.0.1"):
        with pytest.raises(Problem, match="it must be"):
            Client(odd)

    elsewhere = (302, {"Location": "http://127.0.0.1:9/"}, "moved")
    with told_server([elsewhere]) as (url, _), pytest.raises(Problem) as moved:
        Client(url).get("/v1/games", f"gio_{'a' * 26}_{'b' * 43}")
    assert moved.value.status == 302


def test_one_stream_tells_of_all_matches() -> None:
    """After a cut the stream goes on after the last whole event, until all matches have ended."""
    one, other = f"gio_{'a' * 26}_{'x' * 43}", f"gio_{'b' * 26}_{'y' * 43}"
    first = 'retry: 2000\n\n: beat\n\nid: a=3\nevent: turn\ndata: {"match": "%s", "seat": 0}\n\n'
    cut = 'id: a=4\nevent: waiting\ndata: {"mat'
    rest = 'id: a=5\nevent: ended\ndata: {"match": "%s"}\n\nevent: gone\ndata: {"match": "%s"}\n\n'
    events = {"Content-Type": EVENT_STREAM}
    answers = [
        (200, events, first % ("a" * 26) + cut),
        (200, events, rest % ("a" * 26, "b" * 26)),
    ]
    with told_server(answers) as (url, requests):
        news = list(Client(url).follow([one, other]))

    assert [event.name for event in news] == ["turn", "ended", "gone"]
    assert [headers["Last-Event-ID"] for _, headers in requests] == [None, "a=3"]
    assert {headers["Authorization"] for _, headers in requests} == {f"Bearer {one}"}
    assert {headers["Giornale-Tokens"] for _, headers in requests} == {other}


def test_a_stream_of_new_commits_begins_at_its_request() -> None:
    """A cut before its first event does not move the beginning to later commits."""
    events = {"Content-Type": EVENT_STREAM}
    commit = 'id: 5\nevent: commit\ndata: {"version": 5}\n\n'
    answers = [(200, {}, '{"version": 4}'), (200, events, ""), (200, events, commit), (204, {}, "")]
    with told_server(answers) as (url, requests):
        versions = [event.data["version"] for event in Client(url).match("a" * 26).follow()]

    assert versions == [5]
    path = f"/v1/matches/{'a' * 26}"
    assert [path for path, _ in requests] == [path, *[f"{path}/stream?after=4"] * 3]
    assert requests[-1][1]["Last-Event-ID"] == "5"


@pytest.mark.parametrize("poll", ["feed", "state", "moves"])
def test_an_overloaded_server_is_not_hammered(poll: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polls that come back at once and empty are followed by longer and longer pauses."""
    pauses: list[float] = []
    own_thread = threading.get_ident()

    class Enough(Exception):
        """It has paused often enough."""

    def sleep(seconds: float) -> None:
        if threading.get_ident() != own_thread:  # left by another test
            threading.Event().wait(seconds)
            return
        pauses.append(seconds)
        if len(pauses) == 9:
            raise Enough

    monkeypatch.setattr("giornale_client.time.sleep", sleep)
    body = json.dumps(
        {"commits": [], "next": "/v1/commits?after=7", "version": 1, "hash": "", "moves": []}
    )
    answers = [(200, {"ETag": '"1"'}, body)] * 20
    with told_server(answers) as (url, requests), Client(url) as client:
        match = client.match("a" * 26)
        answer = Answer()
        answer.etag = '"1"'
        monkeypatch.setattr(client, "_ask", _unchanged(client) if poll != "feed" else client._ask)

        def follow() -> None:
            if poll == "feed":
                list(client.feed(after=7))
            while True:
                match._get(f"/{poll}", answer, wait=20)

        with pytest.raises(Enough):
            follow()

    assert all(before < 3.1 * after for before, after in itertools.pairwise(pauses))
    assert pauses[0] <= 0.15
    assert pauses[-1] >= 2.5
    assert len(requests) <= 9


def _unchanged(client: Client) -> Any:
    """Return an opener with 304 as its answer to each request."""
    reply = giornale_client._Reply(304, HTTPMessage(), b"")
    return lambda _request: reply
