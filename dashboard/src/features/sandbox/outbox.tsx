import { useEffect, useState } from 'react';
import { useCan } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { SearchFilter } from '../../shell/search-filter.tsx';
import { channelNames, common } from '../../strings/common.ts';
import { sandbox } from '../../strings/sandbox.ts';
import {
  Button,
  ConfirmDialog,
  classes,
  EmptyState,
  Loaded,
  Page,
  Row,
  SelectFilter,
} from '../../ui/index.ts';
import { SandboxEmpty } from './empty.tsx';
import { MessagePane } from './message-pane.tsx';
import styles from './outbox.module.css';
import { useMessages, useOutboxFilters } from './query.ts';
import { Rows } from './rows.tsx';

/** Two panes; on a phone the list, then the message. */
export function Outbox() {
  const { values, set } = useOutboxFilters();
  const { channel, to } = values;
  const list = useMessages({ channel, to });
  const chosen = values.message || null;
  // Side by side, the message that was newest when the page opened is shown first.
  const [opening, setOpening] = useState<string | null>(null);
  const first = list.items[0]?.id ?? null;
  useEffect(() => setOpening((before) => before ?? first), [first]);
  const isFiltered = channel !== '' || to !== '';
  const shown = chosen ?? (list.items.some(({ id }) => id === opening) ? opening : first);
  const isEmpty = list.data !== undefined && list.items.length === 0;
  const isUnused = isEmpty && !chosen && !isFiltered;

  return (
    <Page
      full
      title={sandbox.title}
      description={sandbox.description}
      actions={<EmptyButton disabled={isUnused} />}
    >
      {!isUnused && (
        <div className={classes(styles.filters, chosen && styles.behind)}>
          <Row>
            <div className={styles.search}>
              <SearchFilter
                label={sandbox.search}
                value={to}
                maxLength={320}
                onChange={(next) => set({ to: next, message: '' })}
              />
            </div>
            <SelectFilter
              label={sandbox.channels}
              any={sandbox.allChannels}
              options={channelNames}
              nameOf={common.channel}
              value={channel}
              onChange={(next) => set({ channel: next, message: '' })}
            />
          </Row>
        </div>
      )}
      <Loaded query={list} lines={8}>
        {() =>
          isUnused ? (
            <SandboxEmpty />
          ) : isEmpty && !chosen ? (
            <EmptyState
              title={sandbox.noMatch}
              icon="filter"
              action={<Button onClick={() => set({ channel: '', to: '' })}>{common.clearFilters}</Button>}
            />
          ) : (
            <div className={styles.panes}>
              <div className={classes(styles.list, chosen && styles.behind)}>
                <Rows list={list} shown={shown} onChoose={(id) => set({ message: id })} />
              </div>
              <div className={classes(styles.message, !chosen && styles.behind)}>
                {shown && (
                  <MessagePane
                    key={shown}
                    id={shown}
                    known={list.items.find(({ id }) => id === shown)}
                    onBack={() => set({ message: '' })}
                  />
                )}
              </div>
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function EmptyButton({ disabled }: { disabled: boolean }) {
  const canWrite = useCan('notifications:write');
  const [isAsking, setAsking] = useState(false);
  const { set } = useOutboxFilters();
  const empty = useWrite((api) => api.sandbox.deleteMessages(), {
    changes: [['sandbox']],
    done: sandbox.emptied,
    onDone: () => {
      setAsking(false);
      set({ message: '' });
    },
  });
  return (
    <>
      <Button
        icon="trash"
        disabled={disabled || !canWrite}
        title={canWrite ? undefined : common.viewerOnly}
        onClick={() => setAsking(true)}
      >
        {sandbox.empty}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={sandbox.emptyTitle}
        confirm={sandbox.empty}
        onConfirm={() => empty.mutate()}
        busy={empty.isPending}
      >
        {sandbox.emptyText}
      </ConfirmDialog>
    </>
  );
}
