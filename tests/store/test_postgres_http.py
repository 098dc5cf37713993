"""The memory contract on PostgreSQL, with real server processes: two at once on one database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from clusters import CITUS
from databases import Postgres
from embeddings import Endpoint
from serving import Api, Server, everlore, running

TEA = "I drink Lapsang tea every morning."
MOVED = "My sister Maria moved to Porto in March."


def environment(url: str, vectors: Endpoint) -> dict[str, str]:
    return {
        "DATABASE_URL": url,
        "EVEROS_EMBEDDING__BASE_URL": vectors.url,
        "EVEROS_EMBEDDING__MODEL": "test",
        "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
    }


@pytest.fixture(scope="module")
def url(database: Postgres) -> str:
    return database.database()


@pytest.fixture(scope="module")
def env(url: str, vectors: Endpoint) -> Mapping[str, str]:
    return environment(url, vectors)


@pytest.fixture(scope="module")
def servers(env: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Two, started at once on an empty database."""
    roots = [tmp_path_factory.mktemp("pg") / "root" for _ in range(2)]
    with ExitStack() as stack, ThreadPoolExecutor(2) as pool:
        yield list(pool.map(stack.enter_context, [running(root, env) for root in roots]))


def test_what_one_server_is_told_the_other_knows(servers: list[Server]) -> None:
    one, two = (Api(server.client, server.root, app_id="shared") for server in servers)
    one.tell("s1", TEA, MOVED)
    for api in (one, two):
        found = api.until("search", lambda data: bool(data["episodes"]), user_id="alice", query="Where did Maria move?")
        assert MOVED in found["episodes"][0]["episode"]
        assert found["episodes"][0]["atomic_facts"]
        by_vector = api.until(
            "search", lambda data: bool(data["episodes"]), user_id="alice", query=TEA, method="vector"
        )
        assert TEA in by_vector["episodes"][0]["episode"]
    listed = two.ok("get", user_id="alice", memory_type="episode")
    assert listed["total_count"] == 1
    two.ok("add", session_id="s2", messages=[{"sender_id": "alice", "role": "user", "timestamp": 1, "content": "hm"}])
    waiting = one.ok("search", user_id="alice", query="x", filters={"session_id": "s2"})
    assert [message["content"] for message in waiting["unprocessed_messages"]] == ["hm"]
    assert two.post("delete", user_id="alice", id=listed["episodes"][0]["id"]).status_code == 200
    assert one.ok("search", user_id="alice", query="Lapsang tea")["episodes"] == []
    assert one.ok("get", user_id="alice", memory_type="episode")["total_count"] == 0


def test_nothing_is_kept_on_the_servers_disk(servers: list[Server]) -> None:
    api = Api(servers[0].client, servers[0].root)
    api.tell("s1", TEA)
    assert list(servers[0].root.rglob("*.md")) == []
    kept = {path.name for path in servers[0].root.rglob("*") if path.is_file()}
    assert not {name for name in kept if name.startswith(("index.db", "state.db", "embeddings.db"))}, kept


def test_killed_sessions_are_not_noticed_by_clients(servers: list[Server], database: Postgres) -> None:
    api = Api(servers[0].client, servers[0].root)
    api.tell("s1", TEA)
    for number in range(3):
        database.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ '^everlore '")
        found = api.ok("search", user_id="alice", query="Lapsang tea")
        assert len(found["episodes"]) == 1
        api.ok("add", session_id=f"k{number}", messages=[
            {"sender_id": "bob", "role": "user", "timestamp": number + 1, "content": f"word {number}"}
        ])  # fmt: skip
        kept = api.ok("search", user_id="bob", query="x", filters={"session_id": f"k{number}"})
        assert len(kept["unprocessed_messages"]) == 1


def test_a_read_only_database_answers_503_and_search_goes_on(
    servers: list[Server], database: Postgres, url: str
) -> None:
    api = Api(servers[0].client, servers[0].root)
    api.tell("s1", TEA)
    name = url.rpartition("/")[2]
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    database.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    try:
        database.run(kill, (name,))
        message = {"sender_id": "alice", "role": "user", "timestamp": 7, "content": "lost?"}
        said = api.refused("add", 503, session_id="s2", messages=[message])
        assert "read-only" in said
        assert database.password not in said
        assert len(api.ok("search", user_id="alice", query="Lapsang tea")["episodes"]) == 1
    finally:
        database.run(f"ALTER DATABASE {name} SET default_transaction_read_only = off")
        database.run(kill, (name,))
    api.ok("add", session_id="s2", messages=[message])


def test_the_commands_work_on_it_and_show_no_password(
    servers: list[Server], env: Mapping[str, str], database: Postgres, tmp_path: Path
) -> None:
    Api(servers[0].client, servers[0].root).tell("s1", TEA)
    outputs = []
    for words in (["index", "status"], ["index", "rebuild"], ["index", "reembed"], ["index", "sync"], ["doctor"]):
        done = everlore(*words, root=tmp_path, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        outputs.append(done.stdout + done.stderr)
    assert "vault\tPostgreSQL at 127.0.0.1" in outputs[0]
    refused = everlore("store", "distribute", root=tmp_path, env=env)
    assert CITUS or (refused.returncode == 1 and "CREATE EXTENSION citus" in refused.stderr)
    logs = [server.log_path.read_text(encoding="utf-8") for server in servers]
    assert not any(database.password in text for text in (*outputs, refused.stderr, *logs))


def test_memories_of_a_file_with_a_repeated_id_can_be_deleted(
    servers: list[Server], env: Mapping[str, str], tmp_path: Path
) -> None:
    """No person edits a database, but what is imported into it was edited."""
    entries = "".join(
        f"<!-- entry:ep_20260528_0000000{number} -->\n## ep_20260528_0000000{number}\n\n### Content\n{text}\n"
        f"<!-- /entry:ep_20260528_0000000{number} -->\n\n"
        for number, text in ((1, TEA), (2, MOVED), (2, MOVED))
    )
    folder = tmp_path / "edited/app/p/users/alice/episodes"
    folder.mkdir(parents=True)
    for day in ("28", "29"):
        (folder / f"episode-2026-05-{day}.md").write_text(entries, encoding="utf-8")
    done = everlore("import", str(tmp_path / "edited"), root=tmp_path / "root", env=env)
    assert done.returncode == 0, done.stderr
    api = Api(servers[0].client, servers[0].root, app_id="app")
    assert api.ok("get", user_id="alice", memory_type="episode")["total_count"] == 2
    told = "\n".join(servers[0].client.get("/health").json()["problems"])
    assert "is there twice; this one" in told
    assert "is there twice, also in app/p/users/alice/episodes/episode-2026-05-28.md" in told
    for number, left in ((1, 1), (2, 0)):
        api.ok("delete", user_id="alice", id=f"alice_ep_20260528_0000000{number}")
        assert api.ok("get", user_id="alice", memory_type="episode")["total_count"] == left
    assert servers[0].client.get("/health").json()["problems"] == []


def test_a_database_that_is_not_there_is_one_sentence(tmp_path: Path, vectors: Endpoint) -> None:
    env = environment("postgresql://u:s3cret@127.0.0.1:1/nowhere", vectors)
    done = everlore("index", "status", root=tmp_path, env=env)
    assert done.returncode == 1
    assert "PostgreSQL at 127.0.0.1:1/nowhere cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert "s3cret" not in done.stderr
