"""The HTTP door."""

from flask import Flask


def init(app: Flask) -> None:
    """Mount everything on the application."""
    from service.api import (
        audit,
        common,
        compression,
        games,
        health,
        history,
        hooks,
        lobby,
        matches,
        moves,
        pages,
        problems,
        states,
        streams,
    )

    common.init(app)
    compression.init(app)  # before the hooks, whose layer is around it
    hooks.init(app)
    problems.init(app)
    for blueprint in (
        *(
            games.games,
            matches.matches,
            lobby.lobby,
            states.states,
            moves.moves,
            history.history,
            streams.streams,
        ),
        *(audit.audit, pages.pages, health.health),
    ):
        app.register_blueprint(blueprint)
