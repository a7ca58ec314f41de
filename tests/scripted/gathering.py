"""Scripts of matches before their start, and of permissions: lobby, tokens, keys, pledges."""

from typing import Any

from tests.scripted.plans import (
    ADA,
    BEA,
    CLEO,
    CLOCK,
    GREEDY,
    HUMAN,
    OPEN,
    RANDOM,
    THREE,
    entropy,
    pledge,
    pledging,
)
from tests.scripted.world import OPERATOR, Table, World


def lobby(world: World) -> None:
    """Humans come and go, bots are put and dismissed, the owner starts (M2-M4)."""
    table = Table(world)
    table.open(game="calimala", seats=[{**HUMAN, "name": "Ada"}, OPEN, OPEN])
    table.look()
    for path in ("start", "resign", "return", "take-back/agree"):
        table.post(path, None, "owner")
        table.post(path, None, "seat:0")
        table.post(path)
    table.post("moves", {"type": "pass"}, "seat:0")
    table.join(0)
    table.join(7)
    table.join(1, entropy="abc")
    table.join(1, pledge=pledge(1))
    key = world.key()
    for name in ("Bea", "Bea", "Cleo"):
        joined = table.post("seats/1", {"name": name, "entropy": "cd" * 8}, "", Idempotency_Key=key)
        if joined.is_done:
            table.tokens["seat:1"] = joined.json["token"]
    table.delete("seats/1", "seat:0")
    table.delete("seats/1", "owner")
    table.delete("seats/1", "seat:1")
    table.delete("seats/1", "seat:1")
    table.join(1)
    table.post("seats/1/bot", {"level": "random"}, "owner")
    table.post("seats/2/bot", {"level": "random"}, "owner")
    table.post("seats/2/bot", {"level": "random"}, "owner")
    table.post("seats/2/bot", {"level": "greedy"}, "seat:0")
    table.delete("seats/1", "seat:1")
    table.delete("seats/1/bot", "owner")
    table.delete("seats/2/bot", "owner")
    table.look()
    table.post("start", None, "owner", If_Match='"1"')
    key = world.key()
    for _ in range(2):
        table.post("start", None, "owner", Idempotency_Key=key)
    table.post("start", None, "owner")
    table.join(2)
    table.delete("seats/1", "seat:1")
    table.play(6)
    table.finish()


def private(world: World) -> None:
    """A private match shows itself to its tokens alone. Its seats are joined by invitation."""
    table = Table(world)
    table.open(
        game="calimala", seats=[HUMAN, OPEN, OPEN], visibility="private", take_back="consent"
    )
    for path in ("", "state", "commits", "story", "record", "moves", "thoughts"):
        table.get(path)
        table.get(path, "spectator")
    table.join(1)
    table.join(1, "spectator")
    table.join(1, "invitation", name="Bea")
    table.join(2, "owner")
    table.post("start", None, "owner")
    table.play(4)
    table.look()
    for holder in ("spectator", "invitation"):
        table.post("tokens", {"holder": holder}, "owner")
        table.get("", holder)
        table.delete(f"tokens/{holder}", "owner")
        table.delete(f"tokens/{holder}", "owner")
        table.get("", holder)
    table.finish()
    table.delete("", OPERATOR)
    table.get("", "owner")
    table.get()


def tokens(world: World) -> None:
    """Tokens are replaced and revoked, names erased, before and after the revelation (M13)."""
    table = Table(world)
    seats = [{**HUMAN, "name": "Ada"}, {**HUMAN, "name": "Bea"}, HUMAN]
    table.open(game="calimala", seats=seats, clock=CLOCK)
    _change_tokens(world, table)
    table.finish()
    _change_tokens(world, table)
    table.look()


def _change_tokens(world: World, table: Table) -> None:
    """Replace, revoke and erase, by permitted callers and by others."""
    key = world.key()
    for holder in (None, None, "spectator"):
        body = {} if holder is None else {"holder": holder}
        answer = table.post("tokens", body, "seat:1", Idempotency_Key=key)
        if answer.is_done:
            table.tokens = {**table.tokens, "seat:1": answer.json["token"]}
    for who, holder in [
        *(("owner", name) for name in ("seat:2", "spectator", "invitation", "seat:9", "owner")),
        *(("seat:0", name) for name in ("seat:1", "spectator")),
        ("", "seat:0"),
    ]:
        answer = table.post("tokens", {"holder": holder}, who)
        if answer.is_done:
            table.tokens = {**table.tokens, holder: answer.json["token"]}
    for path in ("tokens/spectator", "tokens/seat:2", "players/1", "players/7"):
        for who in ("", "seat:0", "owner", "owner"):
            table.delete(path, who)
    table.delete("players/0", "seat:0", If_Match='"1"')
    table.delete("players/0", "seat:0")
    table.get("", "seat:2")


