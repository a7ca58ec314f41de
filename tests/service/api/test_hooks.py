"""What every answer carries, what is logged and measured, and how much a caller may ask."""

import logging
from pathlib import Path

import orjson
import pytest

from service.jobs.queues import BOTS, EXHIBITIONS, SCORING
from service.journal.port import JournalUnavailable, Pending
from service.process.logs import JsonLines
from tests.service.api.conftest import Door, Make, door_maker, json, opened

SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


@pytest.mark.parametrize("path", ["/v1/games", "/livez", "/nowhere", "/v1/matches/x"])
def test_every_answer_is_safe_to_show(door: Door, path: str) -> None:
    """Security headers, a request id and the caller's share are on answers and problems alike."""
    headers = door.get(path).headers
    assert {name: headers[name] for name in SAFE} == SAFE
    assert headers["X-Request-Id"]
    assert ("RateLimit" in headers) == (path != "/livez")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-123", True), ("", False), ("a" * 65, False), ("a b", False), ("a\u00e9", False)],
)
def test_a_request_id_is_kept_if_it_is_one(door: Door, given: str, kept: bool) -> None:
    """A caller's id comes back; what could confuse a log does not."""
    told = door.get("/livez", headers={"X-Request-Id": given}).headers["X-Request-Id"]
    assert (told == given) == kept


