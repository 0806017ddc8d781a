import { CarillonError, type WebhookEndpoint } from '@carillon/sdk';
import { useState } from 'react';
import { errorOf } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { describeError, Field, Input, Notice } from '../../ui/index.ts';
import { type Draft, draftOf, type FieldErrors, readDraft, type Settings } from './endpoint-draft.ts';
import { EventChoice } from './event-choice.tsx';

export function useEndpointForm(endpoint: WebhookEndpoint | null, onSettings: (settings: Settings) => void) {
  const [initial] = useState(() => draftOf(endpoint));
  const [draft, setDraft] = useState(initial);
  const [mistakes, setMistakes] = useState<FieldErrors>({});
  return {
    draft,
    mistakes,
    isChanged: JSON.stringify(draft) !== JSON.stringify(initial),
    change: (changes: Partial<Draft>) => setDraft((former) => ({ ...former, ...changes })),
    submit() {
      const read = readDraft(draft);
      setMistakes('mistakes' in read ? read.mistakes : {});
      if ('settings' in read) onSettings(read.settings);
    },
  };
}

export function EndpointFields(props: { form: ReturnType<typeof useEndpointForm>; error: unknown }) {
  const { form, error } = props;
  const { draft, change } = form;
  return (
    <>
      {error !== null && !isBesideField(error) && <Notice tone="red">{describeError(error).text}</Notice>}
      <Field label={text.form.url} hint={text.form.urlHint} error={errorOf(error, 'url')}>
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
        error={errorOf(error, 'description')}
      >
        <Input
          dir="auto"
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
        />
      </Field>
      <EventChoice draft={draft} onChange={change} error={form.mistakes.events ?? filtersError(error)} />
      <Field
        label={text.form.timeout}
        hint={text.form.timeoutHint}
        error={form.mistakes.timeout ?? errorOf(error, 'timeout_seconds')}
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

/** The service names the one filter that is wrong: `event_filters.3`. */
function filtersError(error: unknown): string | null {
  const isOurs = error instanceof CarillonError && error.param?.split('.')[0] === 'event_filters';
  return isOurs ? error.message : null;
}

function isBesideField(error: unknown): boolean {
  const field = error instanceof CarillonError ? error.param?.split('.')[0] : undefined;
  return ['url', 'description', 'event_filters', 'timeout_seconds'].includes(field ?? '');
}
