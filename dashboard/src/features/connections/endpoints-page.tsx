import { useState } from 'react';
import { useCan } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { testSend, endpoints as text } from '../../strings/connections.ts';
import { Button, Card, EmptyState, FormDialog, Loaded } from '../../ui/index.ts';
import styles from './connections.module.css';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EndpointItem } from './endpoint-item.tsx';
import { type Endpoint, type EndpointChannel, endpointsOf, listKey } from './endpoints.ts';
import { ConnectionsLayout } from './layout.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { TestOutcome } from './test-outcome.tsx';

/** The page of chattwo and of chatthree, which both post to webhook URLs. */
export function EndpointsPage({ channel }: { channel: EndpointChannel }) {
  const mayWrite = useCan('channels:write');
  const [edited, setEdited] = useState<Endpoint | 'new' | null>(null);
  const [tested, setTested] = useState<Endpoint | null>(null);
  const [leaving, setLeaving] = useState<Endpoint | null>(null);
  const query = useRead(
    listKey(channel),
    async (api, signal) => {
      const { data } = await endpointsOf(api, channel).list({}, { signal }).page();
      return data as Endpoint[];
    },
    { everyMs: 15_000 },
  );
  const endTest = () => {
    setTested(null);
    void query.refetch(); // The test may have changed the health of the endpoint.
  };
  const add = mayWrite && (
    <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
      {text.add}
    </Button>
  );
  return (
    <ConnectionsLayout channel={channel} actions={query.data?.length ? add : null}>
      <Card flush>
        <Loaded query={query} lines={6}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState title={text.empty} icon={channel} action={add}>
                {text.emptyTexts[channel]}
              </EmptyState>
            ) : (
              <ul className={styles.list} aria-label={text.table}>
                {all.map((endpoint) => (
                  <EndpointItem
                    key={endpoint.id}
                    channel={channel}
                    endpoint={endpoint}
                    mayWrite={mayWrite}
                    onTest={() => setTested(endpoint)}
                    onEdit={() => setEdited(endpoint)}
                    onRemove={() => setLeaving(endpoint)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {edited && (
        <EndpointDialog
          channel={channel}
          endpoint={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {tested && <TestDialog channel={channel} endpoint={tested} onClose={endTest} />}
      {leaving && (
        <RemoveDialog
          title={text.removeTitle(leaving.label)}
          text={text.removeText}
          confirm={common.delete}
          word={leaving.key}
          done={text.removed}
          remove={(api) => endpointsOf(api, channel).delete(leaving.id)}
          list={listKey(channel)}
          onClose={() => setLeaving(null)}
        />
      )}
    </ConnectionsLayout>
  );
}

interface DialogProps {
  channel: EndpointChannel;
  endpoint: Endpoint;
  onClose(): void;
}

function TestDialog({ channel, endpoint, onClose }: DialogProps) {
  const send = useWrite((api) => endpointsOf(api, channel).sendTest(endpoint.id), {
    changes: [listKey(channel)],
    quiet: true,
  });
  const id = send.data?.notification_id;
  return (
    <FormDialog
      onClose={onClose}
      cancel={common.close}
      icon="send"
      submit={id ? testSend.again : testSend.send}
      busy={send.isPending}
      error={send.error}
      title={testSend.title(endpoint.label)}
      onSubmit={() => send.mutate()}
    >
      {id ? <TestOutcome key={id} notificationId={id} /> : <p>{testSend.intro}</p>}
    </FormDialog>
  );
}
