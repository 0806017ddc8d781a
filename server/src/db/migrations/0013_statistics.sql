-- What nothing is ever looked up by needs no statistics. Of a table that grows, ANALYZE takes samples again and again, and it
-- showed in profiles of the accept path that it compares thousands of documents and message bodies with each other.
alter table notifications
  alter events set statistics 0,
  alter trace set statistics 0;
alter table notification_contents
  alter subject set statistics 0,
  alter html_body set statistics 0,
  alter text_body set statistics 0,
  alter template_data set statistics 0,
  alter attachments set statistics 0;
