"""Headers of every answer, logs and metrics of requests, and limits of a caller."""

import logging
from unittest.mock import Mock

import orjson
import pytest
from flask import Flask

from service.base.release import release
from service.ops.process.logs import JsonLines
from service.store.jobs.table import BOTS, EXHIBITIONS, HOUSE
from service.store.journal.errors import JournalUnavailable, TooFewReplicas, Unconfirmed
from service.store.journal.values import PendingTotals
from tests.service.api.conftest import Door, Make, json, opened, problem

SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


@pytest.fixture
def app(own_app: Flask) -> Flask:
    """An application with all its limits and without cached findings."""
    return own_app


@pytest.mark.parametrize("path", ["/v1/games", "/livez", "/nowhere", "/v1/matches/x"])
def test_every_answer_is_safe_to_show(door: Door, path: str) -> None:
    """Answers and problems have security headers and a request id, all but probes RateLimit."""
    headers = door.get(path).headers

    for name, value in SAFE.items():
        assert headers[name] == value

    assert headers["X-Request-Id"]
    assert headers["Giornale-Version"] == release()
    assert ("RateLimit" in headers) == (path != "/livez")


def test_a_request_id_is_kept_if_it_is_one(door: Door) -> None:
    """A caller's id comes back, unless it could confuse a log."""
    for request_id in ("abc-123", "", "a" * 65, "a b", "a\u00e9"):
        answer = door.get("/livez", headers={"X-Request-Id": request_id})
        assert (answer.headers["X-Request-Id"] == request_id) == (request_id == "abc-123")


def log_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log, as the lines an operator reads."""
    return [JsonLines().format(record) for record in caplog.records]


def test_a_line_of_log_tells_the_request_and_no_secret(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has request id, operation, match, version and caller, but no token, card or seed.

    A metric counts the operation, too.
    """
    caplog.set_level(logging.INFO)
    match = opened(door)
    card = match.moves("seat:0")[0]["card"]

    answer = match.move("seat:0", headers={"X-Request-Id": "mine"})
    assert answer.status_code == 201

    lines = log_lines(caplog)
    entries = [orjson.loads(line) for line in lines]
    [mine] = [entry for entry in entries if entry.get("request_id") == "mine"]
    facts = {name: mine[name] for name in ("operation", "match", "version", "caller")}
    assert facts == {
        "operation": "makeMove",
        "match": match.match,
        "version": "2",
        "caller": "seat:0",
    }
    for secret in (*match.tokens.values(), card, "seed"):
        assert secret not in "".join(lines)

    measure = 'giornale_request_seconds_count{operation="makeMove",status="201"}'
    assert measure in match.get("/metrics").text


