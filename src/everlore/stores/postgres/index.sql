CREATE SEQUENCE numbers;
CREATE TABLE owners(
  tenant int NOT NULL, owner uuid NOT NULL, app text COLLATE "C" NOT NULL, project text COLLATE "C" NOT NULL,
  track text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, epoch bigint NOT NULL, lost bigint NOT NULL,
  PRIMARY KEY(owner, tenant));
CREATE INDEX owners_scope ON owners(left(app, 64), left(project, 64));
CREATE TABLE tally(
  tenant int NOT NULL, owner uuid NOT NULL, kind text COLLATE "C" NOT NULL, rows bigint NOT NULL,
  units bigint NOT NULL, tokens bigint NOT NULL, PRIMARY KEY(owner, kind, tenant));
CREATE TABLE files(
  tenant int NOT NULL, file uuid NOT NULL, path text COLLATE "C" NOT NULL, mtime_ns bigint NOT NULL,
  size bigint NOT NULL, broken boolean NOT NULL, PRIMARY KEY(file, tenant));
CREATE TABLE problems(
  tenant int NOT NULL, file uuid NOT NULL, place int NOT NULL, path text COLLATE "C" NOT NULL, line int NOT NULL,
  reason text COLLATE "C" NOT NULL, PRIMARY KEY(file, place, tenant));
CREATE TABLE queue(
  tenant int NOT NULL, file uuid NOT NULL, number bigint NOT NULL, path text COLLATE "C" NOT NULL,
  generation bigint NOT NULL, due double precision NOT NULL, tries int NOT NULL DEFAULT 0,
  error text NOT NULL DEFAULT '', written bigint, PRIMARY KEY(file, tenant));
CREATE INDEX queue_due ON queue(due);
CREATE TABLE memories(
  tenant int NOT NULL, id bigint NOT NULL, handle text COLLATE "C" NOT NULL, owner uuid NOT NULL,
  kind text COLLATE "C" NOT NULL, entry text COLLATE "C" NOT NULL, file uuid NOT NULL, path text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL, session_id text COLLATE "C" NOT NULL, parent_type text COLLATE "C" NOT NULL,
  parent_id text COLLATE "C" NOT NULL, timestamp bigint NOT NULL, updated bigint NOT NULL, valid_from bigint,
  valid_until bigint, slot text COLLATE "C" NOT NULL, project text COLLATE "C" NOT NULL,
  senders text[] COLLATE "C" NOT NULL, data text NOT NULL,
  PRIMARY KEY(id, tenant), UNIQUE(handle, tenant));
CREATE INDEX memories_file ON memories(file);
CREATE INDEX memories_time ON memories(owner, kind, timestamp, left(entry, 64));
CREATE INDEX memories_newest ON memories(timestamp, left(entry, 64));
CREATE INDEX memories_parent ON memories(owner, left(parent_id, 64));
CREATE INDEX memories_ended ON memories(owner, left(parent_id, 64)) WHERE valid_until IS NOT NULL;
CREATE INDEX memories_any_parent ON memories(left(parent_id, 64));
CREATE INDEX memories_session ON memories(owner, left(session_id, 64));
CREATE INDEX memories_slot ON memories(owner, left(slot, 64)) WHERE slot <> '';
CREATE TABLE edges(
  tenant int NOT NULL, row bigint NOT NULL, place int NOT NULL, owner uuid NOT NULL,
  relation text COLLATE "C" NOT NULL, target text COLLATE "C" NOT NULL, weight double precision NOT NULL,
  PRIMARY KEY(row, place, tenant));
CREATE INDEX edges_target ON edges(left(target, 64), owner);
CREATE TABLE units(
  tenant int NOT NULL, id bigint NOT NULL, row bigint NOT NULL, owner uuid NOT NULL, kind text COLLATE "C" NOT NULL,
  place int NOT NULL, turn int NOT NULL, start int NOT NULL, length int NOT NULL, tie bigint NOT NULL,
  epoch bigint NOT NULL, words bigint[] NOT NULL, tokens text COLLATE "C" NOT NULL, dense text NOT NULL,
  PRIMARY KEY(id, tenant));
CREATE INDEX units_row ON units(row, tenant, place);  -- with the tenant, or a new database, whose planner knows
  -- nothing of it yet, would look all units of the tenant up as well
CREATE INDEX units_owner ON units(owner, epoch);
CREATE INDEX units_words ON units USING gin(words) WITH (gin_pending_list_limit = 256);
CREATE TABLE waiting(tenant int NOT NULL, unit bigint NOT NULL, PRIMARY KEY(unit, tenant));
CREATE INDEX waiting_order ON waiting((unit & 70368744177663));  -- without its tenant: as they came
CREATE TABLE vectors(
  tenant int NOT NULL, unit bigint NOT NULL, row bigint NOT NULL, owner uuid NOT NULL, kind text COLLATE "C" NOT NULL,
  model int NOT NULL, tie bigint NOT NULL, place int NOT NULL, turn int NOT NULL,
  vector halfvec NOT NULL, PRIMARY KEY(unit, tenant));
CREATE INDEX vectors_owner ON vectors(owner, model);
CREATE INDEX vectors_row ON vectors(row);
CREATE TABLE models(
  id int PRIMARY KEY, name text COLLATE "C" NOT NULL, dimension int NOT NULL, current boolean NOT NULL,
  UNIQUE(name, dimension));
