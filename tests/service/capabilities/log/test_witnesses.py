"""The log asks witnesses: checkpoints with enough signatures are saved. Nothing waits for them."""

import http.client
import shutil
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from service.api.health.surroundings import Surroundings
from service.base.config import Config
from service.bootstrap import open_context, open_sequencer
from service.capabilities.log import witnesses
from service.capabilities.log.witnesses import (
    Answer,
    Asking,
    Cosigning,
    post_in_time,
)
from service.ops.cli.witness import WitnessServer
from service.record.tlog.checkpoint import read_checkpoint, read_note, read_verifier
from service.record.tlog.proof import Policy, Trusted, read_policy
from service.store.jobs.counters import WITNESS_CALLS
from service.store.journal.errors import JournalUnavailable
from service.store.tlog.witness import Witness
from tests import toy
from tests.running import no_threads, until
from tests.service.store.tlog.conftest import START, House, run_out
from tests.service.toy_matches import opened
from workers import app

URLS = {name: f"http://{name}.example" for name in ("w1", "w2")}


@dataclass
class World:
    """A log, two witnesses of it, and the connection between them.

    away: the names of silent witnesses. bodies: the requests, with the name. counted:
    the outcomes. now: the clock of the asking process.
    """

    root: Path
    house: House
    witnesses: dict[str, Witness]
    away: set[str] = field(default_factory=set)
    bodies: list[tuple[str, bytes]] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)
    now: float = 0.0

    def policy(self, least: str) -> Policy:
        """Return the policy that wants any or all of the witnesses."""
        lines = [f"log {self.house.journal.order.state().key}"]
        lines += [
            f"witness {name} {one.verifier} {URLS[name]}" for name, one in self.witnesses.items()
        ]
        lines += [f"group both {least} w1 w2", "quorum both", ""]
        return read_policy("\n".join(lines).encode())

    def post(self, url: str, body: bytes) -> Answer:
        """Bring a request to a witness, as HTTP would."""
        name = url.removeprefix("http://").partition(".")[0]
        assert url == f"{URLS[name]}/add-checkpoint"
        if name in self.away:
            raise ConnectionRefusedError
        self.bodies.append((name, body))
        reply = self.witnesses[name].add_checkpoint(body)
        return Answer(reply.status, reply.body)

    def cosigning(self, least: str, house: House | None = None) -> Cosigning:
        """Return the requester of signatures for a log."""
        log = (house or self.house).log
        return Cosigning(self.policy(least), log, self.counted.append, self.post, lambda: self.now)

    def grow(self, commits: int = 1) -> int:
        """Make the log longer. Return its size."""
        self.house.fill(commits)
        run_out(self.house.sequencer())
        return self.house.log.size()

    def seen_by(self, least: str) -> tuple[int, tuple[str, ...]]:
        """Return the size of the cosigned checkpoint, and its signers, by a policy."""
        checkpoint = Trusted.of(self.house.log.cosigned_checkpoint(), self.policy(least))
        assert self.house.journal.order.state().cosigned_size == checkpoint.size
        return checkpoint.size, checkpoint.seen_by


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A log of some commits, and two witnesses that know its key."""
    house = House(tmp_path / "house")
    house.fill(5)
    run_out(house.sequencer())
    key = read_verifier(house.journal.order.state().key)
    both = {name: Witness(tmp_path / name, name, [key], lambda: START) for name in URLS}
    return World(tmp_path, house, both)


def test_checkpoints_with_enough_witnesses_are_saved(world: World) -> None:
    """Each checkpoint with enough signatures is saved, and its signatures are asked for once."""
    cosigning = world.cosigning("all")
    assert world.house.log.cosigned_checkpoint() == b""
    for commits in (0, 1, 300):
        size = world.grow(commits)
        cosigning.round()
        assert world.seen_by("all") == (size, ("w1", "w2"))

    number = len(world.bodies)
    cosigning.round()
    assert len(world.bodies) == number
    assert set(world.counted) == {"cosigned"}


def test_the_newest_checkpoint_alone_is_asked_for(world: World) -> None:
    """Only the newest checkpoint is asked for, with the proof from each witness's size."""
    cosigning = world.cosigning("all")
    cosigning.round()
    world.bodies.clear()
    for _ in range(4):
        size = world.grow(3)
    cosigning.round()
    assert [body.startswith(b"old 5\n") for _, body in world.bodies] == [True, True]
    assert world.seen_by("all")[0] == size


