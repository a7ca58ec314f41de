"""Webhook calls: due calls, their course, and no harm from receivers to the house or others."""

import base64
import http.server
import json
import runpy
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from standardwebhooks import Webhook as Oracle

from service.base import fetch
from service.base.errors import Overloaded, Unauthorized
from service.capabilities.webhooks import (
    calls as calls_module,
    jobs as pool_module,
    special_networks,
    use_cases as webhooks,
)
from service.capabilities.webhooks.calls import Resolution, WebhookClient
from service.capabilities.webhooks.jobs import Pool
from service.capabilities.webhooks.special_networks import is_public, registered_domain
from service.capabilities.webhooks.use_cases import (
    CALL_MS,
    CLOCKS_MS,
    GIVEN_UP_MS,
    GIVEN_UP_TRIES,
    MINUTE_MS,
    Call,
    CallResult,
    Delivery,
    Webhook,
)
from service.matches import automation, lifecycle, lobby, tokens
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.record.commit import clock
from service.store.journal.errors import JournalUnavailable
from service.store.journal.memory import memory_journal
from service.store.journal.values import CLOCK, HOOK, Timer, Tombstone
from service.store.keys.signer import Signer
from tests import taking_back
from tests.running import PATIENCE, no_threads, until
from tests.service.matches.conftest import humans, make_move
from tests.service.store.journal.entries import LEASES_MS
from tests.whole import whole_but

Act = Callable[[], object]

ROOT = Path(__file__).parents[4]
LOCAL = (ip_network("127.0.0.0/8"),)
NOON = 1_800_000_000_000
HANG_SECONDS = 2 * PATIENCE  # A test fails before a call that hangs comes to its end.
OK = CallResult(200, "200")
FAILED = CallResult(500, "500")
BOTH = ("turn", "ended")


# ---- what is due -----------------------------------------------------------------------------


@dataclass
class House:
    """A match of three humans with a webhook of seat 0, and a clock that a test moves.

    attempts: the begun calls, in their order.
    """

    ctx: Context
    opened: NewMatch
    now: list[int]
    attempts: list[Call] = field(default_factory=list)

    @property
    def match(self) -> str:
        """The match's id."""
        return self.opened.loaded.id

    def due(self) -> list[Call]:
        """Return the due calls."""
        return webhooks.calls(self.ctx, self.match)[0]

    def wait(self) -> int | None:
        """Return in how many milliseconds to look again."""
        return webhooks.calls(self.ctx, self.match)[1]

    def begin(self) -> None:
        """Begin the call that is due."""
        [call] = self.due()
        current = webhooks.begin(self.ctx, call)
        assert current is not None
        self.attempts.append(current)

    def end(self, answer: CallResult, number: int = -1) -> None:
        """Have a call answered, by default the one that was begun last."""
        webhooks.end(self.ctx, self.attempts[number], answer)

    def answer(self, answer: CallResult) -> None:
        """Make the call that is due, and have it answered."""
        self.begin()
        self.end(answer)

    def pass_time(self, milliseconds: int) -> None:
        """Let time pass."""
        self.now[0] += milliseconds

    def put(self, who: str = "seat:0", on: tuple[str, ...] = BOTH) -> Webhook:
        """Store a webhook."""
        webhook, _ = webhooks.put(self.ctx, self.match, self.opened.tokens[who], URL, on)
        return webhook

    def by(self, who: str) -> Submission:
        """Return a submission of a caller."""
        return Submission(self.match, self.opened.tokens[who])

    def delivery(self) -> Delivery:
        """Return the delivery of seat 0."""
        return webhooks.get(self.ctx, self.match, self.opened.tokens["seat:0"])[1]

    def ended(self) -> str:
        """Return the reason why seat 0 is called no more, "" while it is called."""
        return self.delivery().ended


URL = "https://example.org/calls"


@pytest.fixture
def house() -> House:
    """A match in the draft, with all three seats awaited."""
    now = [NOON]
    ctx = Context(
        memory_journal(clock=lambda: now[0]),
        b"s" * 32,
        clock=lambda: now[0],
        enqueue=lambda *_: None,
        allow_seed=True,
    )
    terms = OpenRequest("calimala", humans(3), seed="webhooks", terms={"take_back": "consent"})
    new_house = House(ctx, open_new(ctx, terms), now)
    new_house.put()
    return new_house


Step = Callable[[House], object]


def answered(status: int, wait_ms: int = 0) -> Step:
    """Return the step to make the due call and answer it."""
    return lambda house: house.answer(CallResult(status, str(status), wait_ms))


def passes(milliseconds: int) -> Step:
    """Return the step that lets time pass."""
    return lambda house: house.pass_time(milliseconds)


def puts(*on: str, who: str = "seat:0") -> Step:
    """Return the step in which a holder stores a webhook for these events."""
    return lambda house: house.put(who, on or BOTH)


def asks_for_test(house: House) -> None:
    """Let seat 0 ask for a test."""
    webhooks.ask_test(house.ctx, house.match, house.opened.tokens["seat:0"])


HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

