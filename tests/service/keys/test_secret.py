"""The service's own secret."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from service.config import Config
from service.keys.secret import secret_of


def on(directory: Path, secret: str = "") -> Config:
    """Return a configuration with this data directory."""
    return Config.load({"GIORNALE_DATA": str(directory), "GIORNALE_SECRET": secret})


def test_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    """The first start makes the file, readable by nobody else; the next finds the same secret."""
    first = secret_of(on(tmp_path / "new"))
    assert len(first) >= 32
    assert secret_of(on(tmp_path / "new")) == first
    assert (tmp_path / "new" / "secret").stat().st_mode & 0o777 == 0o600


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    """Whoever comes second uses the first's secret, and no draft is left behind."""
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: secret_of(on(tmp_path)), range(64)))
    assert len(found) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_setting_comes_before_the_file(tmp_path: Path) -> None:
    """A secret that is set is used, and no file is made."""
    assert secret_of(on(tmp_path, "s" * 32)) == b"s" * 32
    assert not list(tmp_path.iterdir())
