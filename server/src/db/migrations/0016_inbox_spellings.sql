-- outside of a transaction: sends go on while the indexes are built
-- An email address will do as the id of an inbox: erasing its owner finds all spellings. Written when an inbox begins, not when
-- something arrives in it.
create index concurrently if not exists inboxes_by_spelling on inboxes (environment_id, lower(external_user_id));
