import type { GetEmailSettingsResult } from '@carillon/sdk';
import { common } from '../../strings/common.ts';
import { email } from '../../strings/connections.ts';
import forms from './email-providers.json';

export type SavedProvider = GetEmailSettingsResult['providers'][number];
export type EmailKind = SavedProvider['kind'];

export interface ConfigField {
  name: string;
  label: string;
  hint: string;
  type: string;
  required: boolean;
  secret: boolean;
  /** The secrets that are sent to this address: a new address needs them again. */
  receives: string[];
  /** Callbacks are rejected without this field. */
  callback: boolean;
}

/** The form of each kind of provider, generated from the manifests of the server. */
export const kindFields = Object.fromEntries(
  forms.map(({ kind, fields }) => [kind, fields.map((field) => withTexts(kind, field))]),
) as Record<EmailKind, ConfigField[]>;
export const emailKinds = Object.keys(kindFields) as EmailKind[];

/** Texts of the dashboard are preferred; a new provider works without any. */
function withTexts(kind: string, { meaning, ...field }: (typeof forms)[number]['fields'][number]) {
  const { name } = field;
  const texts = email.fields[`${kind}_${name}`] ?? email.fields[name];
  const [label, hint] = texts ?? [common.sentence(name), meaning];
  return { ...field, label, hint };
}

export const kindName = (kind: EmailKind): string => forms.find((form) => form.kind === kind)?.title ?? kind;

/** Few people need these fields: they are below a fold. */
export const isAdvanced = ({ name, callback }: ConfigField): boolean => callback || name === 'base_url';

export function savedOf(providers: SavedProvider[], id: string | null): SavedProvider | undefined {
  return providers.find((each) => each.id === id);
}
