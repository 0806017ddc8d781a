import { useCan } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { common } from '../../strings/common.ts';
import { audit, settings } from '../../strings/settings.ts';
import { Button, Card, EmptyState, ErrorState, Skeleton } from '../../ui/index.ts';
import { AdminsOnly } from './admins-only.tsx';
import styles from './audit.module.css';
import { AuditEntryRow } from './audit-entry.tsx';
import { AuditFilters, auditQuery } from './audit-filters.tsx';
import { SettingsLayout } from './layout.tsx';
import { useActors } from './use-actors.ts';

export default function AuditPage() {
  const mayRead = useCan('keys:read');
  return (
    <SettingsLayout title={settings.tabs.audit} description={audit.description}>
      {mayRead ? (
        <AuditLog />
      ) : (
        <Card>
          <AdminsOnly title={audit.cannot}>{audit.cannotText}</AdminsOnly>
        </Card>
      )}
    </SettingsLayout>
  );
}

function AuditLog() {
  const filters = useFilters('action', 'actor', 'target', 'from', 'to');
  const { values, set, isFiltered, clear } = filters;
  const actors = useActors();
  const query = useList(
    ['audit', values],
    (api, cursor, signal) =>
      api.auditLog.list({ ...auditQuery(values), limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  if (query.error && query.data === undefined) {
    return (
      <>
        <AuditFilters {...filters} actors={actors} />
        <ErrorState error={query.error} onRetry={() => query.refetch()} />
      </>
    );
  }
  return (
    <>
      <AuditFilters {...filters} actors={actors} />
      <Card flush>
        {query.data === undefined && <Skeleton lines={8} />}
        {query.data !== undefined && query.items.length === 0 && (
          <EmptyState
            title={isFiltered ? audit.nothing : audit.empty}
            icon="audit"
            action={isFiltered && <Button onClick={clear}>{common.clearFilters}</Button>}
          >
            {isFiltered ? audit.nothingText : audit.emptyText}
          </EmptyState>
        )}
        <ol aria-label={audit.table}>
          {query.items.map((entry) => (
            <AuditEntryRow
              key={entry.id}
              entry={entry}
              actorName={actors.nameOf(entry.actor)}
              targetName={actors.targetName(entry)}
              onFilter={set}
            />
          ))}
        </ol>
        {query.hasNextPage && (
          <div className={styles.more}>
            <Button size="small" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
              {common.loadMore}
            </Button>
          </div>
        )}
      </Card>
    </>
  );
}
