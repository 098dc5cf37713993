"""`pip install everlore`, without extras: small, complete, offline, and each extra is asked for by its name.

The environment holds the wheel and links to the packages of core.lock that are installed beside these tests, so that
nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
import importlib.metadata
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from serving import Api, clean_env, running

from everlore.extras import EXTRAS, missing

ROOT = Path(__file__).parents[1]
MOST_DEPENDENCIES = 16
MOST_BYTES = 250_000_000
BUILD = {"editables", "hatchling", "pathspec", "pip", "pluggy", "tomlkit", "trove-classifiers"}
"""Only `make run` needs them, to install a working copy."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


def distributions() -> Iterator[importlib.metadata.Distribution]:
    """The packages of core.lock that belong to this platform."""
    for line in (ROOT / "core.lock").read_text(encoding="utf-8").splitlines():
        if line[:1].isalnum():
            requirement = Requirement(line.rstrip("\\ "))
            if requirement.name not in BUILD and (not requirement.marker or requirement.marker.evaluate()):
                yield importlib.metadata.distribution(requirement.name)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the core and nothing else."""
    place = tmp_path_factory.mktemp("core")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    venv.create(place / "venv", symlinks=True, with_pip=False)
    (packages,) = (place / "venv" / "lib").glob("python*/site-packages")
    for distribution in distributions():
        for top in {file.parts[0] for file in distribution.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            source = Path(str(distribution.locate_file(top)))
            if not (packages / top).exists():
                (packages / top).symlink_to(source)
    (wheel,) = (place / "dist").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(packages)
    return place / "venv" / "bin" / "python"


def run(python: Path, root: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "everlore", *args]
    return subprocess.run(command, env=clean_env(root, env), capture_output=True, encoding="utf-8", timeout=120)


def test_direct_dependencies_are_few() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(project["dependencies"]) <= MOST_DEPENDENCIES


def test_the_core_is_small() -> None:
    """All files of all its packages, as `pip install` writes them; the bytecode that Python adds is not counted."""
    sizes = {
        found.metadata["Name"]: sum(file.size or 0 for file in found.files or [] if file.suffix != ".pyc")
        for found in distributions()
    }
    ours = sum(path.stat().st_size for path in (ROOT / "src").rglob("*.py"))
    assert sum(sizes.values()) + ours <= MOST_BYTES, sorted(sizes.items(), key=lambda item: -item[1])[:10]


def test_no_extra_is_in_the_core(python: Path, tmp_path: Path) -> None:
    modules = {module for extra in EXTRAS.values() for module in extra.modules} - {"jwt"}  # mcp brings that one
    program = "import sys; from importlib.util import find_spec; print([m for m in sys.argv[1:] if find_spec(m)])"
    done = subprocess.run([python, "-c", program, *modules], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_server_remembers_and_finds_offline(python: Path, tmp_path: Path) -> None:
    program = (str(python), "-m", "everlore", "server", "start", "--port", "0")
    with running(tmp_path / "vault", program=program, env={"EVEROS_EMBEDDING__CACHE_DIR": str(tmp_path)}) as server:
        api = Api(server.client, server.root)
        api.tell("s", "I moved to Lisbon last spring.", "My daughter plays the violin.")
        query = "Which instrument does my daughter play?"
        api.until("search", lambda found: "violin" in str(found), user_id="alice", query=query, method="hybrid")
        for kind, ext, extra in (("doc", "docx", "docs"), ("image", "png", "ocr"), ("audio", "wav", "audio")):
            magic = {"docx": b"PK\x03\x04", "png": b"\x89PNG\r\n\x1a\n", "wav": b"RIFF0000WAVE"}[ext]
            item = {"type": kind, "ext": ext, "base64": base64.b64encode(magic).decode()}
            message = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000, "content": [item]}
            assert missing(extra) in api.post("add", session_id="m", messages=[message]).text.replace('\\"', '"')


@pytest.mark.parametrize(
    ("extra", "args", "env"),
    [
        ("postgres", ["index", "status"], {"DATABASE_URL": "postgresql://someone@localhost/none"}),
        ("code", ["code", "index", "."], {}),
        ("cms", ["content", "status"], {}),
    ],
)
def test_a_command_that_needs_an_extra_says_so(
    python: Path, tmp_path: Path, extra: str, args: list[str], env: dict[str, str]
) -> None:
    done = run(python, tmp_path, *args, **env)
    assert done.returncode != 0
    assert missing(extra) in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
