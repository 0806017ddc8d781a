import { NotFoundError, type SandboxMessage } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { MessagePreview, PreviewSwitch, type PreviewView } from '../../previews/index.ts';
import { sandbox } from '../../strings/sandbox.ts';
import {
  Button,
  ChannelLabel,
  CodeBlock,
  EmptyState,
  ExactTime,
  fileSize,
  JsonBlock,
  Loaded,
  Notice,
  Stack,
  Tabs,
} from '../../ui/index.ts';
import styles from './outbox.module.css';
import { emailIn, previewOf, snippetOf } from './payload.ts';
import { useOutboxFilters } from './query.ts';

/** One message; `known` when the list has already loaded it. */
export function MessagePane(props: { id: string; known: SandboxMessage | undefined; onBack(): void }) {
  const { id, known, onBack } = props;
  const read = useRead(['sandbox', 'message', id], (api, signal) => api.sandbox.getMessage(id, { signal }), {
    enabled: !known,
  });
  const query = known ? { ...read, data: known } : read;
  return (
    <Stack>
      <div className={styles.back}>
        <Button size="small" icon="back" onClick={onBack}>
          {sandbox.backToList}
        </Button>
      </div>
      {query.error instanceof NotFoundError ? (
        <EmptyState title={sandbox.gone} icon="sandbox">
          {sandbox.goneHint}
        </EmptyState>
      ) : (
        <Loaded query={query}>{(message) => <Message message={message} />}</Loaded>
      )}
    </Stack>
  );
}

function Message({ message }: { message: SandboxMessage }) {
  const { kind } = useEnvironment();
  const { values, set } = useOutboxFilters();
  const [view, setView] = useState<PreviewView>('desktop');
  const email = emailIn(message.payload);
  const preview = previewOf(message);
  const tab = values.tab === 'payload' || (values.tab === 'source' && email) ? values.tab : 'preview';
  return (
    <>
      <div className={styles.head}>
        <div>
          <h2 dir="auto">{snippetOf(message) || message.to}</h2>
          <div className={styles.meta}>
            <ChannelLabel channel={message.channel} wire />
            <bdi>{message.to}</bdi>
            <ExactTime at={message.created_at} />
          </div>
        </div>
        <Link to={`/${kind}/notifications/${message.notification_id}`}>{sandbox.notification}</Link>
      </div>
      <Tabs
        label={sandbox.views}
        value={tab}
        onChange={(next) => set({ tab: next === 'preview' ? '' : next })}
        tabs={[
          {
            value: 'preview',
            label: sandbox.preview,
            content: (
              <Stack>
                {email && (
                  <div>
                    <PreviewSwitch view={view} onChange={setView} />
                  </div>
                )}
                <MessagePreview message={preview} view={view} />
                {email && <Files files={email.attachments} />}
              </Stack>
            ),
          },
          ...(email
            ? [
                {
                  value: 'source',
                  label: sandbox.source,
                  content: (
                    <Stack>
                      {!email.mime_complete && <Notice>{sandbox.mimeIncomplete}</Notice>}
                      <CodeBlock label={sandbox.mime} code={email.mime} wrap />
                    </Stack>
                  ),
                },
              ]
            : []),
          {
            value: 'payload',
            label: sandbox.payload,
            content: <JsonBlock label={sandbox.payload} value={payloadOf(message)} />,
          },
        ]}
      />
    </>
  );
}

/** The raw bytes of an email have their own tab. */
function payloadOf({ payload }: SandboxMessage): unknown {
  const { mime: _bytes, ...rest } = payload as Record<string, unknown>;
  return rest;
}

function Files({ files }: { files: { filename: string; size_bytes: number }[] }) {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={sandbox.attachments}>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names can repeat, and the order is fixed
        <li key={index}>{sandbox.attachment(file.filename, fileSize(file.size_bytes))}</li>
      ))}
    </ul>
  );
}
