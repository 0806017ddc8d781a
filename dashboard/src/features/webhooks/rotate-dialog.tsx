import type { WebhookEndpoint } from '@carillon/sdk';
import { useWrite } from '../../api/queries.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { ConfirmDialog } from '../../ui/index.ts';
import { SecretDialog } from './secret-dialog.tsx';

/** Confirms, then shows the new secret. */
export function RotateDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const rotate = useWrite((api) => api.webhookEndpoints.rotateSecret(endpoint.id), {
    changes: [['webhooks']],
  });
  if (rotate.data) {
    return <SecretDialog title={text.secret.rotated} secret={rotate.data.signing_secret} onDone={onClose} />;
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={text.rotate.title}
      confirm={text.rotate.confirm}
      danger={false}
      busy={rotate.isPending}
      onConfirm={() => rotate.mutate()}
    >
      {text.rotate.text}
    </ConfirmDialog>
  );
}
