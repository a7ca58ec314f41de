"""The context of a route: services of the application, state of the request, caller."""

import hashlib
import hmac
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType, ModuleType
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
)
from service.api.http.validators import Validator
from service.base.addresses import address_key
from service.base.config import Config
from service.base.errors import FeatureOff, Forbidden, Unauthorized
from service.matches import access
from service.matches.access import Access
from service.matches.context import Context
from service.store.jobs.queues import EnqueueThread, Queues
from service.store.journal.errors import JournalUnavailable
from service.store.journal.notifications import Notifications
from service.store.keys import tokens

_SERVICES = "giornale"  # key of Flask's extensions
_CONTRACT = "giornale.contract"  # key of Flask's extensions
_ROOT_LINKS = "giornale.root_links"  # key of Flask's extensions
_STATE = "giornale.state"  # key of the WSGI environment

Environ = WSGIEnvironment


@dataclass(frozen=True, slots=True)
class AppServices:
    """The services of an application, opened once at its start.

    readiness: last result of the checks that matches can move on.
    readable: last result of the checks that matches can be read.
    openings: limit of the matches opened by an address. None: any number.
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
    """Flask with the services for its routes.

    Routes do not depend on the host: the request scope has checked the host already.
    """

    def __init__(
        self,
        services: AppServices,
        contract: tuple[ModuleType, ...] = (),
        root_links: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Make an application without routes.

        contract: modules with the bodies of its capabilities.
        root_links: paths of its capabilities in `GET /v1`, by name.
        """
        super().__init__("service", static_folder=None, template_folder="api/templates")
        self.extensions[_SERVICES] = services
        self.extensions[_CONTRACT] = contract
        self.extensions[_ROOT_LINKS] = root_links

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return the adapter that finds the route of a request.

        Flask's own adapter looks at hosts once more, and takes a tenth of a request's time outside
        of the route.
        """
        if request is None:
            return None
        return self.url_map.bind("localhost", path_info=request.path, default_method=request.method)


# ---- the state of a request ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token as shown by a request. It may be invalid."""

    text: str = field(repr=False)
    # Id of the token's match.
    match: str
    # Field of the match's metadata for the token's holder.
    holder_field: str


@dataclass(slots=True)
class RequestState:
    """The state of a request, shared by the layers around Flask and the route.

    began: time when the request was taken up (`perf_counter`).
    token: None without a token, and for a text without the form of a token.
    address: address of the client, "" if the server knows none.
    allowance: allowance of the tighter limit, None if the request was not counted.
    operation: name of the operation in the contract, once known.
    validator: validator of the answer, None if the answer may not be stored.
    lasts: True if the body stays the same until the next release.
    match: id of the requested match if the path does not name the match. "" for none.
    problem_status: status of a problem in the body of an answer of status 200. 0 for none.
    """

    request_id: str
    began: float
    token: ShownToken | None
    address: str
    allowance: Allowance | None = None
    operation: str = NO_OPERATION
    validator: Validator | None = None
    lasts: bool = False
    match: str = ""
    problem_status: int = 0

    def sender(self, valid_fields: Container[str]) -> Sender:
        """Return the sender to count a request by. valid_fields: the fields of valid tokens."""
        return sender_of(self.token, self.address, valid_fields)

    def attach(self, environ: Environ) -> None:
        """Store the state with its request."""
        environ[_STATE] = self


def client_address(environ: Environ, proxies: Proxies) -> str:
    """Return the address of a request's client, "" if the server knows none."""
    return proxies.client_of(
        environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", "")
    )


def sender_of(token: ShownToken | None, address: str, valid_fields: Container[str]) -> Sender:
    """Return the sender to count a request by. valid_fields: the fields of valid tokens."""
    by_address = f"address:{address_key(address)}"
    # An invented token has no valid field, so it brings no new limit.
    if token is not None and token.holder_field in valid_fields:
        return Sender(token.holder_field, by_address)
    return Sender(by_address, by_address)


# ---- the context of the present request ----------------------------------------------------


def services_of(app: Flask) -> AppServices:
    """Return the services of an application."""
    result: AppServices = app.extensions[_SERVICES]
    return result


def root_links_of(app: Flask) -> Mapping[str, str]:
    """Return the paths of capabilities in `GET /v1`, by name."""
    paths: Mapping[str, str] = app.extensions[_ROOT_LINKS]
    return paths


def contract_of(app: Flask) -> tuple[ModuleType, ...]:
    """Return the modules of the bodies of an application's capabilities."""
    result: tuple[ModuleType, ...] = app.extensions[_CONTRACT]
    return result


def services() -> AppServices:
    """Return the services of the present application."""
    return services_of(current_app)


def ctx() -> Context:
    """Return the context of the use cases."""
    result: AppServices = current_app.extensions[_SERVICES]
    return result.ctx


def config() -> Config:
    """Return the configuration of the present application."""
    result: AppServices = current_app.extensions[_SERVICES]
    return result.config


def page_limit(limit: int) -> int:
    """Return the number of items on a page for a requested limit."""
    return min(limit, config().page_max)