# Possible events, by the words of the table below.
STEPS: dict[str, Step] = {
    "first": lambda _house: None,
    "answer 200": answered(200),
    "answer 302": answered(302),
    "answer 410": answered(410),
    "answer 500": answered(500),
    "answer 429 for 10 h": answered(429, 10 * HOUR_MS),
    "answer 503 for years": answered(503, 10**12),
    "begin": House.begin,
    "end 200": lambda house: house.end(OK),
    "end 500": lambda house: house.end(FAILED),
    "end the first 200": lambda house: house.end(OK, number=0),
    "a minute": passes(MINUTE_MS),
    "an hour": passes(HOUR_MS),
    "10 h but a millisecond": passes(10 * HOUR_MS - 1),
    "a millisecond": passes(1),
    "a day": passes(DAY_MS),
    "days": passes(GIVEN_UP_MS),
    "as long as a call": passes(CALL_MS),
    "clock back a little": passes(-CLOCKS_MS),
    "clock back an hour": passes(-HOUR_MS),
    "put": puts(),
    "put ended": puts("ended"),
    "put with take_back": puts("turn", "take_back"),
    "owner puts turn": puts("turn", who="owner"),
    "ask for a test": asks_for_test,
    "seat 0 moves": lambda house: make_move(house.ctx, house.opened, 0),
    "seat 1 moves": lambda house: make_move(house.ctx, house.opened, 1),
    "seat 2 moves": lambda house: make_move(house.ctx, house.opened, 2),
    "a bot stands in": lambda house: lobby.replace(house.ctx, house.by("owner"), 0, "random"),
    "abort": lambda house: lobby.abort(house.ctx, house.by("owner")),
    "reveal": lambda house: automation.act(house.ctx, house.match),
    "seat 2 asks": lambda house: taking_back.ask(house.ctx, house.by("seat:2"), 1),
    "seat 0 agrees": lambda house: taking_back.agree(house.ctx, house.by("seat:0")),
    "seat 1 agrees": lambda house: taking_back.agree(house.ctx, house.by("seat:1")),
    "seat 0 refuses": lambda house: taking_back.refuse(house.ctx, house.by("seat:0")),
}

# Steps. After each colon: event and version of the call that is then due, "-" for none.
DELIVERIES = {
    "a-turn-once-though-others-move": "first: turn 1; answer 200: -; seat 1 moves: -",
    "not-what-has-passed": "answer 500: -; seat 0 moves: -; a day: -",
    "the-end-once": "answer 200: -; abort: ended 2; answer 200: -; reveal: -",
    "only-what-was-asked-for": "put ended: -",
    "to-the-owner-any-humans-turn": (
        "put ended: -; owner puts turn: turn 1; answer 200: -; seat 1 moves: turn 2"
    ),
    "M8-no-turn-of-a-bot-that-stands-in": "a bot stands in: -",
    "M17-an-awaited-consent-once-for-each-ask": (
        "put with take_back: turn 1; answer 200: -; seat 1 moves: -; "
        "seat 2 asks: take_back 3; answer 200: -; seat 1 agrees: -; seat 0 refuses: -; "
        "seat 2 moves: -; seat 2 asks: take_back 7; seat 0 agrees: -"
    ),
    "a-longer-pause-as-asked-for": (
        "answer 429 for 10 h: -; 10 h but a millisecond: -; a millisecond: turn 1"
    ),
    "a-day-later-at-the-most": "answer 503 for years: -; a day: turn 1",
    "again-after-a-redirect": "answer 302: -; a minute: turn 1",
    "nothing-after-gone-until-a-test": "answer 410: -; days: -; ask for a test: turn 1",
    "again-after-many-failures-in-hours": "; ".join(["answer 500: -; an hour: turn 1"] * 11),
    "again-where-a-process-died": "begin: -; as long as a call: turn 1",
    # Written by a clock an hour ahead, or read by one behind, the time of the next try is void.
    "again-by-a-wrong-clock": ("answer 500: -; clock back a little: -; clock back an hour: turn 1"),
    "again-by-a-wrong-clock-where-a-process-died": (
        "begin: -; clock back a little: -; clock back an hour: turn 1"
    ),
    # Calls are made one after the other, so that nobody has several addresses called at once.
    "a-new-webhook-after-the-call-under-way": "begin: -; put: -; end 200: turn 1",
    "a-test-after-the-call-under-way": "begin: -; ask for a test: -; end 200: test 1",
    # Another process has begun the call again, and reports its own result.
    "again-whatever-a-late-end-says": (
        "begin: -; as long as a call: turn 1; begin: -; end the first 200: -; end 500: -; "
        "a minute: turn 1"
    ),
}


@pytest.mark.parametrize("steps", DELIVERIES.values(), ids=DELIVERIES)
def test_a_receiver_is_due_while_its_player_is_awaited(house: House, steps: str) -> None:
    """A receiver is called from the time its player is awaited until the player has acted."""
    for one in steps.split("; "):
        step, _, expected = one.partition(": ")
        STEPS[step](house)
        assert [f"{call.event} {call.version}" for call in house.due()] == (
            [] if expected == "-" else [expected]
        ), step


def test_a_gone_receiver_is_not_proven(house: House) -> None:
    """A fast 410 is a failure, so the test call takes no place reserved for proven receivers.

    This holds at a host of proven receivers, too.
    """
    house.answer(CallResult(410, "410"))
    assert house.ended() == "gone"
    assert house.delivery().tries == 1

    asks_for_test(house)
    [call] = house.due()
    pool = Pool(house.ctx, WebhookClient(None, LOCAL))
    pool._remember("example.org", pool_module.PROVEN)
    assert pool._class_of(call, "example.org") == pool_module.SLOW


def test_pauses_double_up_to_an_hour(house: House) -> None:
    """Pauses between tries double from a minute to an hour, with a random fifth.

    A received call starts the count again. Each try has the same id, so that a repeat can be told.
    """
    ids = set()
    for tries in range(8):
        ids |= {call.id for call in house.due()}
        house.answer(FAILED)
        longest = min(MINUTE_MS * 2**tries, HOUR_MS)
        wait = house.wait()
        assert wait is not None
        assert longest * 4 // 5 <= wait <= longest
        house.pass_time(wait)

    house.answer(OK)
    _, delivery = webhooks.get(house.ctx, house.match, house.opened.tokens["seat:0"])
    assert (delivery.tries, delivery.event) == (0, "turn")
    assert len(ids) == 1


def test_a_receiver_that_fails_for_days_is_given_up(house: House) -> None:
    """A receiver is given up after ten failures in at least three days.

    A test restarts the count.
    """
    for _ in range(GIVEN_UP_TRIES - 1):
        house.answer(FAILED)
        house.pass_time(GIVEN_UP_MS)
    assert house.ended() == ""

    house.answer(FAILED)
    assert house.ended() == "given up"
    assert house.delivery().tries == GIVEN_UP_TRIES
    assert house.due() == []

    asks_for_test(house)
    house.answer(FAILED)
    assert house.ended() == ""


