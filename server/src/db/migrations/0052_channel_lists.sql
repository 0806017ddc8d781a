-- There are seven channels: a list of one reads the newest notifications of the environment and leaves out the others. The index cost each
-- send 60 bytes and an entry to write.
drop index notifications_by_channel;
