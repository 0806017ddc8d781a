import type { WebhookEndpoint } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { Badge, Button, ConfirmDialog, IconButton, Menu } from '../../ui/index.ts';
import { EditDialog } from './edit-dialog.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { ResumeDialog } from './resume-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';

type Open = 'edit' | 'test' | 'rotate' | 'recover' | 'resume' | 'disable' | null;

export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const canWrite = useCan('webhooks:write');
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const isActive = endpoint.status === 'active';
  const turn = useWrite(
    (api, status: 'active' | 'paused') => api.webhookEndpoints.update(endpoint.id, { status }),
    {
      changes: [['webhooks']],
      done: (_, status) => (status === 'active' ? text.endpoint.resumed : text.endpoint.paused),
    },
  );
  if (!canWrite) return <Badge icon="lock">{common.viewerOnly}</Badge>;
  return (
    <>
      {endpoint.status !== 'disabled' && (
        <Button icon="send" onClick={() => setOpen('test')}>
          {text.endpoint.sendTest}
        </Button>
      )}
      <Button
        icon={isActive ? 'pause' : 'play'}
        variant={isActive ? 'secondary' : 'primary'}
        busy={turn.isPending}
        onClick={() => {
          if (endpoint.status === 'paused' && endpoint.paused_delivery_count > 0) setOpen('resume');
          else turn.mutate(isActive ? 'paused' : 'active');
        }}
      >
        {isActive ? text.endpoint.pause : text.endpoint.resume}
      </Button>
      <Menu
        trigger={<IconButton label={common.more} icon="more" variant="secondary" />}
        items={[
          { label: text.endpoint.edit, icon: 'edit', onSelect: () => setOpen('edit') },
          { label: text.endpoint.rotate, icon: 'key', onSelect: () => setOpen('rotate') },
          endpoint.status !== 'disabled' && {
            label: text.endpoint.recover,
            icon: 'retry',
            onSelect: () => setOpen('recover'),
          },
          null,
          endpoint.status !== 'disabled' && {
            label: text.endpoint.disable,
            icon: 'stop',
            danger: true,
            onSelect: () => setOpen('disable'),
          },
        ]}
      />
      {open === 'edit' && <EditDialog endpoint={endpoint} onClose={close} />}
      {open === 'test' && <TestDialog endpoint={endpoint} onClose={close} />}
      {open === 'rotate' && <RotateDialog endpoint={endpoint} onClose={close} />}
      {open === 'resume' && <ResumeDialog endpoint={endpoint} onClose={close} />}
      {open === 'recover' && <RecoverDialog endpoint={endpoint} onClose={close} />}
      {open === 'disable' && <DisableDialog endpoint={endpoint} onClose={close} />}
    </>
  );
}

function DisableDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const disable = useWrite((api) => api.webhookEndpoints.disable(endpoint.id), {
    changes: [['webhooks']],
    done: text.endpoint.disabled,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={text.disable.title}
      confirm={text.disable.confirm}
      busy={disable.isPending}
      onConfirm={() => disable.mutate()}
    >
      {text.disable.text}
    </ConfirmDialog>
  );
}
