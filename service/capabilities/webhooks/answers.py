"""The answers about webhooks."""

from typing import Annotated, TypedDict

from service.base.answers import Count, Form, Time


class Hook(TypedDict):
    """A webhook, and how its calls go."""

    url: Annotated[str, "The address that is called."]
    on: Annotated[list[str], "What it is called for."]
    answer: Annotated[
        str, "How the last call went: a status of HTTP, or what went wrong; empty before the first."
    ]
    tries: Annotated[Count, "How many calls have failed since the last that was received."]
    again: Annotated[Time | None, "When the next one is made, after one that has failed."]
    ended: Annotated[
        str,
        Form(enum=["", "gone", "given up"]),
        "gone: the address answered 410. given up: it failed for three days, and ten times.",
    ]


class NewHook(Hook):
    """A new webhook."""

    secret: Annotated[str, "What signs the calls (Standard Webhooks); no later answer shows it."]