def queues() -> Queues:
    """Return the queues of the present application."""
    return services().queues


@contextmanager
def needed_queues() -> Iterator[Queues]:
    """Yield the queues. Raises JournalUnavailable if they cannot be reached."""
    try:
        yield queues()
    except RedisError:
        raise JournalUnavailable("the queues cannot be reached") from None


def state_of(environ: Environ) -> RequestState:
    """Return the state of a request."""
    result: RequestState = environ[_STATE]
    return result


def operation_of(environ: Environ) -> str:
    """Return the name of a request's operation, NO_OPERATION while that is unknown."""
    return state_of(environ).operation


def state() -> RequestState:
    """Return the state of the present request."""
    result: RequestState = flask.request.environ[_STATE]
    return result


def sender() -> Sender:
    """Return the sender to count the present request by."""
    return state().sender(ctx().cache.holders)


def check_allowance() -> None:
    """Raise TooMany for a request beyond its limit."""
    allowance = state().allowance
    if allowance is not None and allowance.remaining < 0:
        raise allowance.refusal()


def count_opening() -> None:
    """Count an opening by the caller's address. A repeated opening counts, too. Raises TooMany.

    Openings have a limit of their own: each takes more time than other requests, and stays stored.
    """
    limit = services().openings
    if limit is None:
        return
    allowance = limit.count(sender().address)
    if allowance.remaining < 0:
        raise allowance.refusal()


def forget_here(match: str, holder: str) -> None:
    """Drop the presence of a seat, because its token has changed. Ignore other holders."""
    seat = seat_of(holder)
    if seat is not None:
        # Without the queues no presence is shown.
        with suppress(RedisError):
            queues().forget_here(match, seat)


# ---- the caller: the bearer token of a request (RFC 6750) ----------------------------------


def bearer() -> str | None:
    """Return the bearer token, None without a token. Raises Unauthorized for any other text."""
    token = _required_form()
    return None if token is None else token.text


def all_tokens(more: Sequence[str]) -> list[str]:
    """Return the bearer token, if there is one, and the tokens of the header Giornale-Tokens.

    Raises Unauthorized if there is a header Authorization without a bearer token.
    """
    own = bearer()
    return list(more) if own is None else [own, *more]


def token_for(match_id: str) -> str | None:
    """Return the bearer token for a match. Raises Forbidden for a token of another match."""
    token = _required_form()
    if token is None:
        return None
    if token.match != match_id:
        raise Forbidden("this token belongs to another match")
    return token.text


def enter(match_id: str) -> Access:
    """Return the head of a match and its reader, by the request's token.

    Raises Unauthorized, Forbidden, NotFound and MatchDeleted.
    """
    return access.enter(ctx(), match_id, token_for(match_id))


def _required_form() -> ShownToken | None:
    """Return the shown token, None without the header Authorization.

    Raises Unauthorized if the header has no token of the right form.
    """
    token = state().token
    if token is None and "HTTP_AUTHORIZATION" in flask.request.environ:
        raise Unauthorized(
            "the header Authorization must be `Bearer gio_...`, with a token of this match"
        )
    return token


def shown_token(header: str) -> ShownToken | None:
    """Return the token in a header Authorization, None for any other text."""
    text = bearer_text(header)
    return _token_of(text) if len(text) == tokens.LENGTH else None


@lru_cache(maxsize=1024)  # most tokens are shown again and again
def _token_of(text: str) -> ShownToken | None:
    match = tokens.match_of(text)
    return None if match is None else ShownToken(text, match, tokens.field(text))


def bearer_text(header: str) -> str:
    """Return the text of a Bearer header, "" for another scheme."""
    scheme, _, text = header.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


# ---- the operator: commands of the server's machine, over HTTP -------------------------------

# Equivalent commands on the server's machine, by operation.
COMMANDS = {"importRecord": "giornale import FILE", "deleteMatch": "giornale match delete ID"}


def require_operator(environ: Environ, operation: str) -> None:
    """Let only the operator pass.

    Raises FeatureOff if the server has no operator's token, Unauthorized for a request without a
    token, and Forbidden for another token.
    """
    token = config().operator_token
    if not token:
        raise FeatureOff(
            "the operator's operations are off on this server. "
            f"Its operator can run `{COMMANDS[operation]}`"
        )

    caller_token = _bearer_bytes(environ)
    if not caller_token:
        raise Unauthorized(
            "this needs the operator's token. Send `Authorization: Bearer` with the value of "
            "GIORNALE_OPERATOR_TOKEN"
        )
    if not hmac.compare_digest(caller_token, token.encode()):
        raise Forbidden("this is not the operator's token")


def operator() -> str:
    """Return the operator's mark: the first 16 hex digits of the SHA-256 of the token."""
    return hashlib.sha256(config().operator_token.encode()).hexdigest()[:16]


def _bearer_bytes(environ: Environ) -> bytes:
    """Return the bytes of a bearer token of any form (RFC 6750), b"" without a token."""
    text = bearer_text(environ.get("HTTP_AUTHORIZATION", ""))
    return text.encode("latin-1", "replace")  # as in WSGI (PEP 3333)
