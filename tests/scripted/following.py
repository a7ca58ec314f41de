"""Scripts of matches that follow from others, forks and rematches, and of refused requests."""

import gzip
from pathlib import Path
from typing import Any

from tests.scripted.plans import (
    ADA,
    AFTER_DRAFT,
    BEA,
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
from tests.scripted.playing import draft
from tests.scripted.world import OPERATOR, Answer, Table, World

RECORDS = Path(__file__).parents[1] / "records"
IMPORTED = ("signed/calimala/1-3.ndjson.gz", "match_rules_2/calimala/1-3-clock.ndjson.gz")

TWO = [HUMAN] * 2
NO_MATCH = "a" * 26


def forks(world: World) -> None:
    """Own and revealed matches are forked, forks as well. Illegal forks are refused (M21)."""
    base = Table(world)
    base.open(game="firenze", seats=[HUMAN, OPEN], take_back="own")
    _fork(base, 1, "owner")
    base.join(1)
    base.post("start", None, "owner")
    base.play(8)
    for who in ("", "seat:0", "owner", "spectator"):
        _fork(base, 3, who)
    _fork(base, 3, "seat:0", advice=True)
    _fork(base, 3, "seat:0", seats=[HUMAN, {"kind": "bot", "level": "strong"}])
    _fork(base, 3, "seat:0", clock={**CLOCK, "level": "strong"})
    for version in (0, 1, 2, 99):
        _fork(base, version, "seat:0")
    _fork(base, 3, "seat:0", seats=THREE)
    _fork(base, 3, "seat:0", game="calimala")
    _fork(base, 3, "seat:0", options={"campanile": True})

    terms: dict[str, Any] = {"clock": CLOCK, "take_back": "consent", "joint_entropy": True}
    seats = [pledging(0, name="Ada"), pledging(1)]
    first = _fork(base, 5, "seat:0", seats=seats, visibility="private", **terms)
    for seat in (0, 1):
        first.post("disclose", {"entropy": entropy(seat)}, f"seat:{seat}")
    first.look()
    first.play(5)
    last = first.version()
    first.post("take-back", {"to": 1}, "seat:0")
    first.post("take-back", {"to": last - 1}, "seat:0")
    first.post("take-back/agree", None, "seat:1")
    first.look()

    _fork(first, last - 2, "seat:1")
    second = _fork(first, last - 2, "seat:1", visibility="private", seats=[OPEN, HUMAN])
    second.post("seats/0/bot", {"level": "quick"}, "owner")
    second.join(0, "invitation")
    second.post("start", None, "owner")
    second.play(4)
    second.look()
    second.finish()

    base.finish()
    third = _fork(base, 4, "", seats=[GREEDY, HUMAN], take_back="own")
    third.play(4)
    base.delete("", OPERATOR)
    _fork(base, 4, "")
    third.look()
    third.finish()
    first.finish()


def _fork(base: Table, version: int, who: str, **more: Any) -> Table:
    """Ask for a fork with two humans, with the token of a holder in the base."""
    fork = Table(base.world, tokens=dict(base.tokens))
    body = {"game": "firenze", "seats": TWO, **more}
    fork.try_open(who, fork={"match": base.match, "version": version}, **body)
    return fork


def forked_secrets(world: World) -> None:
    """Calimala deals in secret, so it is forked only after its end (M21)."""
    base = Table(world)
    base.open(game="calimala", seats=THREE, visibility="private")
    base.play(4)
    wish: dict[str, Any] = {"game": "calimala", "seats": [RANDOM, HUMAN, HUMAN]}
    _fork(base, 3, "seat:0", **wish)
    base.finish()
    for who in ("", "spectator"):
        _fork(base, 3, who, **wish)
        fork = _fork(base, 3, who, visibility="private", **wish)
    fork.play(5)
    fork.finish()
    again = _fork(fork, 2, "owner", visibility="private", **wish)
    again.play(2)
    again.finish()
    key, body = world.key(), {**wish, "visibility": "private"}
    for version in (3, 3, 2):
        repeat = Table(world, tokens=dict(base.tokens))
        repeat.try_open("owner", key, fork={"match": base.match, "version": version}, **body)
    unknown = Table(world, match=NO_MATCH)
    _fork(unknown, 1, "", **wish)


def rematches(world: World) -> None:
    """The players play again, each one seat further on, with the same terms (M20)."""
    old = Table(world)
    seats = [{**HUMAN, "name": "Ada"}, GREEDY, {**HUMAN, "name": "Bea"}]
    old.open(game="calimala", seats=seats, clock=CLOCK, take_back="consent", advice=True)
    old.post("rematch", {}, "seat:0")
    old.finish()
    old.post("rematch", {})
    old.post("rematch", {}, "spectator")
    old.post("rematch", {"pledge": pledge(2)}, "seat:0")
    new = _play_again(old, "owner")
    for who in ("seat:0", "seat:0"):
        new = _play_again(old, who, new)
    old.post("rematch", {"entropy": "ab" * 8}, "seat:0")
    new.join(1)
    new.look()
    new.delete("seats/2", "seat:2")
    new = _play_again(old, "seat:0", new)
    new = _play_again(old, "seat:2", new)
    new.look()
    new.play(6)
    new.finish()
    old.look()
    after = _play_again(new, "owner")
    after.post("abort", None, "owner")
    after = _play_again(new, "owner")
    after.post("seats/0/bot", {"level": "random"}, "owner")
    for who in ("seat:1", "seat:2"):
        after = _play_again(new, who, after)
    after.delete("", OPERATOR)
    _play_again(new, "seat:1", after)


def rematch_together(world: World) -> None:
    """A rematch of a private match with joint entropy pledges anew (M19, M20)."""
    old = Table(world)
    old.open(
        game="calimala",
        seats=[pledging(0), pledging(1), RANDOM],
        joint_entropy=True,
        visibility="private",
        clock=CLOCK,
    )
    for seat in (0, 1):
        old.post("disclose", {"entropy": entropy(seat)}, f"seat:{seat}")
    old.post("resign", None, "seat:1")
    old.finish()
    old.post("rematch", {"entropy": "ab" * 8}, "seat:0")
    new = _play_again(old, "seat:0", pledge=pledge(2))
    new = _play_again(old, "seat:1", new, pledge=pledge(0))
    new = _play_again(old, "seat:1", new, pledge=pledge(0))
    new.look()
    for seat in (0, 2):
        new.post("disclose", {"entropy": entropy(seat)}, f"seat:{seat}")
    new.play(3)
    new.look()


def _play_again(old: Table, who: str, new: Table | None = None, **body: str) -> Table:
    """Ask for a rematch, and keep the token that comes with it."""
    table = new or Table(old.world)
    answer = old.post("rematch", body, who)
    if answer.is_done:
        table.match = answer.json["match"]
        table.tokens = {**table.tokens, **answer.json["tokens"]}
        table.is_private = old.is_private
    return table


# ---- records that others have made ---------------------------------------------------------------


def imported(world: World) -> None:
    """Golden records by both match rules come from another server, and are read (M9)."""
    for name in IMPORTED:
        record = gzip.decompress((RECORDS / name).read_bytes())
        table = Table(world, match=_import(world, record).json["match"])
        _import(world, record)
        pages = ("", "state", "record", "story.ndjson", "states?limit=50", "state?version=9")
        for page in (*pages, "commits?limit=100", "commits?actor=house", "thoughts"):
            table.get(page)
        table.post("rematch", {})
    lines = record.splitlines(keepends=True)
    parts = (b"{}\n", b"".join(lines[:-1]), b"".join(lines[1:]))
    for wrong in (b"", *parts, record.replace(b"1", b"2")):
        _import(world, wrong)
    for token in ("", table.match):
        _import(world, record, token)
    table.get("/v1/matches")


def _import(world: World, record: bytes, token: str = OPERATOR) -> Answer:
    """Hand a record over, as the operator."""
    headers = {"Content-Type": "application/x-ndjson"}
    return world.send("POST", "/v1/records", token, headers=headers, data=record)


# ---- every request in every stage ----------------------------------------------------------------

REQUESTS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "take-back/agree", None),
    ("POST", "take-back/refuse", None),
    ("POST", "return", None),
    ("POST", "moves", {"type": "end_activation"}),
    ("POST", "moves", {"type": "fly"}),
    ("POST", "take-back", {"to": 1}),
    ("POST", "pledge", {"digest": pledge(1)}),
    ("POST", "disclose", {"entropy": entropy(1)}),
    ("POST", "seats/0", {"name": "Dora"}),
    ("DELETE", "seats/0/bot", None),
    ("POST", "seats/0/bot", {"level": "random"}),
    ("POST", "start", None),
    ("POST", "rematch", {}),
    ("POST", "advice", None),
    ("GET", "advice", None),
    ("GET", "thoughts", None),
    ("POST", "lines", {"version": 1, "moves": []}),
    ("DELETE", "seats/1", None),
    ("POST", "resign", None),
)
CALLERS = ("", "spectator", "seat:1", "owner")
STAGES = ("open", "running", "aborted", "revealed")


