import type { Notification } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Card, ChannelLabel, Copyable, ExactTime, Pairs } from '../../ui/index.ts';

const text = notifications.detail;

export function Facts({ notification }: { notification: Notification }) {
  const { kind } = useEnvironment();
  const n = notification;
  const { address, name } = n.recipient;
  const run = runOf(n.idempotency_key);
  return (
    <Card title={text.facts}>
      <Pairs
        pairs={[
          [text.id, <Copyable key="id" text={n.id} />],
          [
            text.recipient,
            address === null ? notifications.erasedRecipient : <Copyable key="to" text={address} />,
          ],
          name !== null && [text.name, <bdi key="name">{name}</bdi>],
          [text.channel, <ChannelLabel key="channel" channel={n.channel} wire />],
          n.template_key !== null && [
            text.template,
            <Link key="template" to={`/${kind}/templates/${encodeURIComponent(n.template_key)}`}>
              {n.template_key}
            </Link>,
          ],
          n.category !== null && [
            text.category,
            <Link key="category" to={`/${kind}/notifications?category=${encodeURIComponent(n.category)}`}>
              {n.category}
            </Link>,
          ],
          [text.priority, common.sentence(n.priority)],
          [text.attempts, n.attempt_count],
          [text.created, <ExactTime key="created" at={n.created_at} />],
          n.send_at !== null && [text.sendAt, <ExactTime key="send" at={n.send_at} />],
          n.sent_at !== null && [text.sentAt, <ExactTime key="sent" at={n.sent_at} />],
          n.resent_from !== null && [
            text.resentFrom,
            <Link key="from" to={`/${kind}/notifications/${n.resent_from}`}>
              <code>{n.resent_from}</code>
            </Link>,
          ],
          run !== null && [
            text.run,
            <Link key="run" to={`/${kind}/runs/${run}`}>
              {text.openRun}
            </Link>,
          ],
          n.idempotency_key !== null &&
            run === null && [text.idempotencyKey, <code key="key">{n.idempotency_key}</code>],
          n.action_url !== null && [text.action, <span key="action">{n.action_url}</span>],
          n.channel === 'in_app' &&
            address !== null && [
              text.preferences,
              <Link key="preferences" to={`/${kind}/preferences/users/${encodeURIComponent(address)}`}>
                {text.openPreferences}
              </Link>,
            ],
          address !== null && [
            text.others,
            <Link key="others" to={`/${kind}/notifications?recipient=${encodeURIComponent(address)}`}>
              {text.othersLink}
            </Link>,
          ],
        ]}
      />
    </Card>
  );
}

/** The idempotency key of a notification that a workflow step sent contains its run. */
function runOf(key: string | null): string | null {
  return /^run:([0-9a-f-]{36}):/.exec(key ?? '')?.[1] ?? null;
}
