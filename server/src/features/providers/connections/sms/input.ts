import { parsePhoneNumber } from '../../../../channels/address-key.ts';
import type { ProviderConfig } from '../../../../channels/contract.ts';
import { senderIdProblem } from '../../../../channels/sms/plan.ts';
import { invalidParameter, missingParameter } from '../../../../kernel/errors.ts';
import { vendorHint, wireNameWithVendor } from '../../../../kernel/vendors.ts';
import { smsKinds } from './provider.ts';
import { type SingleKind, type SmsSettingsBody, singleKinds } from './schema.ts';
import type { StoredSmsProvider } from './store.ts';

/** The field that names the account; a secret belongs to the account it was given with. */
const accountField = { smsone: 'account_sid', smstwo: 'api_key' } as const;

/** The kind of a single provider. */
export function readKind(given: string): SingleKind {
  const kind = singleKinds.find((each) => each === given.toLowerCase());
  if (!kind) {
    const hint = vendorHint(given)?.hint;
    const kinds = singleKinds.map(wireNameWithVendor).join(', ');
    throw invalidParameter('kind', `kind must be one of ${kinds}${hint ? `: ${hint}` : ''}.`);
  }
  return kind;
}

type SmsSenderFields = Pick<StoredSmsProvider, 'from_number' | 'from_sender_id'>;

/** The sender of a provider. `at` is the path of its fields, with a dot at the end when it is not empty. */
export function readSender(
  kind: string,
  given: Partial<SmsSenderFields>,
  at: string,
  isOperators: boolean,
): SmsSenderFields {
  const number = given.from_number || null;
  const senderId = given.from_sender_id || null;
  if (kind !== 'managed' && !number && !senderId)
    throw missingParameter(`${at}from_number`, `${at}from_sender_id`);
  const idProblem = senderId ? senderIdProblem(senderId, kind !== 'smstwo') : null;
  if (idProblem) throw invalidParameter(`${at}from_sender_id`, `${at}from_sender_id ${idProblem}.`);
  const parsed = number === null ? null : parsePhoneNumber(number);
  if (parsed && 'problem' in parsed)
    throw invalidParameter(`${at}from_number`, `${at}from_number ${parsed.problem}.`);
  // The operator's provider has the operator's sender: a tenant must not send in another name.
  const refused = isOperators && (parsed ? 'from_number' : senderId && 'from_sender_id');
  if (refused)
    throw invalidParameter(
      at + refused,
      `${at}${refused} cannot be set: the operator sets the sender of managed messages.`,
    );
  return { from_number: parsed?.number ?? null, from_sender_id: senderId };
}

/**
 * The credentials of a single provider, checked and complete. Fields that the kind does not use are ignored. Credentials are
 * write-only: omitted ones keep their value (`stored`, decrypted; null when the kind was another one), as long as the account is
 * the same.
 */
export function readCredentials(
  kind: SingleKind,
  body: SmsSettingsBody,
  stored: ProviderConfig | null,
): ProviderConfig {
  if (kind === 'managed') return {};
  const { manifest, complete } = smsKinds[kind] ?? { manifest: { fields: [] } };
  const given = body as Record<string, unknown>;
  const account = given[`${kind}_${accountField[kind]}`];
  const kept = !account || account === stored?.[accountField[kind]] ? stored : null;
  const config: ProviderConfig = {};
  for (const field of manifest.fields) {
    const param = `${kind}_${field.name}`;
    const value = given[param];
    // Null clears a credential. So does the empty text, but a required one keeps its value.
    const keeps = value === undefined || (field.required && value === '');
    const chosen = keeps ? (kept?.[field.name] ?? null) : String(value ?? '') || null;
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
