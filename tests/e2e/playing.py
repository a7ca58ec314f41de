"""What a client of a running house does: ask with a token, wait for the end of a match, read its history."""

from typing import Any

import httpx

from tests.running import RunningService, until


def client(house: RunningService, token: str | None = None) -> httpx.Client:
    """Return an HTTP client of the house, with a token if given."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=house.url, headers=headers, timeout=10, trust_env=False)


def to_end(asker: httpx.Client, match: str) -> dict[str, Any]:
    """Wait until a match has ended and everything is revealed; return its document."""

    def over() -> dict[str, Any] | None:
        seen: dict[str, Any] = asker.get(f"/v1/matches/{match}").raise_for_status().json()
        return seen if seen["status"] == "finished" and not seen["waiting_for"]["house"] else None

    document: dict[str, Any] = until(over, "the end of the match")
    return document


def history(asker: httpx.Client, match: str) -> list[dict[str, Any]]:
    """Return a match's whole history, read in pages."""
    commits: list[dict[str, Any]] = []
    while page := asker.get(f"/v1/matches/{match}/commits", params={"after": len(commits)}).json()[
        "commits"
    ]:
        commits += page
    return commits
