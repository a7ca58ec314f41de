"""What a route works with: the services of its application, the state of its request, who asks."""

import hashlib
import hmac
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from wsgiref.types import WSGIEnvironment

import flask
from flask import Flask, Request, current_app
from redis.exceptions import RedisError
from werkzeug.routing import MapAdapter

from domain.seats import seat_of
from service.api.access_log import NO_OPERATION, AccessLog
from service.api.health.checks import Readiness, Recent
from service.api.health.surroundings import Surroundings
from service.api.http.limits import (
    Allowance,
    Proxies,
    RateLimit,
    RateLimits,
    Sender,
    StreamLimit,
    address_key,
)
from service.api.http.validators import Validator
from service.base.config import Config
from service.base.errors import Forbidden, Unauthorized
from service.matches import access
from service.matches.access import Access
from service.matches.context import Context
from service.store.jobs.queues import EnqueueThread, Queues
from service.store.journal.notifications import Notifications
from service.store.keys import tokens

_SERVICES = "giornale"  # key of Flask's extensions
_CONTRACT = "giornale.contract"  # another
_STATE = "giornale.state"  # key of the WSGI environment

Environ = WSGIEnvironment


@dataclass(frozen=True, slots=True)
class AppServices:
    """What an application works with, opened once at its start.

    readiness, readable: what was found when it was last checked whether matches can move on, and
    whether they can be read.   openings: how many matches an address may open; None: any number.
    """

    config: Config
    ctx: Context
    queues: Queues
    enqueuer: EnqueueThread
    notifications: Notifications
    readiness: Recent[Readiness]
    readable: Recent[Readiness]
    surroundings: Surroundings
    access_log: AccessLog
    proxies: Proxies
    rate_limits: RateLimits
    openings: RateLimit | None
    stream_limit: StreamLimit


class Application(Flask):
    """Flask with the services that its routes work with.

    It is for one host: which hosts are answered, the request scope has decided already.
    """

    def __init__(self, services: AppServices, contract: tuple[ModuleType, ...] = ()) -> None:
        """Make an application without routes.

        contract: modules of the bodies of its capabilities.
        """
        super().__init__("service", static_folder=None, template_folder="api/templates")
        self.extensions[_SERVICES] = services
        self.extensions[_CONTRACT] = contract

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return what finds the route of a request.

        Flask's own looks at hosts once more, which takes a tenth of what a request costs outside of
        its route.
        """
        if request is None:
            return None
        return self.url_map.bind("localhost", path_info=request.path, default_method=request.method)


# ---- the state of a request ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token as a request shows it; whether it counts is not known yet."""

    text: str = field(repr=False)
    # The id of the match that it is a token of.
    match: str
    # The field under which a match keeps whose token it is.
    holder_field: str


@dataclass(slots=True)
class RequestState:
    """What the layers around Flask know of a request, and what a route leaves for them.

    began: when the request was taken up, of `perf_counter`.
    token: None where the request shows none, or something else.
    address: the client's, "" if the server knows none.
    allowance: what is left of the tighter limit, None if the request was not counted.
    operation: how the contract calls what was asked for, once that is known.
    validator: what the answer follows from, None if the answer may not be stored.
    compressed: returns the answer's body compressed, where that is at hand.
    match: the id of the match that is asked for, where the path does not name it; "" for none.
    problem_status: the status of the problem that stands in an answer of status 200; 0 for none.
    """

    request_id: str
    began: float
    token: ShownToken | None
    address: str
    allowance: Allowance | None = None
    operation: str = NO_OPERATION
    validator: Validator | None = None
    compressed: Callable[[], bytes] | None = None
    match: str = ""
    problem_status: int = 0

    def sender(self, known: Container[str]) -> Sender:
        """Return by what the request is counted; known: the fields of tokens that count."""
        return sender_of(self.token, self.address, known)

    def attach(self, environ: Environ) -> None:
        """Keep the state with its request."""
        environ[_STATE] = self


def client_address(environ: Environ, proxies: Proxies) -> str:
    """Return the address of a request's client, "" if the server knows none."""
    return proxies.client_of(
        environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", "")
    )


def sender_of(token: ShownToken | None, address: str, known: Container[str]) -> Sender:
    """Return by what a request is counted; known: the fields of tokens that count."""
    by_address = f"address:{address_key(address)}"
    # A token that was made up is not among them, so it brings no new limit.
    if token is not None and token.holder_field in known:
        return Sender(token.holder_field, by_address)
    return Sender(by_address, by_address)


# ---- what a route asks for -----------------------------------------------------------------


def services_of(app: Flask) -> AppServices:
    """Return the services of an application."""
    found: AppServices = app.extensions[_SERVICES]
    return found


def contract_of(app: Flask) -> tuple[ModuleType, ...]:
    """Return the modules of the bodies of an application's capabilities."""
    found: tuple[ModuleType, ...] = app.extensions[_CONTRACT]
    return found


def services() -> AppServices:
    """Return the services of the application that serves this request."""
    return services_of(current_app)


def ctx() -> Context:
    """Return what the use cases work with."""
    found: AppServices = current_app.extensions[_SERVICES]
    return found.ctx