def webhooks(world: World) -> None:
    """Addresses are called for turns, asks and the end. A timer is set by each commit."""
    table = Table(world)
    table.open(game="calimala", seats=THREE, take_back="consent", clock=CLOCK)
    hook: dict[str, Any] = {"url": "https://example.org/calls", "on": ["turn", "take_back"]}
    for who in ("seat:0", "seat:0", "owner", "spectator", ""):
        table.put("webhook", {**hook, "on": ["turn", "ended"]}, who)
        table.get("webhook", who)
    table.get("webhook", "seat:1")
    table.put("webhook", hook, "seat:1")
    table.post("webhook/test", None, "seat:1")
    table.put("webhook", {**hook, "on": []}, "seat:1")
    table.put("webhook", {**hook, "url": "http://example.org/"}, "seat:1")
    table.put("webhook", {**hook, "url": "https://example.org:22/"}, "seat:1")
    table.play(3)
    table.post("take-back", {"to": 1}, "seat:2")
    world.advance(4)
    table.delete("webhook", "seat:1")
    table.delete("webhook", "seat:1")
    table.post("tokens", {"holder": "seat:0"}, "owner")
    table.delete("webhook", "owner")
    table.move(table.get().json["waiting_for"]["seats"][0])
    table.finish()


# ---- joint entropy -------------------------------------------------------------------------------


def together(world: World) -> None:
    """Three humans pledge, disclose, and the match starts by itself (M19)."""
    table = Table(world)
    seats = [pledging(0, name="Ada"), {**HUMAN, "name": "Bea"}, OPEN]
    table.open(game="calimala", seats=seats, joint_entropy=True, take_back="consent", clock=CLOCK)
    table.look()
    _disclose(table, 0)
    for digest in ("x", pledge(0), pledge(1, 7)):
        table.post("pledge", {"digest": digest}, "seat:1")
    table.delete("seats/1", "seat:1")
    table.join(1, name="Bea")
    table.join(2, entropy="ab" * 8)
    table.join(2, pledge=pledge(1, 7))
    table.join(2, pledge=pledge(2))
    _disclose(table, 0)
    table.look()
    table.post("pledge", {"digest": pledge(0)}, "seat:0")
    table.post("pledge", {"digest": pledge(1)}, "owner")
    table.post("pledge", {"digest": pledge(1)})
    table.post("start", None, "owner")
    table.post("pledge", {"digest": pledge(1, 7)}, "seat:1")
    table.post("pledge", {"digest": pledge(1)}, "seat:1")
    table.look()
    key = world.key()
    for _ in range(2):
        table.post("disclose", {"entropy": entropy(0)}, "seat:0", Idempotency_Key=key)
    _disclose(table, 0)
    table.post("disclose", {"entropy": entropy(0)}, "seat:1")
    table.post("disclose", {"entropy": "00"}, "seat:1")
    table.post("start", None, "owner")
    table.post("moves", {"type": "pass"}, "seat:0")
    _disclose(table, 2)
    table.look()
    _disclose(table, 1)
    _disclose(table, 1)
    table.post("pledge", {"digest": pledge(1, 2)}, "seat:1")
    table.play(7)
    table.finish()


def _disclose(table: Table, seat: int, attempt: int = 1) -> None:
    table.post("disclose", {"entropy": entropy(seat, attempt)}, f"seat:{seat}")


def lapses(world: World) -> None:
    """Seats that owe something for too long are open again, and all pledge anew (M19)."""
    without_clock: dict[str, Any] = {}
    for terms in (without_clock, {"clock": CLOCK}):
        table = Table(world)
        seats = [pledging(0), HUMAN, OPEN]
        table.open(game="calimala", seats=seats, joint_entropy=True, **terms)
        table.join(2, pledge=pledge(2))
        table.get("/v1/matches?waiting_for=me", "seat:1")
        world.advance(30)
        table.get()
        world.advance(3700)
        table.look()
        table.get("", "seat:1")
        table.join(1, pledge=pledge(1))
        for seat in (0, 2):
            table.post("pledge", {"digest": pledge(seat)}, f"seat:{seat}")
            table.post("pledge", {"digest": pledge(seat, 2)}, f"seat:{seat}")
        _disclose(table, 0, 2)
        _disclose(table, 1)
        world.advance(3700)
        table.look()
        _disclose(table, 2, 2)
        table.join(2, pledge=pledge(2, 3))
        for seat in (0, 1):
            table.post("pledge", {"digest": pledge(seat, 3)}, f"seat:{seat}")
        for seat in range(3):
            _disclose(table, seat, 3)
        table.play(3)
        table.finish()


