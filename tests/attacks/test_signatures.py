"""The server against its own players: it has all keys but theirs, and forges a match anew (M18).

Its story keeps the rules, and all draws, views, salts, digests, hashes and receipts are right.
Only signatures over the earlier history show another truth.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from domain.chance import Draws, draw_seed
from domain.errors import RuleBroken
from domain.match.messages import EraseName, Open, Replace, ReplaceToken, Restore, SeatPlan
from domain.match.play import open_match
from domain.match.state import Stamp
from domain.seats import HOUSE_ACTOR, OWNER
from domain.wire import Message, encode
from service.matches import automation
from service.matches.command_handler import Act, Decision, append, commit
from service.matches.opening import seeded_secret
from service.matches.records import export
from service.matches.repository import load
from service.record.commit import timestamp
from service.record.replay import Loaded
from service.record.verify.audit import verify_record
from service.record.verify.receipts import check_receipts
from service.record.verify.report import Wrong
from service.store.keys.signer import Accepted, sign_receipt
from tests import toy
from tests.attacks.forging import entries_of
from tests.attacks.mutations import KEYS, PRIVATE
from tests.service.toy_matches import START, TICK_MS, new_context
from tests.signing import ADA, BEA, CLEO, Player

MATCH = "a" * 26
SECRET = seeded_secret("signed")
PLAYERS = {"seat:0": ADA, "seat:1": BEA}


@dataclass(frozen=True)
class Told:
    """A commit as it is told. signer: its signing player. signature: its value without a signer."""

    actor: str
    command: Message
    signer: Player | None = None
    signature: str = ""


Story = Sequence[Told]


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


# ---- what happened -------------------------------------------------------------------------------


def a_round() -> list[Told]:
    """Return a round: Ada and Bea move and get new tokens, a bot moves, the house pays."""
    return [
        Told("seat:0", toy.Swap(0, "a secret of Ada"), ADA),
        Told("seat:0", ReplaceToken("seat:0"), ADA),
        Told("seat:1", toy.Keep(1), BEA),
        Told("seat:1", ReplaceToken("seat:1"), BEA),
        Told("seat:2", toy.Keep(2)),
        Told(HOUSE_ACTOR, toy.Settle()),
    ]


STORY = (*a_round(), *a_round())
LAST_SIGNED = 9  # the place in the story of the last commit that is signed
SEATS_PLACES = [place for place in range(LAST_SIGNED + 1) if STORY[place].actor != HOUSE_ACTOR]
HOUSES_PLACE = 5
FIRST = 2  # the version of the first commit of the story


def recorded(story: Story, *players: Player) -> list[bytes]:
    """Return the record of a match that is told so, from opening to revelation.

    players: the holders of the seats' keys. Raises RuleBroken.
    """
    now = START
    ctx = replace(new_context(), clock=lambda: now)
    append(ctx, opening(now, *players))

    for step in story:
        now += TICK_MS
        loaded = load(ctx, MATCH)
        signature = step.signature
        if step.signer is not None:
            command = encode(step.command)
            signature = step.signer.sign(MATCH, loaded.version + 1, loaded.hash, command)
        commit(ctx, loaded, Act(step.actor, step.command, signature=signature))

    automation.act(ctx, MATCH)
    return list(export(ctx, MATCH, None))


def opening(now: int, *players: Player) -> Decision:
    """Return the opening of a match of players with keys, and a bot."""
    command = Open(
        game=toy.TOY.key,
        rules=toy.TOY.rules,
        views=toy.TOY.view_version,
        options=toy.TOY.read_options({"rounds": 2}),
        seats=(*(SeatPlan("human", key=one.key) for one in players), SeatPlan("bot", "random")),
        visibility="public",
        commitment=SECRET.commitment,
        secret=SECRET.secret.hex(),
    )
    chance = Draws(draw_seed(SECRET.key, [""] * len(command.seats), 1))
    match, events = open_match(command, chance, stamp=Stamp(1, OWNER, now))
    time = timestamp(now)
    after = Loaded(id=MATCH, version=1, created=time, time=time, hash="", match=match)
    return Decision(Act(OWNER, command), events, before=None, prev="", after=after)


def as_signed(lines: Sequence[bytes]) -> list[Told]:
    """Return the story, with the signatures in its record. Nobody signs again."""
    signed = []
    for step, entry in zip(STORY, entries_of(lines)[1:], strict=False):
        secret: Any = entry["secrets"].get(step.actor, {}).get("signature", {})
        signature = entry["commit"].get("signature") or secret.get("hex", "")
        signed.append(replace(step, signer=None, signature=signature))
    return signed


# ---- how it is told instead ----------------------------------------------------------------------


def change(story: Story, place: int) -> list[Told]:
    """Tell another command of the same actor."""
    step = story[place]
    seat = int(step.actor.removeprefix("seat:"))
    others: dict[type, Message] = {toy.Swap: toy.Keep(seat), toy.Keep: toy.Swap(seat, "x")}
    other = others.get(type(step.command), EraseName(seat))
    return [*story[:place], replace(step, command=other), *story[place + 1 :]]


def drop(story: Story, place: int) -> list[Told]:
    """Leave a commit out."""
    return [*story[:place], *story[place + 1 :]]


def repeat(story: Story, place: int) -> list[Told]:
    """Tell a commit twice."""
    return [*story[: place + 1], *story[place:]]


def insert(story: Story, place: int) -> list[Told]:
    """Tell of something more the actor has done before."""
    step = story[place]
    more = EraseName(int(step.actor.removeprefix("seat:")))
    return [*story[:place], replace(step, command=more), *story[place:]]


def reorder(story: Story, place: int) -> list[Told]:
    """Let the next commit have come before."""
    return [*story[:place], story[place + 1], story[place], *story[place + 2 :]]


def stand_in(story: Story, place: int) -> list[Told]:
    """Let a bot have moved for the seat."""
    step = replace(story[place], signer=None, signature="")
    seat = int(step.actor.removeprefix("seat:"))
    away = [Told(OWNER, Replace(seat, "greedy")), step, Told(OWNER, Restore(seat))]
    return [*story[:place], *away, *story[place + 1 :]]


Tell = Callable[[Story, int], list[Told]]

OTHERWISE: tuple[Tell, ...] = (change, drop, repeat, insert, reorder, stand_in)


def kept(step: Told) -> Told:
    """Leave the signature as it was."""
    return step


def stripped(step: Told) -> Told:
    """Take the signature off."""
    return replace(step, signature="")


def forged(step: Told) -> Told:
    """Sign with a key of one's own."""
    return replace(step, signer=CLEO) if step.actor in PLAYERS else step


