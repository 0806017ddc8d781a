import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { workflows } from '../../strings/workflows.ts';
import { Field, FormDialog, Input, Radio } from '../../ui/index.ts';
import { writeBody } from './definition.ts';
import styles from './list-page.module.css';
import { type Starter, starters } from './starters.ts';

const { list } = workflows;
const starterNames = Object.keys(starters) as Starter[];

export function CreateDialog({ onOpenChange }: { onOpenChange(open: boolean): void }) {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const [starter, setStarter] = useState<Starter>('welcome');
  const [name, setName] = useState('');
  const [typedKey, setTypedKey] = useState<string | null>(null);
  const key = typedKey ?? keyFrom(name);
  const create = useWrite(
    async (api) => {
      const made = await api.workflows.create({ key, name: name.trim() });
      await api.workflows.createVersion(made.key, { body_json: writeBody(starters[starter]) });
      return made;
    },
    {
      changes: [['workflows']],
      quiet: true,
      done: list.created,
      onDone: (made) => {
        onOpenChange(false);
        void navigate({ to: `/${kind}/workflows/${made.key}` });
      },
    },
  );
  return (
    <FormDialog
      onClose={() => onOpenChange(false)}
      title={list.createTitle}
      onSubmit={() => create.mutate()}
      submit={common.create}
      busy={create.isPending}
      disabled={name.trim() === '' || key === ''}
      error={create.error}
    >
      <Field label={common.name} name="name">
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={list.key} hint={list.keyHint} name="key">
        <Input mono value={key} onChange={(event) => setTypedKey(event.target.value)} />
      </Field>
      <fieldset className={styles.starters}>
        <legend>{list.beginWith}</legend>
        {starterNames.map((each) => (
          <Radio
            key={each}
            name="starter"
            value={each}
            checked={each === starter}
            onChange={() => setStarter(each)}
            label={<strong>{workflows.starters[each].name}</strong>}
            hint={workflows.starters[each].hint}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}

/** `Order payment` → `order_payment`. */
function keyFrom(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 100);
}
