import { useCan } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { audit, settings } from '../../strings/settings.ts';
import { Card, EmptyState, List } from '../../ui/index.ts';
import { AdminsOnly } from './admins-only.tsx';
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
  const { values, set } = filters;
  const actors = useActors();
  const query = useList(
    ['audit', values],
    (api, cursor, signal) =>
      api.auditLog.list({ ...auditQuery(values), limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  return (
    <>
      <AuditFilters filters={filters} actors={actors} />
      <Card flush>
        <List
          query={query}
          lines={8}
          filters={filters}
          noMatch={{ title: audit.nothing, icon: 'audit', children: audit.nothingText }}
          empty={
            <EmptyState title={audit.empty} icon="audit">
              {audit.emptyText}
            </EmptyState>
          }
        >
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
        </List>
      </Card>
    </>
  );
}
