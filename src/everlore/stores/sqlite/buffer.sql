CREATE TABLE messages(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, project TEXT NOT NULL, session TEXT NOT NULL,
  message TEXT NOT NULL, digest BLOB NOT NULL, cell TEXT, place INTEGER, body TEXT NOT NULL);
CREATE INDEX messages_session ON messages(app, project, session, id);
CREATE INDEX messages_cell ON messages(cell, place) WHERE cell IS NOT NULL;
CREATE TABLE cells(
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, app TEXT NOT NULL, project TEXT NOT NULL,
  session TEXT NOT NULL);
CREATE TABLE seen(digest BLOB PRIMARY KEY, cell TEXT) WITHOUT ROWID;
CREATE INDEX seen_cell ON seen(cell) WHERE cell IS NOT NULL;
CREATE TABLE counters(
  app TEXT NOT NULL, project TEXT NOT NULL, track TEXT NOT NULL, owner TEXT NOT NULL, prefix TEXT NOT NULL,
  day TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(app, project, track, owner, prefix, day)) WITHOUT ROWID;
-- version 2
CREATE TABLE drafts(cell TEXT PRIMARY KEY, draft TEXT NOT NULL) WITHOUT ROWID;
