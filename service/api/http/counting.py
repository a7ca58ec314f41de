"""Requests and openings of matches, counted against the limits of whoever sends them."""

from typing import NamedTuple

from flask import current_app, g, request

from service.api.http.auth import shown_token
from service.api.http.clients import address_key, client_address
from service.api.http.rate_limits import Allowance, RateLimit, RateLimits
from service.errors import TooMany
from service.matches.desk import Desk

Headers = list[tuple[str, str]]


class Sender(NamedTuple):
    """By what a request is counted."""

    # The hash of a token that this process has seen to count, or else the address.
    caller: str
    # The address, or the network of an address.
    address: str


def sender() -> Sender:
    """Return by what this request is counted.

    A token that was made up does not count, so nobody gets a share of their own by sending one.
    """
    address = f"address:{address_key(client_address())}"
    desk: Desk = current_app.extensions["desk"]
    shown = shown_token(request.environ)
    if shown is not None and shown.holder_field in desk.holders:
        return Sender(shown.holder_field, address)
    return Sender(address, address)


def count_request() -> None:
    """Count this request; raises TooMany."""
    limits: RateLimits | None = current_app.extensions["rate_limit"]
    if limits is None:
        return

    allowance = limits.count(*sender())
    if allowance is None:
        return
    g.allowance = allowance
    if allowance.left < 0:
        whose = "from one address" if allowance.name == "address" else "of one caller"
        raise TooMany(
            "requests",
            f"at most {allowance.limit} requests {whose} in {allowance.window} seconds",
            allowance.resets,
        )


def count_opening() -> None:
    """Count an opening of the address that asks, a repeated one too; raises TooMany.

    Openings have a limit of their own: each costs more than other requests and leaves more behind.
    """
    limit: RateLimit | None = current_app.extensions["openings"]
    if limit is None:
        return

    allowance = limit.count(sender().address)
    if allowance.left < 0:
        raise TooMany(
            "requests",
            f"at most {allowance.limit} matches are opened in {allowance.window} seconds",
            allowance.resets,
        )


def allowance_headers() -> Headers:
    """Return what this request's answer tells of the limit: nothing if it was not counted.

    The headers RateLimit-Policy and RateLimit are those of draft-ietf-httpapi-ratelimit-headers.
    """
    allowance: Allowance | None = g.get("allowance")
    if allowance is None:
        return []

    name = allowance.name
    left = max(0, allowance.left)
    return [
        ("RateLimit-Policy", f'"{name}";q={allowance.limit};w={allowance.window}'),
        ("RateLimit", f'"{name}";r={left};t={allowance.resets}'),
    ]
