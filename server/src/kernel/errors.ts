/**
 * The one error type. A Problem is safe to show to the caller: a code from a closed list, a sentence, and the field it
 * concerns. Any other thrown error is a bug and becomes `internal_error`. `problemCodes` is the only mapping from codes to
 * HTTP; a test compares docs/errors.md with it.
 */
export type ProblemType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'plan_limit_error'
  | 'rate_limit_error'
  | 'api_error';

const invalid = { status: 400, type: 'invalid_request_error' } as const;
const unauthenticated = { status: 401, type: 'authentication_error' } as const;
const conflict = { status: 409, type: 'conflict_error' } as const;

export const problemCodes = {
  parameter_missing: invalid,
  parameter_invalid: invalid,
  parameter_unknown: invalid,
  invalid_json: invalid,
  invalid_cursor: invalid,
  template_not_found: invalid,
  template_body_missing: invalid,
  template_syntax_error: invalid,
  template_render_failed: invalid,
  promotion_source_must_be_test: invalid,
  category_not_found: invalid,
  category_archived: invalid,
  topic_not_found: invalid,
  confirmation_required: invalid,
  endpoint_not_found: invalid,
  installation_not_found: invalid,
  provider_not_configured: invalid,
  recipient_invalid: invalid,
  recipient_unresolvable: invalid,
  attachment_too_large: invalid,
  too_many_attachments: invalid,
  chattwo_legacy_connector_url: invalid,
  chattwo_url_not_accepted: invalid,
  chatthree_url_not_accepted: invalid,
  missing_credentials: unauthenticated,
  invalid_credentials: unauthenticated,
  expired_credentials: unauthenticated,
  revoked_credentials: unauthenticated,
  insufficient_scope: { status: 403, type: 'permission_error' },
  csrf_required: { status: 403, type: 'permission_error' },
  self_service_disabled: { status: 403, type: 'permission_error' },
  callback_refused: { status: 403, type: 'permission_error' },
  resource_not_found: { status: 404, type: 'not_found_error' },
  invitation_not_found: { status: 404, type: 'not_found_error' },
  route_not_found: { status: 404, type: 'not_found_error' },
  duplicate_key: conflict,
  idempotency_key_reused: conflict,
  category_critical: conflict,
  template_in_use: conflict,
  part_in_use: conflict,
  part_limit_reached: conflict,
  workflow_not_active: conflict,
  workflow_limit_reached: conflict,
  run_not_cancellable: conflict,
  schedule_limit_reached: conflict,
  bulk_action_limit_reached: conflict,
  broadcast_ended: conflict,
  broadcast_limit_reached: conflict,
  webhook_url_exists: conflict,
  delivery_in_flight: conflict,
  endpoint_disabled: conflict,
  notification_not_editable: conflict,
  notification_not_resendable: conflict,
  version_conflict: conflict,
  last_owner: conflict,
  already_member: conflict,
  team_limit_reached: conflict,
  brake_limit_reached: conflict,
  brake_rule_default: conflict,
  brake_frozen: conflict,
  brake_cancelling: conflict,
  workflow_loop: conflict,
  action_already_taken: conflict,
  snooze_limit_reached: conflict,
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  organization_moved: { status: 421, type: 'invalid_request_error' },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  trigger_data_invalid: { status: 422, type: 'invalid_request_error' },
  workflow_invalid: { status: 422, type: 'invalid_request_error' },
  plan_limit_reached: { status: 402, type: 'plan_limit_error' },
  storage_quota_reached: { status: 402, type: 'plan_limit_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  temporarily_unavailable: { status: 503, type: 'api_error' },
  organization_moving: { status: 503, type: 'api_error' },
} as const satisfies Record<string, { status: number; type: ProblemType }>;

export type ProblemCode = keyof typeof problemCodes;

interface ProblemOptions {
  /** Dotted path of the field at fault, e.g. `attachments[2].filename`. */
  param?: string | null;
  /** Response headers that belong to the problem, e.g. Retry-After. */
  headers?: Record<string, string>;
  /** For the log only; never shown to the caller. */
  cause?: unknown;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly param: string | null;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.param = options.param ?? null;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return problemCodes[this.code].status;
  }

  /** The same problem, of a field inside of another one. */
  inside(field: string): Problem {
    const { code, message, param, headers, cause } = this;
    return new Problem(code, message, {
      param: param === null ? field : `${field}.${param}`,
      headers,
      cause,
    });
  }

  /** The JSON form in a response. */
  toBody(): { error: { type: ProblemType; code: ProblemCode; message: string; param: string | null } } {
    const { type } = problemCodes[this.code];
    return { error: { type, code: this.code, message: this.message, param: this.param } };
  }
}

export function invalidParameter(param: string, message: string): Problem {
  return new Problem('parameter_invalid', message, { param });
}

/** `other` is a second way to give the same. */
export function missingParameter(param: string, other?: string): Problem {
  const names = other === undefined ? param : `${param} or ${other}`;
  return new Problem('parameter_missing', `${names} is required.`, { param });
}

export function unknownParameter(param: string, meant: string): Problem {
  return new Problem('parameter_unknown', `Unknown field ${param}; did you mean ${meant}?`, { param });
}

export function notFound(what: string): Problem {
  return new Problem('resource_not_found', `No such ${what}.`);
}

export function versionConflict(what: string, current: number, given: number): Problem {
  return new Problem(
    'version_conflict',
    `The ${what} is at version ${current}, not ${given}: another save changed it. Nothing was written.`,
    { param: 'If-Match' },
  );
}

/** For exhaustive switches: a new union member that is not handled does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
