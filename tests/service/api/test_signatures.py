"""Signatures of the players over HTTP (M18)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.matches import automation, metadata_changes
from service.matches.bots import DEFAULT
from service.record.commit import Json, canonical, parse_object
from service.record.record import read_line
from service.record.verify.audit import verify_record
from tests.service.api.conftest import KEY, Door, json, opened, problem, tag
from tests.service.toy_matches import first_match_rules
from tests.signing import ADA, BEA, CLEO, Player, proven
from workers.bots import choose

OTHER_KEY = "f3a1b0c4-40d5-43dd-bc93-6894a57f9324"
SMALL_ORDER = "01" + "00" * 31
KEYED = [{"kind": "human", "key": ADA.key}, {"kind": "human", "key": BEA.key}, {"kind": "human"}]


@dataclass
class Signing:
    """A match with keys on some seats. `players` maps these seats to their players."""

    door: Door
    players: dict[str, Player]

    def headers(self, who: str, command: Json, **more: str) -> dict[str, str]:
        """Return the headers of a seat's signed command at the head."""
        head = json(self.door.get())
        player = self.players[who]
        signature = player.sign(head["match"], head["version"] + 1, head["hash"], command)
        return {"If-Match": tag(self.door.get()), "Giornale-Signature": signature, **more}

    def command(self, who: str, number: int = 0) -> Json:
        """Return a seat's n-th legal move in the form of a commit's command."""
        return {**self.door.moves(who)[number], "seat": seat_of(who)}

    def move(self, who: str, number: int = 0, **more: str) -> TestResponse:
        """Make a seat's n-th legal move with a signature."""
        move = self.door.moves(who)[number]
        headers = self.headers(who, self.command(who, number), **more)
        return self.door.post("moves", move, who, headers=headers)

    def post(self, path: str, body: Any, who: str, command: Json) -> TestResponse:
        """Post a body, with a seat's signature of the command."""
        return self.door.post(path, body, who, headers=self.headers(who, command))


def seat_of(who: str) -> int:
    """Return the number of a seat."""
    return int(who.removeprefix("seat:"))


def begun(door: Door, **more: Any) -> Signing:
    """Open a match with keys of Ada on seat 0 and of Bea on seat 1. Seat 2 has no key."""
    return Signing(opened(door, seats=KEYED, **more), {"seat:0": ADA, "seat:1": BEA})


@pytest.fixture
def signing(door: Door) -> Signing:
    """A match with keys of Ada on seat 0 and of Bea on seat 1. Seat 2 has no key."""
    return begun(door)


def test_a_match_without_keys_is_stored_as_before(match: Door) -> None:
    """Stored commits have no `key` and no `signature`. Seats in answers have no `key`."""
    match.move("seat:0")
    stored = b"".join(match.ctx.journal.events.read(match.match))

    assert b'"key"' not in stored
    assert b'"signature"' not in stored
    assert all("key" not in seat for seat in json(match.get())["seats"])


# ---- moves ---------------------------------------------------------------------------------------


def test_a_signed_move_is_made_and_its_record_is_right(signing: Signing) -> None:
    """M18: seats with a key sign their moves, seats without a key do not. The match shows keys."""
    assert signing.move("seat:0").status_code == 201
    assert signing.move("seat:1").status_code == 201
    assert signing.door.move("seat:2").status_code == 201

    seats = json(signing.door.get())["seats"]
    assert [seat.get("key") for seat in seats] == [ADA.key, BEA.key, None]
    [listed] = json(signing.door.get("/v1/matches"))["matches"]
    assert listed["seats"] == seats
    lines = signing.door.get("record", "seat:0").data.splitlines(keepends=True)
    report = verify_record(lines).report
    assert (report.wrong, report.signed) == (None, 1)
    assert "1 signatures: they lie in secret parts" in " ".join(report.unchecked)


def test_the_signature_of_a_hidden_choice_is_its_seats_alone(signing: Signing) -> None:
    """M18: others could try the signature on each possible choice. Calimala's first is hidden."""
    answer = json(signing.move("seat:0"))
    version = answer["version"]
    assert len(answer["signature"]) == 128

    commits = {who: json(signing.door.get(f"commits/{version}", who)) for who in ("", "seat:1")}
    assert [commit["version"] for commit in commits.values()] == [version] * 2
    assert all("signature" not in commit for commit in commits.values())
    assert (
        json(signing.door.get(f"commits/{version}", "seat:0"))["signature"] == answer["signature"]
    )
    for who in ("", "seat:1", "owner"):
        assert answer["signature"] not in signing.door.get("record", who).text


