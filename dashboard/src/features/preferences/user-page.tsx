import type { User } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { orNull } from '../../api/or-null.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { preferences, user as text, users } from '../../strings/preferences.ts';
import {
  Button,
  Card,
  Columns,
  Copyable,
  EmptyState,
  Loaded,
  Notice,
  Page,
  Pairs,
  Time,
} from '../../ui/index.ts';
import { DevicesCard } from './devices-card.tsx';
import { EraseCard } from './erase-card.tsx';
import { MatrixCard } from './matrix-card.tsx';
import { QuietHoursCard } from './quiet-hours-card.tsx';
import { RecentCard } from './recent-card.tsx';
import { UserDialog } from './user-dialog.tsx';

export default function UserPage() {
  const { userId: id = '' } = useParams({ strict: false }) as { userId?: string };
  const { kind } = useEnvironment();
  const mayWrite = useCan('preferences:write');
  const query = useRead(['users', 'one', id], (api, signal) => orNull(api.users.get(id, { signal })));
  return (
    <Page
      title={query.data?.name ?? id}
      trail={[
        { label: preferences.sections, to: `/${kind}/preferences` },
        { label: users.title, to: `/${kind}/preferences/users` },
      ]}
      description={<Copyable text={id} />}
    >
      {!mayWrite && <Notice>{common.viewerOnly}</Notice>}
      <Columns>
        <FactsCard id={id} query={query} mayWrite={mayWrite} />
        <QuietHoursCard id={id} zone={query.data?.timezone ?? null} mayWrite={mayWrite} />
      </Columns>
      <MatrixCard id={id} mayWrite={mayWrite} />
      <DevicesCard id={id} mayWrite={mayWrite} />
      <RecentCard id={id} />
      {mayWrite && <EraseCard id={id} />}
    </Page>
  );
}

function FactsCard(props: {
  id: string;
  query: { data: User | null | undefined; error: unknown; refetch(): unknown };
  mayWrite: boolean;
}) {
  const { id, query, mayWrite } = props;
  const [isEditing, setEditing] = useState(false);
  const edit = (label: string) =>
    mayWrite && (
      <Button size="small" icon="edit" onClick={() => setEditing(true)}>
        {label}
      </Button>
    );
  return (
    <Card title={text.facts} actions={query.data ? edit(common.edit) : null}>
      <Loaded query={query} lines={5}>
        {(user) =>
          user ? (
            <Facts user={user} />
          ) : (
            <EmptyState title={text.unstored} action={edit(text.store)}>
              {text.unstoredText}
            </EmptyState>
          )
        }
      </Loaded>
      {isEditing && <UserDialog id={id} user={query.data ?? null} onClose={() => setEditing(false)} />}
    </Card>
  );
}

function Facts({ user }: { user: User }) {
  const words = (value: string | null) => <bdi>{value ?? text.unknown}</bdi>;
  const toCopy = (value: string | null) => (value ? <Copyable text={value} /> : text.unknown);
  return (
    <Pairs
      pairs={[
        [users.dialog.email, toCopy(user.email)],
        [users.dialog.phone, toCopy(user.phone)],
        [users.dialog.locale, words(user.locale)],
        [users.dialog.timezone, words(user.timezone)],
        [users.dialog.chatone, words(user.chatone_user_id)],
        [users.columns.since, <Time key="since" at={user.created_at} />],
        [text.updated, <Time key="updated" at={user.updated_at} />],
      ]}
    />
  );
}
