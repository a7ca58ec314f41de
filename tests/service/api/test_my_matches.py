"""All my matches in one stream: the status of each, then changes, across reconnects."""

import time
from collections.abc import Iterator
from itertools import repeat
from json import loads
from typing import Any
from weakref import ref

import pytest
from flask import Flask
from redis.exceptions import ConnectionError as RedisConnectionError

from service.api.http.context import services_of
from service.capabilities.my_matches import routes, use_cases as my_matches
from service.capabilities.my_matches.use_cases import MyMatches
from service.store.jobs import queues as queues_module
from service.store.keys import tokens
from tests.service.api.conftest import OPERATOR, Door, json, opened

TOKENS = "Giornale-Tokens"


class Lines:
    """An open stream, read event by event. Heartbeats are left out."""

    def __init__(self, door: Door, secrets: list[str], position: str = "") -> None:
        headers = {TOKENS: ", ".join(secrets)}
        if position:
            headers["Last-Event-ID"] = position
        self.answer = door.get("/v1/me/stream", headers=headers, buffered=False)
        self._pieces: Iterator[Any] = iter(self.answer.response)

    def next(self) -> dict[str, Any]:
        """Return the next event with its id."""
        return next(self._events())

    def rest(self) -> list[str]:
        """Return the names of the events up to the end of the stream."""
        return [event["event"] for event in self._events()]

    def _events(self) -> Iterator[dict[str, Any]]:
        for piece in self._pieces:
            if piece.startswith(b"id: "):
                position, _, data, *_ = piece.decode().split("\n")
                yield {**loads(data.removeprefix("data: ")), "id": position.removeprefix("id: ")}

    def close(self) -> None:
        """Hang up."""
        self.answer.close()


@pytest.fixture
def two(app: Flask) -> tuple[Door, Door]:
    """Two matches of three humans."""
    ctx = services_of(app).ctx
    return opened(Door(app.test_client(), ctx)), opened(Door(app.test_client(), ctx), seed="other")


def token(match: Door, who: str = "seat:0") -> str:
    """Return a token of a match."""
    return match.tokens[who]


def test_first_comes_how_each_match_stands(two: tuple[Door, Door]) -> None:
    """A stream begins with one event for each token, even for two seats of one match."""
    first, second = two
    first.move("seat:0")
    secrets = [token(first), token(first, "seat:1"), token(second, "owner")]

    stream = Lines(first, secrets)
    news = [stream.next() for _ in secrets]
    stream.close()

    facts = [(one["event"], one["match"], one["version"], one["seat"]) for one in news]
    assert facts == [
        ("waiting", first.match, 2, 0),
        ("turn", first.match, 2, 1),
        ("waiting", second.match, 1, None),
    ]
    assert news[1]["waiting_for"] == {"house": False, "seats": [1, 2]}


def test_every_change_follows(two: tuple[Door, Door]) -> None:
    """A move in one match is an event of that match alone, and the end names the outcome."""
    first, second = two
    stream = Lines(first, [token(first), token(second)])
    assert [stream.next()["event"] for _ in two] == ["turn", "turn"]

    second.move("seat:0")
    moved = stream.next()
    assert (moved["event"], moved["match"], moved["version"]) == ("waiting", second.match, 2)

    first.post("abort", None, "owner")
    over = stream.next()
    assert (over["event"], over["match"], over["outcome"]) == ("ended", first.match, None)
    stream.close()


def test_a_returning_reader_is_sent_the_difference(two: tuple[Door, Door]) -> None:
    """With Last-Event-ID only changed matches are sent.

    The ID of a stream of other tokens is ignored.
    """
    first, second = two
    secrets = [token(first), token(second)]
    stream = Lines(first, secrets)
    middle, whole = stream.next()["id"], stream.next()["id"]
    stream.close()

    again = Lines(first, secrets, middle)
    assert again.next()["match"] == second.match
    again.close()

    second.move("seat:0")
    later = Lines(first, secrets, whole)
    assert later.next()["match"] == second.match
    later.close()

    others = Lines(first, secrets[::-1], whole)
    assert {others.next()["match"], others.next()["match"]} == {first.match, second.match}
    others.close()


def test_a_token_that_does_not_count_is_gone(two: tuple[Door, Door]) -> None:
    """An invented token is gone at first, a replaced one after its replacement.

    Then the stream ends.
    """
    first, second = two
    invented = f"gio_{second.match}_{'x' * 43}"
    stream = Lines(first, [token(first), invented])
    assert stream.next()["event"] == "turn"
    gone = stream.next()
    assert gone == {
        "event": "gone",
        "match": second.match,
        "version": 0,
        "seat": None,
        "id": gone["id"],
    }

    assert first.post("tokens", {}, "seat:0").status_code == 201
    assert stream.rest() == ["gone"]


