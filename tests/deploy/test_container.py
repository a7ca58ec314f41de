"""The Containerfile: its copied files are enough to build and to run the service."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from service.ops.process.preflight import free_port
from tests.deploy.places import CONTAINERFILE, ROOT, copied_into_image
from tests.deploy.processes import process, status_of
from tests.running import environment, until

HOST = "127.0.0.1"

# The command `giornale`. It first prints the place of its import.
GIORNALE = """\
import sys
import service
import workers.giornale
print(service.__file__, flush=True)
sys.exit(workers.giornale.main())
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of the image, installed from the files that the Containerfile copies."""
    directory = tmp_path_factory.mktemp("image")
    source, packages = directory / "source", directory / "packages"
    source.mkdir()
    for name in copied_into_image():
        if (ROOT / name).is_dir():
            no_caches = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=no_caches)
        else:
            shutil.copy(ROOT / name, source / name)

    assert "--no-deps --no-build-isolation ." in CONTAINERFILE.read_text()
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    pip = [sys.executable, "-m", "pip", "install", *options]
    subprocess.run([*pip, "--target", packages, source], check=True, capture_output=True)
    return packages


def settings(port: int, data: Path) -> dict[str, str]:
    """Return the Containerfile's settings, with those that must differ outside of a container."""
    in_image = dict(re.findall(r"(GIORNALE_\w+)=(\S+)", CONTAINERFILE.read_text()))
    here = {
        "GIORNALE_DATA": str(data),
        "GIORNALE_HOST": HOST,
        "GIORNALE_PORT": str(port),
    }
    assert here.keys() < in_image.keys()
    return in_image | here


def test_base_images_are_named_by_digest() -> None:
    """Both stages have the same base, by digest: the holder of a tag may move it."""
    bases = re.findall(r"^FROM (\S+)", CONTAINERFILE.read_text(), re.MULTILINE)

    assert len(bases) == 2
    assert len(set(bases)) == 1
    assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", bases[0])


def test_the_image_has_each_file_of_the_build() -> None:
    """The image has the build hook, too. Without the hook pip installs nothing."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    hooks = [hook.get("path", "hatch_build.py") for hook in build["hooks"].values()]
    assert hooks
    assert {*hooks, "pyproject.toml", "requirements.lock"} <= set(copied_into_image())


@pytest.mark.whole
def test_the_image_serves(image: Path, redis_url: str, tmp_path: Path) -> None:
    """The installed sources run the default command, `giornale web`."""
    port = free_port(HOST, 0)
    environ = environment() | settings(port, tmp_path / "data")
    environ |= {"GIORNALE_JOURNAL_URL": redis_url, "PYTHONPATH": str(image)}
    giornale = [sys.executable, "-P", "-c", GIORNALE]

    version = subprocess.run(
        [*giornale, "--version"],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert version.stdout.startswith(str(image))

    [default] = re.findall(r'^CMD \["(\w+)"\]$', CONTAINERFILE.read_text(), re.MULTILINE)
    with process([*giornale, default], environ, tmp_path):
        until(lambda: status_of(f"http://{HOST}:{port}/livez") == 200, "the web process")
        assert status_of(f"http://localhost:{port}/v1/games") == 200
        assert status_of(f"http://{HOST}:{port}/v1/games") == 421, "nobody has named this host"
        assert status_of(f"http://{HOST}:{port}/readyz") == 503, "no worker runs"
