"""Scripts of running matches: moves, clocks, take-back, resignation, and the end."""

from tests.scripted.plans import (
    AFTER_DRAFT,
    CLOCK,
    DRAFT,
    GREEDY,
    HUMAN,
    OPEN,
    RANDOM,
    SHORT_CLOCK,
    THREE,
)
from tests.scripted.world import Table, World


def plain(world: World) -> None:
    """Three humans play, with a name, with entropy, and with neither. The owner aborts."""
    table = Table(world)
    seats = [{**HUMAN, "name": "Ada"}, {**HUMAN, "entropy": "ab" * 16}, HUMAN]
    table.open(game="calimala", seats=seats)
    table.look()
    draft(table)
    key = world.key()
    move = table.moves("seat:0")[0]
    table.post("moves?dry_run=true", move, "seat:0")
    table.post("moves", move, "seat:0", Idempotency_Key=key)
    table.post("moves", move, "seat:0", Idempotency_Key=key)
    table.post("moves", {**move, "type": "pass"}, "seat:0", Idempotency_Key=key)
    table.post("moves", move, "seat:0", If_Match='"3"')
    table.post("moves", move, "seat:1")
    table.post("moves", {"type": "end_activation"}, "seat:0")
    table.post("lines", {"version": AFTER_DRAFT, "moves": [{**move, "seat": 0}]}, "seat:0")
    table.play(10)
    table.finish()
    table.post("moves", move, "seat:0")


def draft(table: Table) -> None:
    """Let three seats of Calimala keep and draft cards. Then it is seat 0's turn."""
    for seat in DRAFT:
        table.move(seat)


def firenze(world: World) -> None:
    """A human plays against a bot, without a seed and without a key of idempotency."""
    table = Table(world)
    answer = table.try_open(
        key="", seed=None, game="firenze", seats=[HUMAN, RANDOM], options={"campanile": True}
    )
    assert answer.status == 201
    table.play(12)
    table.finish()


def clock(world: World) -> None:
    """Time is paid, runs out, and comes back. Bots stand in, rest and go on (M15)."""
    table = Table(world)
    table.open(game="calimala", seats=THREE, clock=CLOCK, take_back="own")
    draft(table)
    world.advance(40)
    table.move(0)
    table.look()
    table.post("seats/1/bot", {"level": "greedy"}, "owner")
    world.advance(60)
    table.look()
    world.work()
    for level in ("random", "greedy"):
        table.post("seats/0/bot", {"level": level}, "owner")
    table.post("return", None, "seat:0")
    table.post("return", None, "seat:0")
    table.play(4)
    for _ in range(4):
        world.advance(65)
        table.get()
    table.look()
    world.advance(130)
    world.work()
    table.get("state")
    table.delete("seats/1/bot", "owner")
    world.sleep(1)
    table.get()
    world.advance(30)
    table.play(3)
    table.post("resign", None, "seat:2")
    table.post("return", None, "seat:2")
    table.post("seats/2/bot", {"level": "greedy"}, "owner")
    table.play(3)
    table.finish()


def clock_without_more(world: World) -> None:
    """If a clock adds nothing, nobody comes back (M15)."""
    table = Table(world)
    table.open(game="calimala", seats=THREE, clock=SHORT_CLOCK, take_back="consent")
    world.advance(40)
    world.work()
    table.look()
    for seat in range(3):
        table.post("return", None, f"seat:{seat}")
    table.delete("seats/1/bot", "owner")
    table.post("take-back", {"to": 1}, "seat:0")
    table.post("seats/1/bot", {"level": "random"}, "owner")
    table.finish()


def take_back_own(world: World) -> None:
    """A seat takes back only its own moves of one turn (M17)."""
    table = Table(world)
    table.open(game="calimala", seats=THREE, take_back="own", advice=True)
    table.post("take-back", {"to": 1}, "seat:0")
    draft(table)
    for who in ("seat:0", "seat:1", "owner", ""):
        table.post("advice", None, who)
        table.get("advice", who)
    table.move(0)
    table.look()
    key = world.key()
    for to in (AFTER_DRAFT, AFTER_DRAFT, AFTER_DRAFT - 1):
        table.post("take-back", {"to": to}, "seat:0", Idempotency_Key=key)
    table.post("take-back", {"to": AFTER_DRAFT + 1}, "seat:0")
    table.post("take-back", {"to": AFTER_DRAFT + 2}, "seat:0")
    table.post("take-back", {"to": 99}, "seat:0")
    table.move(0, 1)
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:1")
    table.post("take-back", {"to": 5}, "seat:0")
    table.post("take-back/agree", None, "seat:1")
    table.post("take-back/refuse", None, "seat:1")
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:0", If_Match='"3"')
    table.post("take-back", {"to": AFTER_DRAFT}, "owner")
    table.post("take-back", {"to": AFTER_DRAFT}, "spectator")
    table.post("take-back", {"to": AFTER_DRAFT})
    table.play(6)
    table.post("resign", None, "seat:1")
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:1")
    table.finish()
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:0")


def take_back_consent(world: World) -> None:
    """Moves of others are taken back once all agree. Refusals, repeats, barriers (M17)."""
    table = Table(world)
    table.open(game="calimala", seats=THREE, take_back="consent", clock={**CLOCK, "bank_s": 600})
    draft(table)
    table.move(0)
    table.move(0)
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:2")
    table.look()
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:1")
    table.post("take-back/agree", None, "seat:2")
    table.post("take-back/agree", None, "seat:0")
    table.post("take-back/agree", None, "seat:0")
    table.get("/v1/matches?waiting_for=me", "seat:1")
    world.advance(20)
    table.post("take-back/agree", None, "seat:1")
    table.look()
    _be_refused(world, table)
    table.play(5)
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:0")
    table.post("resign", None, "seat:2")
    table.post("take-back", {"to": AFTER_DRAFT + 8}, "seat:0")
    table.post("take-back/agree", None, "seat:1")
    table.look()
    world.advance(700)
    world.work()
    table.post("take-back", {"to": 12}, "seat:0")
    table.post("take-back", {"to": 12}, "seat:1")
    table.finish()
    table.post("take-back/agree", None, "seat:1")