def test_a_deleted_match_is_gone_as_an_invented_token_is(two: tuple[Door, Door]) -> None:
    """The event of a deleted match equals that of an invented token."""
    first, second = two
    stream = Lines(first, [token(first)])
    stream.next()
    assert first.delete("", OPERATOR).status_code == 204

    gone = stream.next()
    invented = Lines(second, [f"gio_{second.match}_{'x' * 43}"]).next()

    del gone["id"], invented["id"], gone["match"], invented["match"]
    assert gone == invented


def test_a_bot_that_stands_in_has_the_turn(match: Door) -> None:
    """The human of a seat held by a bot need not act (M8)."""
    stream = Lines(match, [token(match)])
    assert stream.next()["event"] == "turn"

    assert match.post("seats/0/bot", {"level": "random"}, "owner").status_code == 201

    assert stream.next()["event"] == "waiting"
    stream.close()


def test_a_history_that_was_rewritten_is_news(match: Door) -> None:
    """A position with another hash gets `rewritten`, and then the status of the match."""
    match.move("seat:0")
    stream = Lines(match, [token(match)])
    position = stream.next()["id"]
    stream.close()
    other_history = position[:-8] + "00000000"

    stream = Lines(match, [token(match)], other_history)

    assert [stream.next()["event"] for _ in range(2)] == ["rewritten", "waiting"]
    stream.close()


def test_nothing_more_to_come(ended: Door) -> None:
    """A reader who has the end gets 204. Others get the end, and the stream ends."""
    stream = Lines(ended, [token(ended, "owner")])
    last = stream.next()
    assert (last["event"], stream.rest()) == ("ended", [])

    headers = {TOKENS: token(ended, "owner"), "Last-Event-ID": last["id"]}
    assert ended.get("/v1/me/stream", headers=headers).status_code == 204


def test_an_ended_match_is_checked_again_with_all_others(ended: Door) -> None:
    """The end may be lost with a journal that goes back, and the match may be deleted."""
    mine = MyMatches([token(ended, "owner")])
    assert [news["event"] for news in mine.news(ended.ctx)] == ["ended"]
    assert mine.are_final
    assert list(mine.news(ended.ctx)) == []

    assert ended.delete("", OPERATOR).status_code == 204
    assert [news["event"] for news in mine.news(ended.ctx)] == ["gone"]


