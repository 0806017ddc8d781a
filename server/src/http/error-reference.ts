import { type ProblemCode, type ProblemType, problemCodes } from '../kernel/errors.ts';

/** The cause of each code, in a sentence for the caller. A code without a sentence does not compile. */
const sentences: Record<ProblemCode, string> = {
  parameter_missing: 'A required field, query parameter or header is not there; `param` names it.',
  parameter_invalid: 'A value has the wrong type or form, or is outside its limits; `param` names it.',
  parameter_unknown:
    'A field or query parameter is not known and looks like a misspelt one; the message has the right name.',
  invalid_json: 'The request could not be read: the body is not valid JSON, or is cut off.',
  invalid_cursor: 'The cursor was not returned by this list; start again without one.',
  template_not_found: 'No template of this environment has that `template_key`.',
  template_body_missing: 'The template has no body for the channel of the notification.',
  template_syntax_error: 'A template cannot be read; the message says why, with the line and column.',
  template_render_failed: 'The template cannot be rendered with this data; the message says why.',
  promotion_source_must_be_test: 'Promotion goes from Test to Live, so it takes a key of a Test environment.',
  category_not_found: 'No category of this environment has that key.',
  category_archived: 'The category is archived and takes no new notifications.',
  endpoint_not_found: 'No endpoint of this environment has that key or id.',
  installation_not_found: 'No Slack (chatone) installation of this environment matches, or there is none.',
  recipient_invalid: 'The address of the recipient is not one that the channel can reach.',
  recipient_unresolvable: 'Nothing is stored from which the recipient could be found for this channel.',
  attachment_too_large: 'The attachments are larger than 15 MiB, one of them or all together.',
  too_many_attachments: 'A notification may carry at most 10 attachments.',
  chattwo_legacy_connector_url:
    'The URL is one of a retired connector; create a workflow in the channel and give the URL of its trigger.',
  chattwo_url_not_accepted: 'The URL is not one of a Microsoft Teams (chattwo) workflow.',
  chatthree_url_not_accepted: 'The URL is not one of a Discord (chatthree) webhook.',
  missing_credentials: 'No API key or token was sent; use the header `Authorization: Bearer <key>`.',
  invalid_credentials: 'The key, token, password or session is not one that the service knows.',
  expired_credentials: 'The key, token or session was valid until its time ran out.',
  revoked_credentials: 'The key was revoked, or replaced by a rotation.',
  insufficient_scope: 'The credentials are valid and lack the scope or role that the message names.',
  csrf_required: 'A write with a dashboard session lacks the header `X-Carillon-CSRF: 1`.',
  self_service_disabled:
    'On this service people do not create organizations themselves (`CARILLON_SELF_SERVICE_ORGANIZATIONS`); ask its operator for one.',
  callback_refused:
    'A provider called back with something that its settings here do not allow, such as another topic.',
  resource_not_found: 'No such thing exists in the environment of the key.',
  invitation_not_found: 'The invitation has expired, was used, replaced or withdrawn, or never was.',
  route_not_found: 'There is nothing at this address.',
  duplicate_key: 'The environment already has one with this key.',
  idempotency_key_reused: 'The Idempotency-Key was used within 24 hours for a request with another body.',
  category_critical: 'Nobody can opt out of a critical category.',
  template_in_use:
    'Active workflows send with the template; the message names them. Disable or change them first.',
  workflow_not_active: 'The workflow has no active version, so there is nothing to promote.',
  workflow_limit_reached:
    'The environment has as many workflows, or the workflow as many versions, as it may.',
  run_not_cancellable: 'The run has completed or failed, so there is nothing left to cancel.',
  webhook_url_exists: 'The environment has a webhook endpoint with this URL already.',
  delivery_in_flight: 'A webhook delivery cannot be retried while an attempt is being made.',
  endpoint_disabled: 'The webhook endpoint is disabled; set its status to active first.',
  notification_not_editable: 'The notification is no longer queued, so it cannot be changed or deleted now.',
  notification_not_resendable: 'Only notifications that failed or bounced can be sent again.',
  version_conflict:
    'The thing is not at the version that `If-Match` names: somebody else saved it. Nothing was written.',
  last_owner: 'An organization always has an owner; make somebody else one first.',
  already_member: 'The person belongs to the organization already.',
  team_limit_reached:
    'The organization has as many open invitations, or the person as many organizations, as may be.',
  method_not_allowed: 'The address exists and takes other methods; the header `Allow` lists them.',
  payload_too_large:
    'The body is larger than the operation accepts (1 MiB; notifications 24 MiB; without credentials 16 KiB; 10,000 values, a batch 100,000), or the headers are (16 KiB).',
  unsupported_media_type: 'The body was not sent as plain `application/json`.',
  trigger_data_invalid:
    "`trigger_data` does not fit the workflow's schema; `param` is a JSON Pointer to the first violation.",
  workflow_invalid:
    'The workflow would not be valid in Live; `param` is a JSON Pointer to the first problem of its body.',
  plan_limit_reached: "The sends included in the plan's month are used up.",
  storage_quota_reached: 'The environment stores as much as it may; `GET /v1/usage` shows how much.',
  rate_limited:
    'Requests come faster than the plan of the key, or the operation, allows, or too many large ones of the environment are waiting; wait for `Retry-After` seconds.',
  internal_error: 'A fault on our side. Nothing to change in the request; quote the request id.',
  temporarily_unavailable: 'The service cannot work at the moment; the same request may succeed soon.',
};

export interface ErrorRow {
  code: ProblemCode;
  status: number;
  type: ProblemType;
  meaning: string;
}

/** All codes by status, for the API reference and docs/errors.md. */
export function describeErrors(): ErrorRow[] {
  return (Object.keys(problemCodes) as ProblemCode[])
    .map((code) => ({ code, ...problemCodes[code], meaning: sentences[code] }))
    .sort((one, other) => one.status - other.status);
}
