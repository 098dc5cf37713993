"""A PostgreSQL database as Everlore uses it: a pool, our own schema in it, locks, errors in our own words.

- A thread that is inside a transaction works on its connection, in whatever part, so that a server needs no more
  connections than it has threads at work. No state of a session is relied on: a proxy may pool transactions.
- Work is a function of a connection. When the connection is lost, or the database asks for it (deadlock), the
  outermost function is run again; so it must be safe to run twice. Locks are leases in a table (`leases`): they
  outlive a connection, not their holder.
- `tenant` is in every key of every table: 16 bits of a hash of whose data it is. Numbers that name rows carry it in
  their upper bits, so that whoever has a number knows the tenant, and a distributed database knows the node.
- No message of ours holds the password, or any value of a statement.
"""
