"""Conditional requests and compression: each coding of an answer has its own ETag."""

import gzip
import zlib
from collections.abc import Callable, Iterator

import brotli
import pytest
import zstandard

from service.api.wsgi import codings
from service.api.wsgi.codings import preferred
from service.api.wsgi.compression import LEAST
from service.ops.process.valkey import Server
from tests.service.api.conftest import Door, door_maker, json, moved, opened, tag

GZIP = {"Accept-Encoding": "gzip, deflate"}
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "zstd": lambda packed: zstandard.ZstdDecompressor().stream_reader(packed).readall(),
    "br": brotli.decompress,
    "gzip": gzip.decompress,
}
LONG = {
    "state": "state",
    "past-state": "state?version=3",
    "pages": "commits",
    "lines": "commits.ndjson",
    "record": "record",
    "games": "/v1/games",
    "contract": "/openapi.json",
    "yaml": "/openapi.yaml",
    "docs": "/docs",
    "llms": "/llms.txt",
    "client": "/client.py",
    "rules": "/rules/calimala",
}


@pytest.fixture(scope="module")
def played(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A match with 6 moves or more. Its tests do not disturb each other."""
    with door_maker(server.url, tmp_path_factory.mktemp("data")) as make:
        door = opened(make(ALLOW_SEED="true"))
        moved(door, 6)
        yield door


@pytest.fixture
def match(played: Door) -> Door:
    """Another match on the same server, just started."""
    return opened(Door(played.client, played.ctx))


def hash_digits(match: Door, version: int) -> str:
    """Return the first digits of the hash of a commit."""
    digits: str = json(match.get(f"commits/{version}"))["hash"][:16]
    return digits


def test_an_etag_is_the_version_the_perspective_and_the_hash(match: Door) -> None:
    """Another seat or version has another ETag. An old ETag gets the whole answer."""
    public = match.get("state")
    of_a_seat = match.get("state", "seat:1")
    after_a_move = match.move("seat:0")

    assert tag(public) == f'"1;public;{hash_digits(match, 1)}"'
    assert tag(of_a_seat) == f'"1;seat:1;{hash_digits(match, 1)}"'
    assert tag(after_a_move) == f'"2;seat:0;{hash_digits(match, 2)}"'
    assert match.get("state", headers={"If-None-Match": tag(public)}).status_code == 200


@pytest.mark.parametrize("weak", ["", "W/"])
@pytest.mark.parametrize("coding", ["identity", *UNPACK])
def test_a_fresh_if_match_is_accepted(played: Door, weak: str, coding: str) -> None:
    """If-Match may be the ETag of the state in any coding, also a weak one."""
    who = f"seat:{played.waiting_seats()[0]}"
    etag = tag(played.get("state", who, headers={"Accept-Encoding": coding}))
    assert etag.endswith(f';{coding}"') == (coding in UNPACK)

    move = played.move(who, headers={"If-Match": f"{weak}{etag}"})

    assert move.status_code == 201, move.text


# ---- compression ---------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("coding", UNPACK)
@pytest.mark.parametrize("path", LONG.values(), ids=LONG)
def test_a_long_answer_is_compressed_if_the_caller_accepts_it(
    played: Door, path: str, coding: str
) -> None:
    """The unpacked answer equals the plain one. HEAD has its headers. Its ETag adds the coding.

    With the plain or the packed ETag, a second request gets 304 with an ETag that it sent.
    """
    accepts = {"Accept-Encoding": coding}
    plain = played.get(path, "seat:0")
    packed = played.get(path, "seat:0", headers=accepts)
    head = played.ask("HEAD", path, "seat:0", headers=accepts)

    assert plain.status_code == packed.status_code == 200
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == coding
    assert UNPACK[coding](packed.data) == plain.data
    assert len(packed.data) < len(plain.data) * 0.7
    assert tag(packed) == f'{tag(plain)[:-1]};{coding}"'
    assert head.data == b""
    for name in ("Content-Encoding", "Content-Type", "ETag", "Vary"):
        assert head.headers[name] == packed.headers[name]
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]

    for etags in (tag(plain), tag(packed), f'"other", {tag(packed)}', f"W/{tag(plain)}"):
        again = played.get(path, "seat:0", headers=accepts | {"If-None-Match": etags})
        assert (again.status_code, again.data) == (304, b"")
        assert tag(again) in etags
    stale = {"If-None-Match": f'"6;seat:0;{coding}"'}
    assert played.get(path, "seat:0", headers=accepts | stale).status_code == 200


def test_short_answers_errors_and_streams_stay_plain(played: Door) -> None:
    """To pack short answers would cost more than it saves.

    Events are sent at once, uncompressed.
    """
    for path in ("/livez", "", "/v1/matches/abc", f"commits?type={'x' * 60}"):
        assert "Content-Encoding" not in played.get(path, headers=GZIP).headers

    answer = played.get("stream?after=0", headers=GZIP, buffered=False)

    assert "Content-Encoding" not in answer.headers
    assert next(answer.iter_encoded()).startswith(b"retry:")
    answer.close()


def test_an_answer_with_a_token_stays_uncompressed(played: Door) -> None:
    """Even a long answer is not compressed if it holds tokens."""
    body = {"game": "calimala", "seats": [{"kind": "human", "name": "x" * 60}] * 5}

    answer = played.post("/v1/matches", body, headers=GZIP)

    assert len(answer.data) > LEAST
    assert "Content-Encoding" not in answer.headers


ACCEPTED = {
    "": None,
    "gzip": "gzip",
    "GZIP;q=0.5": "gzip",
    "x-gzip": "gzip",
    "gzip, deflate, br, zstd": "zstd",
    "gzip, deflate, br": "br",
    "br;q=0.9, zstd;q=0.8, gzip;q=0.1": "br",
    "gzip;q=1.0, zstd;q=0.9": "gzip",
    "br, gzip;q=0": "br",
    "zstd;q=0, *": "br",
    "*": "zstd",
    "*;q=0": None,
    "*;q=0, gzip": "gzip",
    "deflate, compress": None,
    "identity, gzip;q=0.5": None,
    "identity;q=0.5, gzip": "gzip",
    "identity, zstd": "zstd",
    "gzip;q=2, nonsense;;": None,
}


@pytest.mark.parametrize(("header", "name"), ACCEPTED.items(), ids=ACCEPTED)
def test_the_coding_of_the_highest_quality_is_sent(header: str, name: str | None) -> None:
    """Accept-Encoding is read as RFC 9110 says. Among equals zstd goes before br and gzip."""
    coding = preferred(header)
    assert (coding.name if coding else None) == name


UNPACK_PIECES: dict[str, Callable[[], Callable[[bytes], bytes]]] = {
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj().decompress,
    "br": lambda: brotli.Decompressor().process,
    "gzip": lambda: zlib.decompressobj(wbits=31).decompress,
}


@pytest.mark.parametrize("coding", codings.CODINGS, ids=lambda coding: coding.name)
def test_a_piece_of_a_compressed_stream_is_readable_at_once(coding: codings.Coding) -> None:
    """The reader has each piece before the next one is compressed."""
    pieces = [b"first\n", b"second\n" * 9999, b"third\n"]
    unpack = UNPACK_PIECES[coding.name]()

    packed = coding.stream(iter(pieces))

    assert [unpack(next(packed)) for _ in pieces] == pieces
    assert [unpack(rest) for rest in packed] == [b""]
