import type { NewWebhookEndpoint } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { FormDialog } from '../../ui/index.ts';
import { EndpointFields, useEndpointForm } from './endpoint-form.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** The form, then the signing secret, then the page of the new endpoint. */
export function CreateDialog({ onClose }: { onClose(): void }) {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const create = useWrite((api, settings: NewWebhookEndpoint) => api.webhookEndpoints.create(settings), {
    changes: [['webhooks']],
    quiet: true,
  });
  const form = useEndpointForm(null);
  if (create.data) {
    const { id, signing_secret } = create.data;
    return (
      <SecretDialog
        title={text.secret.created}
        secret={signing_secret}
        onDone={() => void navigate({ to: `/${kind}/webhooks/${id}` })}
      />
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      firm={form.isChanged}
      title={text.form.newTitle}
      invalid={form.settings === null}
      onSubmit={() => form.settings && create.mutate(form.settings)}
      submit={common.create}
      busy={create.isPending}
      error={create.error}
    >
      <EndpointFields form={form} />
    </FormDialog>
  );
}