def test_an_unexpected_error_discloses_only_its_request_id(
    match: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer hides the error. The log has the error with the request id."""
    monkeypatch.setattr("service.matches.views.view", lambda *_: 1 / 0)

    answer = match.get("state", headers={"X-Request-Id": "mine"})

    assert problem(answer) == (500, "internal")
    assert "division" not in answer.text

    mistakes = [record for record in caplog.records if record.exc_info]
    lines = [JsonLines().format(record) for record in mistakes]
    assert '"mine"' in "\n".join(lines)


# The error of the journal, the seconds of Retry-After, and phrases of the answer.
JOURNAL_REFUSES: dict[str, tuple[JournalUnavailable, str, tuple[str, ...]]] = {
    "away": (JournalUnavailable("no answer of secret-host:6379"), "1", ("Nothing is lost",)),
    "unconfirmed": (
        Unconfirmed("0 of 1 replicas confirmed within 2000 ms"),
        "1",
        ("may be lost", "the same Idempotency-Key"),
    ),
    "without-replicas": (
        TooFewReplicas("NOREPLICAS Not enough good replicas to write."),
        "10",
        ("too few replicas are connected", "Everything can be read"),
    ),
}


@pytest.mark.parametrize(
    ("error", "after", "phrases"), JOURNAL_REFUSES.values(), ids=JOURNAL_REFUSES
)
def test_a_journal_that_refuses_is_503(
    match: Door,
    monkeypatch: pytest.MonkeyPatch,
    error: JournalUnavailable,
    after: str,
    phrases: tuple[str, ...],
) -> None:
    """The answer tells when to retry and the remedy, and nothing of the journal's address."""
    move = match.moves("seat:0")[0]
    for question in ("append", "overview"):
        monkeypatch.setattr(match.ctx.journal.events, question, Mock(side_effect=error))

    for answer in (match.post("moves", move, "seat:0"), match.get("state")):
        assert problem(answer) == (503, "journal-unavailable")
        assert answer.headers["Retry-After"] == after
        assert [words for words in phrases if words not in answer.text] == []
        assert "secret-host" not in answer.text


@pytest.mark.usefixtures("one_window")
def test_one_request_too_many_is_refused(make_door: Make) -> None:
    """429 with Retry-After. Liveness probes are not counted."""
    door = make_door(RATE_LIMIT="2")

    first = door.get("/v1/games")
    second = door.get("/v1/games")
    third = door.get("/v1/games")
    alive = door.get("/livez")

    assert first.status_code == 200
    assert second.status_code == 200
    assert problem(third) == (429, "rate-limited")
    assert 1 <= int(third.headers["Retry-After"]) <= 60
    assert first.headers["RateLimit-Policy"] == '"caller";q=2;w=60'
    assert first.headers["RateLimit"].startswith('"caller";r=1;t=')
    assert alive.status_code == 200


@pytest.mark.usefixtures("one_window")
def test_made_up_tokens_share_one_limit(make_door: Make) -> None:
    """An invalid token counts against its address, not as a caller."""
    match = opened(make_door(RATE_LIMIT="4"), seed=None)
    made_up_tokens = [f"gio_{match.match}_{number}{'x' * 42}" for number in range(4)]

    statuses = [match.get("", token).status_code for token in made_up_tokens]
    assert statuses == [401, 401, 401, 429]

    good_token = match.get("", "seat:0")
    assert good_token.status_code == 429, "the address has nothing left"


@pytest.mark.parametrize(
    ("allowed", "origin", "header"),
    [
        ("", "https://a.example", None),
        ("https://a.example", "https://a.example", "https://a.example"),
        ("https://a.example", "https://b.example", None),
        ("*", "https://b.example", "*"),
    ],
    ids=["off", "listed", "not-listed", "all"],
)
def test_pages_of_other_origins_read_only_if_allowed(
    make_door: Make, allowed: str, origin: str, header: str | None
) -> None:
    """Pages of other origins read answers, problems and preflights only if the settings allow."""
    door = make_door(CORS_ORIGINS=allowed)
    headers = {"Origin": origin}

    preflight = door.ask("OPTIONS", "/v1/matches", headers=headers)
    games = door.get("/v1/games", headers=headers)
    not_found = door.get("/nowhere", headers=headers)

    for answer in (preflight, games, not_found):
        assert answer.headers.get("Access-Control-Allow-Origin") == header

    foreign = door.ask("OPTIONS", "/v1/matches", headers={**headers, "Host": "evil.example"})
    assert foreign.status_code == 421, "a page of such a host is told nothing"

    headers_allowed = preflight.headers.get("Access-Control-Allow-Headers", "")
    assert preflight.status_code == 204
    assert ("If-Match" in headers_allowed) == bool(allowed)


def test_allowed_origins_may_send_every_header_of_the_contract(make_door: Make) -> None:
    """A browser sends no request with a header that is not allowed, such as a signature (M18)."""
    door = make_door(CORS_ORIGINS="https://a.example")
    preflight = door.ask("OPTIONS", "/v1/matches", headers={"Origin": "https://a.example"})
    may_send = preflight.headers["Access-Control-Allow-Headers"].split(", ")

    contract = json(door.get("/openapi.json"))
    operations = [one for path in contract["paths"].values() for one in path.values()]
    inline = [one for operation in operations for one in operation.get("parameters", [])]
    parameters = [*contract["components"]["parameters"].values(), *inline]
    headers = {one["name"] for one in parameters if one.get("in") == "header"}

    assert "Giornale-Signature" in headers
    assert headers <= set(may_send)

    methods = {name.upper() for path in contract["paths"].values() for name in path}
    allowed = preflight.headers["Access-Control-Allow-Methods"].split(", ")
    assert "PUT" in methods
    assert methods & {"GET", "POST", "PUT", "PATCH", "DELETE"} == set(allowed)


def test_allowed_origins_may_read_every_header_of_the_contract(make_door: Make) -> None:
    """A page reads the exposed headers, and those that CORS always lets through."""
    door = make_door(CORS_ORIGINS="https://a.example")
    answer = door.get("/openapi.json", headers={"Origin": "https://a.example"})
    exposed = answer.headers["Access-Control-Expose-Headers"].split(", ")

    contract = json(answer)
    answers = [
        *contract["components"]["responses"].values(),
        *(
            answer
            for path in contract["paths"].values()
            for operation in path.values()
            for answer in operation["responses"].values()
        ),
    ]
    names = {name for answer in answers for name in answer.get("headers", {})}
    always = {"Cache-Control", "Content-Language", "Content-Length", "Content-Type", "Expires"}
    of_caches = {"Vary"}
    assert "ETag" in names
    assert names - always - of_caches <= set(exposed)
    assert "Content-Disposition" in exposed, "records name their file by it"


BODILESS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "methods": ("OPTIONS", "state", "", {}),
    "methods-of-the-lobby": ("OPTIONS", "/", "", {}),
    "preflight": ("OPTIONS", "moves", "", {"Origin": "https://a.example"}),
    "deleted": ("DELETE", "tokens/seat:1", "owner", {}),
}


