"""`pip install everlore`, without extras: small, complete, offline, and each extra is asked for by its name. The same
with uv, uvx and pipx; and what registries are told of us, by their own validators.

The environment holds the wheel and links to the packages of core.lock that are installed beside these tests, so that
nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = place.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """The interpreter of an environment that has the core and nothing else."""
    place = tmp_path_factory.mktemp("core")
    venv.create(place / "venv", symlinks=True, with_pip=False)
    (packages,) = (place / "venv" / "lib").glob("python*/site-packages")
    for distribution in distributions():
        for top in {file.parts[0] for file in distribution.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            source = Path(str(distribution.locate_file(top)))
            if not (packages / top).exists():
                (packages / top).symlink_to(source)
    zipfile.ZipFile(wheel).extractall(packages)
    return place / "venv" / "bin" / "python"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """Our wheel, and one of everything it needs, packed again from what is installed here: real installers work with
    them and with no index."""
    house = tmp_path_factory.mktemp("wheels")
    shutil.copy(wheel, house)
    for distribution in distributions():
        tags = re.findall(r"^Tag: (.+)$", distribution.read_text("WHEEL") or "", re.MULTILINE)
        name = re.sub(r"[-_.]+", "_", distribution.metadata["Name"])
        unlike = ("..", "__pycache__")  # scripts, which installers make, and what Python adds
        kept = [one for one in distribution.files or [] if not set(unlike) & set(one.parts)]
        kept = [one for one in kept if one.name not in ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")]
        record = next(one for one in distribution.files or [] if one.name == "RECORD")
        with zipfile.ZipFile(house / f"{name}-{distribution.version}-{tags[-1]}.whl", "w") as archive:
            for one in kept:
                archive.write(str(distribution.locate_file(one)), str(one))
            archive.writestr(str(record), "".join(f"{one},,\n" for one in [*kept, record]))
    return house


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `uv`, `uvx` and `pipx`."""
    place = tmp_path_factory.mktemp("tools") / "venv"
    venv.create(place, with_pip=True)
    command = [str(place / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "uv>=0.9", "pipx>=1.7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip(f"uv and pipx cannot be had: {done.stderr.strip().splitlines()[-1:]}")
    return place / "bin"


WAYS = {
    "pip": (
        "{tools}/python -m venv {place}/own",
        "{place}/own/bin/pip install --no-compile --no-index --find-links {wheels} everlore",
    ),
    "uv tool": ("{tools}/uv tool install --no-index --find-links {wheels} --python {python} everlore",),
    "uvx": (),
    "pipx": (
        "{tools}/pipx install --python {python} --pip-args '--no-compile --no-index --find-links {wheels}' everlore",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_an_installer_gives_a_program_that_works(way: str, tools: Path, wheels: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    folders = {"UV_TOOL_DIR": "tools", "UV_TOOL_BIN_DIR": "bin", "UV_CACHE_DIR": "cache"}
    folders |= {"PIPX_HOME": "pipx", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man", "HOME": "home"}
    env = clean_env(tmp_path / "root", {name: str(place / folder) for name, folder in folders.items()})
    env |= {"UV_PYTHON_DOWNLOADS": "never", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    env |= {"EVEROS_EMBEDDING__CACHE_DIR": os.environ.get("EVEROS_EMBEDDING__CACHE_DIR", "~/.cache/everlore")}

    def called(words: list[str]) -> str:
        done = subprocess.run(
            words, env=env, cwd=place, capture_output=True, encoding="utf-8", check=False, timeout=600
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    for command in WAYS[way]:
        known = {"tools": str(tools), "place": str(place), "wheels": str(wheels), "python": sys.executable}
        called([word.format(**known) for word in shlex.split(command)])
    program = [str(place / ("own/bin" if way == "pip" else "bin") / "everlore")]
    if way == "uvx":
        program = [
            str(tools / "uvx"),
            "--no-index",
            "--find-links",
            str(wheels),
            "--python",
            sys.executable,
            "everlore",
        ]
    assert called([*program, "--version"]).startswith("everlore ")
    called([*program, "add", "I live in Graz."])
    assert "Graz" in called([*program, "search", "where do I live?"])
    called([*program, "stop"])
    if way != "uvx":
        assert (
            json.loads(called([str(Path(program[0]).with_name("evercli")), "--version"]))["data"]["name"] == "evercli"
        )


def test_the_registry_of_mcp_servers_takes_what_we_tell_it(tmp_path: Path) -> None:
    """By its own schema, which skillsaw's wheel carries."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(tmp_path), "skillsaw==0.22.0"]
    if subprocess.run(command, capture_output=True, check=False, timeout=300).returncode:
        pytest.skip("the registry's schema cannot be had")
    (carrier,) = tmp_path.glob("*.whl")
    schema = json.loads(zipfile.ZipFile(carrier).read("skillsaw/schemas/mcp_registry/v2025_12_11/server.schema.json"))
    told = json.loads((ROOT / "packaging" / "server.json").read_text(encoding="utf-8"))
    jsonschema.validate(told, schema)
    assert told["$schema"] == schema["$id"]
    assert f"<!-- mcp-name: {told['name']} -->" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_the_bundle_is_valid_to_those_who_install_it(tmp_path: Path) -> None:
    install = ["npm", "install", "--silent", "--prefix", str(tmp_path), "@anthropic-ai/mcpb@2.1.2"]
    if subprocess.run(install, capture_output=True, check=False, timeout=300).returncode:
        pytest.skip("@anthropic-ai/mcpb cannot be had")
    mcpb, source = tmp_path / "node_modules" / ".bin" / "mcpb", ROOT / "packaging" / "mcpb"
    for command in (
        ["validate", str(source / "manifest.json")],
        ["pack", str(source), str(tmp_path / "everlore.mcpb")],
    ):
        done = subprocess.run([mcpb, *command], capture_output=True, encoding="utf-8", check=False, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
    manifest = json.loads(zipfile.ZipFile(tmp_path / "everlore.mcpb").read("manifest.json"))
    names = {one["name"] for one in manifest["tools"]}
    assert {"mem_context", "store_memory"} <= names


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
