import type { WebhookEndpoint } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { Checkbox, FormDialog } from '../../ui/index.ts';
import { waitingText } from './endpoint-notice.tsx';

/** The service ends so many in one call. */
const discardedPerCall = 100_000;

/** Resumes an endpoint for which deliveries wait: they are sent or discarded. */
export function ResumeDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const [discards, setDiscards] = useState(false);
  const resume = useWrite(
    async ({ webhookEndpoints }) => {
      if (discards)
        for (let count = discardedPerCall; count === discardedPerCall; )
          count = (await webhookEndpoints.discardPendingDeliveries(endpoint.id)).count;
      return webhookEndpoints.update(endpoint.id, { status: 'active' });
    },
    { changes: [['webhooks']], done: text.endpoint.resumed, onDone: onClose, quiet: true },
  );
  return (
    <FormDialog
      onClose={onClose}
      title={text.resume.title}
      description={`${waitingText(endpoint)} ${discards ? '' : text.resume.text}`}
      onSubmit={() => resume.mutate()}
      submit={discards ? text.resume.confirmDiscard : text.resume.confirm}
      danger={discards}
      busy={resume.isPending}
      error={resume.error}
    >
      <Checkbox
        label={text.resume.discard}
        hint={text.resume.discardHint}
        checked={discards}
        onChange={(event) => setDiscards(event.target.checked)}
      />
    </FormDialog>
  );
}