def test_one_witness_away_does_not_matter_if_any_is_enough(world: World) -> None:
    """While w2 is away the signature of w1 is stored. When w2 is back, both are stored."""
    world.away = {"w2"}
    cosigning = world.cosigning("any")
    cosigning.round()
    assert world.seen_by("any") == (5, ("w1",))
    assert sorted(world.counted) == ["cosigned", "failed"]

    world.away.clear()
    world.now = 1000.0
    cosigning.round()
    assert world.seen_by("any") == (5, ("w1", "w2"))


def test_one_witness_away_holds_up_only_the_word_of_all(world: World) -> None:
    """While a witness is away the newest checkpoint signed by all stays, and the log goes on."""
    cosigning = world.cosigning("all")
    cosigning.round()
    world.away = {"w2"}
    world.grow()
    cosigning.round()
    assert world.seen_by("all") == (5, ("w1", "w2"))
    size = world.grow()
    assert world.house.log.size() == size == 7

    world.away.clear()
    world.now = 1000.0
    cosigning.round()
    assert world.seen_by("all") == (7, ("w1", "w2"))


def test_a_round_without_threads_is_made_again(world: World) -> None:
    """A round that gets no threads blames no witness, and the next round asks all."""
    cosigning = world.cosigning("all")
    with no_threads():
        assert Asking(cosigning).attempt() > 0
    assert world.counted == []

    Asking(cosigning).attempt()
    assert world.seen_by("all") == (5, ("w1", "w2"))


