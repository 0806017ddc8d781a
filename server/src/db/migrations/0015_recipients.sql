-- In a transaction of its own: nobody can read while it waits for its lock, and asking for it with that of 0014 in hand could
-- end in a deadlock with whoever reads first and writes then.
drop index notifications_by_address;
