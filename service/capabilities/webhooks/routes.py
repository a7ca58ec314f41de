"""Webhooks over HTTP: a holder has an address called when a match needs them."""

from flask import Blueprint, Response

from domain.json_types import Json
from service.api import problems
from service.api.contract.operations import OF_A_MATCH, STORED, AnswerSpec, operation
from service.api.http.context import config, ctx, enter, token_for
from service.api.http.responses import answer, nothing
from service.base.errors import Forbidden, Invalid, Mistake
from service.capabilities.webhooks import use_cases
from service.capabilities.webhooks.answers import Hook, NewHook
from service.capabilities.webhooks.schemas import WebhookSchema
from service.capabilities.webhooks.use_cases import Delivery, Webhook
from service.record.commit import timestamp

webhooks = Blueprint("webhooks", __name__, url_prefix="/v1/matches/<id:match>/webhook")

_PRIVATE = {"Cache-Control": "no-store"}


@webhooks.put("")
@operation(
    "putWebhook",
    "Have an address called",
    tag="play",
    tokens="needed",
    body=WebhookSchema,
    answers={
        200: AnswerSpec(
            "The webhook in place of one of the same token, whose secret it keeps.",
            Hook,
        ),
        201: AnswerSpec("The webhook, with the secret that no later answer shows.", NewHook),
    },
    problems=(*OF_A_MATCH, problems.BUSY),
)
def put_webhook(match: str, data: Json) -> Response:
    """Have an address called when it is the turn of the token's seat, when others ask it to take
    moves back, or when the match has ended; with the owner's token, when it is any human's turn.

    The calls follow Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`,
    which has `v1` (HMAC-SHA256 by the secret) and `v1a` (Ed25519, by the key of `/v1/keys` that
    `giornale-key` names). The body is `{"type", "timestamp", "data": {"match", "version",
    "seat", "deadline"}}`. A call is always about the match as it is now: one that failed is made
    again after a minute, then after longer pauses for three days, unless the turn has passed. 410
    ends them. A redirect counts as a failure. When the owner replaces the token of a seat, its
    webhook ends.
    """
    enter(match)
    _require_switched_on()
    _require_address(data["url"])
    on = tuple(event for event in use_cases.EVENTS if event in data["on"])
    webhook, has_new_secret = use_cases.put(ctx(), match, token_for(match), data["url"], on)

    if not has_new_secret:
        return answer(_shown(webhook, Delivery()), headers=_PRIVATE)
    value: NewHook = {"secret": webhook.secret, **_shown(webhook, Delivery())}
    return answer(value, 201, _PRIVATE)


@webhooks.get("")
@operation(
    "getWebhook",
    "See one's webhook",
    tag="play",
    tokens="needed",
    answers={200: AnswerSpec("The webhook, and how its calls go.", Hook)},
    problems=STORED,
)
def get_webhook(match: str) -> Response:
    """Show the webhook of the token's holder, without its secret."""
    webhook, delivery = use_cases.get(ctx(), match, token_for(match))
    return answer(_shown(webhook, delivery), headers=_PRIVATE)


@webhooks.delete("")
@operation(
    "deleteWebhook",
    "Have an address called no more",
    tag="play",
    tokens="needed",
    answers={204: AnswerSpec("Nothing of it is kept.")},
    problems=(*OF_A_MATCH, problems.BUSY),
)
def delete_webhook(match: str) -> Response:
    """Forget the webhook of the token's holder."""
    use_cases.delete(ctx(), match, token_for(match))
    return nothing()


@webhooks.post("/test")
@operation(
    "testWebhook",
    "Have an address called once",
    tag="play",
    tokens="needed",
    answers={202: AnswerSpec("The test will be sent; `getWebhook` shows how it went.")},
    problems=(*OF_A_MATCH, problems.BUSY),
)
def test_webhook(match: str) -> Response:
    """Have a call of the type `test` made, also to an address that calls were given up for."""
    enter(match)
    _require_switched_on()
    use_cases.ask_test(ctx(), match, token_for(match))
    return Response(status=202, headers=_PRIVATE)


def _require_switched_on() -> None:
    """Raise Forbidden on a server that makes no calls."""
    if not config().hooks:
        raise Forbidden("this server calls nobody: its operator has not switched webhooks on")


def _require_address(url: str) -> None:
    """Raise Invalid for a port that is not called, and for an address without TLS.

    The latter is taken if calls into private networks are allowed.
    """
    if url.startswith("http:") and not config().hooks_allow:
        raise Invalid(Mistake("/url", "must begin with https://"))
    if not use_cases.may_have_port(url):
        raise Invalid(Mistake("/url", "must have port 443, or one from 1024 upward"))


def _shown(webhook: Webhook, delivery: Delivery) -> Hook:
    """Return what is shown of a webhook."""
    return {
        "url": webhook.url,
        "on": list(webhook.on),
        "answer": delivery.answer,
        "tries": delivery.tries,
        "again": timestamp(delivery.again) if delivery.again else None,
        "ended": delivery.ended,
    }