def together_with_bots(world: World) -> None:
    """Bots take seats of a match with joint entropy, and all disclosures are dropped (M19)."""
    table = Table(world)
    table.open(game="calimala", seats=[pledging(0), pledging(1), RANDOM], joint_entropy=True)
    _disclose(table, 0)
    table.post("seats/1/bot", {"level": "greedy"}, "owner")
    table.look()
    table.post("return", None, "seat:1")
    table.post("pledge", {"digest": pledge(1, 2)}, "seat:1")
    table.delete("seats/1/bot", "owner")
    table.post("pledge", {"digest": pledge(0, 2)}, "seat:0")
    table.look()
    table.post("tokens", {}, "seat:0")
    table.post("seats/0/bot", {"level": "greedy"}, "owner")
    table.post("seats/1/bot", {"level": "random"}, "owner")
    table.post("start", None, "owner")
    table.finish()

    table.open(game="calimala", seats=[pledging(0), pledging(1), OPEN], joint_entropy=True)
    table.join(2, pledge=pledge(2))
    _disclose(table, 0)
    table.delete("seats/2", "seat:2")
    table.look()
    table.post("abort", None, "owner")
    table.get()


# ---- keys ----------------------------------------------------------------------------------------


def signed(world: World) -> None:
    """Seats with keys sign their acts, also with a clock, take-back and joint entropy (M18)."""
    table = Table(world, players={"seat:0": ADA, "seat:1": BEA})
    seats = [{**HUMAN, "key": ADA.key, "name": "Ada"}, OPEN, RANDOM]
    terms: dict[str, Any] = {"take_back": "consent", "clock": CLOCK, "joint_entropy": True}
    table.open(game="calimala", seats=seats, **terms)
    table.join(1, key=ADA.key)
    table.join(1, proof="00" * 64)
    _join_with_key(table)
    table.look()
    table.delete("seats/1", "seat:1")
    _join_with_key(table)
    for seat in (0, 1):
        table.post("pledge", {"digest": pledge(seat)}, f"seat:{seat}")
    for seat in (0, 1):
        _disclose(table, seat)
    table.play(5)
    table.look()
    _refuse_signatures(table)
    version = table.version()
    table.post("take-back", {"to": version - 1}, "seat:0")
    table.post("take-back/refuse", None, "seat:1")
    table.post("take-back/agree", None, "seat:1")
    table.play(2)
    answer = table.post("tokens", {}, "seat:0")
    if answer.is_done:
        table.tokens = {**table.tokens, "seat:0": answer.json["token"]}
    table.delete("players/0", "seat:0")
    world.advance(100)
    world.work()
    table.post("return", None, "seat:0")
    table.post("return", None, "seat:1")
    table.post("resign", None, "seat:1")
    table.finish()
    table.delete("tokens/seat:0", "seat:0")
    table.get()


def _join_with_key(table: Table) -> None:
    """Let Bea take seat 1 with her key, once the refusal has told her the text to sign."""
    response = table.join(1, key=BEA.key)
    text = response.json["to_sign"]
    table.join(1, key=BEA.key, proof=CLEO.sign(text))
    table.join(1, key=BEA.key, proof=BEA.sign(text))


def _refuse_signatures(table: Table) -> None:
    """Send signatures that are missing, wrong, or have no place."""
    player = table.players.pop("seat:0")
    move = (table.moves("seat:0") or [{"type": "pass"}])[0]
    tag = table.get("", "seat:0").headers["ETag"]
    for signature in ("00" * 64, "ab", player.sign("nothing")):
        table.post("moves", move, "seat:0", Giornale_Signature=signature)
        table.post("moves", move, "seat:0", If_Match=tag, Giornale_Signature=signature)
    table.post("moves", move, "seat:0")
    table.post("moves", move, "seat:0", If_Match=tag)
    table.post("abort", None, "seat:0", Giornale_Signature="00" * 64)
    table.post("resign", None, "seat:0", If_Match=tag)
    table.players["seat:0"] = player


def keys(world: World) -> None:
    """Malformed keys, and keys out of place (M18)."""
    table = Table(world, players={"seat:0": ADA, "seat:1": ADA, "seat:2": CLEO})
    keyed = {**HUMAN, "key": ADA.key}
    for key in ("ab", ADA.key.upper(), "01" + "00" * 31, None, 7):
        table.try_open(game="calimala", seats=[{**HUMAN, "key": key}, HUMAN, HUMAN])
    table.try_open(game="calimala", seats=[keyed, keyed, HUMAN])
    table.try_open(key="", game="calimala", seats=[keyed, HUMAN, HUMAN])
    table.try_open(game="calimala", seats=[{**HUMAN, "proof": "00" * 64}, HUMAN, HUMAN])
    table.try_open(game="calimala", seats=[{**GREEDY, "key": ADA.key}, HUMAN, HUMAN])
    table.try_open(game="calimala", seats=[keyed, HUMAN, {**HUMAN, "key": CLEO.key}])
    table.play(5)
    table.finish()
    response = table.post("rematch", {"key": BEA.key}, "seat:1")
    text = response.json["to_sign"]
    for player in (CLEO, BEA):
        table.post("rematch", {"key": BEA.key, "proof": player.sign(text)}, "seat:1")
    table.post("rematch", {"key": CLEO.key}, "seat:1")
