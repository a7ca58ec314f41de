"""The answers about webhooks."""

from typing import Annotated, TypedDict

from service.base.answers import Count, Form, Time


class Hook(TypedDict):
    """A webhook and the state of its calls."""

    url: Annotated[str, "Address of the calls."]
    on: Annotated[list[str], "Occasions of the calls."]
    answer: Annotated[
        str, "Result of the last call: an HTTP status, or the failure. Empty before the first call."
    ]
    tries: Annotated[Count, "Number of failed calls since the last success."]
    again: Annotated[
        Time | None, "Earliest time of the next call after a failure. Null once stopped."
    ]
    stopped: Annotated[
        str,
        Form(enum=["", "gone", "given_up"]),
        "gone: the address answered 410. given_up: calls failed for three days, and ten times.",
    ]


class NewHook(Hook):
    """A new webhook."""

    secret: Annotated[
        str, "Secret that signs the calls (Standard Webhooks). No later answer shows it."
    ]
