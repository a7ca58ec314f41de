"""Conditional requests and compression: nothing is sent twice, and each form has its own ETag."""

import gzip
from collections.abc import Iterator

import pytest

from service.api.wsgi.compression import LEAST, accepts_gzip
from service.ops.process.valkey import Server
from tests.service.api.conftest import NDJSON, Door, door_maker, json, moved, opened, tag

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
    "client": ("/client.py", {}),
    "rules": ("/rules/calimala", {}),
}


@pytest.fixture(scope="module")
def played(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A match at version 7 at least; what its tests do to it disturbs none of them."""
    with door_maker(server.url, tmp_path_factory.mktemp("data")) as make:
        door = opened(make(ALLOW_SEED="true"))
        moved(door, 6)
        yield door


@pytest.fixture
def match(played: Door) -> Door:
    """Another match on the same server, which has just started."""
    return opened(Door(played.client, played.ctx))


def hash_digits(match: Door, version: int) -> str:
    """Return how the hash of a commit begins."""
    found: str = json(match.get(f"commits/{version}"))["hash"][:16]
    return found


def test_an_etag_is_the_version_the_perspective_and_the_hash(match: Door) -> None:
    """Another seat, or another version, is another ETag, and an old one saves nothing."""
    public = match.get("state")
    of_a_seat = match.get("state", "seat:1")
    after_a_move = match.move("seat:0")

    assert tag(public) == f'"1;public;{hash_digits(match, 1)}"'
    assert tag(of_a_seat) == f'"1;seat:1;{hash_digits(match, 1)}"'
    assert tag(after_a_move) == f'"2;seat:0;{hash_digits(match, 2)}"'
    assert match.get("state", headers={"If-None-Match": tag(public)}).status_code == 200


@pytest.mark.parametrize("weak", ["", "W/"])
@pytest.mark.parametrize("encoding", [{}, GZIP], ids=["plain", "gzip"])
def test_a_fresh_if_match_is_accepted(played: Door, weak: str, encoding: dict[str, str]) -> None:
    """The ETag of the state that one has seen is enough, in any form, also a weakened one."""
    who = f"seat:{played.waiting_seats()[0]}"
    seen = tag(played.get("state", who, headers=encoding))
    assert (";gzip" in seen) == bool(encoding)

    made = played.move(who, headers={"If-Match": f"{weak}{seen}"})

    assert made.status_code == 201, made.text


# ---- compression ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "headers"), LONG.values(), ids=LONG)
def test_a_long_answer_is_compressed_for_those_who_accept_it(
    played: Door, path: str, headers: dict[str, str]
) -> None:
    """Unpacked it is the plain answer; HEAD tells of it; its ETag is that of the plain, marked.

    Either ETag saves the second answer, which names the one that the caller has.
    """
    plain = played.get(path, "seat:0", headers=headers)
    packed = played.get(path, "seat:0", headers=headers | GZIP)
    head = played.ask("HEAD", path, "seat:0", headers=headers | GZIP)

    assert plain.status_code == packed.status_code == 200
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) * 0.7
    assert tag(packed) == f'{tag(plain)[:-1]};gzip"'
    assert head.data == b""
    for name in ("Content-Encoding", "Content-Type", "ETag", "Vary"):
        assert head.headers[name] == packed.headers[name]
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]

    for held in (tag(plain), tag(packed), f'"other", {tag(packed)}', f"W/{tag(plain)}"):
        again = played.get(path, "seat:0", headers=headers | GZIP | {"If-None-Match": held})
        assert (again.status_code, again.data) == (304, b"")
        assert tag(again) in held
    stale = {"If-None-Match": '"6;seat:0;gzip"'}
    assert played.get(path, "seat:0", headers=headers | GZIP | stale).status_code == 200


def test_short_answers_errors_and_streams_stay_plain(played: Door) -> None:
    """To pack them would cost more than it saves. A stream is never compressed, nor held back."""
    for path in ("/livez", "", "/v1/matches/abc", f"commits?type={'x' * 60}"):
        assert "Content-Encoding" not in played.get(path, headers=GZIP).headers

    answer = played.get("stream?after=0", headers=GZIP, buffered=False)

    assert "Content-Encoding" not in answer.headers
    assert next(answer.iter_encoded()).startswith(b"retry:")
    answer.close()


def test_what_tells_a_token_stays_plain(played: Door) -> None:
    """An answer that is long and holds tokens is not compressed either."""
    body = {"game": "calimala", "seats": [{"kind": "human", "name": "x" * 60}] * 5}

    answer = played.post("/v1/matches", body, headers=GZIP)

    assert len(answer.data) > LEAST
    assert "Content-Encoding" not in answer.headers


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
