import { useState } from 'react';
import { type Scope, useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { keys, scopeGroups, scopeNames } from '../../strings/settings.ts';
import { Checkbox, Field, FormDialog, Input, Radio, Select, useFormError } from '../../ui/index.ts';
import type { NewKey } from './new-key-dialog.tsx';
import { type Preset, presets, scopesByGroup } from './scopes.ts';
import styles from './settings.module.css';

const dayMs = 86_400_000;

/** Mounted while open, so that it always starts empty. */
export function CreateKeyDialog({ onClose, onMade }: { onClose(): void; onMade(made: NewKey): void }) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Preset | 'custom'>('send_only');
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set());
  const [expiry, setExpiry] = useState('never');
  const create = useWrite(
    (api) =>
      api.apiKeys.create({
        name: name.trim(),
        ...(access === 'custom' ? { scopes: [...chosen] } : { preset: access }),
        ...(expiry === 'never'
          ? {}
          : { expires_at: new Date(Date.now() + Number(expiry) * dayMs).toISOString() }),
      }),
    {
      changes: [['keys'], ['audit']],
      quiet: true,
      onDone: (made) => {
        onClose();
        onMade(made);
      },
    },
  );
  const isNameMissing = name.trim() === '';
  const isChoiceMissing = access === 'custom' && chosen.size === 0;
  return (
    <FormDialog
      onClose={onClose}
      title={keys.create}
      description={keys.description}
      invalid={isNameMissing || isChoiceMissing}
      onSubmit={() => create.mutate()}
      submit={keys.create}
      busy={create.isPending}
      error={create.error}
    >
      <Field label={keys.name} hint={keys.nameHint} name="name" problem={isNameMissing && keys.nameNeeded}>
        <Input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} required />
      </Field>
      <fieldset className={styles.group}>
        <legend>{keys.access}</legend>
        {presets.map((preset) => (
          <Radio
            key={preset}
            name="access"
            label={keys.presets[preset]}
            hint={keys.presetHints[preset]}
            checked={access === preset}
            onChange={() => setAccess(preset)}
          />
        ))}
        <Radio
          name="access"
          label={keys.custom}
          hint={keys.customHint}
          checked={access === 'custom'}
          onChange={() => setAccess('custom')}
        />
      </fieldset>
      {access === 'custom' && <ScopeBoxes chosen={chosen} onChange={setChosen} />}
      <Field label={keys.expiry}>
        <Select value={expiry} onChange={(event) => setExpiry(event.target.value)}>
          {['never', '30', '90', '365'].map((each) => (
            <option key={each} value={each}>
              {keys.expiries[each]}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
}

function ScopeBoxes(props: { chosen: ReadonlySet<Scope>; onChange(chosen: ReadonlySet<Scope>): void }) {
  const { chosen, onChange } = props;
  const { can } = useEnvironment();
  const error = useFormError('scopes', chosen.size === 0 && keys.pickOne);
  const toggle = (scope: Scope, isOn: boolean) => {
    const next = new Set(chosen);
    if (isOn) next.add(scope);
    else next.delete(scope);
    onChange(next);
  };
  return (
    <>
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <div className={styles.scopes}>
        {scopesByGroup.map(([group, members]) => (
          <fieldset key={group} className={styles.group}>
            <legend>{scopeGroups[group] ?? group}</legend>
            {members.map((scope) => (
              <Checkbox
                key={scope}
                label={scopeNames[scope]}
                checked={chosen.has(scope)}
                disabled={!can(scope)}
                onChange={(event) => toggle(scope, event.target.checked)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </>
  );
}