def config() -> Config:
    """Return the configuration of the application that serves this request."""
    found: AppServices = current_app.extensions[_SERVICES]
    return found.config


def page_limit(asked: int) -> int:
    """Return the number of items on a page, given the limit that a caller asks for."""
    return min(asked, config().page_max)


def queues() -> Queues:
    """Return the queues of the application that serves this request."""
    return services().queues


def state_of(environ: Environ) -> RequestState:
    """Return the state of a request."""
    found: RequestState = environ[_STATE]
    return found


def operation_of(environ: Environ) -> str:
    """Return how the contract calls what a request asks for, NO_OPERATION while that is unknown."""
    return state_of(environ).operation


def state() -> RequestState:
    """Return the state of the request that is being answered."""
    found: RequestState = flask.request.environ[_STATE]
    return found


def sender() -> Sender:
    """Return by what the request that is being answered is counted."""
    return state().sender(ctx().cache.holders)


def check_allowance() -> None:
    """Raise TooMany for a request that was one too many."""
    allowance = state().allowance
    if allowance is not None and allowance.left < 0:
        raise allowance.refusal()


def count_opening() -> None:
    """Count an opening of the address that asks, a repeated one too; raises TooMany.

    Openings have a limit of their own: each costs more than other requests and leaves more behind.
    """
    limit = services().openings
    if limit is None:
        return
    allowance = limit.count(sender().address)
    if allowance.left < 0:
        raise allowance.refusal()


def forget_here(match: str, holder: str) -> None:
    """Forget that a seat is here, as far as its last sign was by a token that no longer counts."""
    seat = seat_of(holder)
    if seat is not None:
        # Without the queues' server nobody is told who is here.
        with suppress(RedisError):
            queues().forget_here(match, seat)


# ---- who asks: the bearer token of a request (RFC 6750) ------------------------------------


def bearer() -> str | None:
    """Return the bearer token, None without one; raises Unauthorized for anything else."""
    shown = _required_form()
    return None if shown is None else shown.text


def all_tokens(more: Sequence[str]) -> list[str]:
    """Return the bearer token, if there is one, and those of the header Giornale-Tokens.

    Raises Unauthorized for an Authorization that holds something else.
    """
    own = bearer()
    return list(more) if own is None else [own, *more]


def token_for(match_id: str) -> str | None:
    """Return the bearer token for a match; raises Forbidden for a token of another match."""
    shown = _required_form()
    if shown is None:
        return None
    if shown.match != match_id:
        raise Forbidden("this is a token of another match")
    return shown.text


def enter(match_id: str) -> Access:
    """Return the head of a match and who its reader is, as the request's token says.

    Raises Unauthorized, Forbidden, NotFound, MatchDeleted.
    """
    return access.enter(ctx(), match_id, token_for(match_id))


def _required_form() -> ShownToken | None:
    """Return the shown token, None without the header; raises Unauthorized for another header."""
    shown = state().token
    if shown is None and "HTTP_AUTHORIZATION" in flask.request.environ:
        raise Unauthorized(
            "the Authorization header must be: Bearer gio_..., a token of this match"
        )
    return shown


def shown_token(header: str) -> ShownToken | None:
    """Return the token in a header Authorization, None if it holds something else."""
    text = bearer_text(header)
    return _token_of(text) if len(text) == tokens.LENGTH else None


@lru_cache(maxsize=1024)  # most tokens come again and again
def _token_of(text: str) -> ShownToken | None:
    match = tokens.match_of(text)
    return None if match is None else ShownToken(text, match, tokens.field(text))


def bearer_text(header: str) -> str:
    """Return what a header Authorization holds of the scheme Bearer, "" for another scheme."""
    scheme, _, text = header.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


# ---- the operator, who may do over HTTP what commands do on the server's machine -------------

# What does the same as the operator's operations on the command line, by operation.
COMMANDS = {"importRecord": "giornale import FILE", "deleteMatch": "giornale match delete ID"}


def require_operator(environ: Environ, operation: str) -> None:
    """Let the operator alone pass: operations that are off unless a token for them is set.

    Raises Forbidden where there is no operator or the token is another, Unauthorized without one.
    """
    token = config().operator_token
    if not token:
        raise Forbidden(
            "the operator's operations are off here: the setting GIORNALE_OPERATOR_TOKEN "
            "turns them on, and on the server's machine the command "
            f"`{COMMANDS[operation]}` does the same"
        )

    given = _given_token(environ)
    if not given:
        raise Unauthorized(
            "the operator's token is needed: "
            "Authorization: Bearer and GIORNALE_OPERATOR_TOKEN's value"
        )
    if not hmac.compare_digest(given, token.encode()):
        raise Forbidden("this is not the operator's token")


def operator() -> str:
    """Return whose key it is: 16 hex digits, the first of the SHA-256 of the operator's token."""
    return hashlib.sha256(config().operator_token.encode()).hexdigest()[:16]


def _given_token(environ: Environ) -> bytes:
    """Return the bytes of a bearer token of any form (RFC 6750), none without one."""
    text = bearer_text(environ.get("HTTP_AUTHORIZATION", ""))
    return text.encode("latin-1", "replace")  # as WSGI hands bytes over (PEP 3333)
