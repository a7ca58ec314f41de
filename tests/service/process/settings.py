"""Settings for tests of processes."""

from pathlib import Path

from service.config import Config


def settings(data: Path, **more: str) -> Config:
    """Return the settings of a service on a data directory, at any free port."""
    given = {f"GIORNALE_{name.upper()}": value for name, value in more.items()}
    return Config.load({"GIORNALE_DATA": str(data), "GIORNALE_PORT": "0", **given})