def stages(world: World) -> None:
    """Every request of every caller, in every stage of a match without terms."""
    _in_every_stage(world, {}, [HUMAN, HUMAN, OPEN])


def stages_with_terms(world: World) -> None:
    """Every request in every stage, with clock, take-back, advice, joint entropy and two keys."""
    terms = {"clock": CLOCK, "take_back": "consent", "advice": True, "joint_entropy": True}
    seats = [pledging(0), {**HUMAN, "key": BEA.key}, {**HUMAN, "key": ADA.key}]
    _in_every_stage(world, terms, seats)


def _in_every_stage(world: World, terms: dict[str, Any], seats: list[dict[str, Any]]) -> None:
    for stage in STAGES:
        table = Table(world, players={"seat:1": BEA, "seat:2": ADA})
        table.open(game="calimala", seats=seats, **terms)
        if stage != "open":
            _begin(table, terms)
        if stage in ("aborted", "revealed"):
            table.post("abort", None, "owner")
        if stage == "revealed":
            world.work()
        for method, path, body in REQUESTS:
            for who in CALLERS:
                table.send(method, path, who, body)
        table.get()
        world.store.waits.pop(table.match, None)


def _begin(table: Table, terms: dict[str, Any]) -> None:
    """Start a match: with the last join or the last disclosure."""
    if not terms:
        table.join(2)
        table.post("start", None, "owner")
        return
    for seat in (1, 2):
        table.post("pledge", {"digest": pledge(seat, 2)}, f"seat:{seat}")
    for seat, attempt in ((0, 1), (1, 2), (2, 2)):
        table.post("disclose", {"entropy": entropy(seat, attempt)}, f"seat:{seat}")


