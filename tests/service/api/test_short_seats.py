"""Seats in short form: one word in place of an object, over HTTP and for agents."""

from typing import Any

import jsonschema_rs
import pytest

from domain.games import GAMES
from giornale_client import Client
from service.api.contract.schemas import SHORT_SEATS
from service.matches import bots
from tests import toy
from tests.service.api.conftest import Door, json, problem
from tests.service.api.test_mcp import Agent
from tests.signing import ADA

Json = dict[str, Any]

LONG: dict[str, Json] = {
    "human": {"kind": "human"},
    "open": {"kind": "open"},
    "bot": {"kind": "bot", "level": "greedy"},
    "bot:random": {"kind": "bot", "level": "random"},
    "bot:greedy": {"kind": "bot", "level": "greedy"},
    "bot:quick": {"kind": "bot", "level": "quick"},
    "bot:strong": {"kind": "bot", "level": "strong"},
}
EXPECTED = "must be human, open, bot, bot:random, bot:greedy, bot:quick, bot:strong or an object"
WRONG = [
    ("", f'{EXPECTED}, not ""'),
    ("robot", f'{EXPECTED}, not "robot"'),
    ("Human", f'{EXPECTED}, not "Human"'),
    ("bot:", f'{EXPECTED}, not "bot:"'),
    ("bot:wise", f'{EXPECTED}, not "bot:wise"'),
    ("human:greedy", f'{EXPECTED}, not "human:greedy"'),
    ("x" * 1000, f'{EXPECTED}, not "{"x" * 39}…"'),
    (3, EXPECTED),
    (None, EXPECTED),
    (["human"], EXPECTED),
]
SECRET = "0123456789abcdef0123456789abcdef"


def opening(*seats: object, game: str = "calimala") -> Json:
    """Return the body to open a match with some seats."""
    return {"game": game, "seats": [*seats]}


def refused(door: Door, body: Json) -> Json:
    """Return the one mistake of an opening."""
    answer = door.post("/v1/matches", body)
    assert answer.status_code == 422
    mistake: Json
    [mistake] = json(answer)["errors"]
    return mistake


def test_the_table_has_all_short_forms() -> None:
    """The table of this test has every short form, and every level of bots."""
    assert set(LONG) == set(SHORT_SEATS)
    assert {plan["level"] for plan in LONG.values() if "level" in plan} == set(bots.NAMES)


@pytest.mark.parametrize("short", LONG)
def test_a_short_seat_opens_the_same_match(door: Door, short: str) -> None:
    """A repeat with the long form of a short seat is the same request."""
    key = {"Idempotency-Key": SECRET}
    first = door.post("/v1/matches", opening("human", short, "open"), headers=key)
    again = opening({"kind": "human"}, LONG[short], {"kind": "open"})
    second = door.post("/v1/matches", again, headers=key)

    assert first.status_code == second.status_code == 201
    assert second.headers["Idempotent-Replayed"] == "true"
    assert json(first) == json(second)
    assert {**json(first)["seats"][1], **LONG[short]} == json(first)["seats"][1]


def test_short_and_long_seats_stand_side_by_side(door: Door) -> None:
    """An opening may mix short and long seats. A name needs the long form."""
    seats = ["bot:random", {"kind": "human", "name": "Ada"}, "open"]
    opened = json(door.post("/v1/matches", opening(*seats)))

    assert [seat["kind"] for seat in opened["seats"]] == ["bot", "human", "open"]
    assert opened["seats"][1]["name"] == "Ada"


@pytest.mark.parametrize(("seat", "detail"), WRONG)
def test_another_seat_is_refused_at_its_place(door: Door, seat: object, detail: str) -> None:
    """The refusal tells the legal words and the beginning of the wrong one."""
    mistake = refused(door, opening("human", seat, "open"))

    assert mistake == {"pointer": "/seats/1", "detail": detail}


