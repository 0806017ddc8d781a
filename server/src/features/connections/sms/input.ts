import type { ProviderConfig } from '../../../channels/contract.ts';
import { smsProviders } from '../../../channels/registry.ts';
import { parsePhoneNumber } from '../../../channels/sms/phone-number.ts';
import { senderIdProblem } from '../../../channels/sms/sender.ts';
import { invalidParameter, missingParameter } from '../../../kernel/errors.ts';
import { vendorHint, wireNameWithVendor } from '../../../kernel/vendors.ts';
import { type SmsKind, type SmsSettingsBody, smsKinds } from './schema.ts';

/** The settings a caller gave, checked and complete; secrets are not sealed yet. */
export interface SmsInput {
  kind: SmsKind;
  fromNumber: string | null;
  fromSenderId: string | null;
  config: ProviderConfig;
}

/** The field that names the account; a secret belongs to the account it was given with. */
const accountField = { smsone: 'account_sid', smstwo: 'api_key' } as const;

export function readKind(given: string): SmsKind {
  const kind = smsKinds.find((each) => each === given.toLowerCase());
  if (!kind) {
    const hint = vendorHint(given)?.hint;
    const kinds = smsKinds.map(wireNameWithVendor).join(', ');
    throw invalidParameter('kind', `kind must be one of ${kinds}${hint ? `: ${hint}` : ''}.`);
  }
  return kind;
}

/**
 * Fields that the kind does not use are ignored. Credentials are write-only: omitted ones keep their value (`stored`,
 * decrypted; null when the kind was another one), as long as the account is the same.
 */
export function readInput(kind: SmsKind, body: SmsSettingsBody, stored: ProviderConfig | null): SmsInput {
  const config = kind === 'managed' ? {} : readCredentials(kind, body, stored);
  const fromNumber = body.from_number || null;
  const fromSenderId = body.from_sender_id || null;
  if (kind !== 'managed' && !fromNumber && !fromSenderId) throw missingParameter('from_number');
  const senderProblem = fromSenderId ? senderIdProblem(fromSenderId, kind !== 'smstwo') : null;
  if (senderProblem) throw invalidParameter('from_sender_id', `from_sender_id ${senderProblem}.`);
  return { kind, fromNumber: fromNumber && readNumber(fromNumber), fromSenderId, config };
}

/** The operator's provider has the operator's sender: a tenant must not send in another name. */
export function refuseSender({ fromNumber, fromSenderId }: SmsInput): void {
  const param = fromNumber ? 'from_number' : fromSenderId ? 'from_sender_id' : null;
  if (param)
    throw invalidParameter(
      param,
      `${param} cannot be set: the operator sets the sender of managed messages.`,
    );
}

function readNumber(given: string): string {
  const parsed = parsePhoneNumber(given);
  if ('problem' in parsed) throw invalidParameter('from_number', `from_number ${parsed.problem}.`);
  return parsed.number;
}

function readCredentials(
  kind: 'smsone' | 'smstwo',
  body: SmsSettingsBody,
  stored: ProviderConfig | null,
): ProviderConfig {
  const { manifest, complete } = smsProviders[kind];
  const given = body as Record<string, unknown>;
  const account = given[`${kind}_${accountField[kind]}`];
  const kept = !account || account === stored?.[accountField[kind]] ? stored : null;
  const config: ProviderConfig = {};
  for (const field of manifest.fields) {
    const param = `${kind}_${field.name}`;
    const value = given[param] ?? undefined;
    // The empty text clears an optional credential; a required one keeps its value.
    const keeps = value === undefined || (field.required && !value);
    const chosen = keeps ? (kept?.[field.name] ?? null) : String(value) || null;
    if (field.required && chosen === null) throw missingParameter(param);
    config[field.name] = chosen;
  }
  const completed = complete?.(config) ?? { config };
  if ('problem' in completed) {
    const param = `${kind}_${completed.field}`;
    throw invalidParameter(param, `${param} ${completed.problem}.`);
  }
  return completed.config;
}
