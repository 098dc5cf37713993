"""The same tables on a Citus cluster: every key has the tenant, all lie side by side, and one call spreads them."""

from __future__ import annotations

import pytest
from clusters import one_database
from databases import Postgres, new_schema, opened

from everlore.backends.postgres import SHARED_ACCOUNTS
from everlore.errors import Misconfigured
from everlore.models import shared_cache
from everlore.postgres.parts import Part, distribution
from everlore.stores.postgres import buffer as buffer_tables
from everlore.stores.postgres import schema as index_tables
from everlore.stores.postgres.index import open_index
from everlore.vault import postgres as vault_tables

PARTS = [vault_tables.PART, buffer_tables.PART, index_tables.PART, shared_cache.PART, SHARED_ACCOUNTS]


def test_every_table_is_named_and_every_key_has_the_tenant(database: Postgres) -> None:
    with opened(database.url(), new_schema()) as server:
        for part in PARTS:
            server.prepare(part)
        homes = [part.home(server.schema) for part in PARTS]
        tables = server.read(
            lambda c: c.rows(
                "SELECT t.relname, array_agg(a.attname) FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid"
                " WHERE t.relnamespace::regnamespace::text = ANY(%s) AND t.relkind = 'r' AND a.attnum > 0 GROUP BY 1",
                (homes,),
            )
        )
        keys = server.read(
            lambda c: c.rows(
                "SELECT t.relname, x.relname, array_agg(a.attname) FROM pg_index i"
                " JOIN pg_class t ON t.oid = i.indrelid"
                " JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_attribute a ON a.attrelid = x.oid"
                " WHERE t.relnamespace::regnamespace::text = ANY(%s) AND i.indisunique GROUP BY 1, 2",
                (homes,),
            )
        )
    named = {table: how for part in PARTS for table, how in part.tables.items()}
    assert set(named) | {"versions", "leases"} == {table for table, _ in tables}
    assert all("tenant" in columns for table, columns in tables if named.get(table) == "tenant")
    assert len(keys) >= len(named)
    assert all("tenant" in columns for table, _, columns in keys if named.get(table) == "tenant")


def test_the_statements_lay_all_tables_beside_the_documents() -> None:
    first, *others = [statement for part in PARTS for statement in distribution("my", part)]
    assert first == "SELECT create_distributed_table('\"my\".documents', 'tenant', colocate_with => 'none')"
    assert f"SELECT create_reference_table('\"{index_tables.PART.home('my')}\".models')" in others
    assert others[0] == "SELECT truncate_local_data_after_distributing_table('\"my\".documents')"
    spread = [statement for statement in others if "create_distributed_table" in statement]
    assert all(
        statement.endswith(", 'tenant', colocate_with => '\"my\".documents')") and "distributed_table" in statement
        for statement in spread
    )
    assert len(spread) == sum(how == "tenant" for part in PARTS for how in part.tables.values()) - 1


@one_database
def test_a_new_version_spreads_only_its_new_tables(database: Postgres) -> None:
    """The two functions stand in for Citus, which cannot be had here; they write down what they are called with."""
    old = Part(
        "p", ("CREATE TABLE one(tenant int); CREATE TABLE two(tenant int)",), {"one": "tenant", "two": "reference"}
    )
    new = Part("p", (*old.steps, "CREATE TABLE three(tenant int)"), {**old.tables, "three": "reference"})
    with opened(database.database(), new_schema()) as server:
        server.prepare(old)
        server.write(
            lambda c: c.run(
                "CREATE TABLE calls(name text); INSERT INTO versions VALUES('distributed', 1);"
                " CREATE FUNCTION create_reference_table(text) RETURNS void LANGUAGE sql"
                " AS 'INSERT INTO calls VALUES($1)';"
                " CREATE FUNCTION truncate_local_data_after_distributing_table(text) RETURNS void LANGUAGE sql AS '';"
                " CREATE FUNCTION create_distributed_table(text, text, colocate_with text) RETURNS void LANGUAGE sql"
                " AS 'INSERT INTO calls VALUES($1)'"
            )
        )
        server.prepare(new)
        assert server.read(lambda c: c.rows("SELECT name FROM calls")) == [(f'"{server.schema}".three',)]


@one_database
def test_without_citus_it_is_said_what_to_do(database: Postgres) -> None:
    with opened(database.url(), new_schema()) as server:
        open_index(server)
        assert not server.distributed()
        with pytest.raises(Misconfigured, match="CREATE EXTENSION citus"):
            server.distribute()
