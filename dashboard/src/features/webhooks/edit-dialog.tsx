import type { WebhookEndpoint, WebhookEndpointChange } from '@carillon/sdk';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { FormDialog } from '../../ui/index.ts';
import { EndpointFields, useEndpointForm } from './endpoint-form.tsx';

export function EditDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const save = useWrite(
    (api, settings: WebhookEndpointChange) => api.webhookEndpoints.update(endpoint.id, settings),
    { changes: [['webhooks']], done: common.saved, onDone: onClose, quiet: true },
  );
  const form = useEndpointForm(endpoint);
  return (
    <FormDialog
      onClose={onClose}
      firm={form.isChanged}
      title={text.form.editTitle}
      invalid={form.settings === null}
      onSubmit={() => form.settings && save.mutate(form.settings)}
      submit={common.save}
      busy={save.isPending}
      error={save.error}
    >
      <EndpointFields form={form} />
    </FormDialog>
  );
}
