import { useState } from 'react';
import { chain, email, sms } from '../../strings/connections.ts';
import { Field, FormDialog, Input, Notice, Select } from '../../ui/index.ts';
import type { DraftProvider, FieldValue, ProviderProblem } from './chain-draft.ts';
import { ConfigInput } from './config-input.tsx';
import styles from './connections.module.css';
import {
  type ChainChannel,
  type ConfigField,
  fieldsOf,
  isAdvanced,
  kindName,
  kindsOf,
  type SavedProvider,
} from './provider-kinds.ts';

const text = chain.dialog;
let drafts = 0;

/** Edits one provider of the draft; nothing is sent until the page is saved. */
export function ProviderDialog(props: {
  channel: ChainChannel;
  provider: DraftProvider | null;
  saved: SavedProvider | undefined;
  problem: ProviderProblem | null;
  onClose(): void;
  onApply(provider: DraftProvider): void;
}) {
  const { channel, provider, saved, problem, onClose, onApply } = props;
  const [draft, setDraft] = useState<DraftProvider>(
    () => provider ?? newProvider(channel, kindsOf(channel)[0] ?? ''),
  );
  const fields = fieldsOf(channel, draft.kind);
  const set = (name: string, value: FieldValue) =>
    setDraft({ ...draft, config: { ...draft.config, [name]: value } });
  const again = (field: ConfigField) => mustBeGivenAgain(field, draft, saved);
  const isMissing = (field: ConfigField) =>
    again(field) !== null ||
    (field.required && isEmpty(draft.config[field.name]) && !storedSecret(field, saved));
  const errorOf = (field: ConfigField): string | null => {
    const changed = again(field);
    if (changed) return text.again(changed.label);
    const isUnchanged = draft.config[field.name] === provider?.config[field.name];
    return problem?.field === field.name && isUnchanged ? problem.message : null;
  };
  const input = (field: ConfigField) => (
    <ConfigInput
      key={`${draft.kind} ${field.name}`}
      field={field}
      value={draft.config[field.name]}
      stored={storedSecret(field, saved)}
      error={errorOf(field)}
      problem={isMissing(field) && text.needed}
      onChange={(value) => set(field.name, value)}
    />
  );
  const extras = fields.filter(isAdvanced);

  return (
    <FormDialog
      onClose={onClose}
      title={provider ? text.editTitle(provider.name || kindName(provider.kind)) : text.addTitle}
      description={text.hint}
      variant={draft.kind}
      invalid={fields.some(isMissing)}
      onSubmit={() => onApply(draft)}
      submit={provider ? text.apply : text.addApply}
    >
      {provider === null && (
        <Field label={text.kind}>
          <Select
            value={draft.kind}
            onChange={(event) => {
              setDraft({ ...newProvider(channel, event.target.value), name: draft.name });
            }}
          >
            {kindsOf(channel).map((kind) => (
              <option key={kind} value={kind}>
                {kindName(kind)}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <Field
        label={text.name}
        hint={text.nameHint}
        error={problem?.field === 'name' ? problem.message : null}
      >
        <Input
          value={draft.name}
          maxLength={60}
          placeholder={text.namePlaceholder}
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        />
      </Field>
      {draft.kind === 'sandbox' && <Notice>{email.sandboxHint}</Notice>}
      {draft.kind === 'managed' && <Notice>{sms.managedHint}</Notice>}
      {fields.filter((field) => !isAdvanced(field)).map(input)}
      {extras.length > 0 && (
        <details
          className={styles.extras}
          open={extras.some((field) => errorOf(field) !== null) || undefined}
        >
          <summary>{text.more}</summary>
          <div className={styles.extraFields}>{extras.map(input)}</div>
        </details>
      )}
    </FormDialog>
  );
}

function newProvider(channel: ChainChannel, kind: string): DraftProvider {
  drafts += 1;
  return { key: `new-${drafts}`, id: null, channel, kind, name: '', enabled: true, config: {} };
}

function isEmpty(value: FieldValue): boolean {
  return value === undefined || value === null || value === '';
}

/** Returns the masked value of the stored secret, or null when there is none. */
function storedSecret({ name, secret }: ConfigField, saved: SavedProvider | undefined): string | null {
  const value = secret ? saved?.config[name] : null;
  return typeof value === 'string' ? value : null;
}

/** Returns the changed field that would send a stored secret to a new address. The service rejects that too. */
function mustBeGivenAgain(
  field: ConfigField,
  draft: DraftProvider,
  saved: SavedProvider | undefined,
): ConfigField | null {
  if (!saved || !storedSecret(field, saved) || draft.config[field.name] === null) return null;
  if (!isEmpty(draft.config[field.name])) return null;
  const hasChanged = ({ name }: ConfigField) =>
    String(draft.config[name] ?? '') !== String(saved.config[name] ?? '');
  return (
    fieldsOf(draft.channel, draft.kind).find(
      (each) => each.receives.includes(field.name) && hasChanged(each),
    ) ?? null
  );
}
