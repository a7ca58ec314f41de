"""The root of the API."""

from service.base.release import release
from tests.service.api.conftest import Door, json

NEEDS_A_TOKEN = "/v1/me/stream"


def test_each_link_of_the_root_is_answered(door: Door) -> None:
    """The root names the release, and this service answers each of its links."""
    answer = door.get("/v1")
    root = json(answer)

    assert answer.status_code == 200
    assert root["release"] == release()
    assert {"games", "commits", "docs"} <= root["links"].keys()
    for url in root["links"].values():
        assert door.get(url).status_code == (401 if url == NEEDS_A_TOKEN else 200), url
