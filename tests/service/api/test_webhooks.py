"""Webhooks at the door: who may have what address called, and what is shown of it."""

from pathlib import Path
from typing import Any

import pytest

from service.journal.values import HOOK
from tests.service.api.conftest import Door, door_maker, json, opened, problem
from tests.service.journal.entries import LEASES_MS

URL = "https://example.org/calls?key=secret"
INVALID = (422, "invalid-request")
WANTED = {"url": URL, "on": ["turn", "ended"]}


@pytest.fixture
def hooked(redis_url: str, tmp_path: Path) -> Door:
    """A match on a server that calls."""
    door = door_maker(redis_url, tmp_path)(HOOKS="true", ALLOW_SEED="true", SECRET="x" * 32)
    return opened(door)


def put(door: Door, who: str = "seat:0", **changes: Any) -> Any:
    """Ask for a webhook."""
    return door.ask("PUT", "webhook", who, json={**WANTED, **changes})


def stored(door: Door) -> list[str]:
    """Return the fields in which something of a holder's webhook is stored."""
    fields = door.ctx.journal.metadata.fields(door.match)
    return [name for name in fields if name.startswith(("hook:", "hooked:"))]


def test_the_secret_is_shown_once(hooked: Door) -> None:
    """With 201; a second PUT keeps it and says 200, and nobody else sees the webhook."""
    made = put(hooked)
    again = put(hooked, on=["ended"])
    shown = hooked.get("webhook", "seat:0")

    assert made.status_code == 201
    assert json(made)["secret"].startswith("whsec_")
    assert (again.status_code, shown.status_code) == (200, 200)
    assert "secret" not in json(again)
    assert json(shown) == {
        "url": URL,
        "on": ["ended"],
        "answer": "",
        "tries": 0,
        "again": None,
        "ended": "",
    }
    assert problem(hooked.get("webhook", "seat:1")) == (404, "not-found")


def test_it_is_in_no_record_and_no_other_answer(hooked: Door) -> None:
    """Neither address nor secret, also not for the owner."""
    secret = json(put(hooked))["secret"]
    for path in ("", "state", "commits", "record", "webhook"):
        text = hooked.get(path, "owner").text
        assert secret not in text
        assert "example.org" not in text


def test_it_is_forgotten(hooked: Door) -> None:
    """By DELETE, and with a revoked token."""
    put(hooked)
    assert hooked.delete("webhook", "seat:0").status_code == 204
    assert problem(hooked.delete("webhook", "seat:0")) == (404, "not-found")

    put(hooked)
    assert hooked.delete("tokens/seat:0", "owner").status_code == 204
    assert stored(hooked) == []


def test_a_seat_that_is_left_has_none(redis_url: str, tmp_path: Path) -> None:
    """Who sits there next has nobody else's address called (M3)."""
    door = door_maker(redis_url, tmp_path)(HOOKS="true", ALLOW_SEED="true", SECRET="x" * 32)
    opened(door, seats=[{"kind": "human"}, {"kind": "human"}, {"kind": "open"}])
    put(door)

    assert door.delete("seats/0", "seat:0").status_code == 200

    assert stored(door) == []


def test_a_test_is_due_at_once(hooked: Door) -> None:
    """202, and its timer rings; without a webhook 404."""
    assert problem(hooked.post("webhook/test", None, "seat:0")) == (404, "not-found")
    put(hooked)
    hooked.ctx.journal.timers.claim(LEASES_MS, 9)

    assert hooked.post("webhook/test", None, "seat:0").status_code == 202

    [timer] = hooked.ctx.journal.timers.claim(LEASES_MS, 9)
    assert (timer.kind, timer.match) == (HOOK, hooked.match)


@pytest.mark.parametrize(
    ("who", "changes", "refusal"),
    [
        pytest.param("", {}, (401, "unauthorized"), id="nobody"),
        pytest.param("seat:0", {"url": "http://example.org/"}, INVALID, id="no-TLS"),
        pytest.param("seat:0", {"url": "ftp://example.org/"}, INVALID, id="ftp"),
        pytest.param("seat:0", {"url": "https://a:b@example.org/"}, INVALID, id="user"),
        pytest.param("seat:0", {"url": "https://example.org/#x"}, INVALID, id="fragment"),
        pytest.param("seat:0", {"url": "https://example.org:70000/"}, INVALID, id="port"),
        pytest.param("seat:0", {"url": "https://example.org:0/"}, INVALID, id="port-0"),
        pytest.param("seat:0", {"url": "https://[::::]/"}, INVALID, id="no-IPv6"),
        pytest.param("seat:0", {"url": "https://[1.2.3.4]/"}, INVALID, id="IPv4-in-brackets"),
        pytest.param(
            "seat:0",
            {"url": f"https://example.org/{'x' * 2000}"},
            INVALID,
            id="long",
        ),
        pytest.param("seat:0", {"on": []}, INVALID, id="for-nothing"),
        pytest.param("seat:0", {"on": ["chat"]}, INVALID, id="for-what-there-is-not"),
    ],
)
def test_what_is_not_called_is_refused(
    hooked: Door, who: str, changes: dict[str, Any], refusal: tuple[int, str]
) -> None:
    """With the reason, and nothing is stored."""
    assert problem(put(hooked, who, **changes)) == refusal
    assert stored(hooked) == []


def test_a_server_calls_nobody_unless_it_is_set(match: Door) -> None:
    """403 says so; GIORNALE_HOOKS is off by default."""
    assert problem(put(match)) == (403, "forbidden")