def test_a_level_that_the_game_lacks_is_refused_at_the_seat(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pointer of a short seat names the seat, that of a long one its `level`."""
    toy.install(monkeypatch)
    short = refused(door, opening("human", "bot:quick", game="toy"))
    long = refused(door, opening("human", LONG["bot:quick"], game="toy"))

    assert short["pointer"] == "/seats/1"
    assert long["pointer"] == "/seats/1/level"
    assert short["detail"] == long["detail"]
    assert "Its levels: random, greedy" in short["detail"]


def test_a_key_signs_the_short_seats_as_sent(door: Door) -> None:
    """The proof covers the seats as they were sent. It does not fit their long form."""
    body = opening({"kind": "human", "key": ADA.key}, "bot:greedy", "open")
    proof = ADA.prove_opening(body, SECRET, 0)
    body["seats"][0]["proof"] = proof
    key = {"Idempotency-Key": SECRET}
    assert door.post("/v1/matches", body, headers=key).status_code == 201

    body["seats"][1:] = [LONG["bot:greedy"], LONG["open"]]
    refusal = door.post("/v1/matches", body, headers=key)
    assert problem(refusal) == (422, "signature-wrong")


@pytest.mark.parametrize("short", LONG)
def test_an_agent_opens_with_short_seats(door: Door, short: str) -> None:
    """As over HTTP, a repeat in the long form is the same call."""
    arguments = opening("human", short, "open") | {"idempotency_key": SECRET}
    agent = Agent(door)
    first = agent.answer("open", **arguments)
    again = {**arguments, "seats": [{"kind": "human"}, LONG[short], {"kind": "open"}]}

    assert agent.answer("open", **again) == first
    assert {**first["seats"][1], **LONG[short]} == first["seats"][1]


@pytest.mark.parametrize(
    ("seat", "is_right"),
    [
        *[(short, True) for short in LONG],
        *[(long, True) for long in LONG.values()],
        ("robot", False),
        ({"kind": "robot"}, False),
    ],
    ids=str,
)
def test_the_schema_of_the_tool_has_both_forms(door: Door, seat: object, is_right: bool) -> None:
    """The schema of `open` accepts both forms of a seat, and no others."""
    tools = Agent(door).result("tools/list")["tools"]
    [takes] = [tool["inputSchema"] for tool in tools if tool["name"] == "open"]

    assert jsonschema_rs.validator_for(takes).is_valid(opening("human", seat)) is is_right


def test_an_agent_is_refused_another_seat(door: Door) -> None:
    """An agent gets the same error for a wrong seat as a caller over HTTP."""
    problem = Agent(door).refusal("open", **opening("human", "robot", "open"))

    assert problem["errors"] == [{"pointer": "/seats/1", "detail": f'{EXPECTED}, not "robot"'}]


class _Sent(Client):
    """A client that notes the opening instead of sending it."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:9")
        self.bodies: list[Json] = []

    def post(self, *arguments: Any, **_: Any) -> Any:
        """Note the body, and answer as a server does."""
        self.bodies.append(arguments[1])
        return {"id": "a" * 26, "tokens": {}, "version": 1}


@pytest.mark.parametrize("short", LONG)
def test_the_client_sends_the_long_form(short: str) -> None:
    """The client sends the long form, because servers of earlier releases read only this."""
    client = _Sent()
    client.open("calimala", ["human", short, {"kind": "human", "name": "Ada"}])

    seat = {"kind": "bot"} if short == "bot" else LONG[short]
    assert client.bodies[0]["seats"] == [{"kind": "human"}, seat, {"kind": "human", "name": "Ada"}]


@pytest.mark.parametrize("game", GAMES)
def test_every_short_form_is_in_the_contract(door: Door, game: str) -> None:
    """The component ShortSeat lists every short form for generated clients."""
    contract = json(door.client.get("/openapi.json"))["components"]["schemas"]

    assert tuple(contract["ShortSeat"]["enum"]) == SHORT_SEATS
    seats = contract[f"Open{game.title()}Match"]["properties"]["seats"]
    assert seats["items"] == {"$ref": "#/components/schemas/SeatPlan"}