def _be_refused(world: World, table: Table) -> None:
    """Ask in vain, and ask again too soon. A move ends an ask."""
    table.move(0)
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:1")
    key = world.key()
    table.post("take-back/refuse", None, "seat:2", Idempotency_Key=key)
    table.post("take-back/refuse", None, "seat:2", Idempotency_Key=key)
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:1")
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:2")
    table.post("take-back/refuse", None, "seat:2")
    table.move(0)
    table.post("take-back", {"to": AFTER_DRAFT}, "seat:1")
    table.move(0)
    table.post("take-back/agree", None, "seat:2")
    table.post("take-back/refuse", None, "seat:2")


def house_between(world: World) -> None:
    """A version at which the house acts is not gone back to (M17)."""
    table = Table(world)
    table.open(game="calimala", seats=THREE, take_back="consent")
    house_at: list[int] = []
    with world.as_one_step("play until the house acts"):
        while not house_at:
            table.play(1)
            house_at = table.get().json["take_back"]["house_at"]
    table.look()
    for version in (house_at[0], house_at[0] - 1):
        table.post("take-back", {"to": version}, "seat:0")
    for seat in (1, 2):
        table.post("take-back/agree", None, f"seat:{seat}")
    world.work()
    table.get()


def taken_back_in_firenze(world: World) -> None:
    """Two humans take back over the turns of both. A bot plays the third seat."""
    table = Table(world)
    table.open(game="firenze", seats=[HUMAN, HUMAN, GREEDY], take_back="consent")
    table.play(8)
    version = table.version()
    for back in range(1, 6):
        response = table.post("take-back", {"to": version - back}, "seat:0")
        if response.is_done and "taken_back" not in str(response.json):
            table.post("take-back/agree", None, "seat:1")
        world.work()
    table.play(4)
    table.look()
    table.finish()


def replaced(world: World) -> None:
    """The owner replaces a silent seat without a clock. Humans come back and resign (M8, M16)."""
    table = Table(world)
    table.open(game="calimala", seats=THREE)
    draft(table)
    table.post("seats/1/bot", {"level": "random"}, "owner")
    world.sleep(25)
    for _ in range(2):
        table.post("seats/1/bot", {"level": "random"}, "owner")
    table.post("seats/9/bot", {"level": "random"}, "owner")
    table.delete("seats/9/bot", "owner")
    table.delete("seats/2/bot", "owner")
    table.get("moves", "seat:1")
    table.post("moves", {"type": "pass"}, "seat:1")
    table.post("resign", None, "seat:1")
    table.look()
    table.post("return", None, "seat:1")
    world.sleep(25)
    table.post("seats/1/bot", {"level": "greedy"}, "owner")
    table.delete("seats/1/bot", "owner")
    key = world.key()
    table.post("resign", None, "seat:1", Idempotency_Key=key)
    table.post("resign", None, "seat:1", Idempotency_Key=key)
    world.sleep(25)
    table.post("seats/1/bot", {"level": "random"}, "owner")
    table.delete("seats/1/bot", "owner")
    table.post("return", None, "seat:1")
    table.post("resign", None, "seat:0")
    table.post("resign", None, "seat:2")
    table.look()
    table.finish()
    for path in ("resign", "return"):
        table.post(path, None, "seat:0")


def finished(world: World) -> None:
    """A match is played to the end of the game by bots. One human has resigned before (M16)."""
    table = Table(world)
    table.open(game="firenze", seats=[{**HUMAN, "name": "Ada"}, RANDOM], clock=CLOCK, advice=True)
    table.post("advice", None, "seat:0")
    table.post("advice", None, "owner")
    table.post("advice")
    table.get("advice", "seat:0")
    table.get("thoughts", "owner")
    table.get("curve")
    table.play(2)
    table.post("resign", None, "seat:0")
    world.work()
    table.look()
    table.get("advice", "seat:0")
    table.get("curve")
    table.post("abort", None, "owner")
    last = table.version()
    for version in (last, last - 1, last - 2, 2):
        fork = Table(world)
        fork.try_open(
            game="firenze", seats=THREE[:2], fork={"match": table.match, "version": version}
        )


def expired(world: World) -> None:
    """Matches that were left alone end without a result (M11)."""
    waiting, running = Table(world), Table(world)
    waiting.open(game="calimala", seats=[HUMAN, OPEN, OPEN], take_back="own")
    running.open(game="calimala", seats=THREE, take_back="consent")
    running.move(0)
    running.post("take-back", {"to": 1}, "seat:1")
    world.sleep(167)
    waiting.join(1, name="Bea")
    world.sleep(100)
    world.sleep(100)
    world.sleep(2000)
    world.work()
    for table in (waiting, running):
        table.look()
        table.post("abort", None, "owner")


def bots_alone(world: World) -> None:
    """Bots play alone, as many matches as may wait at once. Their matches have no clock."""
    tables = [Table(world) for _ in range(22)]
    table = tables[0]
    for one in tables:
        one.try_open(game="calimala", seats=[RANDOM] * 3)
    table.try_open(game="calimala", seats=[RANDOM] * 3, clock=CLOCK)
    table.try_open(game="calimala", seats=[RANDOM] * 3, joint_entropy=True)
    for one in tables[1:]:
        if one.match:
            one.post("abort", None, "owner")
    table.look()
    table.finish()
