"""Long answers are compressed for those who accept it, and conditional requests stay right."""

import gzip

import pytest

from service.api.wsgi.compression import LEAST, accepts_gzip
from service.process.valkey import Server
from tests.service.api.conftest import NDJSON, Door, door_maker, moved, opened, tag

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
LINES = {"Accept": NDJSON}
LONG = {
    "state": ("state", {}),
    "past-state": ("state?version=3", {}),
    "pages": ("commits", {}),
    "lines": ("commits", LINES),
    "record": ("record", {}),
    "games": ("/v1/games", {}),
    "contract": ("/openapi.json", {}),
    "yaml": ("/openapi.yaml", {}),
    "short": ("/openapi.min.json", {}),
    "docs": ("/docs", {}),
    "llms": ("/llms.txt", {}),
    "rules": ("/rules/calimala", {}),
}


@pytest.fixture(scope="module")
def played(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Door:
    """A match at version 7 at least; what its tests do to it disturbs none of them."""
    make = door_maker(server.url, tmp_path_factory.mktemp("data"))
    door = opened(make(ALLOW_SEED="true"))
    moved(door, 6)
    return door


@pytest.mark.parametrize(("path", "headers"), LONG.values(), ids=LONG)
def test_a_long_answer_is_compressed_for_those_who_accept_it(
    played: Door, path: str, headers: dict[str, str]
) -> None:
    """Unpacked it is the plain answer; caches are told what decides."""
    plain = played.get(path, "seat:0", headers=headers)
    packed = played.get(path, "seat:0", headers=headers | GZIP)

    assert plain.status_code == 200
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]

    assert packed.status_code == 200
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]

    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) * 0.7


@pytest.mark.parametrize(("path", "headers"), LONG.values(), ids=LONG)
def test_each_form_has_an_etag_of_its_own(played: Door, path: str, headers: dict[str, str]) -> None:
    """That of the packed form is that of the plain one, marked."""
    plain = played.get(path, "seat:0", headers=headers)
    packed = played.get(path, "seat:0", headers=headers | GZIP)

    assert tag(packed) == f'{tag(plain)[:-1]};gzip"'


@pytest.mark.parametrize(("path", "headers"), LONG.values(), ids=LONG)
def test_the_etag_of_either_form_saves_the_second_answer(
    played: Door, path: str, headers: dict[str, str]
) -> None:
    """304 names the one that the caller has."""
    plain = tag(played.get(path, "seat:0", headers=headers))
    packed = tag(played.get(path, "seat:0", headers=headers | GZIP))

    for held in (plain, packed, f'"other", {packed}', f"W/{plain}"):
        conditions = {"If-None-Match": held}
        again = played.get(path, "seat:0", headers=headers | GZIP | conditions)
        assert again.status_code == 304
        assert again.data == b""
        assert tag(again) in held


@pytest.mark.parametrize(("path", "headers"), LONG.values(), ids=LONG)
def test_a_stale_etag_of_a_form_saves_nothing(
    played: Door, path: str, headers: dict[str, str]
) -> None:
    """What has changed is sent again, packed or plain."""
    stale = {"If-None-Match": '"6;seat:0;gzip"'}

    answer = played.get(path, "seat:0", headers=headers | GZIP | stale)

    assert answer.status_code == 200


@pytest.mark.parametrize(("path", "headers"), LONG.values(), ids=LONG)
def test_head_tells_what_get_would(played: Door, path: str, headers: dict[str, str]) -> None:
    """HEAD has the headers of GET and no body."""
    headers_sent = headers | GZIP
    got = played.get(path, "seat:0", headers=headers_sent)
    head = played.ask("HEAD", path, "seat:0", headers=headers_sent)

    assert head.data == b""
    for name in ("Content-Encoding", "Content-Type", "ETag", "Vary"):
        assert head.headers[name] == got.headers[name]


def test_short_answers_and_errors_stay_plain(played: Door) -> None:
    """To pack them would cost more than it saves."""
    answers = [
        played.get("/livez", headers=GZIP),
        played.get("", headers=GZIP),
        played.get("/v1/matches/abc", headers=GZIP),
        played.get(f"commits?type={'x' * 60}", headers=GZIP),
    ]

    for answer in answers:
        assert "Content-Encoding" not in answer.headers


def test_what_tells_a_token_stays_plain(played: Door) -> None:
    """An answer that is long and holds tokens is not compressed either."""
    long_name = {"kind": "human", "name": "x" * 60}
    body = {"game": "calimala", "seats": [long_name] * 5}

    answer = played.post("/v1/matches", body, headers=GZIP)

    assert len(answer.data) > LEAST
    assert "Content-Encoding" not in answer.headers


def test_a_move_may_be_thought_up_for_a_compressed_state(played: Door) -> None:
    """If-Match takes the ETag of any form, also one that a proxy has made weak."""
    for weak in ("", "W/"):
        who = f"seat:{played.waiting_seats()[0]}"
        seen = tag(played.get("state", who, headers=GZIP))
        assert ";gzip" in seen

        made = played.move(who, headers={"If-Match": f"{weak}{seen}"})

        assert made.status_code == 201, made.text


def test_live_events_are_not_held_back(played: Door) -> None:
    """A stream is never compressed, whatever the caller accepts."""
    answer = played.get("stream?after=0", headers=GZIP, buffered=False)

    first_bytes = next(answer.iter_encoded())
    assert "Content-Encoding" not in answer.headers
    assert first_bytes.startswith(b"retry:")
    answer.close()


ACCEPTED: dict[str, bool] = {
    "": False,
    "gzip": True,
    "GZIP;q=0.5": True,
    "br, gzip;q=0": False,
    "*": True,
    "*;q=0": False,
    "*;q=0, gzip": True,
    "deflate, br": False,
    "identity, gzip;q=0.5": False,
    "identity;q=0.5, gzip": True,
    "gzip;q=2, nonsense;;": False,
}


@pytest.mark.parametrize(("header", "accepted"), ACCEPTED.items(), ids=ACCEPTED)
def test_gzip_is_sent_only_to_those_who_accept_it(header: str, accepted: bool) -> None:
    """Accept-Encoding is read as RFC 9110 says, quality zero is a refusal."""
    assert accepts_gzip(header) == accepted
