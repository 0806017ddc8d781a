import type { Topic } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { audiences } from '../../strings/audiences.ts';
import { common } from '../../strings/common.ts';
import { Field, FormDialog, Input, Textarea } from '../../ui/index.ts';

const text = audiences.dialog;
const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/;

/** Edits a topic, or creates one when `topic` is null. Mounted while open. */
export function TopicDialog({ topic, onClose }: { topic: Topic | null; onClose(): void }) {
  const [name, setName] = useState(topic?.name ?? '');
  const [givenKey, setGivenKey] = useState<string | null>(null);
  const [description, setDescription] = useState(topic?.description ?? '');
  const key = givenKey ?? keyOf(name);
  const save = useWrite(
    (api) => {
      const content = { name: name.trim(), description: description.trim() || null };
      return topic ? api.topics.replace(topic.key, content) : api.topics.create({ key, ...content });
    },
    { changes: [['topics']], done: topic ? common.saved : text.created, quiet: true, onDone: onClose },
  );
  const nameProblem = name.trim() === '' ? text.nameNeeded : null;
  const keyProblem = topic === null && !keyPattern.test(key) ? text.keyWrong : null;
  return (
    <FormDialog
      onClose={onClose}
      title={topic ? text.editTitle(topic.name) : text.createTitle}
      invalid={Boolean(nameProblem || keyProblem)}
      onSubmit={() => save.mutate()}
      submit={topic ? common.save : common.create}
      busy={save.isPending}
      error={save.error}
    >
      <Field label={text.name} name="name" problem={nameProblem}>
        <Input value={name} maxLength={200} dir="auto" onChange={(event) => setName(event.target.value)} />
      </Field>
      {topic === null && (
        <Field label={text.key} hint={text.keyHint} name="key" problem={keyProblem}>
          <Input mono value={key} maxLength={100} onChange={(event) => setGivenKey(event.target.value)} />
        </Field>
      )}
      <Field label={text.text} name="description">
        <Textarea
          value={description}
          maxLength={1000}
          dir="auto"
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
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