@pytest.mark.parametrize(("method", "path", "who", "headers"), BODILESS.values(), ids=BODILESS)
def test_an_answer_without_a_body_has_no_type(
    match: Door, method: str, path: str, who: str, headers: dict[str, str]
) -> None:
    """An answer without a body does not have the framework's Content-Type. Other headers stay."""
    answer = match.ask(method, path, who, headers=headers)

    assert answer.status_code < 400
    assert answer.data == b""
    assert "Content-Type" not in answer.headers
    assert ("Allow" in answer.headers) == (method == "OPTIONS" and not headers)


def test_without_its_queues_the_service_goes_on(make_door: Make) -> None:
    """Without queues moves are made, probes name the fault, and audits are refused.

    tests/service/store/jobs/test_queues.py shows that nobody waits for queues that hang.
    """
    door = make_door(QUEUE_URL="redis://127.0.0.1:1", ALLOW_SEED="true")
    bot = {"kind": "bot", "level": "random"}
    match = opened(door, seats=[{"kind": "human"}, bot, bot])

    made_move = match.move("seat:0")
    audit = match.post("audits", None)
    checks = json(match.get("/readyz"))["checks"]

    assert made_move.status_code == 201
    assert audit.status_code == 503
    assert checks["queues"] == "the queues cannot be reached"
    assert "giornale_queues_up 0.0" in match.get("/metrics").text


def let_all_run(match: Door, monkeypatch: pytest.MonkeyPatch, dead: str = "") -> None:
    """Let the queues report a scheduler and workers of every kind, except a dead kind."""
    queues = match.services.queues
    workers = {name: ["a worker"] for name in queues.queues}
    if dead:
        workers[dead] = []

    monkeypatch.setattr(queues, "workers", lambda: workers)
    monkeypatch.setattr(queues, "scheduler", lambda: "scheduler-h-1")


def test_a_match_that_waits_long_is_told_but_breaks_nothing(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One match that cannot move on must not take the service out of the balancer."""
    let_all_run(match, monkeypatch)
    totals = PendingTotals(waiting=1, parked=2, longest_wait=60_000)
    monkeypatch.setattr(match.ctx.journal.pending, "totals", lambda: totals)

    answer = match.get("/readyz")
    health = json(answer)
    told_all = json(match.get("/readyz?verbose"))

    assert answer.status_code == 200
    assert health["status"] == "ok"
    assert "checks" not in health
    assert health["warnings"] == {
        "pending": "a match has waited 60 s for the house or a bot",
        "parked": "2 matches have failed too often. List them with: giornale pending",
    }
    assert told_all["checks"].items() >= health["warnings"].items()


@pytest.mark.parametrize("dead", [HOUSE, BOTS, EXHIBITIONS])
def test_a_dead_worker_makes_it_unready(
    match: Door, monkeypatch: pytest.MonkeyPatch, dead: str
) -> None:
    """/readyz names a kind of worker without a running process."""
    let_all_run(match, monkeypatch, dead)

    answer = match.get("/readyz")

    assert answer.status_code == 503
    assert json(answer)["checks"] == {f"worker_{dead}": f"no {dead} worker runs"}


def test_readiness_names_failed_checks(match: Door) -> None:
    """Missing workers are a fault, because matches cannot move on. `verbose` shows all checks."""
    readiness = json(match.get("/readyz"))
    answer_with_all = match.get("/readyz?verbose")
    told_all = json(answer_with_all)

    assert readiness["status"] == "unready"
    assert readiness["checks"]["worker_bots"] == "no bots worker runs"
    assert "journal" not in readiness["checks"]

    assert match.get("/readyz?reading").status_code == 200, "matches can be read"
    assert json(match.get("/readyz?reading&verbose"))["checks"] == {"journal": "ok"}
    assert answer_with_all.status_code == 503
    assert told_all["checks"]["journal"] == "ok"
    assert told_all["checks"]["worker_house"] == "no house worker runs"