def test_a_public_move_shows_its_signature_to_everybody(signing: Signing) -> None:
    """M18: commit and record have the signature as part of the hashed content."""
    answer = json(draft(signing))

    commit = json(signing.door.get(f"commits/{answer['version']}"))
    line = signing.door.get("record").data.splitlines(keepends=True)[answer["version"] - 1]
    assert answer["command"]["type"] != "keep_scoring_card"
    assert commit["signature"] == answer["signature"]
    assert read_line(line)[0]["commit"]["signature"] == answer["signature"]


def draft(signing: Signing) -> TestResponse:
    """Make all hidden choices, then a move of seat 2 and one of Bea. Return the answer to Bea."""
    for who in ("seat:0", "seat:1"):
        assert signing.move(who).status_code == 201
    assert signing.door.move("seat:2").status_code == 201
    answer = signing.door.move("seat:2")
    assert answer.status_code == 201
    answer = signing.move("seat:1")
    assert answer.status_code == 201
    return answer


# Returns changed headers for a match and the correct headers of a move.
Spoil = Callable[[Signing, dict[str, str]], dict[str, str]]


def without(name: str) -> Spoil:
    """Return a change that leaves a header out."""
    return lambda _, headers: {one: value for one, value in headers.items() if one != name}


def signed_otherwise(player: Player = ADA, version: int = 2, **command: Any) -> Spoil:
    """Return a change that signs with another player's key, another version or another command."""

    def spoil(signing: Signing, headers: dict[str, str]) -> dict[str, str]:
        head = json(signing.door.get())
        signed = {**signing.command("seat:0"), **command}
        signature = player.sign(head["match"], version, head["hash"], signed)
        return {**headers, "Giornale-Signature": signature}

    return spoil


def with_header(name: str, value: str) -> Spoil:
    """Return a change that puts another value in a header."""
    return lambda _, headers: {**headers, name: value}


# Each case: a change to the headers of a correct first move of seat 0, the status and problem of
# the answer, and True if the answer has `to_sign`.
REFUSED: dict[str, tuple[Spoil, tuple[int, str], bool]] = {
    "no-version": (without("If-Match"), (428, "precondition-required"), False),
    "any-version": (with_header("If-Match", "*"), (428, "precondition-required"), False),
    "no-signature": (without("Giornale-Signature"), (422, "signature-wrong"), True),
    "another-key": (signed_otherwise(BEA), (422, "signature-wrong"), True),
    "another-version": (signed_otherwise(version=3), (422, "signature-wrong"), True),
    "another-choice": (signed_otherwise(card="oil"), (422, "signature-wrong"), True),
    "another-seat": (signed_otherwise(seat=1), (422, "signature-wrong"), True),
    "all-zeros": (with_header("Giornale-Signature", "0" * 128), (422, "signature-wrong"), True),
    "too-short": (with_header("Giornale-Signature", "ab"), (422, "invalid-request"), False),
    "upper-case": (with_header("Giornale-Signature", "A" * 128), (422, "invalid-request"), False),
    "stale": (with_header("If-Match", '"9"'), (412, "stale-version"), False),
}


