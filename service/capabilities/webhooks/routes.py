"""Webhooks over HTTP: the holder of a token has an address called when a match needs the holder."""

from flask import Blueprint, Response

from domain.json_types import Json
from service.api import problems
from service.api.contract.operations import STORED, AnswerSpec, operation
from service.api.http.context import config, ctx, enter, token_for
from service.api.http.responses import answer, nothing
from service.base.errors import FeatureOff, Invalid, Mistake
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
    "Set a webhook",
    tag="play",
    tokens="needed",
    body=WebhookSchema,
    answers={
        200: AnswerSpec(
            "The webhook takes the place and the secret of the token's earlier one.",
            Hook,
        ),
        201: AnswerSpec("The webhook with its secret. No later answer shows the secret.", NewHook),
    },
    problems=(*STORED, problems.FEATURE_OFF, problems.BUSY),
)
def put_webhook(match: str, data: Json) -> Response:
    """Have an address called when the match needs the token's seat, or has ended.

    `on` chooses the occasions: the turn of the seat, a request of others to take moves back, the
    end of the match. With the owner's token, `turn` is any human's turn. The calls follow Standard
    Webhooks, with `webhook-id`, `webhook-timestamp` and `webhook-signature`. The signatures are
    `v1` (HMAC-SHA256 by the secret) and `v1a` (Ed25519, by the key of `/v1/keys` that
    `giornale-key` names). The body is `{"type", "timestamp", "data": {"match", "version", "seat",
    "deadline"}}`. A call is always about the match as it is now. A failed call is made again after
    a minute, then after longer pauses for three days, unless the turn has passed. The answer 410
    ends the calls. A redirect counts as a failure. The seat's webhook ends when the owner replaces
    its token, when the token is revoked, or when the seat is left.
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
    answers={200: AnswerSpec("The webhook and the state of its calls.", Hook)},
    problems=STORED,
)
def get_webhook(match: str) -> Response:
    """Show the webhook of the token's holder, without its secret."""
    webhook, delivery = use_cases.get(ctx(), match, token_for(match))
    return answer(_shown(webhook, delivery), headers=_PRIVATE)


@webhooks.delete("")
@operation(
    "deleteWebhook",
    "Remove a webhook",
    tag="play",
    tokens="needed",
    answers={204: AnswerSpec("The webhook is removed.")},
    problems=(*STORED, problems.BUSY),
)
def delete_webhook(match: str) -> Response:
    """Forget the webhook of the token's holder."""
    use_cases.delete(ctx(), match, token_for(match))
    return nothing()


@webhooks.post("/test")
@operation(
    "testWebhook",
    "Test a webhook",
    tag="play",
    tokens="needed",
    answers={202: AnswerSpec("The test will be sent. `getWebhook` shows its result.")},
    problems=(*STORED, problems.FEATURE_OFF, problems.BUSY),
)
def test_webhook(match: str) -> Response:
    """Have a call of the type `test` made. This also restarts calls that were given up."""
    enter(match)
    _require_switched_on()
    use_cases.ask_test(ctx(), match, token_for(match))
    return Response(status=202, headers=_PRIVATE)


def _require_switched_on() -> None:
    if not config().hooks:
        raise FeatureOff("webhooks are off on this server. Follow the stream of the match")


def _require_address(url: str) -> None:
    """Raise Invalid for a port that may not be called, and for an address without TLS.

    Addresses without TLS are taken if the operator allows calls into private networks.
    """
    if url.startswith("http:") and not config().hooks_allow:
        raise Invalid(Mistake("/url", "must begin with https://"))
    if not use_cases.may_have_port(url):
        raise Invalid(Mistake("/url", "must have port 443, or a port from 1024 upward"))


def _shown(webhook: Webhook, delivery: Delivery) -> Hook:
    """Return the answer for a webhook."""
    return {
        "url": webhook.url,
        "on": list(webhook.on),
        "answer": delivery.answer,
        "tries": delivery.tries,
        "again": timestamp(delivery.again) if delivery.again and not delivery.ended else None,
        "stopped": delivery.ended.replace(" ", "_"),  # stored as "given up"
    }