def test_a_call_without_an_alarm_is_a_failure() -> None:
    """Without an alarm nothing would end a call, so it is not made."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        with no_threads(), pytest.raises(OSError, match="can't start new thread"):
            post_in_time(url, b"")


def test_a_witness_that_is_away_is_asked_less_and_less(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """An absent witness is asked after 2, 4, 8 seconds and so on, at last every 5 minutes.

    It is logged once for each witness.
    """
    world.away = {"w1", "w2"}
    cosigning = world.cosigning("any")
    asked_at = []
    for second in range(1500):
        world.now = float(second)
        before = len(world.counted)
        cosigning.round()
        if len(world.counted) > before:
            asked_at.append(second)

    assert asked_at == [0, 2, 6, 14, 30, 62, 126, 254, 510, 810, 1110, 1410]
    warnings = [one for one in caplog.records if one.message == "witness did not sign"]
    assert len(warnings) == 2


def test_after_a_restart_it_resumes_at_the_size_of_the_witnesses(world: World) -> None:
    """A witness answers with 409 and its size. The proof from there is sent in the same round."""
    world.cosigning("all").round()
    size = world.grow(3)
    world.bodies.clear()
    world.cosigning("all").round()
    old = [body.partition(b"\n")[0] for name, body in world.bodies if name == "w1"]
    assert old == [b"old 0", b"old 5"]
    assert world.seen_by("all")[0] == size


def forked(world: World, commits: int) -> House:
    """Return another log with the key of the first one and another beginning."""
    fork = House(world.root / "fork")
    shutil.copy(world.house.root / "log-keys.json", fork.root / "log-keys.json")
    fork.fill(commits, matches=2)
    run_out(fork.sequencer())
    assert fork.journal.order.state().key == world.house.journal.order.state().key
    return fork


def test_a_witness_that_was_thought_to_be_further_is_asked_anew(world: World) -> None:
    """A witness that named a wrong size by mistake can sign later."""
    cosigning = world.cosigning("all")
    cosigning._post = lambda _url, _body: Answer(409, b"900\n")
    cosigning.round()
    assert world.counted == ["refused", "refused"]

    cosigning._post = world.post
    world.now = 1000.0
    cosigning.round()
    assert world.seen_by("all") == (5, ("w1", "w2"))


@pytest.mark.parametrize("commits", [3, 5, 9], ids=["shorter", "as long", "longer"])
def test_a_forked_log_is_refused_in_one_round(
    world: World, caplog: pytest.LogCaptureFixture, commits: int
) -> None:
    """No witness signs a forked log, nothing is kept, and log lines and the counter tell it."""
    world.cosigning("any").round()
    fork = forked(world, commits)
    world.counted.clear()

    world.cosigning("any", fork).round()
    assert world.counted == ["refused", "refused"]
    assert fork.log.cosigned_checkpoint() == b""
    records = [
        one for one in caplog.records if one.levelname == "ERROR" and one.name == witnesses.__name__
    ]
    assert {one.__dict__["witness"] for one in records} == {"w1", "w2"}
    assert all("another history" in one.message for one in records)

    world.cosigning("any").round()
    assert world.seen_by("any") == (5, ("w1", "w2"))


def test_a_log_that_another_scheduler_has_carried_on_is_no_fork(world: World) -> None:
    """A witness that has seen more than the checkpoint that was read does not count as failed."""
    cosigning = world.cosigning("all")
    is_first = threading.Lock()

    def meanwhile(url: str, body: bytes) -> Answer:
        if is_first.acquire(blocking=False):
            world.grow(4)
            world.cosigning("all").round()
        return world.post(url, body)

    cosigning._post = meanwhile
    cosigning._witnesses = cosigning._witnesses[:1]
    cosigning.round()
    assert set(world.counted) == {"cosigned"}
    assert world.seen_by("all") == (9, ("w1", "w2"))


ANSWERS = {
    "a failure": Answer(500, b"no\n"),
    "an unknown log": Answer(404, b"no\n"),
    "no size": Answer(409, b"seven\n"),
    "a size with a zero": Answer(409, b"07\n"),
    "nothing": Answer(200, b""),
    "no line": Answer(200, b"hello\n"),
    "no UTF-8": Answer(200, b"\xff\xfe\n"),
    "another place": Answer(302, b""),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_that_is_not_right_is_none(world: World, answer: Answer) -> None:
    """A wrong answer counts as a failure. The signature of the other witness is stored."""
    cosigning = world.cosigning("any")

    def post(url: str, body: bytes) -> Answer:
        return answer if "w2" in url else world.post(url, body)

    cosigning._post = post
    cosigning.round()
    assert sorted(world.counted) == ["cosigned", "failed"]
    assert world.seen_by("any") == (5, ("w1",))


def test_the_signature_of_another_key_or_checkpoint_is_not_kept(world: World) -> None:
    """A signature by another key, or of another checkpoint, is not saved."""
    right: dict[str, Answer] = {}

    def keep(url: str, body: bytes) -> Answer:
        right[url] = world.post(url, body)
        return Answer(503, b"")

    cosigning = world.cosigning("any")
    cosigning._post = keep
    cosigning.round()
    assert [answer.status for answer in right.values()] == [200, 200]

    first, second = right
    swapped = {first: right[second], second: right[first]}
    cosigning._post = lambda url, _body: swapped[url]
    world.now = 1000.0
    cosigning.round()
    assert world.house.log.cosigned_checkpoint() == b""

    world.grow()
    cosigning._post = lambda url, _body: right[url]  # of the size before
    world.now = 2000.0
    cosigning.round()
    assert world.house.log.cosigned_checkpoint() == b""
    assert set(world.counted) == {"failed"}


def test_a_greater_cosigned_checkpoint_stays(world: World) -> None:
    """A slow scheduler does not replace a cosigned checkpoint with an older one."""
    old = world.house.log.checkpoint()
    world.grow(2)
    world.cosigning("all").round()
    assert not world.house.log.keep_cosigned(5, old)
    assert world.seen_by("all")[0] == 7
    note = world.house.log.cosigned_checkpoint()
    assert read_checkpoint(read_note(note)).size == 7


def test_without_a_journal_the_round_ends_and_the_next_one_comes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round without a journal ends without an error, and the next one comes."""
    cosigning = world.cosigning("all")
    asking = Asking(cosigning)
    for error in (JournalUnavailable("away"), ValueError("a fault")):
        with monkeypatch.context() as patched:
            patched.setattr(world.house.log, "checkpoint", _raising(error))
            asking.attempt()
    asking.attempt()
    assert world.seen_by("all")[0] == 5


