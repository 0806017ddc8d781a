import { NotFoundError, type Notification, type NotificationContent } from '@carillon/sdk';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import {
  MessagePreview,
  type PreviewMessage,
  PreviewSwitch,
  type PreviewView,
} from '../../previews/index.ts';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Button, Card, CodeBlock, describeError, EmptyState, Loaded, Notice } from '../../ui/index.ts';

const text = notifications.message;
const isAhead = new Set<Notification['status']>(['queued', 'sending']);

/** The rendered message, exactly as it is sent. */
export function Message({ notification }: { notification: Notification }) {
  const { id, status } = notification;
  const [view, setView] = useState<PreviewView>('desktop');
  const content = useRead(
    ['notifications', id, 'content', status],
    (api, signal) => api.notifications.getContent(id, { signal }),
    { keep: true },
  );
  return (
    <Card
      title={isAhead.has(status) ? text.expected : text.title}
      actions={notification.channel === 'email' && <PreviewSwitch view={view} onChange={setView} />}
    >
      {content.error instanceof NotFoundError ? (
        <EmptyState title={text.erased} icon="trash" />
      ) : content.error && !content.data && hasWords(notification) ? (
        <>
          <Notice
            tone="amber"
            action={
              <Button size="small" icon="retry" busy={content.isFetching} onClick={() => content.refetch()}>
                {common.retry}
              </Button>
            }
          >
            {text.asGiven} {describeError(content.error).text}
          </Notice>
          <MessagePreview message={asGiven(notification)} view={view} />
        </>
      ) : (
        <Loaded query={content}>
          {(data) => (
            <>
              {data.error !== null && <Notice tone="amber">{text.problem(data.error)}</Notice>}
              {data.rendered && <MessagePreview message={previewOf(data, notification)} view={view} />}
              <Headers content={data} />
            </>
          )}
        </Loaded>
      )}
    </Card>
  );
}

function previewOf(content: NotificationContent, { action_url: actionUrl }: Notification): PreviewMessage {
  const { channel, subject, html, text: words, structured } = content;
  return {
    channel,
    subject,
    html,
    text: words,
    structured,
    from: mailbox(content.from),
    to: mailbox(content.to),
    actionUrl,
  };
}

/** True when the request itself has the content, without a template. */
const hasWords = ({ template_key, subject, html_body, text_body }: Notification): boolean =>
  template_key === null && Boolean(subject || html_body || text_body);

function asGiven(notification: Notification): PreviewMessage {
  const {
    channel,
    subject,
    html_body: html,
    text_body: words,
    action_url: actionUrl,
    recipient,
    tags,
    actions,
  } = notification;
  const structured = channel === 'in_app' ? { tags, actions } : null;
  return { channel, subject, html, text: words, structured, to: recipient.address, actionUrl };
}

function mailbox(party: { address: string; name: string | null } | null): string | null {
  if (!party) return null;
  return party.name ? `${party.name} <${party.address}>` : party.address;
}

/** Headers that the sender can set: List-Unsubscribe, Reply-To. */
function Headers({ content }: { content: NotificationContent }) {
  const lines = Object.entries({
    ...(content.reply_to ? { 'Reply-To': content.reply_to } : {}),
    ...content.headers,
  });
  if (lines.length === 0) return null;
  return (
    <CodeBlock
      label={text.headers}
      code={lines.map(([name, value]) => `${name}: ${value}`).join('\n')}
      wrap
    />
  );
}
