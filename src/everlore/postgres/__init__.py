"""A PostgreSQL database as Everlore uses it: a pool, our own schema in it, locks, errors in our own words.

- A thread that is inside a block works on one connection, and everything it does there, in whatever part, goes
  through that one. So a lock (an advisory lock of the session) and the work under it live and die together, and a
  server needs no more connections than it has threads at work.
- Work is a function of a connection. When the connection is lost, or the database asks for it (deadlock), the
  outermost function is run again; so it must be safe to run twice. Under a lock nothing is run again, because the
  lock went with the connection: the caller gets `Unavailable`, and whatever it did not finish was not acknowledged.
- `tenant` is in every key of every table: 16 bits of a hash of whose data it is. Numbers that name rows carry it in
  their upper bits, so that whoever has a number knows the tenant, and a distributed database knows the node.
- No message of ours holds the password, or any value of a statement.
"""
