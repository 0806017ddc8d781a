import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList, useWrite } from '../../api/queries.ts';
import { keys, settings } from '../../strings/settings.ts';
import {
  Badge,
  Button,
  Card,
  type Column,
  ConfirmDialog,
  EmptyState,
  ListCard,
  menuColumn,
  Time,
  Tooltip,
  useNow,
} from '../../ui/index.ts';
import { AdminsOnly } from './admins-only.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { SettingsLayout } from './layout.tsx';
import { usePeople } from './members.ts';
import { type ApiKey, type NewKey, NewKeyDialog } from './new-key-dialog.tsx';
import { OtherSecrets } from './other-secrets.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import styles from './settings.module.css';

export default function KeysPage() {
  const mayRead = useCan('keys:read');
  const mayWrite = useCan('keys:write');
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<NewKey | null>(null);
  return (
    <SettingsLayout
      title={settings.tabs.keys}
      description={keys.description}
      actions={
        mayWrite && (
          <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
            {keys.create}
          </Button>
        )
      }
    >
      {mayRead ? (
        <KeyList mayWrite={mayWrite} onCreate={() => setCreating(true)} onMade={setMade} />
      ) : (
        <Card flush>
          <AdminsOnly title={keys.cannot}>{keys.cannotText}</AdminsOnly>
        </Card>
      )}
      <OtherSecrets />
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} onMade={setMade} />}
      {made && <NewKeyDialog made={made} onClose={() => setMade(null)} />}
    </SettingsLayout>
  );
}

function KeyList(props: { mayWrite: boolean; onCreate(): void; onMade(made: NewKey): void }) {
  const { mayWrite, onCreate, onMade } = props;
  const { kind } = useEnvironment();
  const { nameOf, isPending } = usePeople();
  const [rotating, setRotating] = useState<ApiKey | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const query = useList(['keys'], (api, cursor, signal) =>
    api.apiKeys.list({ limit: 50, cursor }, { signal }).page(),
  );
  const revoke = useWrite((api, key: ApiKey) => api.apiKeys.revoke(key.id), {
    changes: [['keys'], ['audit']],
    done: keys.revoked,
    onDone: () => setRevoking(null),
  });

  const columns: Column<ApiKey>[] = [
    { header: keys.name, cell: (key) => <bdi className={styles.strong}>{key.name}</bdi> },
    { header: keys.access, cell: (key) => <Access apiKey={key} /> },
    { header: keys.ends, cell: (key) => <code>…{key.last4}</code> },
    {
      header: keys.createdBy,
      cell: (key) => <bdi>{nameOf(key.created_by_user_id) ?? (isPending ? '' : keys.unknownMaker)}</bdi>,
    },
    { header: keys.created, cell: (key) => <Time at={key.created_at} /> },
    { header: keys.lastUsed, cell: (key) => <Time at={key.last_used_at} /> },
    { header: keys.expires, cell: (key) => <Expiry at={key.expires_at} /> },
  ];
  if (mayWrite) {
    columns.push(
      menuColumn(
        (key) => keys.actions(key.name),
        (key) => [
          { label: keys.rotate, icon: 'retry', onSelect: () => setRotating(key) },
          { label: keys.revoke, icon: 'trash', danger: true, onSelect: () => setRevoking(key) },
        ],
      ),
    );
  }
  return (
    <>
      <ListCard
        query={query}
        label={keys.table}
        rowKey={(key) => key.id}
        columns={columns}
        empty={
          <EmptyState
            title={keys.empty}
            icon="key"
            action={
              mayWrite && (
                <Button icon="plus" onClick={onCreate}>
                  {keys.create}
                </Button>
              )
            }
          >
            {keys.emptyText}
          </EmptyState>
        }
      />
      {rotating && <RotateKeyDialog apiKey={rotating} onClose={() => setRotating(null)} onMade={onMade} />}
      <ConfirmDialog
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={keys.revokeTitle(revoking?.name ?? '')}
        confirm={keys.revokeConfirm}
        onConfirm={() => revoking && revoke.mutate(revoking)}
        busy={revoke.isPending}
        {...(kind === 'live' && revoking ? { word: revoking.name } : {})}
      >
        {keys.revokeText}
      </ConfirmDialog>
    </>
  );
}

function Access({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.preset !== null) return <Badge>{keys.presets[apiKey.preset] ?? apiKey.preset}</Badge>;
  return (
    <Tooltip text={apiKey.scopes.join(', ')}>
      <button
        type="button"
        className={styles.plain}
        aria-label={`${keys.scopeCount(apiKey.scopes.length)}: ${apiKey.scopes.join(', ')}`}
      >
        <Badge>{keys.scopeCount(apiKey.scopes.length)}</Badge>
      </button>
    </Tooltip>
  );
}

function Expiry({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return keys.expiries.never;
  return Date.parse(at) <= now ? (
    <Badge tone="red" shape="diamond">
      {keys.expired}
    </Badge>
  ) : (
    <Time at={at} />
  );
}
