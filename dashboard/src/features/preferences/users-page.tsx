import type { User } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { SearchFilter } from '../../shell/search-filter.tsx';
import { common } from '../../strings/common.ts';
import { users as text } from '../../strings/preferences.ts';
import { Button, type Column, EmptyState, LinkButton, ListCard, Notice, Time } from '../../ui/index.ts';
import { PreferencesLayout } from './layout.tsx';
import styles from './preferences.module.css';
import { UserDialog } from './user-dialog.tsx';
import { userPath } from './user-path.ts';

export default function UsersPage() {
  const { kind } = useEnvironment();
  const mayWrite = useCan('preferences:write');
  const navigate = useNavigate();
  const filters = useFilters('search');
  const { search } = filters.values;
  const [isAdding, setAdding] = useState(false);
  const query = useList(
    ['users', 'pages', search],
    (api, cursor, signal) => api.users.list({ ...given({ search }), limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  return (
    <PreferencesLayout
      title={text.title}
      description={text.description}
      actions={
        mayWrite && (
          <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        )
      }
    >
      {!mayWrite && <Notice>{common.viewerOnly}</Notice>}
      <ListCard
        bar={<SearchFilter label={text.search} {...filters.bind('search')} />}
        query={query}
        label={text.table}
        rowKey={(user) => user.external_user_id}
        rowTo={(user) => userPath(kind, user.external_user_id)}
        columns={columns}
        filters={filters}
        noMatch={{
          title: text.noMatch(search),
          icon: 'search',
          children: text.noMatchText,
          action: <LinkButton to={userPath(kind, search)}>{text.openAnyway(search)}</LinkButton>,
        }}
        empty={
          <EmptyState
            title={text.empty}
            icon="person"
            action={
              mayWrite && (
                <Button icon="plus" onClick={() => setAdding(true)}>
                  {text.add}
                </Button>
              )
            }
          >
            {text.emptyText}
          </EmptyState>
        }
      />
      {isAdding && (
        <UserDialog
          id={null}
          user={null}
          onClose={() => setAdding(false)}
          onSaved={(id) => void navigate({ to: userPath(kind, id) })}
        />
      )}
    </PreferencesLayout>
  );
}

const columns: Column<User>[] = [
  {
    header: text.columns.id,
    cell: (user) => (
      <span className={styles.who}>
        <bdi>{user.name ?? user.external_user_id}</bdi>
        {user.name && <code className={styles.small}>{user.external_user_id}</code>}
      </span>
    ),
  },
  { header: text.columns.email, cell: (user) => <bdi>{user.email ?? '–'}</bdi> },
  { header: text.columns.phone, cell: (user) => <bdi>{user.phone ?? '–'}</bdi> },
  { header: text.columns.locale, cell: (user) => user.locale ?? '–' },
  { header: text.columns.since, cell: (user) => <Time at={user.created_at} /> },
];
