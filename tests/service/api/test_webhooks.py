"""Webhooks over HTTP: permissions, legal addresses, and the shown members."""

from json import dumps, loads
from typing import Any

import pytest

from service.store.journal.values import HOOK
from tests.service.api.conftest import Door, Make, json, opened, problem
from tests.service.store.journal.entries import LEASES_MS

URL = "https://example.org/calls?key=secret"
WANTED = {"url": URL, "on": ["turn", "ended"]}
ONE_OPEN = [{"kind": "human"}, {"kind": "human"}, {"kind": "open"}]


@pytest.fixture
def hooked(make_door: Make) -> Door:
    """A match in the lobby of a server with webhooks."""
    door = make_door(HOOKS="true", ALLOW_SEED="true", SECRET="x" * 32)
    return opened(door, seats=ONE_OPEN)


def put(door: Door, who: str = "seat:0", **changes: Any) -> Any:
    """Ask for a webhook."""
    return door.ask("PUT", "webhook", who, json={**WANTED, **changes})


def stored(door: Door) -> list[str]:
    """Return the metadata fields of a match that store webhooks."""
    fields = door.ctx.journal.metadata.fields(door.match)
    return [name for name in fields if name.startswith(("hook:", "hooked:"))]


def test_the_secret_is_shown_once_and_to_nobody_else(hooked: Door) -> None:
    """The first PUT gets 201 with the secret, a second one 200 without it.

    Neither address nor secret is in the record or in answers to the owner.
    """
    first = put(hooked)
    again = put(hooked, on=["ended"])
    page = hooked.get("webhook", "seat:0")

    assert first.status_code == 201
    assert json(first)["secret"].startswith("whsec_")
    assert (again.status_code, page.status_code) == (200, 200)
    assert "secret" not in json(again)
    expected = {"url": URL, "on": ["ended"], "answer": "", "tries": 0, "again": None, "stopped": ""}
    assert json(page) == expected
    assert problem(hooked.get("webhook", "seat:1")) == (404, "not-found")

    for path in ("", "state", "commits", "record", "webhook"):
        text = hooked.get(path, "owner").text
        assert json(first)["secret"] not in text
        assert "example.org" not in text


def test_it_is_forgotten(hooked: Door) -> None:
    """DELETE, a revoked token and a left seat (M3) remove the webhook."""
    put(hooked)
    assert hooked.delete("webhook", "seat:0").status_code == 204
    assert problem(hooked.delete("webhook", "seat:0")) == (404, "not-found")

    put(hooked)
    assert hooked.delete("tokens/seat:0", "owner").status_code == 204
    put(hooked, "seat:1")
    assert hooked.delete("seats/1", "seat:1").status_code == 200
    assert stored(hooked) == []


def replaced(door: Door, holder: str, by: str) -> None:
    """Let a holder replace a token, and keep the new one."""
    answer = door.post("tokens", {"holder": holder}, by)
    assert answer.status_code == 201, answer.text
    door.tokens[holder] = json(answer)["token"]


def test_it_ends_when_the_owner_replaces_the_token(hooked: Door) -> None:
    """The old holder's webhook ends, and the new holder gets a secret of its own (201)."""
    first = put(hooked)
    owners = put(hooked, "owner")
    replaced(hooked, "seat:0", by="owner")

    assert sorted(stored(hooked)) == ["hook:owner", "hooked:owner"]
    assert problem(hooked.get("webhook", "seat:0")) == (404, "not-found")
    again = put(hooked)
    assert (first.status_code, again.status_code, owners.status_code) == (201, 201, 201)
    assert json(again)["secret"] != json(first)["secret"]