def test_two_processes_make_one_call(house: House) -> None:
    """Of two processes with the same due call, the second finds the call under way."""
    [call] = house.due()
    assert webhooks.begin(house.ctx, call) is not None
    assert webhooks.begin(house.ctx, call) is None
    assert house.due() == []


# ---- what happens at the same time -----------------------------------------------------------


@pytest.fixture
def before_put(house: House, monkeypatch: pytest.MonkeyPatch) -> Callable[[Act], None]:
    """A function that lets an act happen just before metadata is next put."""
    metadata = house.ctx.journal.metadata
    put = metadata.put

    def happen_before(act: Act) -> None:
        def put_later(*arguments: Any) -> bool:
            monkeypatch.setattr(metadata, "put", put)
            act()
            return put(*arguments)

        monkeypatch.setattr(metadata, "put", put_later)

    return happen_before


def test_two_puts_at_once_have_one_secret(house: House, before_put: Callable[[Act], None]) -> None:
    """Two puts at once get the same secret, and only the first is told that it is new."""
    results: list[tuple[Webhook, bool]] = []
    token = house.opened.tokens["seat:1"]

    def put() -> None:
        results.append(webhooks.put(house.ctx, house.match, token, URL, BOTH))

    before_put(put)
    put()

    assert results[0][0] == results[1][0]
    assert [is_new for _, is_new in results] == [True, False]


def test_a_delete_comes_before_a_put_or_after_it(
    house: House, before_put: Callable[[Act], None]
) -> None:
    """A put after a deletion makes a new webhook with another secret."""
    token = house.opened.tokens["seat:0"]
    before, _ = webhooks.get(house.ctx, house.match, token)
    before_put(lambda: webhooks.delete(house.ctx, house.match, token))

    webhook, is_new = webhooks.put(house.ctx, house.match, token, URL, BOTH)

    assert is_new
    assert webhook.secret != before.secret


@pytest.mark.parametrize(
    "change",
    [partial(webhooks.put, url=URL, on=BOTH), webhooks.delete, webhooks.ask_test],
    ids=["put", "delete", "test"],
)
def test_a_match_that_is_deleted_meanwhile_is_refused(
    house: House, before_put: Callable[[Act], None], change: Any
) -> None:
    """A match deleted during a request gives the refusal of a match deleted before."""
    tombstone = Tombstone(NOON, "operator")
    before_put(lambda: house.ctx.journal.lifecycle.delete(house.match, tombstone))

    with pytest.raises(Unauthorized):
        change(house.ctx, house.match, house.opened.tokens["seat:0"])


def test_a_token_that_is_revoked_meanwhile_leaves_no_webhook(
    house: House, before_put: Callable[[Act], None]
) -> None:
    """A token that is revoked during a request leaves no webhook."""
    secrets = house.opened.tokens
    before_put(
        lambda: tokens.revoke(house.ctx, Submission(house.match, secrets["owner"]), "seat:1")
    )

    with pytest.raises(Unauthorized):
        webhooks.put(house.ctx, house.match, secrets["seat:1"], URL, BOTH)

    assert "hook:seat:1" not in house.ctx.journal.metadata.fields(house.match)


