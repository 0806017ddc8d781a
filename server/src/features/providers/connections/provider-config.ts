import type { Field, ProviderConfig } from '../../../channels/contract.ts';
import type { ProviderKind } from '../../../channels/registry.ts';
import { isMasked, type Keyring, masked } from '../../../kernel/crypto.ts';
import { invalidParameter, missingParameter, unknownParameter } from '../../../kernel/errors.ts';
import { isRecord } from '../../../kernel/json.ts';
import { createKnownNames, newNameBudget } from '../../../kernel/known-names.ts';

/** A provider as stored: the secret fields of `config` are sealed. */
export interface StoredProvider {
  id: string;
  kind: string;
  name: string;
  enabled: boolean;
  config: ProviderConfig;
}

/** Provider settings driven by the manifest: checked, sealed, decrypted, masked. */
function contextOf(
  environmentId: string,
  { manifest }: ProviderKind,
  providerId: string,
  field: Field,
): string {
  return `${manifest.channel}_settings:${environmentId}:${providerId}:${field.name}`;
}

function mapSecrets(
  fields: readonly Field[],
  config: ProviderConfig,
  change: (secret: string, field: Field) => string,
): ProviderConfig {
  return Object.fromEntries(
    fields.map((field) => {
      const value = config[field.name] ?? null;
      return [field.name, field.secret && typeof value === 'string' ? change(value, field) : value];
    }),
  );
}

type Identified = Pick<StoredProvider, 'id' | 'config'>;

export function sealConfig(
  keyring: Keyring,
  environmentId: string,
  kind: ProviderKind,
  { id, config }: Identified,
) {
  return mapSecrets(kind.manifest.fields, config, (secret, field) =>
    keyring.seal(secret, contextOf(environmentId, kind, id, field)),
  );
}

/** Throws when the key that sealed a secret is no longer configured. */
export function openConfig(
  keyring: Keyring,
  environmentId: string,
  kind: ProviderKind,
  { id, config }: Identified,
) {
  return mapSecrets(kind.manifest.fields, config, (sealed, field) =>
    keyring.open(sealed, contextOf(environmentId, kind, id, field)),
  );
}

/** Returns a stored config with its secrets resealed by `again`. Fields that the manifest no longer names stay unchanged. */
export function resealConfig(
  again: (sealed: string, context: string) => string,
  environmentId: string,
  kind: ProviderKind,
  { id, config }: Identified,
): ProviderConfig {
  return {
    ...config,
    ...mapSecrets(kind.manifest.fields, config, (sealed, field) =>
      again(sealed, contextOf(environmentId, kind, id, field)),
    ),
  };
}

export function maskConfig(
  keyring: Keyring,
  environmentId: string,
  kind: ProviderKind,
  { id, config }: Identified,
) {
  return mapSecrets(kind.manifest.fields, config, (sealed, field) => {
    try {
      return masked(keyring.open(sealed, contextOf(environmentId, kind, id, field)));
    } catch {
      return masked('');
    }
  });
}

/**
 * The config a caller gave, checked and complete. A secret that is left out, or sent back as it was shown, keeps its value
 * (`stored`, decrypted), unless it would now be sent to another host. Null and the empty text clear a field.
 */
export function readConfig(
  kind: ProviderKind,
  given: Record<string, unknown>,
  stored: ProviderConfig | null,
  param: string,
): ProviderConfig {
  const misspelt = createKnownNames(kind.manifest.fields.map(({ name }) => name)).findMisspelt(
    given,
    newNameBudget(),
  );
  if (misspelt) throw unknownParameter(`${param}.${misspelt.given}`, `${param}.${misspelt.meant}`);
  const config: ProviderConfig = {};
  const keptSecrets = new Set<string>();
  for (const field of kind.manifest.fields) {
    const at = `${param}.${field.name}`;
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    const kept = field.secret ? (stored?.[field.name] ?? null) : null;
    if (keeps(value, kept)) keptSecrets.add(field.name);
    config[field.name] = keptSecrets.has(field.name) ? kept : readValue(field, value, at);
    if (field.required && config[field.name] === null) throw missingParameter(at);
  }
  const completed = kind.complete?.(config) ?? { config };
  if ('problem' in completed) {
    throw invalidParameter(
      `${param}.${completed.field}`,
      `${param}.${completed.field} ${completed.problem}.`,
    );
  }
  for (const { name, receives = [] } of kind.manifest.fields as readonly Field[]) {
    const redirected = receives.find((secret) => keptSecrets.has(secret));
    if (redirected === undefined || isSame(completed.config[name], stored?.[name])) continue;
    const at = `${param}.${redirected}`;
    throw invalidParameter(at, `${at} must be entered again, because ${name} has changed.`);
  }
  return completed.config;
}

/** PostgreSQL keeps the names of a map in an order of its own. */
function isSame(one: ProviderConfig[string] | undefined, other: ProviderConfig[string] | undefined): boolean {
  const form = (value: ProviderConfig[string] | undefined): string =>
    JSON.stringify(isRecord(value) ? Object.entries(value).sort() : (value ?? null));
  return form(one) === form(other);
}

function keeps(value: unknown, kept: ProviderConfig[string]): boolean {
  return typeof kept === 'string' && (value === undefined || value === masked(kept) || value === masked(''));
}

function readValue(field: Field, value: unknown, at: string): ProviderConfig[string] {
  if (value === undefined || value === null || value === '') return null;
  switch (field.type) {
    case 'boolean':
      if (typeof value === 'boolean') return value;
      throw invalidParameter(at, `${at} must be boolean.`);
    case 'integer': {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = field;
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
      throw invalidParameter(at, `${at} must be a whole number from ${min} to ${max}.`);
    }
    case 'text': {
      const { min = 0, max = 1000 } = field;
      if (typeof value !== 'string') throw invalidParameter(at, `${at} must be string.`);
      if (value.length < min || value.length > max)
        throw invalidParameter(at, `${at} must have at most ${max} characters.`);
      if ((field.multiline ? /[^\P{Cc}\n\r\t]/u : /\p{Cc}/u).test(value))
        throw invalidParameter(at, `${at} must not contain control characters.`);
      if (field.options && !field.options.includes(value))
        throw invalidParameter(at, `${at} must be one of ${field.options.join(', ')}.`);
      if (field.secret && isMasked(value)) {
        throw invalidParameter(at, `${at} is a masked secret; enter the secret itself.`);
      }
      return value;
    }
    case 'map':
      return readMap(field, value, at);
  }
}

const maxEntries = 50;
const maxNameLength = 100;

/** Returns null for a map without entries. */
function readMap({ max = 1000 }: Field, value: unknown, at: string): ProviderConfig[string] {
  if (!isRecord(value)) throw invalidParameter(at, `${at} must be an object.`);
  const entries = Object.entries(value);
  if (entries.length > maxEntries)
    throw invalidParameter(at, `${at} must have at most ${maxEntries} entries.`);
  for (const [name, text] of entries) {
    if (name === '' || name.length > maxNameLength || /\p{Cc}/u.test(name))
      throw invalidParameter(at, `${at} must have names of 1 to ${maxNameLength} characters.`);
    if (typeof text !== 'string') throw invalidParameter(at, `${at} must have texts as values.`);
    if (text.length > max || /\p{Cc}/u.test(text))
      throw invalidParameter(at, `${at} must have texts of at most ${max} characters in one line.`);
  }
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Record<string, string>);
}