@pytest.mark.parametrize("holder", ["seat:0", "owner"])
def test_a_newer_token_gets_a_new_secret(hooked: Door, holder: str) -> None:
    """The webhook stays with a holder that replaces its own token."""
    first = put(hooked, holder)
    replaced(hooked, holder, by=holder)

    assert hooked.get("webhook", holder).status_code == 200
    second = put(hooked, holder)
    third = put(hooked, holder)
    assert (second.status_code, third.status_code) == (201, 200)
    assert json(second)["secret"] != json(first)["secret"]


def test_a_webhook_of_an_earlier_release_is_read(hooked: Door) -> None:
    """An earlier release did not store the token of a webhook, so the next PUT makes a secret."""
    put(hooked)
    hook = loads(hooked.ctx.journal.metadata.field(hooked.match, "hook:seat:0") or "")
    del hook["by"]
    hooked.ctx.journal.metadata.put(hooked.match, {"hook:seat:0": dumps(hook)})

    assert json(hooked.get("webhook", "seat:0"))["url"] == URL
    assert put(hooked).status_code == 201


def test_a_webhook_that_was_given_up_says_so(hooked: Door) -> None:
    """The journal stores `given up`, and the answer has `given_up`."""
    put(hooked)
    delivery = loads(hooked.ctx.journal.metadata.field(hooked.match, "hooked:seat:0") or "")
    changed = {"hooked:seat:0": dumps({**delivery, "ended": "given up", "again": 1})}
    hooked.ctx.journal.metadata.put(hooked.match, changed)

    shown = json(hooked.get("webhook", "seat:0"))
    assert (shown["stopped"], shown["again"]) == ("given_up", None)


def test_a_test_is_due_at_once(hooked: Door) -> None:
    """A test is answered 202, and its timer is due. Without a webhook it is 404."""
    assert problem(hooked.post("webhook/test", None, "seat:0")) == (404, "not-found")
    put(hooked)
    hooked.ctx.journal.timers.claim(LEASES_MS, 9)

    assert hooked.post("webhook/test", None, "seat:0").status_code == 202

    [timer] = hooked.ctx.journal.timers.claim(LEASES_MS, 9)
    assert (timer.kind, timer.match) == (HOOK, hooked.match)


WRONG: dict[str, dict[str, Any]] = {
    "no-TLS": {"url": "http://example.org/"},
    "ftp": {"url": "ftp://example.org/"},
    "user": {"url": "https://a:b@example.org/"},
    "fragment": {"url": "https://example.org/#x"},
    "port": {"url": "https://example.org:70000/"},
    "port-0": {"url": "https://example.org:0/"},
    "port-of-mail": {"url": "https://example.org:25/"},
    "port-80-with-TLS": {"url": "https://example.org:80/"},
    "last-port-of-the-system": {"url": "https://example.org:1023/"},
    "no-IPv6": {"url": "https://[::::]/"},
    "IPv4-in-brackets": {"url": "https://[1.2.3.4]/"},
    "long": {"url": f"https://example.org/{'x' * 2000}"},
    "for-nothing": {"on": []},
    "for-what-there-is-not": {"on": ["chat"]},
}


def test_illegal_webhooks_are_refused(hooked: Door) -> None:
    """A webhook with a wrong address or occasion, or by a stranger, is refused and not stored."""
    for name, changes in WRONG.items():
        assert problem(put(hooked, **changes)) == (422, "invalid-request"), name
    assert problem(put(hooked, "")) == (401, "unauthorized")
    assert stored(hooked) == []


def test_a_server_calls_nobody_unless_it_is_set(match: Door) -> None:
    """GIORNALE_HOOKS is off by default."""
    for answer in (put(match), match.post("webhook/test", None, "seat:0")):
        assert problem(answer) == (403, "feature-off")
        assert "Webhooks are off on this server." in json(answer)["detail"]


@pytest.mark.parametrize("port", [443, 1024, 8443, 65535])
def test_a_free_port_is_called(hooked: Door, port: int) -> None:
    """A webhook may use port 443, and all ports from 1024 upward."""
    assert put(hooked, url=f"https://example.org:{port}/").status_code == 201
