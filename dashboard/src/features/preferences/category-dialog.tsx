import type { Category } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { type Channel, channelNames, common } from '../../strings/common.ts';
import { categories } from '../../strings/preferences.ts';
import { ring as ringText } from '../../strings/ring.ts';
import {
  Checkbox,
  Field,
  FormDialog,
  Input,
  isRingWrong,
  Notice,
  RingFields,
  ringDraftOf,
  ringOf,
  Textarea,
} from '../../ui/index.ts';
import styles from './preferences.module.css';

const text = categories.dialog;
const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/;

/** Edits a category, or creates one when `category` is null. Mounted while open. */
export function CategoryDialog({ category, onClose }: { category: Category | null; onClose(): void }) {
  const [name, setName] = useState(category?.name ?? '');
  const [givenKey, setGivenKey] = useState<string | null>(null);
  const [description, setDescription] = useState(category?.description ?? '');
  const [isCritical, setCritical] = useState(false);
  const [channels, setChannels] = useState<readonly Channel[]>(
    category?.default_channels ?? ['email', 'in_app'],
  );
  const [optIn, setOptIn] = useState(category?.default_opt_in ?? true);
  const [ring, setRing] = useState(ringDraftOf(category?.push ?? null));
  const key = givenKey ?? keyOf(name);
  const save = useWrite(
    (api) => {
      const shared = {
        name: name.trim(),
        description: description.trim() || null,
        default_channels: [...channels],
        default_opt_in: optIn,
        push: ringOf(ring),
      };
      return category
        ? api.categories.replace(category.key, shared)
        : api.categories.create({ ...shared, key, is_critical: isCritical });
    },
    {
      changes: [['categories'], ['preferences']],
      done: category ? common.saved : text.created,
      quiet: true,
      onDone: onClose,
    },
  );
  const nameProblem = name.trim() === '' ? text.nameNeeded : null;
  const keyProblem = category === null && !keyPattern.test(key) ? text.keyWrong : null;
  const toggle = (channel: Channel, isOn: boolean) =>
    setChannels(isOn ? [...channels, channel] : channels.filter((each) => each !== channel));

  return (
    <FormDialog
      onClose={onClose}
      title={category ? text.editTitle(category.name) : text.createTitle}
      invalid={Boolean(nameProblem || keyProblem) || isRingWrong(ring)}
      onSubmit={() => save.mutate()}
      submit={category ? common.save : common.create}
      busy={save.isPending}
      error={save.error}
    >
      <Field label={text.name} hint={text.nameHint} name="name" problem={nameProblem}>
        <Input value={name} maxLength={200} dir="auto" onChange={(event) => setName(event.target.value)} />
      </Field>
      {category === null && (
        <Field label={text.key} hint={text.keyHint} name="key" problem={keyProblem}>
          <Input mono value={key} maxLength={100} onChange={(event) => setGivenKey(event.target.value)} />
        </Field>
      )}
      <Field label={text.text} hint={text.textHint} name="description">
        <Textarea
          value={description}
          maxLength={1000}
          dir="auto"
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      {category === null ? (
        <Checkbox
          label={text.critical}
          hint={text.criticalHint}
          checked={isCritical}
          onChange={(event) => setCritical(event.target.checked)}
        />
      ) : (
        <Notice>{category.is_critical ? text.criticalFixed : text.optionalFixed}</Notice>
      )}
      <fieldset className={styles.group}>
        <legend>{text.channels}</legend>
        <span className={styles.small}>{text.channelsHint}</span>
        <div className={styles.choices}>
          {channelNames.map((channel) => (
            <Checkbox
              key={channel}
              label={common.channel(channel)}
              checked={channels.includes(channel)}
              onChange={(event) => toggle(channel, event.target.checked)}
            />
          ))}
        </div>
      </fieldset>
      <Checkbox
        label={text.optIn}
        hint={text.optInHint}
        checked={optIn}
        onChange={(event) => setOptIn(event.target.checked)}
      />
      <RingFields inherit={ringText.asSettings} name="push" draft={ring} onChange={setRing} />
    </FormDialog>
  );
}

/** Proposes a key from the name until one is typed. */
function keyOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 100);
}
