"""A match is opened whole or not at all, once for each key, and keeps its secrets."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from domain.games import GAMES
from service.errors import Invalid, KeyConflict
from service.keys import tokens
from service.ledger.commit import StoredCommit, digest, parse_commit, parse_object
from service.matches import views
from service.matches.access import enter
from service.matches.context import Context, MatchCache
from service.matches.opening import Opened, OpenRequest, open_new
from tests.domain.firenze.pieces import typed_in
from tests.service.matches.conftest import bots, humans, now
from tests.service.toy_matches import names_of

WISH = OpenRequest("calimala", [*humans(1), *bots(2)], {"edition": "german"}, seed="seed")
KEY = "a-key-of-16-chars"


def first_entry(ctx: Context, opened: Opened) -> StoredCommit:
    """Return the first commit of a match."""
    return parse_commit(ctx.journal.events.read(opened.loaded.id)[0])


def test_a_match_starts_in_its_first_commit_unless_a_seat_is_open(ctx: Context) -> None:
    """With no open seat version 1 is the running match, set up. Else its game is unborn (M1)."""
    full = open_new(ctx, WISH).loaded
    assert (full.version, full.match.status.name) == (1, "running")
    assert full.match.state is not None

    waiting = open_new(ctx, replace(WISH, seats=[*humans(2), {"kind": "open"}])).loaded
    assert (waiting.version, waiting.match.status.name) == (1, "open")
    assert waiting.match.state is None


def test_each_human_and_the_owner_get_a_token(ctx: Context) -> None:
    """Bots get none. Those who may watch a private match have one for it."""
    opened = open_new(ctx, replace(WISH, visibility="private"))
    assert set(opened.tokens) == {"owner", "seat:0", "spectator"}

    for name, token in opened.tokens.items():
        entered = enter(ctx, opened.loaded.id, token)
        assert entered.caller == tokens.caller(name)


def test_a_token_is_stored_as_a_hash_only(ctx: Context) -> None:
    """Nothing in the journal holds a token or its secret part."""
    opened = open_new(ctx, WISH)
    match = opened.loaded.id
    sidecar = str(ctx.journal.metadata.fields(match))
    commits = str(ctx.journal.events.read(match))

    for token in opened.tokens.values():
        _prefix, _match, secret = token.split("_", 2)
        assert token not in sidecar + commits
        assert secret not in sidecar + commits


def test_the_secret_is_committed_to_and_hidden(ctx: Context) -> None:
    """The first commit's public part holds the digest of the secret, not the secret (M10)."""
    opened = open_new(ctx, WISH)
    entry = first_entry(ctx, opened)
    secret = opened.loaded.match.secret

    assert secret is not None

    secret_bytes = bytes.fromhex(secret)
    event = entry["commit"]["events"][0]

    assert event["commitment"] == hashlib.sha256(secret_bytes).hexdigest()
    assert secret not in str(entry["commit"])
    assert entry["secrets"]["house"]["0"] == {"secret": secret}


def test_names_stay_outside_the_chain_bound_by_a_digest(ctx: Context) -> None:
    """A name can be erased: commits hold only the digest of name and salt."""
    opened = open_new(ctx, WISH)
    match = opened.loaded.id

    salted_name = ctx.journal.metadata.field(match, "name:0")
    assert salted_name is not None
    assert "Player 0" in salted_name

    [first_commit] = ctx.journal.events.read(match)
    assert b"Player 0" not in first_commit

    digest_of_name = digest(parse_object(salted_name.encode()))
    assert digest_of_name == opened.loaded.match.seats[0].name


def test_the_same_key_opens_one_match_and_answers_alike(ctx: Context) -> None:
    """A retry gets the first answer, tokens and all. With another wish it is a mistake."""
    first = open_new(ctx, WISH, KEY)
    second = open_new(ctx, WISH, KEY)

    assert not first.repeated
    assert second.repeated
    assert (second.loaded.id, second.loaded.hash) == (first.loaded.id, first.loaded.hash)
    assert second.tokens == first.tokens

    with pytest.raises(KeyConflict):
        open_new(ctx, replace(WISH, options={}), KEY)
    assert len(ctx.journal.index.listing("", None, 10)) == 1
    assert now(ctx, first).version == 1


def test_without_a_key_every_request_opens_a_match(ctx: Context) -> None:
    assert open_new(ctx, WISH).loaded.id != open_new(ctx, WISH).loaded.id


def state_with_seed(ctx: Context, seed: str) -> Any:
    """Open a match with a seed, and return its first state."""
    opened = open_new(ctx, replace(WISH, seed=seed))
    return opened.loaded.match.state


def test_a_seed_fixes_every_draw_of_the_setup(ctx: Context) -> None:
    """The same seed gives the same one, another seed another one."""
    first = state_with_seed(ctx, "a")
    again = state_with_seed(ctx, "a")
    other = state_with_seed(ctx, "b")
    assert first == again
    assert first != other


BAD = {
    "unknown-game": (replace(WISH, game="chess"), "/game", "calimala"),
    "too-few-seats": (replace(WISH, seats=humans(2)), "/seats", "3 to 5"),
    "too-many-seats": (replace(WISH, seats=humans(6)), "/seats", "3 to 5"),
    "unknown-option": (replace(WISH, options={"layuot": "random"}), "/options/layuot", "layout"),
    "wrong-value": (replace(WISH, options={"edition": "french"}), "/options/edition", "hungarian"),
}


@pytest.mark.parametrize(("wish", "place", "hint"), BAD.values(), ids=BAD)
def test_a_bad_wish_names_the_place_and_what_would_be_right(
    ctx: Context, wish: OpenRequest, place: str, hint: str
) -> None:
    """Nothing is opened, and the answer helps (M1)."""
    with pytest.raises(Invalid) as refused:
        open_new(ctx, wish)

    [named] = refused.value.places
    assert named.pointer == place
    assert hint in named.detail
    assert ctx.journal.index.listing("", None, 1) == []


def test_a_document_holds_seats_names_and_whom_the_match_waits_for(ctx: Context) -> None:
    """What anyone may know of a match."""
    opened = open_new(ctx, WISH)
    names = names_of(ctx, opened.loaded.id)
    document = views.document(opened.loaded, names)

    assert document["seats"][0] == {
        "seat": 0,
        "kind": "human",
        "name": "Player 0",
    }
    assert document["seats"][1] == {
        "seat": 1,
        "kind": "bot",
        "level": "random",
    }
    assert document["waiting_for"] == {
        "house": False,
        "seats": [0, 1, 2],
        "bots": [1, 2],
    }
    assert document["options"] == {
        "edition": "german",
        "layout": "random",
    }


def test_a_board_of_ones_own_is_recorded_and_used_ever_after(ctx: Context) -> None:
    """The first commit holds the board that was handed in (F4), so replays count with it."""
    usual_options = GAMES["firenze"].read_options({})
    board = typed_in(usual_options["board"])
    wish = OpenRequest("firenze", humans(2), {"board": board})
    opened = open_new(ctx, wish)

    entry = first_entry(ctx, opened)
    [event, *_] = entry["commit"]["events"]
    assert event["options"]["board"] == board

    elsewhere = replace(ctx, cache=MatchCache())
    replayed = now(elsewhere, opened).match.state
    assert replayed == opened.loaded.match.state
    assert replayed.board.majority == (3, 4, 5, 6, 7, 8)
