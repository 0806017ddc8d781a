-- An email address will do as the id of an inbox: erasing its owner finds all spellings. Written when an inbox begins, not when
-- something arrives in it.
create index inboxes_by_spelling on inboxes (environment_id, lower(external_user_id));