def test_a_line_of_log_tells_the_request_and_no_secret(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    """Request id, operation, match, version and caller; never a token, a card or a body."""
    caplog.set_level(logging.INFO)
    match = opened(door)
    card = match.moves("seat:0")[0]["card"]
    answer = match.move("seat:0", headers={"X-Request-Id": "mine"})
    assert answer.status_code == 201
    lines = [JsonLines().format(record) for record in caplog.records]
    mine = next(told for line in lines if (told := orjson.loads(line)).get("request_id") == "mine")
    expected = {"operation": "makeMove", "match": match.match, "version": "2", "caller": "seat:0"}
    assert expected.items() <= mine.items()
    for secret in (*match.tokens.values(), card, "seed"):
        assert all(secret not in line for line in lines)


def test_what_nobody_expected_is_told_as_little_as_can_be(
    match: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A mistake of ours is a problem without particulars, found in the log by its request id."""
    monkeypatch.setattr("service.matches.reading.view", lambda *_: 1 / 0)
    answer = match.get("state", headers={"X-Request-Id": "mine"})
    assert (answer.status_code, json(answer)["type"]) == (500, "/problems/internal")
    assert "division" not in answer.text
    assert any(
        '"mine"' in JsonLines().format(record) for record in caplog.records if record.exc_info
    )


def test_a_journal_that_is_away_is_503(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost and the answer says when to come back."""

    def away(*_: object) -> None:
        raise JournalUnavailable("Redis cannot be reached: secret-host:6379")

    monkeypatch.setattr(match.desk.journal, "tail", away)
    answer = match.get("state")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert "secret-host" not in answer.text


@pytest.fixture
def made(redis_url: str, tmp_path: Path) -> Make:
    """Makes a door with settings of its own."""
    return door_maker(redis_url, tmp_path)


def test_one_request_too_many_is_refused(made: Make) -> None:
    """429 with Retry-After and RateLimit; who only asks whether it is alive is not counted."""
    door = made(RATE_LIMIT="2")
    answers = [door.get("/v1/games") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"caller";q=2;w=60'
    assert answers[0].headers["RateLimit"].startswith('"caller";r=1;t=')
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 60
    assert json(answers[2])["type"] == "/problems/rate-limited"
    assert door.get("/livez").status_code == 200


def test_made_up_tokens_share_one_limit(made: Make) -> None:
    """A token counts as a caller of its own once it has proven to be one; until then its address counts."""
    door = made(RATE_LIMIT="4")
    match = opened(door, seed=None)
    for number in range(3):
        assert door.get("", f"gio_{match.match}_{number}{'x' * 42}").status_code == 401
    assert door.get("", f"gio_{match.match}_{'y' * 43}").status_code == 429
    assert door.get("", "seat:0").status_code == 429


def test_no_limit_is_no_limit(made: Make) -> None:
    """It can be switched off."""
    assert "RateLimit" not in made(RATE_LIMIT="0").get("/v1/games").headers


@pytest.mark.parametrize(
    ("allowed", "origin", "told"),
    [
        ("", "https://a.example", None),
        ("https://a.example", "https://a.example", "https://a.example"),
        ("https://a.example", "https://b.example", None),
        ("*", "https://b.example", "*"),
    ],
    ids=["off", "listed", "not-listed", "all"],
)
def test_pages_of_other_origins_read_only_if_allowed(
    made: Make, allowed: str, origin: str, told: str | None
) -> None:
    """CORS by configuration, for answers, problems and preflights."""
    door = made(CORS_ORIGINS=allowed)
    for method, path in (("GET", "/v1/games"), ("GET", "/nowhere"), ("OPTIONS", "/v1/matches")):
        answer = door.ask(method, path, headers={"Origin": origin})
        assert answer.headers.get("Access-Control-Allow-Origin") == told
    preflight = door.ask("OPTIONS", "/v1/matches", headers={"Origin": origin})
    assert preflight.status_code == 204
    assert ("If-Match" in preflight.headers.get("Access-Control-Allow-Headers", "")) == bool(
        allowed
    )


def test_measures_tell_what_happened(match: Door) -> None:
    """Latencies by operation, appends, conflicts, repeats, replays, what waits, streams."""
    match.move("seat:0", headers={"Idempotency-Key": "k"})
    text = match.get("/metrics").text
    for part in (
        'giornale_request_seconds_count{operation="makeMove",status="201"}', "giornale_append_seconds_count",
        "giornale_conflicts_total", "giornale_idempotent_hits_total", "giornale_replayed_commits_total",
        "giornale_streams", "giornale_pending_matches", "giornale_pending_age_seconds",
        'giornale_queued_jobs{queue="scoring"}',
    ):  # fmt: skip
        assert part in text


def test_a_match_that_waits_long_is_told_but_breaks_nothing(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One match that cannot move on, or a long queue, must not take the service out of the balancer."""
    queues = match.client.application.extensions["queues"]
    monkeypatch.setattr(queues, "workers", lambda: {name: ["w"] for name in queues.queues})
    monkeypatch.setattr(queues, "keeper", lambda: "keeper-h-1")
    long_ago = [Pending(match.match, match.desk.clock() - 60_000)]
    monkeypatch.setattr(match.desk.journal, "pending", lambda *_: long_ago)
    answer = match.get("/readyz")
    assert (answer.status_code, json(answer)["status"]) == (200, "ok")
    assert json(answer)["warnings"]["pending"].startswith("a match has waited")
    assert "checks" not in json(answer)
    assert json(match.get("/readyz?verbose"))["checks"]["pending"].startswith("a match has waited")


@pytest.mark.parametrize("dead", [SCORING, BOTS, EXHIBITIONS])
def test_a_dead_worker_makes_it_unready(
    match: Door, monkeypatch: pytest.MonkeyPatch, dead: str
) -> None:
    """A kind of worker that no process is for is what /readyz is there to tell."""
    queues = match.client.application.extensions["queues"]
    alive = {name: [] if name == dead else ["w"] for name in queues.queues}
    monkeypatch.setattr(queues, "workers", lambda: alive)
    monkeypatch.setattr(queues, "keeper", lambda: "keeper-h-1")
    answer = match.get("/readyz")
    assert (answer.status_code, json(answer)["checks"]) == (
        503,
        {f"worker_{dead}": f"no {dead} worker runs"},
    )


def test_readiness_names_what_lacks(match: Door) -> None:
    """Without workers matches cannot move on: what is wrong is told; `verbose` tells every check."""
    told = json(match.get("/readyz"))
    assert told["status"] == "unready"
    assert told["checks"]["worker_bots"] == "no bots worker runs"
    assert "journal" not in told["checks"]
    told = match.get("/readyz?verbose")
    assert told.status_code == 503
    assert json(told)["checks"]["journal"] == "ok"
    assert json(told)["checks"]["worker_scoring"] == "no scoring worker runs"
