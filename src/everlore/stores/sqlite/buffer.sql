CREATE TABLE messages(
  id INTEGER PRIMARY KEY AUTOINCREMENT, tenant INTEGER NOT NULL, session TEXT NOT NULL, named TEXT NOT NULL,
  message TEXT NOT NULL, digest BLOB NOT NULL, cell TEXT, cell_id TEXT, place INTEGER, closed INTEGER,
  body TEXT NOT NULL, checksum BLOB);
CREATE INDEX messages_session ON messages(session, id);
CREATE INDEX messages_cell ON messages(cell) WHERE cell IS NOT NULL;
CREATE TABLE accepted(
  tenant INTEGER NOT NULL, digest BLOB NOT NULL, cell TEXT, cell_id TEXT, PRIMARY KEY(digest, tenant)) WITHOUT ROWID;
CREATE INDEX accepted_cell ON accepted(cell) WHERE cell IS NOT NULL;
CREATE TABLE seen(
  tenant INTEGER NOT NULL, digest BLOB NOT NULL, cell TEXT, cell_id TEXT, PRIMARY KEY(digest, tenant)) WITHOUT ROWID;
CREATE INDEX seen_cell ON seen(cell) WHERE cell IS NOT NULL;
CREATE TABLE counters(
  tenant INTEGER NOT NULL, counter TEXT NOT NULL, named TEXT NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY(counter, tenant)) WITHOUT ROWID;
CREATE TABLE drafts(
  tenant INTEGER NOT NULL, cell TEXT NOT NULL, draft TEXT NOT NULL, PRIMARY KEY(cell, tenant)) WITHOUT ROWID;
