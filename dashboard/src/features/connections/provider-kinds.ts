import type { GetEmailSettingsResult } from '@carillon/sdk';
import { common } from '../../strings/common.ts';
import { chain, email, sms } from '../../strings/connections.ts';
import forms from './provider-forms.json';

/** The channels with a chain of providers. */
export type ChainChannel = 'email' | 'sms';

/** A provider of a chain as the API shows it; that of SMS has a sender and the result of its last check. */
export interface SavedProvider extends Omit<GetEmailSettingsResult['providers'][number], 'kind'> {
  kind: string;
  from_number?: string | null;
  from_sender_id?: string | null;
  credentials_validated?: boolean;
  credentials_detail?: string;
}

export interface ConfigField {
  name: string;
  label: string;
  hint: string;
  type: string;
  required: boolean;
  secret: boolean;
  /** The secrets that are sent to this address: a new address needs them again. */
  receives: string[];
  /** The values to choose from; empty when any text is allowed. */
  options: string[];
  multiline: boolean;
  /** Callbacks are rejected without this field. */
  callback: boolean;
  /** The field belongs to the provider itself, not to its config. */
  isOwn: boolean;
}

/** Texts of the dashboard are preferred; a new provider works without any. */
const textsOf: Record<ChainChannel, Record<string, [string, string]>> = {
  email: email.fields,
  sms: sms.fields,
};

/** Numbers and names belong to the account of a provider. The operator sets those of the managed one. */
const sender = ['from_number', 'from_sender_id'].map((name) => ({
  name,
  type: 'text',
  meaning: '',
  required: false,
  secret: false,
  callback: false,
  receives: [] as string[],
  options: [] as string[],
  multiline: false,
  isOwn: true,
}));

const kinds = forms.map(({ channel, kind, title, fields }) => {
  const all = [
    ...fields.map((field) => ({ ...field, isOwn: false })),
    ...(channel === 'sms' && kind !== 'managed' ? sender : []),
  ];
  return {
    channel,
    kind,
    title,
    fields: all.map((field) => withTexts(textsOf[channel as ChainChannel], kind, field)),
  };
});

function withTexts(
  texts: Record<string, [string, string]>,
  kind: string,
  { meaning, ...field }: Omit<ConfigField, 'label' | 'hint'> & { meaning: string },
): ConfigField {
  const { name } = field;
  const [label, hint] = texts[`${kind}_${name}`] ??
    texts[name] ?? [chain.labels[name] ?? common.sentence(name), meaning];
  return { ...field, label, hint };
}

export function kindsOf(channel: ChainChannel): string[] {
  return kinds.filter((each) => each.channel === channel).map(({ kind }) => kind);
}

/** The form of a kind of provider, generated from the manifests of the server. */
export function fieldsOf(channel: ChainChannel, kind: string): ConfigField[] {
  return kinds.find((each) => each.channel === channel && each.kind === kind)?.fields ?? [];
}

export const kindName = (kind: string): string => kinds.find((each) => each.kind === kind)?.title ?? kind;

const advancedNames = /^(?:(?:success|error|callback|reply)_|(?:base_url|check_url|idempotent)$)/;

/** Few people need these fields: they are below a fold. */
export const isAdvanced = ({ name, callback }: ConfigField): boolean => callback || advancedNames.test(name);

export function savedOf(providers: readonly SavedProvider[], id: string | null): SavedProvider | undefined {
  return providers.find((each) => each.id === id);
}
