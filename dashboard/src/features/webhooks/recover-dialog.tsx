import type { WebhookEndpoint } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { Field, FormDialog, Input, localZone } from '../../ui/index.ts';

/** Resends everything that failed since a given time. */
export function RecoverDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const [since, setSince] = useState(() => localInput(defaultSince(endpoint)));
  const [isWrong, setWrong] = useState(false);
  const recover = useWrite(
    (api, moment: string) => api.webhookEndpoints.recover(endpoint.id, { since: moment }),
    {
      changes: [['webhooks']],
      done: ({ count }) => text.recover.done(count),
      onDone: onClose,
      quiet: true,
    },
  );
  const submit = () => {
    const moment = new Date(since); // A time without a zone is local.
    const isDate = !Number.isNaN(moment.getTime());
    setWrong(!isDate);
    if (isDate) recover.mutate(moment.toISOString());
  };
  return (
    <FormDialog
      onClose={onClose}
      title={text.recover.title}
      description={text.recover.text}
      onSubmit={submit}
      submit={text.recover.confirm}
      busy={recover.isPending}
      error={recover.error}
    >
      <Field
        label={text.recover.since}
        hint={text.recover.sinceHint(localZone)}
        name="since"
        error={isWrong ? text.recover.sinceWrong : null}
      >
        <Input type="datetime-local" value={since} onChange={(event) => setSince(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

/** Defaults to the start of the failures, or to one day ago. The input has minutes, so the time is rounded down. */
function defaultSince({ failing_since }: WebhookEndpoint): Date {
  const dayAgo = Date.now() - 86_400_000;
  return new Date(failing_since === null ? dayAgo : Date.parse(failing_since));
}

function localInput(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
