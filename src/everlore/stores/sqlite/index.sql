CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE owners(
  id INTEGER PRIMARY KEY, app TEXT NOT NULL, project TEXT NOT NULL, track TEXT NOT NULL, name TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,  -- grows whenever units come or go
  lost INTEGER NOT NULL DEFAULT 0,   -- units removed so far
  UNIQUE(app, project, track, name));
INSERT INTO owners(id, app, project, track, name) VALUES(0, '', '', '', '');
CREATE TABLE kinds(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE tally(
  owner INTEGER NOT NULL, kind INTEGER NOT NULL, rows INTEGER NOT NULL, units INTEGER NOT NULL,
  tokens INTEGER NOT NULL, PRIMARY KEY(owner, kind)) WITHOUT ROWID;
CREATE TABLE files(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL,
  broken INTEGER NOT NULL);  -- it has problems
CREATE TABLE problems(path TEXT NOT NULL, line INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE TABLE queue(
  number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, generation INTEGER NOT NULL, due REAL NOT NULL,
  tries INTEGER NOT NULL, error TEXT NOT NULL, written INTEGER);
CREATE TABLE memories(
  id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, kind INTEGER NOT NULL, entry TEXT NOT NULL,
  handle TEXT NOT NULL UNIQUE, file INTEGER NOT NULL, digest TEXT NOT NULL, session_id TEXT NOT NULL,
  parent_type TEXT NOT NULL, parent_id TEXT NOT NULL, timestamp INTEGER NOT NULL, updated INTEGER NOT NULL,
  valid_from INTEGER, valid_until INTEGER, slot TEXT NOT NULL, project TEXT NOT NULL,
  senders TEXT NOT NULL);
CREATE INDEX memories_file ON memories(file);
CREATE INDEX memories_time ON memories(owner, kind, timestamp, entry);
CREATE INDEX memories_newest ON memories(timestamp, entry);
CREATE INDEX memories_parent ON memories(owner, parent_id, kind);
CREATE INDEX memories_ended ON memories(owner, parent_id) WHERE valid_until IS NOT NULL;
CREATE INDEX memories_session ON memories(owner, session_id, kind, timestamp, entry);
CREATE INDEX memories_slot ON memories(owner, kind, slot) WHERE slot <> '';
CREATE TABLE bodies(row INTEGER PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE edges(
  row INTEGER NOT NULL, place INTEGER NOT NULL, owner INTEGER NOT NULL, relation TEXT NOT NULL, target TEXT NOT NULL,
  weight REAL NOT NULL, PRIMARY KEY(row, place)) WITHOUT ROWID;
CREATE INDEX edges_target ON edges(target, owner);
CREATE TABLE units(
  id INTEGER PRIMARY KEY, row INTEGER NOT NULL, place INTEGER NOT NULL, owner INTEGER NOT NULL,
  kind INTEGER NOT NULL, turn INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
  tie INTEGER NOT NULL,  -- orders equal scores the same way after a rebuild
  model INTEGER,         -- of its vector; 0: none yet, NULL: none is wanted
  tokens TEXT NOT NULL);
CREATE UNIQUE INDEX units_row ON units(row, place, turn);
CREATE INDEX units_model ON units(model);
CREATE TABLE denses(unit INTEGER PRIMARY KEY, dense TEXT NOT NULL);
CREATE TABLE models(id INTEGER PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER NOT NULL, UNIQUE(name, dimension));
CREATE TABLE vectors(
  unit INTEGER PRIMARY KEY, number INTEGER NOT NULL, owner INTEGER NOT NULL, kind INTEGER NOT NULL,
  model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE INDEX vectors_owner ON vectors(owner, model, number);
CREATE INDEX vectors_model ON vectors(model, number);
CREATE TABLE packs(
  last INTEGER PRIMARY KEY,  -- the number of its last vector
  units BLOB NOT NULL, owners BLOB NOT NULL, kinds BLOB NOT NULL, signs BLOB NOT NULL, factors BLOB NOT NULL);
CREATE TABLE packing(  -- its one row tells what is packed; another id: the packs are others
  id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, last INTEGER NOT NULL, centre BLOB);
CREATE TABLE dropped(id INTEGER PRIMARY KEY AUTOINCREMENT, unit INTEGER NOT NULL);  -- units whose vectors were removed
CREATE VIRTUAL TABLE words USING fts5(
  tokens, content='', contentless_delete=1, tokenize="ascii tokenchars '_:'");
INSERT INTO words(words, rank) VALUES('usermerge', 2);  -- `tidy` merges any two segments of one level
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
CREATE VIRTUAL TABLE instances USING fts5vocab(words, instance);
