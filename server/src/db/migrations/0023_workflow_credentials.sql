-- Credentials of fetch steps, sealed, by the pointer of their step; the body has masks in their place. Null: the version was
-- saved before credentials were sealed, and its body still has them (housekeeping seals it).
alter table workflow_versions add column secrets_sealed jsonb;
