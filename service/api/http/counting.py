"""Requests and openings of matches, counted against the limits of whoever sends them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from flask import current_app, request

from service.api.http.auth import shown_token
from service.api.http.clients import address_key, address_of
from service.api.http.rate_limits import RateLimit, RateLimits
from service.api.http.visits import visit_of
from service.errors import TooMany
from service.matches.desk import Desk

Parts = Mapping[str, Any]


class Sender(NamedTuple):
    """By what a request is counted."""

    # The hash of a token that this process has seen to count, or else the address.
    caller: str
    # The address, or the network of an address.
    address: str


def sender() -> Sender:
    """Return by what this request is counted."""
    return sender_of(request.environ, current_app.extensions)


def sender_of(environ: dict[str, Any], parts: Parts) -> Sender:
    """Return by what a request is counted.

    parts: those of the application. A token that was made up does not count, so nobody gets a share
    of their own by sending one.
    """
    address = f"address:{address_key(address_of(environ, parts['proxies']))}"
    desk: Desk = parts["desk"]
    shown = shown_token(environ)
    if shown is not None and shown.holder_field in desk.holders:
        return Sender(shown.holder_field, address)
    return Sender(address, address)


def count_request(environ: dict[str, Any], parts: Parts) -> None:
    """Count a request, once however often this is called; raises TooMany."""
    visit = visit_of(environ)
    limits: RateLimits | None = parts["rate_limit"]
    if limits is None or visit.counted:
        return

    visit.counted = True
    allowance = limits.count(*sender_of(environ, parts))
    if allowance is None:
        return
    visit.allowance = allowance
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