SIGNING = (kept, stripped, forged)


def told_otherwise(tell: Tell, place: int, sign: Callable[[Told], Told]) -> list[bytes] | None:
    """Return a record with a place of the story told otherwise. None: the rules forbid it.

    sign: changes the signatures from there on.
    """
    true = as_signed(recorded(STORY, ADA, BEA))
    try:
        story = tell(true, place)
        signed = [*story[:place], *map(sign, story[place:])]
        return recorded(signed, ADA, BEA)
    except (RuleBroken, ValueError, IndexError):  # no seat's, or no next one
        return None


# ---- what is found -------------------------------------------------------------------------------


def test_the_original_record_is_right() -> None:
    """Forgeries below are wrong by their change: told alike, the record has the same bytes."""
    lines = recorded(STORY, ADA, BEA)
    report = verify_record(lines).report

    assert (report.verdict, report.signed) == ("right", 8)
    assert recorded(as_signed(lines), ADA, BEA) == lines


@pytest.mark.whole
@pytest.mark.parametrize("sign", SIGNING)
@pytest.mark.parametrize("place", SEATS_PLACES)
def test_nothing_is_told_otherwise_up_to_the_last_signature(
    place: int, sign: Callable[[Told], Told]
) -> None:
    """M18: all that is changed, left out, told twice, added, reordered or moved by a bot is found.

    The wrong signature is at that commit or up to three later. Only the last signed commit can be
    left out or moved by a bot: see the next test.
    """
    tried = 0
    for tell in OTHERWISE:
        lines = told_otherwise(tell, place, sign)
        if lines is None or (place == LAST_SIGNED and tell in (drop, stand_in)):
            continue
        tried += 1
        wrong = verify_record(lines).report.wrong
        assert wrong is not None, tell.__name__
        assert wrong.code == "signature_wrong", tell.__name__
        assert place + FIRST <= wrong.commit <= place + FIRST + 3, tell.__name__
    assert tried >= 2


@pytest.mark.parametrize("tell", [drop, repeat, reorder])
def test_the_rules_fix_the_place_of_the_houses_commit(tell: Tell) -> None:
    """The house signs nothing, but its commit cannot be left out, told twice or reordered."""
    assert STORY[HOUSES_PLACE].actor == HOUSE_ACTOR
    with pytest.raises(RuleBroken):
        recorded(tell(STORY, HOUSES_PLACE), ADA, BEA)


@pytest.mark.parametrize(
    ("tell", "place"), [(drop, LAST_SIGNED), (change, LAST_SIGNED + 1), (insert, LAST_SIGNED + 1)]
)
def test_the_tail_after_the_last_signature_needs_a_receipt(tell: Tell, place: int) -> None:
    """M18: the tail rests on the server's word. The receipt of a move that is gone convicts it."""
    true_entry = entries_of(recorded(STORY, ADA, BEA))[place + FIRST - 1]
    receipt = dict(sign_receipt(Accepted.of(true_entry), "k", PRIVATE))
    lines = told_otherwise(tell, place, kept)
    assert lines is not None

    audit = verify_record(lines)
    assert audit.report.verdict == "right"
    with pytest.raises(Wrong) as convicted:
        check_receipts(audit, [receipt], KEYS)
    assert convicted.value.commit == place + FIRST


def test_a_server_cannot_forge_a_match_under_the_players_keys() -> None:
    """M18: the record is right, and its keys are not those the players know of each other."""
    others = (CLEO, Player("Dora"))
    story = [
        replace(step, signer=others[int(step.actor[-1])]) if step.actor in PLAYERS else step
        for step in STORY
    ]
    lines = recorded(story, *others)

    [opened] = entries_of(lines)[0]["commit"]["events"][:1]
    assert verify_record(lines).report.verdict == "right"
    assert {seat.get("key") for seat in opened["seats"]}.isdisjoint({ADA.key, BEA.key})


def test_two_histories_of_one_server_convict_it() -> None:
    """M18: a player shown another history signs a commit that names another one before it."""
    one = recorded(STORY, ADA, BEA)
    elsewhere = [Told("seat:0", toy.Keep(0), ADA), *STORY[1:]]
    other = recorded(elsewhere, ADA, BEA)

    for version in (FIRST + 2, FIRST + 3):  # both of Bea
        signed_in = [entries_of(lines)[version - 1]["commit"] for lines in (one, other)]
        assert signed_in[0]["command"] == signed_in[1]["command"]
        assert signed_in[0]["prev"] != signed_in[1]["prev"]
        assert signed_in[0]["signature"] != signed_in[1]["signature"]
    assert [verify_record(lines).report.verdict for lines in (one, other)] == ["right", "right"]
