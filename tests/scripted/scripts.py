"""The scripts by name, and how one is run."""

from collections.abc import Callable

from tests.scripted import following, gathering, playing
from tests.scripted.world import Service, Step, World

SCRIPTS: dict[str, Callable[[World], None]] = {
    script.__name__: script
    for script in (
        playing.plain,
        playing.firenze,
        playing.clock,
        playing.clock_without_more,
        playing.take_back_own,
        playing.take_back_consent,
        playing.house_between,
        playing.taken_back_in_firenze,
        playing.replaced,
        playing.finished,
        playing.expired,
        playing.bots_alone,
        gathering.lobby,
        gathering.private,
        gathering.tokens,
        gathering.webhooks,
        gathering.together,
        gathering.lapses,
        gathering.together_with_bots,
        gathering.signed,
        gathering.keys,
        following.forks,
        following.forked_secrets,
        following.rematches,
        following.rematch_together,
        following.imported,
        following.stages,
        following.stages_with_terms,
        following.bodies,
    )
}

FAILED = "the script failed"  # a step


def run(service: Service, name: str) -> list[Step]:
    """Run a script in a world of its own, and return its steps.

    If the script cannot go on, its last step says so, and the steps before show the cause.
    """
    with service.begin(name) as world:
        try:
            SCRIPTS[name](world)
        except Exception as error:  # noqa: BLE001 - whatever is wrong in the code of a tree
            world.end(FAILED, {"error": f"{type(error).__name__}: {error}"})
    return world.steps
