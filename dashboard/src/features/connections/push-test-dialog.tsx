import type { PushTestResult } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { push } from '../../strings/push.ts';
import { Badge, Field, FormDialog, Input, Notice, StatusBadge } from '../../ui/index.ts';
import styles from './connections.module.css';

const text = push.test;

export function PushTestDialog({ onClose }: { onClose(): void }) {
  const { environment } = useEnvironment();
  const [user, setUser] = useState('');
  const test = useWrite(
    (api, userId: string | null) => api.pushSettings.test(environment.id, { external_user_id: userId }),
    { quiet: true },
  );
  return (
    <FormDialog
      onClose={onClose}
      cancel={common.close}
      icon="send"
      submit={test.data ? text.again : text.submit}
      busy={test.isPending}
      error={test.error}
      title={text.title}
      description={text.hint}
      onSubmit={() => test.mutate(user.trim() || null)}
    >
      <Field label={text.user} hint={text.userHint} name="external_user_id">
        <Input mono value={user} maxLength={255} onChange={(event) => setUser(event.target.value)} />
      </Field>
      {test.data && <Result result={test.data} wasRung={Boolean(test.variables)} />}
    </FormDialog>
  );
}

function Result({ result, wasRung }: { result: PushTestResult; wasRung: boolean }) {
  return (
    <div className={styles.outcome} aria-live="polite">
      <ul className={styles.boxes} aria-label={text.checks}>
        {result.checks.map(({ kind, ok, detail }) => (
          <li key={kind}>
            <div className={styles.itemHead}>
              <span className={styles.strong}>{push.names[kind]}</span>
              <Badge tone={ok ? 'green' : 'red'} shape={ok ? 'dot' : 'diamond'}>
                {ok ? text.accepted : text.rejected}
              </Badge>
            </div>
            <div className={styles.small}>{detail}</div>
          </li>
        ))}
      </ul>
      {result.devices.length > 0 && (
        <ul className={styles.boxes} aria-label={text.devices}>
          {result.devices.map(({ id, kind, service, outcome, detail }) => (
            <li key={id}>
              <div className={styles.itemHead}>
                <span className={styles.strong}>{push.names[kind]}</span>
                <code>{service}</code>
                <StatusBadge status={outcome} />
              </div>
              <div className={styles.small}>{detail}</div>
            </li>
          ))}
        </ul>
      )}
      {wasRung && result.devices.length === 0 && <Notice tone="amber">{text.noDevices}</Notice>}
    </div>
  );
}
