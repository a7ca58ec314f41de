"""One round of the scheduler, by this tree or by an older one without a root of workers."""

from typing import Any

from service.base.config import Config
from service.matches.context import Context
from workers import scheduler

app: Any
try:
    from workers import app
except ImportError:  # an older tree
    app = None


def make_round(ctx: Context, config: Config, jobs: Any, *, look: bool) -> None:
    """Make one round. `jobs`: the queues, which also know the jobs of workers that died."""
    if app is None:
        older: Any = scheduler
        older.make_round(ctx, jobs, jobs, older.rules_of(config), look=look)
        return
    plan = scheduler.Plan(
        ctx,
        app.timer_kinds(ctx, jobs, hooks=config.hooks),
        app.steps(ctx, jobs, jobs, config.scheduler_after_ms),
        app.look_of(ctx, app.patience_of(config)),
    )
    scheduler.make_round(plan, look=look)
