import { type ProblemCode, type ProblemType, problemCodes } from '../kernel/errors.ts';

/** The cause of each code, in a sentence for the caller. A code without a sentence does not compile. */
const sentences: Record<ProblemCode, string> = {
  parameter_missing: 'A required field, query parameter or header is missing; `param` names it.',
  parameter_invalid: 'A value has the wrong type or format, or is out of range; `param` names it.',
  parameter_unknown:
    'The operation has no such field or query parameter; `param` is its path, and the message names the field that is meant, when one is.',
  invalid_json: 'The request cannot be parsed: the body is not valid JSON, or is truncated.',
  invalid_cursor: 'The cursor was not returned by this list; start again without one.',
  template_not_found: 'No template of this environment has that `template_key`.',
  template_body_missing: 'The template has no body for the channel of the notification.',
  template_syntax_error: 'A template has a syntax error; the message has the reason, line and column.',
  template_render_failed: 'The template cannot be rendered with this data; the message has the reason.',
  promotion_source_must_be_test:
    'Promotion copies from Test to Live and requires a key of a Test environment.',
  category_not_found: 'No category of this environment has that key.',
  category_archived: 'The category is archived and accepts no new notifications.',
  topic_not_found: 'No topic of this environment has that key.',
  confirmation_required:
    'The audience is everybody: repeat the request with `audience.confirm` set to true if that is right.',
  endpoint_not_found: 'No endpoint of this environment has that key or id, or it is disabled.',
  installation_not_found: 'No Slack (chatone) installation of this environment matches.',
  provider_not_configured:
    'The Live environment has no enabled provider, or no sender address, for the channel. The message says what to set.',
  recipient_invalid: 'The address of the recipient is not valid for the channel.',
  recipient_unresolvable: 'No address is stored for the recipient on this channel.',
  attachment_too_large: 'One attachment, or all together, are larger than 15 MiB.',
  too_many_attachments: 'A notification can have at most 10 attachments.',
  chattwo_legacy_connector_url:
    'The URL belongs to a retired connector; create a workflow in the channel and use the URL of its trigger.',
  chattwo_url_not_accepted: 'The URL is not a Microsoft Teams (chattwo) workflow URL.',
  chatthree_url_not_accepted: 'The URL is not a Discord (chatthree) webhook URL.',
  missing_credentials: 'No API key or token was sent; use the header `Authorization: Bearer <key>`.',
  invalid_credentials: 'The key, token, password or session is invalid.',
  expired_credentials: 'The key, token or session has expired.',
  revoked_credentials: 'The key was revoked, or replaced by a rotation.',
  insufficient_scope: 'The credentials are valid but lack the scope or role in the message.',
  csrf_required: 'A write with a dashboard session requires the header `X-Carillon-CSRF: 1`.',
  self_service_disabled:
    'Only the operator can create organizations on this service (`CARILLON_SELF_SERVICE_ORGANIZATIONS`); ask the operator.',
  callback_refused:
    'The settings do not allow this provider callback, for example because it is from another topic.',
  resource_not_found: 'The resource does not exist in the environment of the key.',
  invitation_not_found: 'The invitation does not exist, has expired, or was used, replaced or withdrawn.',
  route_not_found: 'The URL does not exist.',
  duplicate_key: 'The environment already has a resource with this key.',
  idempotency_key_reused: 'The Idempotency-Key was used within 24 hours for a request with a different body.',
  category_critical: 'Users cannot opt out of a critical category.',
  template_in_use: 'Active workflows use the template; the message names them. Disable or change them first.',
  part_in_use:
    'Templates, layouts or partials use the layout or partial, or the other locales fall back to this one. The message names them.',
  part_limit_reached:
    'The environment has the maximum number of layouts (100), partials (500) or locales (50).',
  workflow_not_active: 'The workflow has no active version, so there is nothing to promote or to simulate.',
  workflow_limit_reached:
    'The environment has the maximum number of workflows, or the workflow the maximum number of versions.',
  run_not_cancellable: 'The run has already completed or failed.',
  schedule_limit_reached: 'The environment has the maximum of 10,000 schedules. Delete one first.',
  broadcast_ended: 'The broadcast is done or cancelled, so it cannot be paused, resumed or cancelled.',
  broadcast_limit_reached: 'The environment has the maximum number of broadcasts that have not ended.',
  webhook_url_exists: 'The environment already has a webhook endpoint with this URL.',
  delivery_in_flight: 'A webhook delivery cannot be retried while an attempt is in progress.',
  endpoint_disabled:
    'The webhook endpoint is disabled, or the chat endpoint or installation is gone. The message says how to use it again.',
  notification_not_editable: 'The notification is no longer queued, so it cannot be changed or deleted now.',
  bulk_action_limit_reached: 'The environment has too many running bulk actions.',
  notification_not_resendable: 'Only failed or bounced notifications can be resent.',
  version_conflict: 'Another save changed the version in `If-Match`. Nothing was written.',
  last_owner: 'An organization must have an owner; add another owner first.',
  already_member: 'The user is already a member of the organization.',
  team_limit_reached:
    'The organization has the maximum number of open invitations, or the user the maximum number of organizations.',
  brake_limit_reached: 'The environment has the maximum number of brake rules, or of running releases.',
  brake_rule_default: 'A default rule of the brake cannot be deleted; save it with `is_enabled: false`.',
  brake_frozen: 'What a freeze holds is released when you unfreeze; it can only be cancelled before.',
  brake_cancelling:
    'What is to be released is being cancelled. Wait until the cancellation is done, or stop it (`POST /v1/brake/releases/{id}/stop`).',
  workflow_loop:
    'Workflow runs trigger each other through what they send, more often than the rule `workflow_loop` of the brake allows.',
  action_already_taken:
    'The recipient has chosen another action of this inbox item; the first one stays, as `action_taken` of the item.',
  snooze_limit_reached: 'The inbox has 1,000 snoozed items already; end a snooze first.',
  method_not_allowed: 'The URL does not support this method; the header `Allow` lists the supported methods.',
  payload_too_large:
    'The body is larger than the operation accepts (1 MiB; notifications 24 MiB; without credentials 16 KiB; 10,000 values, a batch 100,000), or the headers are (16 KiB).',
  unsupported_media_type: 'The body is not plain `application/json`.',
  organization_moved:
    'The organization is on another installation now; the message and the header `Carillon-Moved-To` have its address.',
  trigger_data_invalid:
    "`trigger_data` does not match the workflow's schema; `param` is a JSON Pointer to the first violation.",
  workflow_invalid:
    'The workflow is not valid in Live; `param` is a JSON Pointer to the first problem in its body.',
  plan_limit_reached: 'The monthly sends of the plan are used up.',
  storage_quota_reached: 'The environment has reached its storage quota; `GET /v1/usage` shows its usage.',
  rate_limited:
    'Requests exceed the rate limit of the plan or the operation, or too many large requests of the organization are waiting, or a caller has too many previews at a time; wait for `Retry-After` seconds.',
  internal_error: 'An error in the service. The request does not need to change; report the request id.',
  organization_moving:
    'The organization is being moved to another installation; wait for `Retry-After` seconds and retry the request.',
  temporarily_unavailable: 'The service is temporarily unavailable; retry the request later.',
};

interface ErrorRow {
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
