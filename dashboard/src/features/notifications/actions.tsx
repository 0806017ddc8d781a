import type { Notification } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { curlGet } from '../../api/curl.ts';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Button, ConfirmDialog, CopyButton } from '../../ui/index.ts';
import { Reschedule } from './reschedule.tsx';

const text = notifications.actions;
type Asking = 'resend' | 'delete' | 'time' | null;

export function Actions({ notification }: { notification: Notification }) {
  const { can } = useEnvironment();
  const [asking, setAsking] = useState<Asking>(null);
  const { id, status, recipient } = notification;
  const close = () => setAsking(null);
  const isQueued = status === 'queued';
  const canResend = (status === 'failed' || status === 'bounced') && recipient.address !== null;
  return (
    <>
      <CopyButton spelled label={notifications.copyCurl} text={curlGet(`/v1/notifications/${id}`)} />
      {canResend && (
        <Button
          icon="retry"
          variant="primary"
          onClick={() => setAsking('resend')}
          {...guard(can('notifications:send'))}
        >
          {text.resend}
        </Button>
      )}
      {isQueued && (
        <Button icon="clock" onClick={() => setAsking('time')} {...guard(can('notifications:write'))}>
          {text.reschedule}
        </Button>
      )}
      <Button
        icon="trash"
        variant="danger"
        disabled={status === 'sending'}
        onClick={() => setAsking('delete')}
        {...guard(can('notifications:write'))}
      >
        {isQueued ? text.cancel : text.delete}
      </Button>
      <Resend notification={notification} open={asking === 'resend'} onClose={close} />
      <Delete notification={notification} open={asking === 'delete'} onClose={close} />
      {asking === 'time' && <Reschedule notification={notification} onClose={close} />}
    </>
  );
}

/** Without the scope the action is disabled and its title says why. */
function guard(isAllowed: boolean) {
  return isAllowed ? {} : { disabled: true, title: common.viewerOnly };
}

interface AskProps {
  notification: Notification;
  open: boolean;
  onClose(): void;
}

function Resend({ notification, open, onClose }: AskProps) {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const resend = useWrite((api) => api.notifications.resend(notification.id), {
    changes: [['notifications']],
    done: text.resent,
    onDone: ({ id }) => {
      onClose();
      void navigate({ to: `/${kind}/notifications/${id}` });
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={text.resendTitle}
      confirm={text.resend}
      onConfirm={() => resend.mutate()}
      busy={resend.isPending}
      danger={false}
    >
      {text.resendText(notification.recipient.address ?? '')}
    </ConfirmDialog>
  );
}

function Delete({ notification, open, onClose }: AskProps) {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const isQueued = notification.status === 'queued';
  const remove = useWrite((api) => api.notifications.delete(notification.id), {
    changes: [['notifications', 'list'], ['sandbox']],
    done: isQueued ? text.cancelled : text.deleted,
    onDone: () => {
      onClose();
      void navigate({ to: `/${kind}/notifications`, replace: true });
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={isQueued ? text.cancelTitle : text.deleteTitle}
      confirm={isQueued ? text.cancel : text.delete}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      {...(kind === 'live' ? { word: common.delete.toLowerCase() } : {})}
    >
      {isQueued ? text.cancelText : text.deleteText}
    </ConfirmDialog>
  );
}
