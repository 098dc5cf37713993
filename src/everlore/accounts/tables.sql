CREATE TABLE meta(name text PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE accounts(id text PRIMARY KEY, name text NOT NULL, main bigint NOT NULL, created bigint NOT NULL);
CREATE UNIQUE INDEX accounts_main ON accounts(main) WHERE main = 1;  -- the vault's own memories have one owner
CREATE TABLE keys(
  id text PRIMARY KEY, account text NOT NULL, name text NOT NULL, prefix text NOT NULL, hash bytea NOT NULL UNIQUE,
  scopes text NOT NULL, created bigint NOT NULL, expires bigint, revoked bigint, last_used bigint);
CREATE TABLE agents(
  id text PRIMARY KEY, account text NOT NULL, platform text NOT NULL, fingerprint text NOT NULL, name text NOT NULL,
  version text NOT NULL, created bigint NOT NULL, last_active bigint, UNIQUE(account, platform, fingerprint));
CREATE TABLE agent_tokens(
  hash bytea PRIMARY KEY, agent text NOT NULL, prefix text NOT NULL, created bigint NOT NULL, expires bigint,
  revoked bigint);
CREATE INDEX agent_tokens_agent ON agent_tokens(agent, created);
CREATE TABLE devices(
  hash bytea PRIMARY KEY, user_code text NOT NULL UNIQUE, platform text NOT NULL, client text NOT NULL,
  version text NOT NULL, fingerprint text NOT NULL, expires bigint NOT NULL, polled bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'pending', account text NOT NULL DEFAULT '');
CREATE TABLE uploads(
  key text PRIMARY KEY, account text NOT NULL, name text NOT NULL, size bigint NOT NULL, hash text NOT NULL,
  expires bigint NOT NULL, stored bigint NOT NULL);
CREATE TABLE sources(
  id text PRIMARY KEY, account text NOT NULL, agent text NOT NULL, object_key text NOT NULL, title text NOT NULL,
  size bigint NOT NULL, hash text NOT NULL, document_key text NOT NULL, idempotency_key text NOT NULL,
  platform text NOT NULL, session text NOT NULL, status text NOT NULL, created bigint NOT NULL);
CREATE INDEX sources_document ON sources(account, document_key);
CREATE INDEX sources_idempotency ON sources(account, idempotency_key);
CREATE TABLE audit(
  id <number> PRIMARY KEY, at bigint NOT NULL, account text NOT NULL, actor text NOT NULL, action text NOT NULL,
  target text NOT NULL, address text NOT NULL, outcome text NOT NULL);