def test_a_quick_look_finds_moved_matches(
    two: tuple[Door, Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heads alone show matches with a new version and deleted matches."""
    first, second = two
    mine = MyMatches([token(first), token(second), token(second, "owner")])
    assert mine.moved(first.ctx) == [first.match, second.match]
    list(mine.news(first.ctx))
    monkeypatch.setattr(
        first.ctx.journal.events, "overviews", lambda *_: pytest.fail("a whole look")
    )
    assert mine.moved(first.ctx) == []

    monkeypatch.undo()
    second.move("seat:0")
    assert mine.moved(first.ctx) == [second.match]

    assert first.delete("", OPERATOR).status_code == 204
    assert mine.moved(first.ctx) == [first.match, second.match]
    assert [news["event"] for news in mine.news(first.ctx)] == ["gone", "waiting", "waiting"]


def test_a_change_without_a_notification_is_found_at_a_beat(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change is found at the next beat even if its notification was lost."""
    stream = deaf_stream(match, monkeypatch)
    assert next(stream) == b"turn"

    match.move("seat:0")

    assert next(piece for piece in stream if piece) == b"waiting"


def test_a_token_that_is_replaced_without_a_commit_is_gone(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replacement without a commit or notification is found by a later check (M13)."""
    stream = deaf_stream(match, monkeypatch)
    assert next(stream) == b"turn"

    field = tokens.field(token(match))
    assert match.ctx.journal.metadata.put(match.match, {field: None}, ("", ""))

    assert next(piece for piece in stream if piece) == b"gone"


def deaf_stream(match: Door, monkeypatch: pytest.MonkeyPatch) -> Iterator[bytes]:
    """Return the events of the first seat's stream, in a process without notifications."""
    notifications = services_of(match.client.application).notifications
    monkeypatch.setattr(notifications._listeners, "nudge", lambda: None)
    mine = MyMatches([token(match)])
    return my_matches.follow(
        match.ctx, notifications, mine, 0.01, lambda news, _: news["event"].encode()
    )


def test_a_stream_keeps_nothing_of_its_beginning(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent lines are freed. The first lines of 50 matches may be most of a stream's memory."""

    class Beginning(list[bytes]):
        """A list with weak references, so that its release can be observed."""

    monkeypatch.setattr(my_matches, "follow", lambda *_: repeat(b""))
    beginning = Beginning([b"one", b"two"])
    reference = ref(beginning)
    with match.client.application.app_context():
        pieces = routes._my_news(beginning, MyMatches([token(match)]))
    del beginning

    assert [next(pieces) for _ in range(3)] == [b"one", b"two", b""]
    assert reference() is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 401, id="no-token"),
        pytest.param({TOKENS: "gio_x"}, 422, id="no-form"),
        pytest.param({TOKENS: "51"}, 422, id="51-tokens"),
        pytest.param({TOKENS: "50 more"}, 422, id="50-more-than-Authorization"),
        pytest.param({"Last-Event-ID": "17"}, 422, id="no-position"),
        pytest.param({"Last-Event-ID": "01234567:0-01234567"}, 422, id="no-version"),
    ],
)
def test_an_unfollowable_request_is_refused(
    match: Door, headers: dict[str, str], status: int
) -> None:
    """A request with no token, too many tokens, or a malformed token or position is refused."""
    most = [f"gio_{match.match}_{number:0>43}" for number in range(51)]
    written = {"51": ", ".join(most), "50 more": ", ".join(most[:50])}
    request_headers = {name: written.get(value, value) for name, value in headers.items()}
    has_own_token = headers != {} and headers.get(TOKENS) != "51"
    if has_own_token:
        request_headers["Authorization"] = f"Bearer {token(match)}"

    answer = match.get("/v1/me/stream", headers=request_headers)

    assert answer.status_code == status, answer.text


def test_events_of_a_browser_have_a_name_and_an_id(match: Door) -> None:
    """Server-sent events: `id` holds the value of Last-Event-ID."""
    headers = {"Authorization": f"Bearer {token(match)}"}
    answer = match.get("/v1/me/stream", headers=headers, buffered=False)
    pieces: Iterator[Any] = iter(answer.response)

    assert next(pieces) == b"retry: 2000\n\n"
    position, event, data, *_ = next(pieces).decode().split("\n")
    answer.close()

    assert event == "event: turn"
    assert loads(data.removeprefix("data: "))["match"] == match.match
    assert position.removeprefix("id: ").endswith(json(match.get())["hash"][:8])


def test_one_stream_takes_one_place(two: tuple[Door, Door]) -> None:
    """A stream takes one place of the limit, also if it follows two matches."""
    first, second = two
    limit = services_of(first.client.application).stream_limit
    before = limit._taken

    stream = Lines(first, [token(first), token(second)])
    stream.next()
    assert limit._taken == before + 1

    stream.close()
    assert limit._taken == before


def test_invented_tokens_are_not_followed(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of 50 invented tokens ends at once, without a subscription."""
    listeners = services_of(match.client.application).notifications._listeners
    monkeypatch.setattr(listeners, "nudge", lambda: pytest.fail("nudged"))
    invented = [f"gio_{word:a>26}_{'x' * 43}" for word in _letters(50)]

    assert Lines(match, invented).rest() == ["gone"] * 50


def test_a_stream_nudges_the_listeners_once(
    two: tuple[Door, Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream nudges the listeners once for all its matches, without those that are gone."""
    first, second = two
    notifications = services_of(first.client.application).notifications
    nudged: list[int] = []
    monkeypatch.setattr(
        notifications._listeners, "nudge", lambda: nudged.append(len(notifications._channels))
    )
    invented = [f"gio_{word:a>26}_{'x' * 43}" for word in _letters(40)]

    stream = Lines(first, [*invented, token(first), token(second)])
    for _ in range(42):
        stream.next()
    second.move("seat:0")
    assert stream.next()["match"] == second.match
    stream.close()

    assert nudged == [2]


def test_a_request_without_a_free_place_costs_nothing(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """429 comes before the journal is asked how the matches stand."""
    monkeypatch.setattr(services_of(match.client.application).stream_limit, "each", 0)
    monkeypatch.setattr(MyMatches, "news", lambda *_: pytest.fail("asked"))
    headers = {TOKENS: token(match)}
    assert match.get("/v1/me/stream", headers=headers).status_code == 429


def _letters(number: int) -> list[str]:
    """Return so many words that the id of a match may hold."""
    return [f"{first}{second}" for first in "cdefghijkl" for second in "mnopqr"][:number]


# ---- who is here ---------------------------------------------------------------------------


def follower(match: Door, who: str) -> MyMatches:
    """Return the matches of a holder's stream, with their present state already reported."""
    queues = services_of(match.client.application).queues
    mine = MyMatches(
        [token(match, who)], "", lambda seats: queues.note_here(seats, my_matches.HERE_SECONDS)
    )
    list(mine.news(match.ctx))
    return mine


def here(mine: MyMatches) -> list[list[int] | None]:
    """Note the presence of a follower's seats and return its news."""
    assert mine.note_here is not None
    return [news.get("here") for news in mine.presence(mine.note_here)]


def test_seats_learn_the_presence_of_other_seats(match: Door) -> None:
    """A seat gets the presence of a match once, and again when it has changed."""
    first, second = follower(match, "seat:0"), follower(match, "seat:1")

    assert [here(first), here(first)] == [[[0]], []]
    assert [here(second), here(first), here(second)] == [[[0, 1]], [[0, 1]], []]


def test_nobody_else_learns_of_presence(match: Door) -> None:
    """The owner and seats of other matches do not get the presence, and are not in it."""
    other = opened(Door(match.client, match.ctx), seed="elsewhere")
    assert here(follower(match, "seat:2")) == [[2]]

    assert here(follower(match, "owner")) == []
    assert here(follower(other, "seat:0")) == [[0]]
    assert here(follower(match, "seat:1")) == [[1, 2]]


def test_a_seat_is_here_for_three_minutes_after_the_last_sign(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note of a present seat expires on the queues' server by itself."""
    queues = services_of(match.client.application).queues
    here(follower(match, "seat:0"))
    key = queues_module.HERE + match.match
    assert 0 < queues.redis.ttl(key) <= my_matches.HERE_SECONDS

    later = time.time() + my_matches.HERE_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert here(follower(match, "seat:1")) == [[1]]


def test_a_stream_tells_presence_after_a_beat(match: Door) -> None:
    """News of presence does not change the reader's position."""
    notifications = services_of(match.client.application).notifications
    mine = follower(match, "seat:0")
    position = mine.position
    stream = my_matches.follow(
        match.ctx, notifications, mine, 0.01, lambda news, _: news["event"].encode()
    )

    assert next(piece for piece in stream if piece) == b"presence"
    assert mine.position == position


def test_a_token_that_was_replaced_is_no_sign(match: Door) -> None:
    """Tokens are checked before each note of presence, so a replaced token is not noted."""
    notifications = services_of(match.client.application).notifications
    mine = follower(match, "seat:0")
    field = tokens.field(token(match))
    assert match.ctx.journal.metadata.put(match.match, {field: None}, ("", ""))
    stream = my_matches.follow(
        match.ctx, notifications, mine, 0.01, lambda news, _: news["event"].encode()
    )

    assert [piece for piece in stream if piece] == [b"gone"]
    assert here(follower(match, "seat:1")) == [[1]]


def test_a_seat_with_a_new_holder_is_not_here(match: Door) -> None:
    """The last sign of the old holder counts neither for a new holder nor for a vacant token."""
    here(follower(match, "seat:0"))
    here(follower(match, "seat:1"))
    assert here(follower(match, "seat:2")) == [[0, 1, 2]]

    replaced = match.post("tokens", {"holder": "seat:0"}, "owner")
    assert replaced.status_code == 201
    assert here(follower(match, "seat:2")) == [[1, 2]]
    assert match.delete("tokens/seat:1", "seat:1").status_code == 204
    assert here(follower(match, "seat:2")) == [[2]]

    match.tokens["seat:0"] = json(replaced)["token"]
    assert here(follower(match, "seat:0")) == [[0, 2]]


def test_a_seat_with_a_renewed_token_stays_present(match: Door) -> None:
    """A seat that replaces its own token stays present, since its player is the same."""
    here(follower(match, "seat:0"))
    assert match.post("tokens", {}, "seat:0").status_code == 201
    assert here(follower(match, "seat:2")) == [[0, 2]]


def test_a_seat_that_was_left_is_not_here(lobby: Door) -> None:
    """The next player of the seat has given no sign yet."""
    joined = lobby.post("seats/1", {"name": "Contessina"})
    lobby.tokens["seat:1"] = json(joined)["token"]
    here(follower(lobby, "seat:1"))
    assert lobby.delete("seats/1", "seat:1").status_code == 200
    assert here(follower(lobby, "seat:0")) == [[0]]


def test_a_token_is_replaced_without_the_queues_server(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token can be replaced while the queues' server is away."""

    def away(*_: object) -> None:
        raise RedisConnectionError

    queues = services_of(match.client.application).queues
    monkeypatch.setattr(queues, "forget_here", away)
    assert match.post("tokens", {"holder": "seat:0"}, "owner").status_code == 201


def test_without_the_queues_server_there_is_no_presence(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the queues' server, presence is empty, and no error is raised."""

    def away(*_: object) -> None:
        raise RedisConnectionError

    queues = services_of(match.client.application).queues
    monkeypatch.setattr(queues, "note_here", away)
    with match.client.application.app_context():
        note = routes._presence()
    assert note({match.match: [0]}) == {}
