"""openapi.yaml as it should be: the contract of a quiet application."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from flask import Flask

from service.api.app import open_services
from service.api.contract.document import document
from service.api.contract.yaml_text import yaml_text
from service.api.http.limits import RateLimits
from service.app import create_app
from service.base.config import Config
from service.matches.context import Context
from service.store.journal.memory import memory_journal

CONTRACT = Path(__file__).parents[3] / "openapi.yaml"
START = 1_772_388_000_000  # 2026-03-01T18:00:00Z
TICK = 1000  # milliseconds between two readings of the clock


def quiet_app(**changed: Any) -> Flask:
    """Return the application over a journal in memory.

    Each reading of its clock advances it by TICK.

    changed: services to replace.
    """
    settings = {
        "GIORNALE_JOURNAL_URL": "redis://127.0.0.1:1",
        "GIORNALE_SECRET": "x" * 32,
    }
    config = Config.load(settings)
    services = open_services(config)

    ticks: Iterator[int] = count(START, TICK)
    ctx = Context(
        journal=memory_journal(),
        secret=b"s" * 32,
        clock=lambda: next(ticks),
        enqueue=lambda *_: None,
        allow_seed=True,
    )

    # Limits are counted in Redis. This application has none.
    no_limits = RateLimits(services.queues, of_a_caller=0, of_an_address=0)
    own: dict[str, Any] = {"ctx": ctx, "rate_limits": no_limits, "openings": None}
    return create_app(config, replace(services, **(own | changed)))


def contract() -> str:
    """Return openapi.yaml as it should be."""
    return yaml_text(document(quiet_app()))
