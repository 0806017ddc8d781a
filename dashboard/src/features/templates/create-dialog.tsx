import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { isCode, useWrite } from '../../api/queries.ts';
import { type Channel, channelNames, common } from '../../strings/common.ts';
import { templates } from '../../strings/templates.ts';
import { Button, Field, FormDialog, Input, Select } from '../../ui/index.ts';
import { rememberSample } from './sample.ts';
import { starterBody, starterData } from './starters.ts';

const text = templates.createDialog;

export function CreateDialog({ onClose }: { onClose(): void }) {
  const { kind, environment } = useEnvironment();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [ownKey, setOwnKey] = useState<string | null>(null);
  const [channel, setChannel] = useState<Channel>('email');
  const key = ownKey ?? keyFrom(name);
  const create = useWrite(
    (api) => api.templates.create({ key, name: name.trim(), bodies: [starterBody(channel)] }),
    {
      changes: [['templates']],
      quiet: true,
      onDone: (template) => {
        rememberSample(environment.id, template.key, starterData);
        void navigate({ to: `/${kind}/templates/${encodeURIComponent(template.key)}` });
      },
    },
  );
  const { error } = create;
  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      onSubmit={() => create.mutate()}
      submit={common.create}
      busy={create.isPending}
      disabled={!name.trim() || !key}
      error={error}
    >
      <Field label={text.name} name="name">
        <Input
          value={name}
          maxLength={200}
          placeholder={text.namePlaceholder}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label={text.key} hint={text.keyHint} name="key">
        <Input mono value={key} maxLength={100} onChange={(event) => setOwnKey(event.target.value)} />
      </Field>
      <Field label={text.channel} hint={text.channelHint}>
        <Select value={channel} onChange={(event) => setChannel(event.target.value as Channel)}>
          {channelNames.map((each) => (
            <option key={each} value={each}>
              {common.channelInCode(each)}
            </option>
          ))}
        </Select>
      </Field>
      {isCode(error, 'duplicate_key') && (
        <Button
          size="small"
          variant="ghost"
          onClick={() => void navigate({ to: `/${kind}/templates/${encodeURIComponent(key)}` })}
        >
          {text.openExisting}
        </Button>
      )}
    </FormDialog>
  );
}

/** `Order shipped!` → `order-shipped`. */
function keyFrom(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 100);
}
