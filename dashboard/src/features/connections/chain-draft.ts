import { CarillonError } from '@carillon/sdk';
import { type ChainChannel, type ConfigField, fieldsOf, type SavedProvider } from './provider-kinds.ts';

/** For a secret, undefined keeps the stored value and null clears it. A map is a text with a line for each entry. */
export type FieldValue = string | boolean | null | undefined;

export interface DraftProvider {
  /** The React key; the id once the provider is saved. */
  key: string;
  id: string | null;
  channel: ChainChannel;
  kind: string;
  name: string;
  enabled: boolean;
  /** The values of all fields, those of the provider itself included. */
  config: Record<string, FieldValue>;
}

export function providerDraft(channel: ChainChannel, saved: SavedProvider): DraftProvider {
  const { id, kind, name, enabled, config } = saved;
  const values = fieldsOf(channel, kind)
    .filter(({ secret }) => !secret)
    .map(({ name: field, type, isOwn }): [string, FieldValue] => {
      const value = isOwn ? saved[field as 'from_number' | 'from_sender_id'] : config[field];
      if (type === 'map') return [field, linesOf(value)];
      return [field, type === 'boolean' ? value === true : value == null ? '' : String(value)];
    });
  return { key: id, id, channel, kind, name, enabled, config: Object.fromEntries(values) };
}

/** The provider as the API takes it. The kind is one of the channel: the form offers no other. */
export function providerBody<Kind extends string>({
  id,
  channel,
  kind,
  name,
  enabled,
  config,
}: DraftProvider) {
  const valuesOf = (isOwn: boolean) =>
    fieldsOf(channel, kind)
      .filter((field) => field.isOwn === isOwn)
      .map((field): [string, unknown] => [field.name, wireValue(field, config[field.name])])
      .filter(([, value]) => value !== undefined);
  return {
    ...(id === null ? {} : { id }),
    kind: kind as Kind,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    enabled,
    ...(Object.fromEntries(valuesOf(true)) as { from_number?: string; from_sender_id?: string }),
    config: Object.fromEntries(valuesOf(false)),
  };
}

function wireValue({ type, secret }: ConfigField, value: FieldValue): unknown {
  if (typeof value === 'boolean') return value;
  if (value === null) return '';
  const text = value?.trim() ?? '';
  if (text === '') return secret ? undefined : null;
  if (type === 'map') return mapOf(text);
  // A value that is not a number is sent as typed: the service returns the error.
  return type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
}

function linesOf(map: unknown): string {
  return Object.entries((map ?? {}) as Record<string, string>)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** Each line is a name and its text, divided by the first colon. */
function mapOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim(), value.join(':').trim()];
    }),
  );
}

/** True for a provider that is new or edited: only saved settings can be verified. */
export function isProviderChanged(draft: DraftProvider, saved: SavedProvider | undefined): boolean {
  if (!saved) return true;
  const { config } = providerBody(draft);
  const { config: before } = providerBody(providerDraft(draft.channel, saved));
  return JSON.stringify(config) !== JSON.stringify(before);
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
