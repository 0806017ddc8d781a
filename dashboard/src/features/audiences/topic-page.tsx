import type { Topic, TopicSubscriber } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList, useRead, useWrite } from '../../api/queries.ts';
import { audiences } from '../../strings/audiences.ts';
import {
  Badge,
  Button,
  EmptyState,
  Field,
  FormDialog,
  formatCount,
  LinkButton,
  ListCard,
  Loaded,
  menuColumn,
  Page,
  Textarea,
  Time,
} from '../../ui/index.ts';

const text = audiences.topic;

export default function TopicPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { kind } = useEnvironment();
  const mayWrite = useCan('audiences:write');
  const mayBroadcast = useCan('broadcasts:write');
  const [isAdding, setAdding] = useState(false);
  const query = useRead(['topics', 'one', key], (api, signal) => api.topics.get(key, { signal }));
  const topic = query.data;
  return (
    <Page
      title={topic?.name ?? key}
      trail={[{ label: audiences.title, to: `/${kind}/audiences` }]}
      aside={topic && <Badge>{formatCount(topic.subscriber_count)}</Badge>}
      description={topic?.description ?? undefined}
      actions={
        <>
          {mayBroadcast && (
            <LinkButton icon="send" to={`/${kind}/broadcasts?new=${encodeURIComponent(key)}`}>
              {text.broadcast}
            </LinkButton>
          )}
          {mayWrite && (
            <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
              {text.add}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={query} lines={6}>
        {(data) => <Subscribers topic={data} mayWrite={mayWrite} />}
      </Loaded>
      {isAdding && topic && <AddDialog topic={topic} onClose={() => setAdding(false)} />}
    </Page>
  );
}

function Subscribers({ topic, mayWrite }: { topic: Topic; mayWrite: boolean }) {
  const { kind } = useEnvironment();
  const query = useList(['topics', 'subscribers', topic.key], (api, cursor, signal) =>
    api.topics.listSubscribers(topic.key, { limit: 50, cursor }, { signal }).page(),
  );
  const remove = useWrite(
    async (api, user: string) => {
      await api.topics.unsubscribe(topic.key, user);
      return user;
    },
    { changes: [['topics']], done: text.removed },
  );
  return (
    <ListCard
      title={text.subscribers}
      query={query}
      label={text.subscribers}
      rowKey={({ external_user_id }) => external_user_id}
      rowTo={({ external_user_id }) => `/${kind}/preferences/users/${encodeURIComponent(external_user_id)}`}
      columns={[
        { header: text.user, cell: ({ external_user_id }: TopicSubscriber) => <bdi>{external_user_id}</bdi> },
        { header: text.since, end: true, cell: ({ subscribed_at }) => <Time at={subscribed_at} /> },
        ...(mayWrite
          ? [
              menuColumn<TopicSubscriber>(
                ({ external_user_id }) => text.actions(external_user_id),
                ({ external_user_id }) => [
                  {
                    label: text.remove,
                    icon: 'trash',
                    danger: true,
                    onSelect: () => remove.mutate(external_user_id),
                  },
                ],
              ),
            ]
          : []),
      ]}
      empty={
        <EmptyState title={text.empty} icon="team">
          {text.emptyText}
        </EmptyState>
      }
    />
  );
}

function AddDialog({ topic, onClose }: { topic: Topic; onClose(): void }) {
  const [ids, setIds] = useState('');
  const wanted = ids
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const add = useWrite((api) => api.topics.addSubscribers(topic.key, { external_user_ids: wanted }), {
    changes: [['topics']],
    done: ({ added }) => text.added(added),
    quiet: true,
    onDone: onClose,
  });
  const isMissing = wanted.length === 0;
  return (
    <FormDialog
      onClose={onClose}
      title={text.addTitle}
      description={text.addHint}
      invalid={isMissing}
      onSubmit={() => add.mutate()}
      submit={text.addSubmit}
      busy={add.isPending}
      error={add.error}
    >
      <Field label={text.ids} problem={isMissing && text.idsNeeded}>
        <Textarea mono rows={8} value={ids} onChange={(event) => setIds(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
