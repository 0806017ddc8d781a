import type { ChatoneInstallation } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { chatone as text } from '../../strings/connections.ts';
import { AnchorButton, Button, Card, EmptyState, List, Row } from '../../ui/index.ts';
import { ChatoneItem } from './chatone-item.tsx';
import { InstallResult } from './chatone-result.tsx';
import { ChatoneTestDialog } from './chatone-test-dialog.tsx';
import { TokenDialog } from './chatone-token-dialog.tsx';
import styles from './connections.module.css';
import { ConnectionsLayout } from './layout.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

export default function ChatonePage() {
  const { environment, kind, can } = useEnvironment();
  const mayWrite = can('channels:write');
  const [isPasting, setPasting] = useState(false);
  const [tested, setTested] = useState<ChatoneInstallation | null>(null);
  const [leaving, setLeaving] = useState<ChatoneInstallation | null>(null);
  const query = useList(
    ['chatone'],
    (api, cursor, signal) => api.chatone.list({ limit: 50, cursor }, { signal }).page(),
    { everyMs: 15_000 },
  );
  const endTest = () => {
    setTested(null);
    void query.refetch(); // The test may have changed the health of the installation.
  };
  const installHref = `/oauth/chatone/install?env_id=${environment.id}`;
  const actions = mayWrite && (
    <Row>
      <Button icon="key" onClick={() => setPasting(true)}>
        {text.paste}
      </Button>
      <AnchorButton variant="primary" icon="plus" href={installHref}>
        {text.install}
      </AnchorButton>
    </Row>
  );
  return (
    <ConnectionsLayout channel="chatone" actions={query.items.length > 0 && actions}>
      <InstallResult installations={query.items} installHref={installHref} />
      <Card flush>
        <List
          query={query}
          lines={5}
          empty={
            <EmptyState title={text.empty} icon="chatone" action={actions}>
              {text.emptyText} {kind === 'test' && text.emptyTextTest}
            </EmptyState>
          }
        >
          <ul className={styles.list} aria-label={text.table}>
            {query.items.map((installation) => (
              <ChatoneItem
                key={installation.id}
                installation={installation}
                installHref={installHref}
                mayWrite={mayWrite}
                onTest={() => setTested(installation)}
                onRemove={() => setLeaving(installation)}
              />
            ))}
          </ul>
        </List>
      </Card>
      {isPasting && <TokenDialog onClose={() => setPasting(false)} />}
      {tested && <ChatoneTestDialog installation={tested} onClose={endTest} />}
      {leaving && (
        <RemoveDialog
          title={text.removeTitle(leaving.team_name)}
          text={text.removeText}
          confirm={text.removeConfirm}
          word={leaving.team_name}
          done={text.removed}
          remove={(api) => api.chatone.delete(leaving.id)}
          list={['chatone']}
          onClose={() => setLeaving(null)}
        />
      )}
    </ConnectionsLayout>
  );
}