def test_a_checkpoint_that_a_journal_missed_is_saved_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint that could not be saved is saved later, and no witness is asked again for it."""
    cosigning = world.cosigning("all")
    with monkeypatch.context() as patched:
        patched.setattr(world.house.log, "keep_cosigned", _raising(JournalUnavailable("full")))
        with pytest.raises(JournalUnavailable):
            cosigning.round()
    assert world.house.log.cosigned_checkpoint() == b""

    cosigning.round()
    assert world.seen_by("all") == (5, ("w1", "w2"))
    assert len(world.bodies) == 2


def _raising(error: Exception) -> Callable[..., bytes]:
    def fail(*_arguments: object) -> bytes:
        raise error

    return fail


@pytest.mark.parametrize(
    "beginning",
    [b"", b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"],
    ids=["from the start", "in the body, on a connection that the answer has taken over"],
)
def test_a_witness_that_answers_drop_by_drop_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    """A call to a witness that sends single bytes without end is cut off at its deadline."""
    monkeypatch.setattr(witnesses, "CALL_SECONDS", 0.3)
    is_over = threading.Event()

    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(beginning)
                while not is_over.wait(0.02):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.getsockname()[1]}/add-checkpoint"
            with pytest.raises((OSError, http.client.HTTPException)):
                post_in_time(address, b"old 0\n")
        finally:
            is_over.set()
            thread.join()


def test_the_scheduler_asks_the_witnesses_of_its_settings(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler asks its witnesses in a thread, over HTTP, and counts the answers as metrics.

    Without a policy it asks nobody.
    """
    toy.install(monkeypatch)
    environ = {"GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_DATA": str(tmp_path / "var")}
    ctx, queues = open_context(Config.load(environ))
    assert len(list(app.threads(Config.load(environ), ctx, queues, None))) == 2
    assert ctx.log is not None
    opened(replace(ctx, enqueue=lambda *_: None))
    run_out(open_sequencer(Config.load(environ), ctx))
    key = ctx.journal.order.state().key

    witness = Witness(tmp_path / "witness", "", [read_verifier(key)], lambda: START)
    policy = tmp_path / "policy"
    monkeypatch.setattr(witnesses, "ROUND_SECONDS", 0.02)
    with WitnessServer(("127.0.0.1", 0), witness) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving.start()
        policy.write_text(f"log {key}\nwitness w {witness.verifier} {server.url}\nquorum w\n")
        config = Config.load({**environ, "GIORNALE_LOG_POLICY": str(policy)})
        *_, asking = app.threads(config, ctx, queues, None)
        asking.start()
        note = until(ctx.log.cosigned_checkpoint, "the witness has signed")
        until(lambda: queues.counts(WITNESS_CALLS)["cosigned"], "it is counted")
        asking.stop()
        server.shutdown()
        serving.join()

    checkpoint = Trusted.of(note, read_policy(policy.read_bytes()))
    assert (checkpoint.size, checkpoint.seen_by) == (ctx.log.size(), ("w",))
    metrics = Surroundings(ctx.journal, queues, tmp_path).exposition().decode()
    assert f"giornale_log_cosigned_entries {checkpoint.size}.0" in metrics
    assert 'giornale_witness_calls_total{outcome="cosigned"} 1.0' in metrics
    assert 'giornale_witness_calls_total{outcome="refused"} 0.0' in metrics