@pytest.mark.parametrize(("spoil", "refusal", "has_text"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_signature_is_refused(
    signing: Signing, spoil: Spoil, refusal: tuple[int, str], *, has_text: bool
) -> None:
    """M18: `to_sign` is the correct text, and no commit is made."""
    command = signing.command("seat:0")
    head = json(signing.door.get())
    headers = spoil(signing, signing.headers("seat:0", command))

    answer = signing.door.post("moves", signing.door.moves("seat:0")[0], "seat:0", headers=headers)

    assert problem(answer) == refusal
    assert ("to_sign" in json(answer)) is has_text
    if has_text:
        expected = {
            "command": command,
            "key": ADA.key,
            "match": head["match"],
            "prev": head["hash"],
            "version": head["version"] + 1,
        }
        assert json(answer)["to_sign"] == canonical(expected).decode()
        assert json(answer)["code"] == "signature_wrong"
    assert json(signing.door.get())["version"] == head["version"]


def test_a_client_can_sign_the_text_that_it_is_told(signing: Signing) -> None:
    """M18: a client may get the text by a first request without a signature."""
    move = signing.door.moves("seat:0")[0]
    headers = {"If-Match": tag(signing.door.get())}
    text = json(signing.door.post("moves", move, "seat:0", headers=headers))["to_sign"]

    headers["Giornale-Signature"] = ADA.private.sign(text.encode()).hex()
    assert signing.door.post("moves", move, "seat:0", headers=headers).status_code == 201


@pytest.mark.parametrize("who", ["", "owner", "seat:1", "seat:2"])
def test_the_text_to_sign_is_told_to_its_seat_alone(signing: Signing, who: str) -> None:
    """Only the signing seat is told the text, which would disclose its hidden choice."""
    move = signing.door.moves("seat:0")[0]
    headers = {"If-Match": tag(signing.door.get())}

    answer = signing.door.post("moves", {**move}, who, headers=headers)

    assert answer.status_code in (401, 403, 409, 422)
    assert ADA.key not in answer.text


def test_no_log_holds_the_text_to_sign(signing: Signing, caplog: pytest.LogCaptureFixture) -> None:
    """A seat's hidden choice reaches no log."""
    caplog.set_level(logging.DEBUG)
    move = signing.door.moves("seat:0")[0]
    headers = {"If-Match": tag(signing.door.get())}

    answer = signing.door.post("moves", move, "seat:0", headers=headers)

    assert "to_sign" in json(answer)
    logged = " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert "to_sign" not in logged
    assert move["card"] not in logged


def test_an_illegal_move_is_refused_by_the_rules(signing: Signing) -> None:
    """A signature makes no illegal move legal."""
    move = {"type": "end_activation"}
    answer = signing.post("moves", move, "seat:0", {**move, "seat": 0})

    assert problem(answer) == (409, "illegal-move")


def test_a_signature_out_of_place_is_refused(signing: Signing) -> None:
    """M18: for a seat without a key, a stored signature would mean nothing."""
    for who in ("seat:0", "seat:1"):
        signing.move(who)
    signing.players["seat:2"] = CLEO

    answer = signing.move("seat:2")

    assert problem(answer) == (422, "signature-wrong")
    assert "to_sign" not in json(answer)


def test_a_dry_run_needs_no_signature(signing: Signing) -> None:
    """A dry run commits nothing."""
    move = signing.door.moves("seat:0")[0]
    assert signing.door.post("moves?dry_run=true", move, "seat:0").status_code == 200


def test_a_repeat_is_answered_again_also_later(signing: Signing) -> None:
    """M18: a repeat returns the first commit, even after another seat's move."""
    move = signing.door.moves("seat:0")[0]
    headers = signing.headers("seat:0", signing.command("seat:0"))
    headers["Idempotency-Key"] = KEY
    first = signing.door.post("moves", move, "seat:0", headers=headers)
    signing.move("seat:1")

    again = signing.door.post("moves", move, "seat:0", headers=headers)

    assert (first.status_code, again.status_code) == (201, 201)
    assert json(again)["hash"] == json(first)["hash"]
    assert again.headers["Idempotent-Replayed"] == "true"


def test_another_process_judges_alike(signing: Signing) -> None:
    """A process without cached matches checks a signature over the stored head."""
    signing.move("seat:0")
    another = replace(signing, door=signing.door.another_process())

    assert another.move("seat:1").status_code == 201
    assert signing.door.move("seat:2").status_code == 201


# ---- commands around the game --------------------------------------------------------------------


def test_all_that_a_seat_does_is_signed(door: Door) -> None:
    """M18: take-back, return, new token, erased name, resignation and revoked token."""
    seats = [{"kind": "human", "key": ADA.key, "name": "Ada"}, *KEYED[1:]]
    signing = Signing(
        opened(door, seats=seats, take_back="consent"), {"seat:0": ADA, "seat:1": BEA}
    )
    signing.move("seat:0")
    signing.move("seat:1")
    back = {"type": "ask_take_back", "seat": 0, "to": 1}
    new_token = {"type": "replace_token", "holder": "seat:0"}
    erased = {"type": "erase_name", "seat": 0}

    assert signing.post("take-back", {"to": 1}, "seat:0", back).status_code == 201
    agree = {"type": "agree_take_back", "seat": 1}
    assert signing.post("take-back/agree", None, "seat:1", agree).status_code == 201
    assert door.post("take-back/refuse", None, "seat:2").status_code == 201

    assert door.post("seats/0/bot", {"level": "random"}, "owner").status_code == 201
    return_ = {"type": "return", "seat": 0}
    assert signing.post("return", None, "seat:0", return_).status_code == 201

    rotated = signing.post("tokens", {}, "seat:0", new_token)
    assert rotated.status_code == 201
    door.tokens["seat:0"] = json(rotated)["token"]
    headers = signing.headers("seat:0", erased)
    assert door.delete("players/0", "seat:0", headers=headers).status_code == 204

    resign = {"type": "resign", "seat": 1, "level": DEFAULT}
    assert signing.post("resign", None, "seat:1", resign).status_code == 201
    revoked = {"type": "revoke_token", "holder": "seat:0"}
    headers = signing.headers("seat:0", revoked)
    assert door.delete("tokens/seat:0", "seat:0", headers=headers).status_code == 204

    door.post("abort", None, "owner")
    door.house()
    report = verify_record(door.get("record").data.splitlines(keepends=True)).report
    assert (report.verdict, report.signed) == ("right", 9)


# Ada's requests by path: the body, and the state of the match before the request. moved: Ada has
# moved. asked: then Bea has asked for a take-back. replaced: then a bot has replaced Ada.
UNSIGNED: dict[str, tuple[Json | None, str]] = {
    "take-back": ({"to": 1}, "moved"),
    "take-back/agree": (None, "asked"),
    "take-back/refuse": (None, "asked"),
    "resign": (None, "moved"),
    "return": (None, "replaced"),
    "tokens": ({}, "moved"),
}


@pytest.mark.parametrize("path", UNSIGNED)
def test_nothing_is_done_for_a_seat_without_its_signature(door: Door, path: str) -> None:
    """M18: the holder of a token without its key can read the match, and change nothing."""
    signing = begun(door, take_back="consent")
    body, before = UNSIGNED[path]
    assert signing.move("seat:0").status_code == 201
    if before == "asked":
        ask = {"type": "ask_take_back", "seat": 1, "to": 1}
        assert signing.post("take-back", {"to": 1}, "seat:1", ask).status_code == 201
    if before == "replaced":
        replaced = door.post("seats/0/bot", {"level": "greedy"}, "owner")
        assert replaced.status_code == 201
    version = json(door.get())["version"]
    headers = {"If-Match": tag(door.get())}

    without_version = door.post(path, body, "seat:0")
    unsigned = door.post(path, body, "seat:0", headers=headers)

    assert problem(without_version) == (428, "precondition-required")
    assert problem(unsigned) == (422, "signature-wrong")
    text = json(unsigned)["to_sign"]
    assert f'"key":"{ADA.key}"' in text
    assert json(signing.door.get())["version"] == version


def test_a_signed_change_of_a_token_is_a_commit_or_refused(signing: Signing) -> None:
    """M13, M18: without a commit the version stays, and the signed text could be used again."""
    door = signing.door
    command = {"type": "replace_token", "holder": "seat:0"}
    for _ in range(metadata_changes.TRACED_EACH):
        answer = signing.post("tokens", {}, "seat:0", command)
        door.tokens["seat:0"] = json(answer)["token"]
    version = json(door.get())["version"]

    unsigned = door.post("tokens", {}, "seat:0", headers={"If-Match": tag(door.get())})
    signed = signing.post("tokens", {}, "seat:0", command)

    assert problem(unsigned)[0] == problem(signed)[0] == 403
    assert json(door.get())["version"] == version


@pytest.mark.parametrize("path", ["take-back/agree", "return"])
def test_a_refusal_comes_before_the_demand_to_sign(door: Door, path: str) -> None:
    """M18: no signature of a refused command exists, and the version stays free for a move."""
    begun(door, take_back="consent")
    headers = {"If-Match": tag(door.get())}

    refused = door.post(path, None, "seat:0", headers=headers)

    assert problem(refused) == (409, "illegal-move")
    assert "to_sign" not in json(refused)


@pytest.mark.parametrize("path", ["tokens/seat:0", "players/0"])
def test_nothing_is_taken_away_without_the_seats_signature(door: Door, path: str) -> None:
    """M18: without the seat's signature token and name stay. The owner may still delete both."""
    opened(door, seats=[{**KEYED[0], "name": "Ada"}, *KEYED[1:]])
    headers = {"If-Match": tag(door.get())}

    assert problem(door.delete(path, "seat:0")) == (428, "precondition-required")
    assert problem(door.delete(path, "seat:0", headers=headers)) == (422, "signature-wrong")
    assert json(door.get(who="seat:0"))["version"] == 1
    assert door.delete(path, "owner").status_code == 204


def test_commands_beside_the_history_are_signed_as_well(signing: Signing) -> None:
    """M13, M18: after the revelation a change makes no commit, but still needs the signature."""
    door = signing.door
    door.post("abort", None, "owner")
    door.house()
    path, command = "tokens/seat:0", {"type": "revoke_token", "holder": "seat:0"}

    unsigned = door.delete(path, "seat:0", headers={"If-Match": tag(door.get())})
    assert problem(unsigned) == (422, "signature-wrong")
    signed = door.delete(path, "seat:0", headers=signing.headers("seat:0", command))
    assert signed.status_code == 204
    assert [change["what"] for change in json(door.get())["changes"]] == ["token_revoked"]


def test_a_change_of_tokens_or_names_may_name_its_version(door: Door) -> None:
    """An If-Match with another version gets 412, and nothing is changed."""
    opened(door, seats=[{"kind": "human", "name": "Ada"}, *KEYED[1:]])
    headers = {"If-Match": '"9"'}

    answers = [
        door.post("tokens", {}, "seat:0", headers=headers),
        door.delete("tokens/seat:0", "seat:0", headers=headers),
        door.delete("players/0", "seat:0", headers=headers),
    ]

    assert [problem(answer) for answer in answers] == [(412, "stale-version")] * 3
    assert json(door.get())["version"] == 1


def test_moves_of_a_bot_on_the_seat_are_not_signed(door: Door) -> None:
    """M18: a stand-in's moves have no signature in the record. The human signs the return."""
    signing = begun(door)
    move = door.moves("seat:0")[0]
    door.post("seats/0/bot", {"level": "random"}, "owner")
    refused = signing.post("moves", move, "seat:0", {**move, "seat": 0})
    assert json(refused)["rule"] == "M6"

    automation.play_bots(door.ctx, door.match, choose)
    return_ = {"type": "return", "seat": 0}
    assert signing.post("return", None, "seat:0", return_).status_code == 201
    assert signing.move("seat:1").status_code == 201

    door.post("abort", None, "owner")
    door.house()
    record = door.get("record").data.splitlines(keepends=True)
    moved_by_bot = read_line(record[2])[0]["commit"]
    report = verify_record(record).report
    assert (moved_by_bot["actor"], "signature" in moved_by_bot) == ("seat:0", False)
    assert (report.verdict, report.signed) == ("right", 2)


# ---- keys ----------------------------------------------------------------------------------------

BAD_KEYS = {
    "short": "ab",
    "upper-case": ADA.key.upper(),
    "line-feed": ADA.key + "\n",
    "small-order": SMALL_ORDER,
    "not-canonical": "ed" + "ff" * 30 + "7f",
    "null": None,
    "number": 7,
}


@pytest.mark.parametrize("key", BAD_KEYS.values(), ids=BAD_KEYS)
def test_a_malformed_key_is_refused(door: Door, key: Any) -> None:
    """M18: an opening, a join and a rematch refuse a malformed key."""
    seats = [{"kind": "human", "key": key}, *KEYED[1:]]
    opening = door.post("/v1/matches", {"game": "calimala", "seats": seats})
    opened(door, seats=[*KEYED[:2], {"kind": "open"}])

    assert problem(opening) == (422, "invalid-request")
    assert [place["pointer"] for place in json(opening)["errors"]] == ["/seats/0/key"]
    assert problem(door.post("seats/2", {"key": key})) == (422, "invalid-request")
    assert problem(door.post("rematch", {"key": key}, "owner")) == (422, "invalid-request")


@pytest.mark.parametrize("kind", [{"kind": "bot", "level": "random"}, {"kind": "open"}])
def test_only_a_humans_seat_is_opened_with_a_key(door: Door, kind: dict[str, str]) -> None:
    """M18: bots do not sign, and an open seat has no holder yet."""
    seats = [{**kind, "key": ADA.key}, *KEYED[1:]]
    answer = door.post("/v1/matches", {"game": "calimala", "seats": seats})

    assert [place["pointer"] for place in json(answer)["errors"]] == ["/seats/0/key"]


def test_one_key_holds_one_seat(door: Door) -> None:
    """M18: an opening and a join refuse the key of another seat."""
    seats = [KEYED[0], KEYED[0], {"kind": "human"}]
    body = {"game": "calimala", "seats": seats}
    headers = {"Idempotency-Key": KEY}
    opening = door.post("/v1/matches", proven(body, KEY), headers=headers)
    opened(door, seats=[*KEYED[:2], {"kind": "open"}])
    join = door.post("seats/2", joining(door, ADA, 2))

    for answer in (opening, join):
        assert problem(answer) == (409, "illegal-move")
        assert (json(answer)["code"], json(answer)["rule"]) == ("key_taken", "M18")


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_seat_is_joined_with_a_key_and_left_with_its_signature(
    door: Door, visibility: str
) -> None:
    """M18: a join, also by invitation, has a proof. A leave has a signature.

    A left seat has no key.
    """
    seats = [KEYED[0], {"kind": "open"}, {"kind": "open"}]
    signing = Signing(opened(door, seats=seats, visibility=visibility), {"seat:1": BEA})
    who = "invitation" if visibility == "private" else ""
    body = {"name": "Bea", **joining(door, BEA, 1, who)}
    headers = {"Idempotency-Key": KEY}

    joined = door.post("seats/1", body, who, headers=headers)
    again = door.post("seats/1", body, who, headers=headers)
    at_the_head = {**body, **joining(door, BEA, 1, who)}
    once_more = door.post("seats/1", at_the_head, who, headers=headers)
    other = door.post("seats/1", {**body, "key": CLEO.key}, who, headers=headers)

    door.tokens["seat:1"] = json(joined)["token"]
    assert json(again)["token"] == json(once_more)["token"] == json(joined)["token"]
    assert problem(other) == (422, "idempotency-key-reused")
    assert json(door.get(who="seat:1"))["seats"][1]["key"] == BEA.key
    if visibility == "private":
        return

    unsigned = door.delete("seats/1", "seat:1", headers={"If-Match": tag(door.get())})
    assert problem(unsigned) == (422, "signature-wrong")
    headers = signing.headers("seat:1", {"type": "leave", "seat": 1})
    assert door.delete("seats/1", "seat:1", headers=headers).status_code == 200
    assert "key" not in json(door.get())["seats"][1]


def joining(door: Door, player: Player, seat: int, who: str = "") -> Json:
    """Return the body of a player's join at the head of a match."""
    head = json(door.get(who=who))
    return {"key": player.key, "proof": player.prove(head["match"], head["hash"], seat)}


def test_nobody_joins_with_the_key_of_another(door: Door) -> None:
    """M18: refused joins do not block the key's owner. A refusal has the text to sign."""
    opened(door, seats=[{"kind": "human"}, {"kind": "open"}, {"kind": "open"}])
    first = joining(door, ADA, 1)
    elsewhere = joining(door, ADA, 2)
    refused = [
        door.post("seats/1", {"key": ADA.key}),
        door.post("seats/1", {"key": ADA.key, "proof": joining(door, BEA, 1)["proof"]}),
        door.post("seats/1", {"key": ADA.key, "proof": elsewhere["proof"]}),
        door.post("seats/1", {"key": BEA.key, "proof": first["proof"]}),
    ]
    assert [problem(answer) for answer in refused] == [(422, "signature-wrong")] * 4
    assert ADA.private.sign(json(refused[0])["to_sign"].encode()).hex() == first["proof"]
    assert problem(door.post("seats/1", {"proof": first["proof"]})) == (409, "illegal-move")
    assert problem(door.post("seats/1", {**first, "proof": "00"})) == (422, "invalid-request")

    assert door.post("seats/2", joining(door, BEA, 2)).status_code == 201
    assert problem(door.post("seats/1", first)) == (422, "signature-wrong")  # the head has changed
    joined = door.post("seats/1", joining(door, ADA, 1))
    assert joined.status_code == 201
    assert len(json(joined)["commit"]["events"][0]["proof"]) == 128
    lines = door.get("record").data.splitlines(keepends=True)
    assert verify_record(lines).report.wrong is None


def test_nobody_opens_with_the_key_of_another(door: Door) -> None:
    """M18: a proof is valid for one opening, one Idempotency-Key and one seat."""
    body = {"game": "calimala", "seats": KEYED}
    right = proven(body, KEY)
    others = [
        (body, KEY),
        (right, KEY[::-1]),
        ({**right, "visibility": "private"}, KEY),
        ({**right, "seats": [right["seats"][1], right["seats"][0], right["seats"][2]]}, KEY),
    ]
    for opening, key in others:
        answer = door.post("/v1/matches", opening, headers={"Idempotency-Key": key})
        assert problem(answer) == (422, "signature-wrong"), opening
        assert '"idempotency_key":' in json(answer)["to_sign"]
    without_key = door.post("/v1/matches", right)
    assert json(without_key)["errors"][0]["parameter"] == "Idempotency-Key"
    of_nobody = {**body, "seats": [{"kind": "human", "proof": "00" * 64}, *KEYED[1:]]}
    answer = door.post("/v1/matches", of_nobody, headers={"Idempotency-Key": KEY})
    assert [place["pointer"] for place in json(answer)["errors"]] == ["/seats/0/proof"]

    opened = [door.post("/v1/matches", right, headers={"Idempotency-Key": KEY}) for _ in range(2)]
    assert [answer.status_code for answer in opened] == [201, 201]
    assert json(opened[0])["match"] == json(opened[1])["match"]


def test_a_match_of_older_rules_is_joined_without_a_proof(door: Door) -> None:
    """M18: match rules 1 demand no proof. A wrong proof is refused nevertheless."""
    with first_match_rules():
        opened(door, seats=[{"kind": "human"}, {"kind": "open"}, {"kind": "open"}])
    wrong = {**joining(door, ADA, 1), "key": BEA.key}
    assert problem(door.post("seats/1", wrong)) == (422, "signature-wrong")
    assert door.post("seats/1", {"key": BEA.key}).status_code == 201
    assert door.post("seats/2", joining(door, ADA, 2)).status_code == 201
    lines = door.get("record").data.splitlines(keepends=True)
    assert verify_record(lines).report.wrong is None


def test_a_rematch_is_joined_with_a_key(door: Door) -> None:
    """M18, M20: each player chooses a key. A repeat with another key is refused."""
    opened(door, seats=[KEYED[0], {"kind": "bot", "level": "random"}, KEYED[1]])
    door.post("abort", None, "owner")

    bare = door.post("rematch", {"key": CLEO.key}, "seat:2")
    text = json(bare)["to_sign"]
    body = {"key": CLEO.key, "proof": CLEO.private.sign(text.encode()).hex()}
    answer = door.post("rematch", body, "seat:2")
    again = door.post("rematch", body, "seat:2")
    other = door.post("rematch", {"key": BEA.key}, "seat:2")

    assert problem(bare) == (422, "signature-wrong")
    head = parse_object(text.encode())
    assert head.keys() == {"key", "match", "prev", "seat"}
    assert (head["key"], head["seat"]) == (CLEO.key, 1)

    rematch = json(answer)
    assert json(again)["tokens"] == rematch["tokens"]
    assert problem(other) == (422, "idempotency-key-reused")
    assert json(door.get(f"/v1/matches/{rematch['match']}"))["seats"][1]["key"] == CLEO.key


def test_a_fork_has_keys_of_its_own(door: Door) -> None:
    """M18, M21: the opening of a fork names its own keys."""
    signing = begun(door)
    door.post("abort", None, "owner")
    door.house()
    fork = {"match": door.match, "version": 1}
    seats = [{"kind": "human", "key": CLEO.key}, *KEYED[1:]]
    opened(door, seats=seats, fork=fork, seed=None)
    signing.players["seat:0"] = CLEO

    assert problem(door.move("seat:0")) == (428, "precondition-required")
    assert signing.move("seat:0").status_code == 201
