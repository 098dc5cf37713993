CREATE SEQUENCE arrivals;
CREATE TABLE messages(
  tenant int NOT NULL, id bigint NOT NULL, session uuid NOT NULL, named text NOT NULL, message text NOT NULL,
  digest bytea NOT NULL, cell uuid, cell_id text, place int, body text NOT NULL, PRIMARY KEY(id, tenant));
CREATE INDEX messages_session ON messages(session, id);
CREATE INDEX messages_cell ON messages(cell, place) WHERE cell IS NOT NULL;
CREATE TABLE cells(
  tenant int NOT NULL, cell uuid NOT NULL, number bigint NOT NULL, id text NOT NULL, session uuid NOT NULL,
  named text NOT NULL, PRIMARY KEY(cell, tenant));
CREATE TABLE seen(
  tenant int NOT NULL, digest bytea NOT NULL, cell uuid, cell_id text, PRIMARY KEY(digest, tenant));
CREATE INDEX seen_cell ON seen(cell) WHERE cell IS NOT NULL;
CREATE TABLE counters(
  tenant int NOT NULL, counter uuid NOT NULL, named text NOT NULL, number bigint NOT NULL,
  PRIMARY KEY(counter, tenant));
-- version 2
CREATE TABLE drafts(
  tenant int NOT NULL, cell uuid NOT NULL, draft text NOT NULL, PRIMARY KEY(cell, tenant));
-- version 3
CREATE TABLE accepted(
  tenant int NOT NULL, digest bytea NOT NULL, cell uuid, cell_id text, PRIMARY KEY(digest, tenant));
CREATE INDEX accepted_cell ON accepted(cell) WHERE cell IS NOT NULL;
-- version 5
ALTER TABLE messages ADD COLUMN closed bigint;
-- version 6
ALTER TABLE messages ADD COLUMN checksum bytea;