CHANGES: dict[str, Step] = {
    "put": puts(),
    "delete": lambda house: webhooks.delete(house.ctx, house.match, house.opened.tokens["seat:0"]),
    "match-deleted": lambda house: lifecycle.delete(house.ctx, house.match, "ada"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_webhook_changed_after_the_look_is_not_called(house: House, change: Step) -> None:
    """A webhook changed after the look is not called, for its address may be another one."""
    [call] = house.due()
    change(house)
    assert webhooks.begin(house.ctx, call) is None


def test_values_stored_by_a_later_release_can_be_read(house: House) -> None:
    """Values stored by a later release can be read, as both make calls during an upgrade."""
    fields = house.ctx.journal.metadata.fields(house.match)
    later = {"colour": "red", **json.loads(fields["hooked:seat:0"])}
    house.ctx.journal.metadata.put(house.match, {"hooked:seat:0": json.dumps(later)})

    house.answer(OK)

    assert house.due() == []


def test_a_failed_receiver_is_called_last(house: House) -> None:
    """A player's dead receiver does not delay the calls of those at the same table."""
    house.answer(FAILED)
    for who in ("seat:1", "seat:2"):
        house.put(who)
    house.pass_time(MINUTE_MS)

    assert [call.holder for call in house.due()] == ["seat:1", "seat:2", "seat:0"]


def test_a_revoked_token_leaves_no_mark(house: House) -> None:
    """Once no webhook is seen to be left after a revocation, commits set the timer no more."""
    tokens.revoke(house.ctx, Submission(house.match, house.opened.tokens["owner"]), "seat:0")
    assert house.due() == []

    make_move(house.ctx, house.opened, 1)
    house.ctx.journal.timers.claim({CLOCK: 1, HOOK: 1}, 9)
    make_move(house.ctx, house.opened, 2)
    house.pass_time(MINUTE_MS)
    assert hook_fields(house) == []


def test_a_forgotten_webhook_leaves_nothing(house: House) -> None:
    """The last forgotten webhook leaves nothing, nor the mark by which commits set the timer."""
    house.put("owner")
    for who in ("seat:0", "owner"):
        webhooks.delete(house.ctx, house.match, house.opened.tokens[who])
    assert hook_fields(house) == []


def hook_fields(house: House) -> list[str]:
    """Return the fields of webhooks in the match's metadata."""
    fields = house.ctx.journal.metadata.fields(house.match)
    return [name for name in fields if name.startswith("hook")]


# ---- how a call goes -------------------------------------------------------------------------


@dataclass
class Received:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A server on this machine that answers as a test wants."""

    port: int = 0
    status: int = 200
    answer_headers: dict[str, str] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of the receiver."""
        return f"http://127.0.0.1:{self.port}/calls?of=me"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that answers 200."""
    with _receiver(http.server.ThreadingHTTPServer, "127.0.0.1") as server:
        yield server


@pytest.fixture
def receiver_of_ipv6() -> Iterator[Receiver]:
    """A receiver that answers 200 on IPv6."""

    class Server(http.server.ThreadingHTTPServer):
        address_family = socket.AF_INET6

    try:
        with _receiver(Server, "::1") as server:
            yield server
    except OSError:
        pytest.skip("this machine has no IPv6")


@contextmanager
def _receiver(
    server_type: type[http.server.ThreadingHTTPServer],
    address: str,
    certificate: Path | None = None,
) -> Iterator[Receiver]:
    """Yield a receiver on an address, with TLS if it has a certificate."""
    record = Receiver()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            record.received.append(Received(self.path, dict(self.headers), body))
            self.send_response(record.status)
            for name, value in record.answer_headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    server = server_type((address, 0), Handler)
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    record.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield record
    server.shutdown()
    server.server_close()


@contextmanager
def silent_receiver() -> Iterator[tuple[str, threading.Event]]:
    """Yield the address of a server that reads in silence, and the event that it sets then."""
    is_accepted = threading.Event()
    connections: list[socket.socket] = []

    def keep(connection: socket.socket) -> None:
        connections.append(connection)
        connection.recv(1)
        is_accepted.set()

    with raw_receiver(keep) as url:
        yield url, is_accepted
    for connection in connections:
        connection.close()


@contextmanager
def raw_receiver(talk: Any) -> Iterator[str]:
    """Yield the address of a server that hands each connection to `talk`."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    talk(server.accept()[0])

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def a_call(url: str, secret: bytes = b"k" * 32) -> Call:
    """Return a call of seat 0's turn."""
    webhook = Webhook(url, BOTH, f"whsec_{base64.b64encode(secret).decode()}")
    return Call("m" * 26, "seat:0", webhook, "turn", 7, 0, Delivery(), NOON)


def called(caller: WebhookClient, call: Call) -> CallResult:
    """Make a call, and return how it went."""
    resolution = caller.find(call.webhook.url)
    return resolution.failure or caller.call(call, resolution)


def test_a_call_is_signed_as_the_standard_has_it(receiver: Receiver, tmp_path: Path) -> None:
    """The library of Standard Webhooks takes v1, and v1a is by the key that /v1/keys lists."""
    signer = Signer(tmp_path / "keys.json", clock)
    call = a_call(receiver.url)

    assert called(WebhookClient(signer, LOCAL), call) == OK

    [received] = receiver.received
    content = Oracle(call.webhook.secret).verify(received.body, received.headers)
    assert content == {
        "type": "turn",
        "timestamp": "2027-01-15T08:00:00.000Z",
        "data": {"match": "m" * 26, "version": 7, "seat": 0, "deadline": None},
    }
    assert received.path == "/calls?of=me"

    [key] = signer.keys()
    assert received.headers["giornale-key"] == key["id"]
    _, v1a = received.headers["webhook-signature"].split(" ")
    signed = f"{call.id}.{received.headers['webhook-timestamp']}.".encode() + received.body
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public"]))
    public.verify(base64.b64decode(v1a.removeprefix("v1a,")), signed)


def test_the_example_takes_signed_calls(tmp_path: Path) -> None:
    """The documented function takes calls signed by the server's key. Neither takes a forgery."""
    signer = Signer(tmp_path / "keys.json", clock)
    example = runpy.run_path(str(ROOT / "examples/webhook/receiver.py"))
    code = (ROOT / "docs/guides/webhooks.md").read_text()
    documented: dict[str, Any] = {}
    exec(code.partition("```python")[2].partition("```")[0], documented)  # noqa: S102 - our own

    contents: list[Any] = []
    secret = a_call("").webhook.secret
    server = example["receiver"](secret, 0, contents.append)
    server.RequestHandlerClass.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    call = a_call(f"http://127.0.0.1:{server.server_port}/")

    assert called(WebhookClient(signer, LOCAL), call) == CallResult(204, "204")
    forged = replace(call, webhook=a_call("", secret=b"other" * 8).webhook)
    forged = replace(forged, webhook=replace(forged.webhook, url=call.webhook.url))
    assert called(WebhookClient(signer, LOCAL), forged) == CallResult(401, "401")
    server.shutdown()
    server.server_close()

    assert [one["type"] for one in contents] == ["turn"]
    body = calls_module._body(call)
    headers = WebhookClient(signer)._headers(call, body)
    documented["verify"](body, headers, signer.keys())
    with pytest.raises(InvalidSignature):
        documented["verify"](body + b" ", headers, signer.keys())


# The status, the value of Retry-After, and the pause in milliseconds.
ANSWERS: dict[str, tuple[int, str, int]] = {
    "a-redirect-is-not-followed": (302, "", 0),
    "410": (410, "", 0),
    "429-in-seconds": (429, "120", 120_000),
    "503-without-a-time": (503, "soon", 0),
    "503-until-a-past-day": (503, "Wed, 01 Jan 2025 00:00:00 GMT", 0),
    "200-with-many-digits": (200, "9" * 5000, 999_999_999_000),
}


@pytest.mark.parametrize(("status", "retry_after", "wait_ms"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_reported_as_it_is(
    receiver: Receiver, status: int, retry_after: str, wait_ms: int
) -> None:
    """The report of an answer has its status and the pause that the receiver asks for."""
    receiver.status = status
    receiver.answer_headers = {"Location": "http://127.0.0.1:1/", "Retry-After": retry_after}
    assert called(WebhookClient(None, LOCAL), a_call(receiver.url)) == CallResult(
        status, str(status), wait_ms
    )
    assert len(receiver.received) == 1


def test_a_receiver_may_name_a_day(receiver: Receiver) -> None:
    """A receiver may give Retry-After as a date."""
    receiver.status = 503
    receiver.answer_headers = {"Retry-After": formatdate(time.time() + 86_400, usegmt=True)}
    answer = called(WebhookClient(None, LOCAL), a_call(receiver.url))
    assert 0 < answer.wait_ms <= 86_400_000


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_receiver_proves_its_name(
    is_trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A receiver proves its name by a certificate that this machine trusts, or nothing is sent."""
    certificate = _certificate(tmp_path, "receiver.example")
    look_up = socket.getaddrinfo
    here = lambda host, *more, **keywords: look_up("127.0.0.1", *more, **keywords)  # noqa: ARG005, E731
    monkeypatch.setattr(socket, "getaddrinfo", here)
    if is_trusted:
        trusting = ssl.create_default_context(cafile=str(certificate))
        monkeypatch.setattr(fetch, "_tls", lambda: trusting)

    with _receiver(http.server.ThreadingHTTPServer, "127.0.0.1", certificate) as server:
        url = f"https://receiver.example:{server.port}/"
        answer = called(WebhookClient(None, LOCAL), a_call(url))

    refused = CallResult(0, "no connection (SSLCertVerificationError)")
    assert answer == (OK if is_trusted else refused)
    assert len(server.received) == is_trusted


def _certificate(directory: Path, name: str) -> Path:
    """Write a certificate for a name, signed by itself, and its key into one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = directory / "certificate.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return file


def test_a_process_that_is_to_end_cuts_its_calls(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A silent receiver holds up no restart. Its call counts as one try."""
    monkeypatch.setattr(calls_module, "SECONDS", 600.0)
    monkeypatch.setattr(pool_module, "STOP_SECONDS", 0.0)
    with silent_receiver() as (url, is_accepted):
        token = house.opened.tokens["seat:0"]
        webhooks.put(house.ctx, house.match, token, url, BOTH)
        pool = Pool(house.ctx, WebhookClient(None, LOCAL))
        pool.take(*house.ctx.journal.timers.claim(LEASES_MS, 9))
        assert is_accepted.wait(60)
        pool.close()

    assert webhooks.get(house.ctx, house.match, token)[1].tries == 1


def test_a_name_server_that_hangs_is_not_waited_for(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time limit of a call covers the look-up of the name.

    Meanwhile a third look-up of the same domain is refused.
    """
    monkeypatch.setattr(calls_module, "SECONDS", 0.1)
    with hanging_name_server(monkeypatch) as hosts:
        caller = WebhookClient(None, LOCAL)
        for host in ("a.dead.example", "b.dead.example"):
            answer = called(caller, a_call(f"http://{host}:{receiver.port}/"))
            assert answer == CallResult(0, "no answer in time")
        with pytest.raises(Overloaded):
            caller.find("http://c.dead.example/")
        monkeypatch.setattr(calls_module, "SECONDS", 60.0)
        assert called(caller, a_call(receiver.url)) == OK

    assert hosts == ["a.dead.example", "b.dead.example"]


def test_dead_name_servers_leave_questions_of_the_proven_alone(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While QUESTIONS look-ups are open, only those of proven receivers are made."""
    monkeypatch.setattr(calls_module, "SECONDS", 0.01)
    with hanging_name_server(monkeypatch):
        caller = WebhookClient(None, LOCAL)
        for number in range(calls_module.QUESTIONS):
            caller.find(f"http://a.dead-{number}.example/")
        with pytest.raises(Overloaded):
            caller.find(receiver.url)
        monkeypatch.setattr(calls_module, "SECONDS", 60.0)
        assert caller.find(receiver.url, is_proven=True).address == "127.0.0.1"

    until(lambda: not caller._questions[False]._open, "the places to be free again")
    assert caller.find(receiver.url).address == "127.0.0.1"


@contextmanager
def hanging_name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let questions about names with "dead" hang. Yield these names as they are asked for."""
    look_up = socket.getaddrinfo
    release = threading.Event()
    hosts: list[str] = []

    def hang(host: str, *more: Any, **keywords: Any) -> Any:
        if "dead" not in str(host):
            return look_up(host, *more, **keywords)
        hosts.append(host)
        release.wait(HANG_SECONDS)
        return [(0, 0, 0, "", ("127.0.0.1", 1))]

    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", hang)
        yield hosts
        release.set()


def test_an_address_of_ipv6_is_called_as_written(receiver_of_ipv6: Receiver) -> None:
    """A request to an IPv6 address has it in brackets, as its URL has."""
    url = f"http://[::1]:{receiver_of_ipv6.port}/calls"
    assert called(WebhookClient(None, (ip_network("::1/128"),)), a_call(url)) == OK
    assert receiver_of_ipv6.received[0].headers["Host"] == f"[::1]:{receiver_of_ipv6.port}"


def hang_up(connection: socket.socket) -> None:
    """End a connection without an answer."""
    connection.close()


def trickle(connection: socket.socket) -> None:
    """Send a byte at intervals, without end."""

    def send() -> None:
        with connection, suppress(OSError):
            while True:
                connection.sendall(b"H")
                time.sleep(0.01)

    threading.Thread(target=send, daemon=True).start()


@pytest.mark.parametrize(
    ("talk", "beginning"), [(hang_up, "no connection"), (trickle, "no answer")]
)
def test_a_receiver_without_an_answer_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, talk: Any, beginning: str
) -> None:
    """A call without an answer has no status. Its time limit is for the call, not for each byte."""
    monkeypatch.setattr(calls_module, "SECONDS", 0.5)
    with raw_receiver(talk) as url:
        answer = called(WebhookClient(None, LOCAL), a_call(url))
    assert answer.status == 0
    assert answer.text.startswith(beginning)


def test_an_answer_that_never_ends_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless answer is cut off, also on a connection that it has taken over.

    The call counts as unanswered.
    """
    monkeypatch.setattr(calls_module, "SECONDS", 0.5)

    def answer_for_ever(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        trickle(connection)

    # More than the receiver sends in the time of a test.
    monkeypatch.setattr(calls_module, "LONGEST_ANSWER", 10**9)
    with raw_receiver(answer_for_ever) as url:
        assert called(WebhookClient(None, LOCAL), a_call(url)) == CallResult(0, "no answer in time")


NOT_PUBLIC = [
    *("127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "224.0.0.1", "172.31.255.255"),
    "0.0.0.0",  # noqa: S104 - nothing is bound to it
    *("192.0.0.9", "192.0.0.10", "192.0.0.192", "168.63.129.16", "192.88.99.1", "192.168.1.1"),
    *("192.0.2.1", "198.51.100.1", "203.0.113.1", "198.19.255.255", "255.255.255.255", "240.0.0.1"),
    *("192.31.196.1", "192.52.193.1", "192.175.48.1"),
    *("::1", "::", "fe80::1", "fd00::1", "fec0::1", "ff02::1", "100::1", "100:0:0:1::1", "5f00::1"),
    *("::808:808", "::ffff:8.8.8.8", "::ffff:0:808:808", "64:ff9b::808:808", "64:ff9b::a00:1"),
    *("64:ff9b:1::1", "2002:0808:0808::1", "2002:0a00:0001::1", "2001:0:1::1", "2001:1::1"),
    *("2001:20::1", "2001:db8::1", "3fff::1", "3fff:0fff::1", "2620:4f:8000::1", "4000::1"),
]
PUBLIC = [
    *(
        "8.8.8.8",
        "9.9.9.9",
        "192.0.1.1",
        "168.63.129.17",
        "192.88.98.1",
        "172.32.0.1",
        "223.255.0.1",
    ),
    *("2606:4700::1111", "2001:200::1", "2003::1", "3ffe::1", "3fff:1000::1", "2a00:1450::1"),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_neighbours_of_special_networks_are_public(address: str) -> None:
    """Addresses outside the listed networks are public, also those next to one."""
    assert is_public(ip_address(address))


def test_the_list_refuses_all_that_python_refuses() -> None:
    """An address this Python calls private, at either end of a network, is not called."""
    networks = special_networks._special_networks()
    ends = [end for network in networks for end in (network[0], network[-1])]
    neighbours = [network[0] - 1 for network in networks if int(network[0])]
    assert [one for one in ends if is_public(one)] == []
    assert [one for one in neighbours if is_public(one) and not one.is_global] == []


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("A.b.Example.ORG.", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("example.co", "example.co"),
        ("co.uk", "co.uk"),
        ("a.example.de", "example.de"),
        ("localhost", "localhost"),
        ("192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
    ],
)
def test_a_receiver_is_counted_by_registered_domain_or_network(host: str, domain: str) -> None:
    """More names of a domain, or addresses of a network, are no more receivers."""
    assert registered_domain(host) == domain


@pytest.mark.parametrize(
    "url",
    [
        *("https://example.org:25/", "https://example.org:22/", "https://example.org:80/"),
        *("https://example.org:1023/", "https://example.org:0/", "http://127.0.0.1:6/"),
    ],
)
def test_a_port_of_other_services_is_not_called(url: str) -> None:
    """A webhook taken by an earlier release is refused when it is due, without a question."""
    assert WebhookClient(None, LOCAL).find(url).failure == CallResult(
        0, "calls to this port are not allowed"
    )


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_addresses_that_are_not_public_are_not_called(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one address of a name is not public, none of them is connected to."""
    assert not is_public(ip_address(address))
    addresses = [(0, 0, 0, "", (one, 443)) for one in ("9.9.9.9", address)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("connected"))

    answer = called(WebhookClient(None), a_call("https://example.org/"))

    assert answer == CallResult(0, "the address leads into a network that is not public")


def test_a_name_that_changes_leads_nowhere_else(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is asked for once, and the connection goes to the address that was checked."""
    hosts = []
    look_up = socket.getaddrinfo

    def note(host: str, port: int, *more: Any, **keywords: Any) -> Any:
        if port != receiver.port:  # a question of another thread
            return look_up(host, port, *more, **keywords)
        hosts.append(host)
        return look_up("127.0.0.1", port, *more, **keywords)

    monkeypatch.setattr(socket, "getaddrinfo", note)
    url = receiver.url.replace("127.0.0.1", "changing.example")

    assert called(WebhookClient(None, LOCAL), a_call(url)) == OK
    assert hosts == ["changing.example", "127.0.0.1"]


def test_without_tls_only_allowed_networks_are_called(receiver: Receiver) -> None:
    """By default a URL with http is refused, and nothing is sent."""
    answer = called(WebhookClient(None), a_call(receiver.url))
    assert answer == CallResult(0, "the address may be called by https only")
    assert receiver.received == []


# ---- the threads -----------------------------------------------------------------------------


class Slow(WebhookClient):
    """Answers 200 after 14 seconds for names with "slow" in them. A test lets them pass.

    The number in a name chooses its network. two_seconds: delay before the
    question for permission to go on.
    """

    two_seconds = 0.1

    def __init__(self) -> None:
        super().__init__(None, LOCAL)
        self.passed = threading.Event()
        self.begun: list[str] = []

    def find(self, url: str, *, is_proven: bool = False) -> Resolution:
        if "slow" not in url:
            return super().find(url, is_proven=is_proven)
        number = "".join(letter for letter in url if letter.isdigit())
        return Resolution(f"93.184.{number or 0}.34")

    def call(
        self, call: Call, resolution: Resolution, may_go_on: Callable[[], bool] = bool
    ) -> CallResult:
        if "slow" not in call.webhook.url:
            return super().call(call, resolution, may_go_on)
        self.begun.append(call.webhook.url)
        if not self.passed.wait(self.two_seconds) and not may_go_on():
            return CallResult(0, "no answer in time", took_ms=2_001)
        self.passed.wait(HANG_SECONDS)
        return CallResult(200, "200", took_ms=14_000)


def with_hooks(house: House, url: str, number: int, past: CallResult | None) -> list[Timer]:
    """Open matches with a webhook each, at a URL with a number. Return their timers.

    past: the previous answer of the receiver, None if nothing was called yet.
    """
    ctx = house.ctx
    matches = []
    for one in range(number):
        opened = open_new(ctx, OpenRequest("calimala", humans(3)))
        match, token = opened.loaded.id, opened.tokens["seat:0"]
        webhooks.put(ctx, match, token, url.format(one), ("turn",))
        if past is not None:
            [call] = webhooks.calls(ctx, match)[0]
            current = webhooks.begin(ctx, replace(call, event="test"))
            assert current is not None
            webhooks.end(ctx, current, past)
        matches.append(match)
    timers = {timer.match: timer for timer in ctx.journal.timers.claim(LEASES_MS, 1000)}
    return [timers[match] for match in matches]


SLOW_URLS = ("http://slow.example/", "http://{}.slow.example/", "http://slow-{}.example/")
PASTS = {"new": None, "slow before": CallResult(200, "200", took_ms=14_000), "fast before": OK}


def is_called(pool: Pool, timer: Timer, receiver: Receiver) -> bool:
    """Take a match, as often as its timer would be due. Return True if its receiver was called."""
    if not receiver.received:
        pool.take(timer)
    return bool(receiver.received)


@pytest.mark.parametrize("past", PASTS.values(), ids=PASTS)
@pytest.mark.parametrize("url", whole_but(SLOW_URLS[-1:], SLOW_URLS))
def test_slow_receivers_hold_up_no_other(
    house: House, receiver: Receiver, url: str, past: CallResult | None
) -> None:
    """A proven receiver is called at once beside 40 that answer 200 after 14 seconds.

    They have one name, domain or network, or different ones, and may have been fast before.
    """
    caller = Slow()
    pool = Pool(house.ctx, caller)
    slow = with_hooks(house, url, 40, past)
    [alive] = with_hooks(house, receiver.url, 1, OK)
    for timer in slow:
        pool.take(timer)
    until(lambda: caller.begun, "the slow ones to be called")

    until(lambda: is_called(pool, alive, receiver), "the call of the living")
    caller.passed.set()
    pool.close()


@pytest.mark.parametrize(
    ("url", "past", "most"),
    [
        ("http://{}.slow.example/", None, 2),
        ("http://{}.slow.example/", OK, 2),
        ("http://slow-{}.example/", None, 16),
        ("http://slow-{}.example/", CallResult(200, "200", took_ms=2001), 8),
        ("http://slow-{}.example/", CallResult(200, "200", took_ms=2000), 32),
    ],
    ids=["a domain", "a proven domain", "new ones", "slow ones", "proven ones"],
)
def test_calls_at_once_are_bounded(
    house: House, monkeypatch: pytest.MonkeyPatch, url: str, past: CallResult | None, most: int
) -> None:
    """At once two calls go to a domain, half of all to new receivers, a quarter to slow ones."""
    monkeypatch.setattr(pool_module, "CROWDED_MS", (60_000, 60_000))
    caller = Slow()
    caller.two_seconds = 60.0
    pool = Pool(house.ctx, caller)
    for timer in with_hooks(house, url, 40, past):
        pool.take(timer)

    until(lambda: pool._match_count == most, "the others to be put off")
    assert len(caller.begun) == most
    caller.passed.set()
    pool.close()


def test_names_of_one_network_are_called_two_at_a_time(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten domains that lead to one address are called two at a time."""
    monkeypatch.setattr(Slow, "find", lambda *_, **__: Resolution("93.184.216.34"))
    caller = Slow()
    pool = Pool(house.ctx, caller)
    for timer in with_hooks(house, "http://slow-{}.example/", 10, OK):
        pool.take(timer)

    until(lambda: pool._match_count == 2, "the others to be put off")
    assert len(caller.begun) == 2
    caller.passed.set()
    pool.close()


def test_a_new_webhook_at_a_proven_host_is_proven(house: House, receiver: Receiver) -> None:
    """A new webhook at a proven host is not held up by 16 new receivers that are slow."""
    caller = Slow()
    pool = Pool(house.ctx, caller)
    [first] = with_hooks(house, receiver.url, 1, None)
    pool.see_to(first)
    for timer in with_hooks(house, "http://slow-{}.example/", 40, None):
        pool.take(timer)
    until(lambda: len(caller.begun) == pool_module.UNPROVEN_AT_ONCE, "the slow ones")

    [second] = with_hooks(house, receiver.url, 1, None)
    pool.take(second)

    until(lambda: len(receiver.received) == 2, "the call of the living")
    caller.passed.set()
    pool.close()


def test_dead_name_servers_hold_up_no_proven_receiver(
    house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although 40 domains have dead name servers, a proven receiver is called at once.

    The process can end.
    """
    monkeypatch.setattr(pool_module, "STOP_SECONDS", 0.1)
    monkeypatch.setattr(calls_module, "SECONDS", HANG_SECONDS)
    with hanging_name_server(monkeypatch) as hosts:
        pool = Pool(house.ctx, WebhookClient(None, LOCAL))
        dead = with_hooks(house, "http://www.dead-{}.example/", 40, None)
        [alive] = with_hooks(house, receiver.url, 1, OK)
        for timer in [*dead, alive]:
            pool.take(timer)
        until(lambda: receiver.received, "the call of the living")
        assert len(hosts) <= calls_module.QUESTIONS

        began = time.monotonic()
        pool.close()
        assert time.monotonic() - began < PATIENCE
        names = ("webhook", "resolver")
        threads = [thread for thread in threading.enumerate() if thread.name in names]
        assert all(thread.daemon for thread in threads), "the process would wait for it"


def test_a_slow_call_leaves_the_matchs_others_for_later(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow call leaves the match's others for later, so that the lease does not end."""
    ctx = house.ctx
    for who in ("seat:0", "seat:1", "seat:2"):
        webhooks.put(ctx, house.match, house.opened.tokens[who], f"http://{who[5:]}.example/", BOTH)
    monkeypatch.setattr(pool_module, "PROVEN_MS", -1)
    monkeypatch.setattr(WebhookClient, "find", lambda *_, **__: Resolution("93.184.216.34"))
    monkeypatch.setattr(WebhookClient, "call", lambda *_: OK)
    pool = Pool(ctx, WebhookClient(None))

    for remaining in (2, 1, 0):
        [timer] = ctx.journal.timers.claim(LEASES_MS, 9)
        pool.see_to(timer)
        assert len(house.due()) == remaining


# ---- without threads -------------------------------------------------------------------------


def test_a_proven_slow_receiver_is_dropped_for_want_of_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A slow receiver that was proven is dropped after PROVEN_MS if the slow ones leave no room."""
    monkeypatch.setattr(calls_module, "PROVEN_MS", 100)
    is_requested = threading.Event()

    def answer_later(connection: socket.socket) -> None:
        with connection:
            assert is_requested.wait(60)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    def may_go_on(*, has_room: bool) -> bool:
        is_requested.set()
        return has_room

    for has_room, answer in ((True, OK), (False, CallResult(0, "no answer in time"))):
        is_requested.clear()
        talk = answer_later if has_room else trickle
        with raw_receiver(talk) as url:
            caller = WebhookClient(None, LOCAL)
            went = caller.call(a_call(url), caller.find(url), partial(may_go_on, has_room=has_room))
        assert went == answer
        assert went.took_ms >= 100


def test_a_match_without_a_thread_takes_no_place(house: House, receiver: Receiver) -> None:
    """A match that gets no thread takes no place. It is taken again once there are threads."""
    pool = Pool(house.ctx, WebhookClient(None, LOCAL))
    [timer] = with_hooks(house, receiver.url, 1, None)
    with no_threads():
        for _ in range(pool_module.MOST_MATCHES + 1):
            pool.take(timer)

    pool.take(timer)
    until(lambda: receiver.received, "the call")
    pool.close()


def test_a_question_without_a_thread_takes_no_place(receiver: Receiver) -> None:
    """A look-up that gets no thread counts as no room, and not as a failure of the receiver."""
    caller = WebhookClient(None, LOCAL)
    with no_threads():
        for _ in range(calls_module.QUESTIONS + 1):
            with pytest.raises(Overloaded):
                caller.find(receiver.url)

    assert called(caller, a_call(receiver.url)) == OK


def test_a_call_without_an_alarm_is_not_made(receiver: Receiver) -> None:
    """Without an alarm nothing would end a call, so it is not made and counts as no connection."""
    caller = WebhookClient(None, LOCAL)
    resolution = caller.find(receiver.url)
    with no_threads():
        assert caller.call(a_call(receiver.url), resolution) == CallResult(
            0, "no connection (OSError)"
        )

    assert receiver.received == []
    assert caller._connections == set()


def test_a_timer_is_settled_by_the_remaining_calls(house: House, receiver: Receiver) -> None:
    """After a received call the next commit sets the timer, after a failed one the pause."""
    ctx = house.ctx
    noted: list[str] = []
    webhooks.put(ctx, house.match, house.opened.tokens["seat:0"], receiver.url, BOTH)
    pool = Pool(ctx, WebhookClient(None, LOCAL), note=noted.append)

    receiver.status = 500
    [timer] = ctx.journal.timers.claim(LEASES_MS, 9)
    pool.see_to(timer)
    house.pass_time(30_000)
    assert ctx.journal.timers.claim(LEASES_MS, 9) == []

    receiver.status = 204
    house.pass_time(MINUTE_MS)
    [timer] = ctx.journal.timers.claim(LEASES_MS, 9)
    pool.see_to(timer)
    pool.close()
    house.pass_time(GIVEN_UP_MS)
    assert ctx.journal.timers.claim(LEASES_MS, 9) == []
    assert (timer.kind, len(receiver.received)) == (HOOK, 2)
    assert noted == ["failed", "received"]


def test_a_returning_journal_is_used_before_the_lease_ends(
    house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match taken while the journal was away is called as soon as the journal is back."""
    monkeypatch.setattr(pool_module, "AWAY_SECONDS", 0.01)
    ctx = house.ctx
    webhooks.put(ctx, house.match, house.opened.tokens["seat:0"], receiver.url, BOTH)
    calls, tries = webhooks.calls, []

    def calls_later(*arguments: Any) -> Any:
        tries.append(arguments)
        if len(tries) < 4:
            raise JournalUnavailable("away")
        return calls(*arguments)

    monkeypatch.setattr(webhooks, "calls", calls_later)
    pool = Pool(ctx, WebhookClient(None, LOCAL))
    pool.take(*ctx.journal.timers.claim(LEASES_MS, 9))
    until(lambda: receiver.received, "the call")
    pool.close()


def test_a_process_that_is_to_end_waits_for_no_journal(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is to end waits for no journal.

    Another one takes the match after its lease.
    """
    monkeypatch.setattr(pool_module, "AWAY_SECONDS", 600.0)
    tried = threading.Event()

    def fail(*_arguments: Any) -> None:
        tried.set()
        raise JournalUnavailable("away")

    monkeypatch.setattr(webhooks, "calls", fail)
    house.put()
    pool = Pool(house.ctx, WebhookClient(None, LOCAL))
    pool.take(*house.ctx.journal.timers.claim(LEASES_MS, 9))
    assert tried.wait(60)
    began = time.monotonic()
    pool.close()
    assert time.monotonic() < began + 300


def test_a_commit_during_a_call_is_called_for_after_it(
    house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit during a call is called for after it, although another thread delayed the match."""
    ctx = house.ctx
    pool = Pool(ctx, WebhookClient(None, LOCAL))
    webhooks.put(ctx, house.match, house.opened.tokens["seat:0"], receiver.url, BOTH)
    [first] = ctx.journal.timers.claim(LEASES_MS, 9)
    end = webhooks.end

    def end_after_another(*arguments: Any) -> None:
        monkeypatch.setattr(webhooks, "end", end)
        lobby.abort(ctx, Submission(house.match, house.opened.tokens["owner"]))
        [second] = ctx.journal.timers.claim(LEASES_MS, 9)
        pool.see_to(second)
        end(*arguments)

    monkeypatch.setattr(webhooks, "end", end_after_another)
    pool.see_to(first)
    pool.close()

    [timer] = ctx.journal.timers.claim(LEASES_MS, 9)
    assert [call.event for call in house.due()] == ["ended"]
    assert timer.match == house.match
