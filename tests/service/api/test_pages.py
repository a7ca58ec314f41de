"""Pages of lists: `limit` in the query, and `next` in the body and in the header Link.

The answer of `listAllCommitLines` has `next` in the header Link only.
"""

from typing import Any

import pytest
import yaml

from tests import toy
from tests.service.api.conftest import SETTINGS, Door, Make, json, links
from tests.service.api.contract_file import CONTRACT
from tests.service.api.test_players import keep_up
from tests.service.capabilities.players.test_use_cases import several
from tests.service.rated import ADA, put

# The lists of the contract by operation, each with its necessary query.
LISTS = {
    "listAllCommits": "",
    "listAllCommitLines": "",
    "listMatches": "",
    "listCommits": "",
    "listStates": "",
    "readStory": "",
    "listThoughts": "",
    "getLadder": "game=toy&",
    "getPlayer": "",
}
_LIMIT = "#/components/parameters/limit"


@pytest.fixture(scope="module")
def contract() -> dict[str, Any]:
    """The contract."""
    loaded: dict[str, Any] = yaml.load(CONTRACT.read_text(), yaml.CSafeLoader)
    return loaded


@pytest.fixture
def door(make_door: Make, monkeypatch: pytest.MonkeyPatch) -> Door:
    """A door to rated matches with sequenced commits."""
    toy.install(monkeypatch)
    door = make_door(**SETTINGS, RATE_LIMIT="0")
    for lines in several():
        put(door.ctx, lines)
    keep_up(door)
    door.match = json(door.get("/v1/matches"))["matches"][0]["match"]
    return door


def limit_in(contract: dict[str, Any], parameters: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the parameter `limit` of an operation, None for none."""
    for item in parameters:
        _, _, name = item.get("$ref", "").rpartition("/")
        parameter = contract["components"]["parameters"][name] if name else item
        if parameter["name"] == "limit":
            return parameter
    return None


def paged(contract: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return path and `limit` of each operation with a `limit`."""
    return {
        operation["operationId"]: (path, limit)
        for path, item in contract["paths"].items()
        for method, operation in item.items()
        if method == "get" and (limit := limit_in(contract, operation.get("parameters", [])))
    }


def path_of(contract: dict[str, Any], operation: str, match: str) -> str:
    """Return the path of a list with the query it needs."""
    path, _ = paged(contract)[operation]
    return f"{path.format(match=match, player=ADA)}?{LISTS[operation]}"


def test_all_lists_have_one_limit(contract: dict[str, Any]) -> None:
    """LISTS has all operations with a `limit`, and their `limit` has the same schema."""
    lists = paged(contract)
    assert lists.keys() == LISTS.keys()
    for _, limit in lists.values():
        assert limit["schema"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}


@pytest.mark.parametrize("operation", LISTS)
def test_another_limit_is_refused(contract: dict[str, Any], door: Door, operation: str) -> None:
    """A `limit` is refused if it is below 1, above 1,000 or no whole number."""
    path = path_of(contract, operation, door.match)
    for limit in ("0", "1001", "-1", "1e2", ""):
        refused = door.get(f"{path}limit={limit}")
        assert (limit, refused.status_code) == (limit, 422)
        assert json(refused)["errors"] == [
            {"parameter": "limit", "detail": "must be a whole number from 1 to 1000"}
        ]


@pytest.mark.parametrize("operation", LISTS)
def test_a_list_names_its_next_page_twice(
    contract: dict[str, Any], door: Door, operation: str
) -> None:
    """Body and header Link name the same next page. Pages of one entry add up to the list."""
    path = path_of(contract, operation, door.match)
    most = door.get(f"{path}limit=1000")
    assert most.status_code == 200
    if operation == "listAllCommitLines":
        assert links(most).keys() == {"next"}
        return

    [name] = [name for name, value in json(most).items() if name in ENTRIES]
    whole = json(most)[name]
    assert (len(whole) > 1) == (operation != "listThoughts")

    entries: list[Any] = []
    following: str | None = f"{path}limit=1"
    while following and len(entries) < len(whole):
        page = door.get(following)
        entries += json(page)[name]
        following = json(page)["next"]
        assert links(page) == ({"next": following} if following else {})
    assert entries == whole


ENTRIES = {"commits", "matches", "states", "lines", "thoughts", "players"}
