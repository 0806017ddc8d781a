import type { Notification, SandboxMessage, TraceEntry } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import {
  CodeBlock,
  type Column,
  Copyable,
  duration,
  EmptyState,
  ExactTime,
  fileSize,
  JsonBlock,
  Pairs,
  Row,
  Stack,
  Table,
} from '../../ui/index.ts';

const text = notifications.exchange;
const names = text.columns;

const columns: Column<TraceEntry>[] = [
  { header: names.at, cell: ({ at }) => <ExactTime at={at} /> },
  { header: names.provider, cell: ({ name, provider_kind: kind }) => providerOf(name, kind) },
  { header: names.outcome, cell: ({ verdict }) => notifications.why.outcomes[verdict] ?? verdict },
  { header: names.code, cell: ({ code }) => (code ? <code>{code}</code> : notifications.nothing) },
  { header: names.answer, cell: ({ detail }) => detail ?? notifications.nothing },
  {
    header: names.latency,
    end: true,
    cell: ({ latency_ms: ms }) => (ms === null ? notifications.nothing : duration(ms)),
  },
  {
    header: names.id,
    cell: ({ provider_message_id: id }) => (id ? <Copyable text={id} /> : notifications.nothing),
  },
];

/** `Twilio (smsone)`, `Main relay (smtp)`; the name alone when both are the same. */
function providerOf(name: string, kind: string | null): string {
  const shown = common.provider(name);
  return kind === null || kind === shown ? shown : `${shown} (${kind})`;
}

/** Each request to a provider with its response and, for the sandbox, the stored message. */
export function ProviderRequests({
  notification,
  entries,
}: {
  notification: Notification;
  entries: TraceEntry[];
}) {
  const attempts = entries.filter(({ kind }) => kind === 'attempt');
  if (attempts.length === 0) {
    const isSuppressed = notification.status === 'suppressed';
    return <EmptyState title={isSuppressed ? text.noneSuppressed : text.none} icon="send" />;
  }
  return (
    <Stack>
      <Table
        label={notifications.more.exchange}
        columns={columns}
        rows={attempts}
        rowKey={({ at, name }) => `${at} ${name}`}
      />
      <Calls attempts={attempts} />
      {attempts.some(({ provider_kind: kind }) => kind === 'sandbox') && <Handed id={notification.id} />}
      <p style={{ color: 'var(--text-2)' }}>{text.secrets}</p>
    </Stack>
  );
}

/** The HTTP attempts. Bodies are not stored, because a response may repeat a secret. */
function Calls({ attempts }: { attempts: TraceEntry[] }) {
  const calls = attempts.flatMap(({ at, exchange }) => (exchange ? [{ at, ...exchange }] : []));
  if (calls.length === 0) return null;
  return (
    <Stack>
      <h3>{text.calls}</h3>
      <Pairs
        pairs={calls.map((call) => [
          <ExactTime key={call.at} at={call.at} />,
          <div key={call.at}>
            <code>{text.call(call.method, call.url)}</code>
            <div>{text.called(fileSize(call.request_bytes), call.status, fileSize(call.response_bytes))}</div>
          </div>,
        ])}
      />
    </Stack>
  );
}

function Handed({ id }: { id: string }) {
  const { kind } = useEnvironment();
  const messages = useRead(['sandbox', 'of', id], (api, signal) =>
    api.sandbox.listMessages({ notification_id: id, limit: 10 }, { signal }).page(),
  );
  return messages.data?.data.map((message) => (
    <Stack key={message.id}>
      <Row>
        <h3>{text.handed}</h3>
        <Link to={`/${kind}/sandbox?message=${message.id}`}>{notifications.detail.openSandbox}</Link>
      </Row>
      <Raw payload={message.payload} />
    </Stack>
  ));
}

function Raw({ payload }: { payload: SandboxMessage['payload'] }) {
  if (!('mime' in payload) || typeof payload.mime !== 'string') {
    return <JsonBlock label={text.payload} value={payload} />;
  }
  return (
    <>
      {payload.mime_complete === false && <p>{text.mimeIncomplete}</p>}
      <CodeBlock label={text.mime} code={payload.mime} wrap />
    </>
  );
}
