-- The parts of a payload that the content of the notification has too: they are empty in the payload, and named here. Null when the
-- payload is whole, as earlier releases wrote it. A process of the previous release shows such parts empty.
alter table sandbox_messages add column from_content text[];
