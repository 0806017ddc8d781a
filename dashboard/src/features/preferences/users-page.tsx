import type { User } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { SearchFilter } from '../../shell/search-filter.tsx';
import { common } from '../../strings/common.ts';
import { users as text } from '../../strings/preferences.ts';
import {
  Button,
  Card,
  type Column,
  EmptyState,
  LinkButton,
  ListTable,
  Notice,
  Time,
} from '../../ui/index.ts';
import { PreferencesLayout } from './layout.tsx';
import styles from './preferences.module.css';
import { UserDialog } from './user-dialog.tsx';
import { userPath } from './user-path.ts';

export default function UsersPage() {
  const { kind } = useEnvironment();
  const mayWrite = useCan('preferences:write');
  const navigate = useNavigate();
  const { values, isFiltered, set } = useFilters('search');
  const [isAdding, setAdding] = useState(false);
  const query = useList(
    ['users', 'pages', values.search],
    (api, cursor, signal) => api.users.list({ ...given(values), limit: 50, cursor }, { signal }).page(),
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
      <Card flush>
        <div>
          <div className={styles.bar}>
            <div className={styles.search}>
              <SearchFilter
                label={text.search}
                value={values.search}
                onChange={(search) => set({ search })}
              />
            </div>
          </div>
          <ListTable
            query={query}
            label={text.table}
            rowKey={(user) => user.external_user_id}
            rowTo={(user) => userPath(kind, user.external_user_id)}
            columns={columns}
            empty={
              isFiltered ? (
                <EmptyState
                  title={text.noMatch(values.search)}
                  icon="search"
                  action={
                    <LinkButton to={userPath(kind, values.search)}>
                      {text.openAnyway(values.search)}
                    </LinkButton>
                  }
                >
                  {text.noMatchText}
                </EmptyState>
              ) : (
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
              )
            }
          />
        </div>
      </Card>
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
