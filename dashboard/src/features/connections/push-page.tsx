import type { PushSettings } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { push as text } from '../../strings/push.ts';
import { ring } from '../../strings/ring.ts';
import { Button, Card, Loaded } from '../../ui/index.ts';
import styles from './connections.module.css';
import { ConnectionsLayout } from './layout.tsx';
import { PushDialog, RingDialog } from './push-dialogs.tsx';
import { PushItem } from './push-item.tsx';
import { changePush, type PushKind, pushKey, pushKinds, readPush } from './push-settings.ts';
import { PushTestDialog } from './push-test-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

export default function PushPage() {
  const { environment, can } = useEnvironment();
  const [isTesting, setTesting] = useState(false);
  const query = useRead(pushKey, (api, signal) => readPush(api, environment.id, { signal }));
  const test = can('channels:write') && isAnySet(query.data) && (
    <Button icon="send" onClick={() => setTesting(true)}>
      {text.test.open}
    </Button>
  );
  return (
    <ConnectionsLayout channel="push" actions={test}>
      <Loaded query={query} lines={8}>
        {(settings) => <Services key={environment.id} settings={settings} />}
      </Loaded>
      {isTesting && <PushTestDialog onClose={() => setTesting(false)} />}
    </ConnectionsLayout>
  );
}

const isAnySet = (settings: PushSettings | undefined) =>
  settings !== undefined && pushKinds.some((kind) => settings[kind] !== null);

function Services({ settings }: { settings: PushSettings }) {
  const { environment, can } = useEnvironment();
  const mayWrite = can('channels:write');
  const [edited, setEdited] = useState<PushKind | 'ring' | null>(null);
  const [leaving, setLeaving] = useState<PushKind | null>(null);
  const close = () => setEdited(null);
  return (
    <>
      <Card flush>
        <ul className={styles.list} aria-label={text.services}>
          {pushKinds.map((kind) => (
            <PushItem
              key={kind}
              kind={kind}
              settings={settings}
              mayWrite={mayWrite}
              onEdit={() => setEdited(kind)}
              onRemove={() => setLeaving(kind)}
            />
          ))}
        </ul>
      </Card>
      {isAnySet(settings) && (
        <Card
          title={text.ring}
          actions={
            mayWrite && (
              <Button size="small" icon="edit" onClick={() => setEdited('ring')}>
                {common.edit}
              </Button>
            )
          }
        >
          <div>
            <p>{ring.summary(settings.ring.mode, settings.ring.after_seconds)}</p>
            <p className={styles.small}>{text.ringHint}</p>
          </div>
        </Card>
      )}
      {edited === 'ring' && <RingDialog settings={settings} onClose={close} />}
      {edited && edited !== 'ring' && <PushDialog kind={edited} settings={settings} onClose={close} />}
      {leaving && (
        <RemoveDialog
          title={text.removeTitle(text.names[leaving])}
          text={text.removeTexts[leaving]}
          confirm={common.remove}
          word={text.names[leaving]}
          done={text.removed}
          remove={(api) => changePush(api, environment.id, { [leaving]: null })}
          list={pushKey}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}
