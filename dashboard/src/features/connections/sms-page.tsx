import type { SmsSettings } from '@carillon/sdk';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { orNull } from '../../api/or-null.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { sms as text } from '../../strings/connections.ts';
import {
  Badge,
  Button,
  Card,
  CopyButton,
  EmptyState,
  ExactTime,
  Loaded,
  Notice,
  Pairs,
  Stack,
} from '../../ui/index.ts';
import { adviceOn } from './advice.ts';
import styles from './connections.module.css';
import { ConnectionsLayout } from './layout.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { SmsDialog } from './sms-dialog.tsx';

export default function SmsPage() {
  const { environment, can, kind } = useEnvironment();
  const mayWrite = can('channels:write');
  const [isEditing, setEditing] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const query = useRead(['sms-settings'], (api, signal) =>
    orNull(api.smsSettings.get(environment.id, { signal })),
  );
  const edit = (
    <Button variant="primary" onClick={() => setEditing(true)}>
      {text.setUp}
    </Button>
  );
  return (
    <ConnectionsLayout channel="sms">
      <Loaded query={query} lines={6}>
        {(settings) => (
          <>
            <Card
              title={text.account}
              actions={
                settings &&
                mayWrite && (
                  <>
                    <Button size="small" icon="edit" onClick={() => setEditing(true)}>
                      {text.edit}
                    </Button>
                    <Button size="small" onClick={() => setLeaving(true)}>
                      {text.remove}
                    </Button>
                  </>
                )
              }
            >
              {settings ? <Account settings={settings} /> : <None action={mayWrite && edit} />}
            </Card>
            {isEditing && <SmsDialog settings={settings} onClose={() => setEditing(false)} />}
          </>
        )}
      </Loaded>
      {isLeaving && (
        <RemoveDialog
          title={text.removeTitle}
          text={kind === 'live' ? text.removeText : text.removeTextTest}
          confirm={text.removeConfirm}
          word={text.removeWord}
          done={text.removed}
          remove={(api) => api.smsSettings.delete(environment.id)}
          list={['sms-settings']}
          onClose={() => setLeaving(false)}
        />
      )}
    </ConnectionsLayout>
  );
}

function None({ action }: { action: ReactNode }) {
  const { kind } = useEnvironment();
  const isTest = kind === 'test';
  return (
    <EmptyState
      title={isTest ? text.none.test : text.none.live}
      icon={isTest ? 'sms' : 'warning'}
      action={action}
    >
      {isTest ? text.none.testText : text.none.liveText}
    </EmptyState>
  );
}

function Account({ settings }: { settings: SmsSettings }) {
  const { credentials_validated: isValid, credentials_detail: said, callback_url: url } = settings;
  const isManaged = settings.kind === 'Managed';
  return (
    <Stack>
      {!isValid && (
        <Notice tone="red">
          {adviceOn(said)}
          {said && <div className={styles.said}>{said}</div>}
        </Notice>
      )}
      <Pairs
        pairs={[
          [text.kind, <Kind key="kind" kind={settings.kind.toLowerCase()} />],
          [
            text.status,
            <Badge key="status" tone={isValid ? 'green' : 'red'} shape={isValid ? 'dot' : 'diamond'}>
              {isValid ? text.valid : text.invalid}
            </Badge>,
          ],
          settings.credentials_validated_at !== null && [
            text.checkedAt,
            <ExactTime key="checked" at={settings.credentials_validated_at} />,
          ],
          isValid && said !== '' && [text.detail, said],
          isManaged ? [text.fromNumber, text.noSender] : [text.fromNumber, settings.from_number ?? '–'],
          !isManaged && [text.fromSenderId, settings.from_sender_id ?? '–'],
        ]}
      />
      {url && (
        <div>
          <h3>{text.callback}</h3>
          <div className={styles.url}>
            <code>{url}</code>
            <CopyButton text={url} />
          </div>
          <p className={styles.small}>{text.callbackHint}</p>
        </div>
      )}
    </Stack>
  );
}

function Kind({ kind }: { kind: string }) {
  const wireName = common.wireName(kind);
  return (
    <>
      {wireName === null ? common.sentence(kind) : common.provider(kind)}{' '}
      {wireName !== null && <code>{wireName}</code>}
    </>
  );
}