def bodies(world: World) -> None:
    """Openings and bodies that cannot be read, and headers that are wrong."""
    table = Table(world)
    for body in WRONG_OPENINGS:
        table.try_open(**{"game": "calimala", "seats": THREE, **body})
    key = world.key()
    for game in ("calimala", "calimala", "firenze"):
        seats = THREE[: 3 if game == "calimala" else 2]
        table.try_open(key=key, game=game, seats=seats, clock=CLOCK)
    table.try_open(key=key, game="calimala", seats=THREE, clock=CLOCK, take_back="own")
    table.open(game="calimala", seats=[HUMAN, HUMAN, OPEN], take_back="consent")
    for data in (b"", b"move!", b'{"a":', b'{"a": NaN}', b'{"a":1,"a":2}', b"[]", b"\xff"):
        for path in ("moves", "take-back", "seats/2", "pledge"):
            whole = f"/v1/matches/{table.match}/{path}"
            headers = {"Content-Type": "application/json"}
            token = table.tokens["seat:0"]
            world.send("POST", whole, token, headers=headers, data=data, who="seat:0")
    for path, body in WRONG_BODIES:
        table.post(path, body, "seat:0")
    table.join(2)
    table.post("start", None, "owner")
    draft(table)
    for headers in (
        *({"If_Match": value} for value in ("nine", 'w"1"', '"1", "2"', '"9"', "*")),
        *({"Idempotency_Key": value} for value in ("a,b", "a b", "short")),
        {"Giornale_Signature": "ab"},
        {"Giornale_Signature": "00" * 64},
        {"Authorization": "Basic Zm9v"},
    ):
        table.post("take-back", {"to": AFTER_DRAFT}, "seat:0", **headers)
    for path in WRONG_PATHS:
        table.get(path, "seat:0")
    table.get("/v1/games")
    table.get("/v1/games/calimala")


