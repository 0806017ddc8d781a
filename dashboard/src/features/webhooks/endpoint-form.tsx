import type { WebhookEndpoint } from '@carillon/sdk';
import { useState } from 'react';
import { common } from '../../strings/common.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { Field, Input } from '../../ui/index.ts';
import { type Draft, draftOf, readDraft } from './endpoint-draft.ts';
import { EventChoice } from './event-choice.tsx';

export function useEndpointForm(endpoint: WebhookEndpoint | null) {
  const [initial] = useState(() => draftOf(endpoint));
  const [draft, setDraft] = useState(initial);
  return {
    draft,
    ...readDraft(draft),
    isChanged: JSON.stringify(draft) !== JSON.stringify(initial),
    change: (changes: Partial<Draft>) => setDraft((former) => ({ ...former, ...changes })),
  };
}

export function EndpointFields({ form }: { form: ReturnType<typeof useEndpointForm> }) {
  const { draft, problems, change } = form;
  return (
    <>
      <Field label={text.form.url} hint={text.form.urlHint} name="url">
        <Input
          type="url"
          mono
          value={draft.url}
          placeholder={text.form.urlExample}
          onChange={(event) => change({ url: event.target.value })}
        />
      </Field>
      <Field
        label={`${text.form.description} (${common.optional})`}
        hint={text.form.descriptionHint}
        name="description"
      >
        <Input
          dir="auto"
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
        />
      </Field>
      <EventChoice draft={draft} onChange={change} problem={problems.events} />
      <Field
        label={text.form.timeout}
        hint={text.form.timeoutHint}
        name="timeout_seconds"
        problem={problems.timeout}
      >
        <Input
          inputMode="numeric"
          value={draft.timeout}
          onChange={(event) => change({ timeout: event.target.value })}
        />
      </Field>
    </>
  );
}
