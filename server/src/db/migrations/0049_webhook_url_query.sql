-- The query of a webhook URL often holds a token. It is sealed, and `url` keeps what is before it. Null when there is no query, and until
-- housekeeping has sealed the URLs of earlier releases.
alter table webhook_endpoints add column sealed_query text;
