import { CarillonError, type GetEmailSettingsResult, type ReplaceEmailSettingsParams } from '@carillon/sdk';
import { type ConfigField, type EmailKind, kindFields, type SavedProvider } from './email-kinds.ts';

/** For a secret, undefined keeps the stored value and null clears it. */
export type FieldValue = string | boolean | null | undefined;

export interface DraftProvider {
  /** The React key; the id once the provider is saved. */
  key: string;
  id: string | null;
  kind: EmailKind;
  name: string;
  enabled: boolean;
  config: Record<string, FieldValue>;
}

/** The edited settings. The service replaces them as a whole, so they are one draft. */
export interface EmailDraft {
  from_address: string;
  from_name: string;
  reply_to: string;
  sender_locked: boolean;
  track_opens: boolean;
  track_clicks: boolean;
  providers: DraftProvider[];
}

export function draftOf(saved: GetEmailSettingsResult): EmailDraft {
  return {
    from_address: saved.from_address ?? '',
    from_name: saved.from_name ?? '',
    reply_to: saved.reply_to ?? '',
    // The lock of the operator is not a setting of this environment: a saved copy would outlive the operator's server.
    sender_locked: saved.managed_from === null && saved.sender_locked,
    track_opens: saved.track_opens,
    track_clicks: saved.track_clicks,
    providers: saved.providers.map(providerDraft),
  };
}

function providerDraft({ id, kind, name, enabled, config }: SavedProvider): DraftProvider {
  const values = kindFields[kind]
    .filter(({ secret }) => !secret)
    .map(({ name: field, type }): [string, FieldValue] => {
      const value = config[field];
      return [field, type === 'boolean' ? value === true : value == null ? '' : String(value)];
    });
  return { key: id, id, kind, name, enabled, config: Object.fromEntries(values) };
}

export function bodyOf(draft: EmailDraft): ReplaceEmailSettingsParams {
  return {
    from_address: draft.from_address.trim() || null,
    from_name: draft.from_name.trim() || null,
    reply_to: draft.reply_to.trim() || null,
    ...(draft.sender_locked ? { sender_locked: true } : {}),
    track_opens: draft.track_opens,
    track_clicks: draft.track_clicks,
    providers: draft.providers.map(providerBody),
  };
}

function providerBody({ id, kind, name, enabled, config }: DraftProvider) {
  const values = kindFields[kind]
    .map((field): [string, unknown] => [field.name, wireValue(field, config[field.name])])
    .filter(([, value]) => value !== undefined);
  return {
    ...(id === null ? {} : { id }),
    kind,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    enabled,
    config: Object.fromEntries(values),
  };
}

function wireValue({ type, secret }: ConfigField, value: FieldValue): unknown {
  if (typeof value === 'boolean') return value;
  if (value === null) return '';
  const text = value?.trim() ?? '';
  if (text === '') return secret ? undefined : null;
  // A value that is not a number is sent as typed: the service returns the error.
  return type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
}

/** The operator's sender, when emails of this draft go through the operator's server. */
export function managedFromOf(draft: EmailDraft, saved: GetEmailSettingsResult): string | null {
  return draft.providers.some(({ enabled }) => enabled) ? null : saved.managed_from;
}

export function isSameDraft(one: EmailDraft, other: EmailDraft): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));
}

/** True for a provider that is new or edited: only saved settings can be verified. */
export function isProviderChanged(draft: DraftProvider, saved: SavedProvider | undefined): boolean {
  if (!saved) return true;
  const { config } = providerBody(draft);
  return JSON.stringify(config) !== JSON.stringify(providerBody(providerDraft(saved)).config);
}

export function moved<Item>(items: Item[], from: number, to: number): Item[] {
  const item = items[from];
  if (item === undefined) return items;
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}

export interface ProviderProblem {
  index: number;
  /** `name`, or a field of the config. */
  field: string;
  message: string;
}

/** Finds the provider that an error names: `providers[1].config.api_key`. */
export function providerProblemOf(error: unknown): ProviderProblem | null {
  if (!(error instanceof CarillonError) || !error.param) return null;
  const [, index, field] = /^providers\[(\d+)\]\.(?:config\.)?(\w+)$/.exec(error.param) ?? [];
  if (index === undefined || field === undefined) return null;
  return {
    index: Number(index),
    field,
    message: error.message.replace(/^providers\[\d+\]\.(config\.)?/, ''),
  };
}