WRONG_OPENINGS: tuple[dict[str, Any], ...] = (
    {"game": None},
    {"game": "go"},
    {"seats": None},
    {"seats": THREE[:2]},
    {"seats": "three"},
    {"seats": [*TWO, "me"]},
    {"seats": [*TWO, {"kind": "cat"}]},
    {"seats": [*TWO, {"kind": "bot", "level": "x"}]},
    {"seats": [*TWO, {"kind": "open", "name": "x"}]},
    {"seats": [*TWO, {**HUMAN, "entropy": "xyz"}]},
    {"seats": [*TWO, {**HUMAN, "name": "a\nb"}]},
    {"seats": [*TWO, pledging(2)]},
    {"seats": [*TWO, {**HUMAN, "entropy": "00"}], "joint_entropy": True},
    {"seats": [pledging(0), pledging(0), HUMAN], "joint_entropy": True},
    {"seats": [RANDOM] * 3, "joint_entropy": True},
    {"seats": [RANDOM] * 3, "clock": CLOCK},
    {"joint_entropy": "yes"},
    {"options": {"speed": 1}},
    {"options": {"layout": "round"}},
    {"visibility": "secret"},
    {"clock": 5},
    {"clock": {}},
    {"clock": {**CLOCK, "bank_s": 4}},
    {"clock": {**CLOCK, "bank_s": 60.5}},
    {"clock": {**CLOCK, "move_s": -1}},
    {"clock": {**CLOCK, "level": "wise"}},
    {"clock": {**CLOCK, "hours": 1}},
    {"take_back": "always"},
    {"take_back": 1},
    {"advice": "true"},
    {"fork": {}},
    {"fork": {"match": "x", "version": 0}},
    {"fork": {"match": NO_MATCH, "version": 1}},
    {"unknown": 1},
)
WRONG_BODIES: tuple[tuple[str, Any], ...] = (
    ("take-back", {}),
    ("take-back", {"to": 0}),
    ("take-back", {"to": "3"}),
    ("take-back", {"to": 1, "why": "x"}),
    ("pledge", {}),
    ("pledge", {"digest": "AB" * 32}),
    ("disclose", {"entropy": 5}),
    ("seats/2", {"nick": "x"}),
    ("seats/2", {"name": ""}),
    ("seats/2", {"pledge": "x"}),
    ("seats/2/bot", {"level": "wise"}),
    ("rematch", {"entropy": "x"}),
    ("lines", {"version": 0, "moves": []}),
    ("tokens", {"holder": "king"}),
    ("moves", {"type": "keep_scoring_card", "card": "rome"}),
    ("moves", {"type": "keep_scoring_card", "seat": 1}),
)
WRONG_PATHS = (
    *("state?version=0", "state?version=99", "state?at=yesterday", "state?versoin=1"),
    *("commits/0", "commits/99", "commits?actor=seat:16", "commits?type=nothing"),
    *("diff", "diff?from=9&to=99", "states?limit=0", "story?after=-1", "history"),
    *("/v1/matches?status=lost", "/v1/matches?cursor=abc", "/v1/games/go"),
)
