import type { Client } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../api/environment.tsx';
import type { Page } from '../../api/pages.ts';
import { useList, useRead, useWrite } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { common } from '../../strings/common.ts';
import { templates } from '../../strings/templates.ts';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  EmptyState,
  ErrorState,
  ExactTime,
  Loaded,
  Notice,
  Skeleton,
  Stack,
} from '../../ui/index.ts';
import { Changes, type TextChange } from './changes.tsx';
import styles from './templates.module.css';

const text = templates.versions;

interface Version {
  version: number;
  created_at: string;
}

/** The methods of templates, layouts, partials and translations. */
export interface VersionedResource<Saved, Former> {
  listVersions(
    key: string,
    params: { limit: number; cursor?: string | undefined },
    options: { signal: AbortSignal },
  ): { page(): Promise<Page<Version>> };
  getVersion(key: string, version: number, options: { signal: AbortSignal }): Promise<Former>;
  restoreVersion(key: string, version: number, options: { if_match: number }): Promise<Saved>;
}

interface VersionsProps<Saved, Former> {
  current: { id: string; key: string; version: number };
  resource(api: Client): VersionedResource<Saved, Former>;
  /** Compares a former version with the current one. */
  compare(former: Former): TextChange[];
  /** True while there are unsaved changes, which a restored version would replace. */
  isDirty: boolean;
  /** Prefixes of the query keys that a restored version changes. */
  changes: string[][];
  onRestored(saved: Saved): void;
}

/** Every version and its difference from the current one. */
export function Versions<Saved extends { version: number }, Former>(props: VersionsProps<Saved, Former>) {
  const { current, resource } = props;
  const filters = useFilters('version');
  const chosen = Number(filters.values.version) || null;
  const query = useList(['versions', current.id, 'list', current.version], (api, cursor, signal) =>
    resource(api).listVersions(current.key, { limit: 50, cursor }, { signal }).page(),
  );
  if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data) return <Skeleton />;
  return (
    <div className={styles.versions}>
      <Card title={text.list} flush>
        <ul className={styles.versionList}>
          {query.items.map((version) => (
            <li key={version.version}>
              <VersionButton
                version={version}
                isCurrent={version.version === current.version}
                isChosen={version.version === chosen}
                onChoose={() => filters.set({ version: String(version.version) })}
              />
            </li>
          ))}
        </ul>
        {query.hasNextPage && (
          <Button size="small" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {common.loadMore}
          </Button>
        )}
      </Card>
      {chosen ? (
        <Comparison key={chosen} {...props} version={chosen} />
      ) : (
        <EmptyState title={query.items.length > 1 ? text.select : text.onlyOne} icon="clock" />
      )}
    </div>
  );
}

function VersionButton(props: { version: Version; isCurrent: boolean; isChosen: boolean; onChoose(): void }) {
  const { version, isCurrent, isChosen, onChoose } = props;
  return (
    <button type="button" className={styles.versionButton} aria-pressed={isChosen} onClick={onChoose}>
      <span className={styles.versionHead}>
        {templates.version(version.version)}
        {isCurrent && <Badge tone="green">{text.current}</Badge>}
      </span>
      <span className={styles.muted}>
        <ExactTime at={version.created_at} />
      </span>
    </button>
  );
}

function Comparison<Saved extends { version: number }, Former>(
  props: VersionsProps<Saved, Former> & { version: number },
) {
  const { current, version, resource, compare, isDirty, changes, onRestored } = props;
  const canWrite = useCan('templates:write');
  const filters = useFilters('version');
  const [isAsking, setAsking] = useState(false);
  const former = useRead(['versions', current.id, 'content', version], (api, signal) =>
    resource(api).getVersion(current.key, version, { signal }),
  );
  const restore = useWrite(
    (api) => resource(api).restoreVersion(current.key, version, { if_match: current.version }),
    {
      quiet: true,
      changes,
      done: (restored) => text.restored(version, restored.version),
      onDone: (restored) => {
        setAsking(false);
        onRestored(restored);
        void filters.set({ version: '' });
      },
    },
  );
  if (version === current.version) return <EmptyState title={text.isCurrent} icon="check" />;
  return (
    <Card
      title={text.heading(version, current.version)}
      actions={
        canWrite && (
          <Button icon="retry" size="small" disabled={isDirty} onClick={() => setAsking(true)}>
            {text.restore}
          </Button>
        )
      }
    >
      <Stack>
        {isDirty && canWrite && <Notice>{text.dirty}</Notice>}
        <Loaded query={former}>
          {(content) => (
            <Changes
              changes={compare(content)}
              names={{ before: text.former(version), after: text.now(current.version) }}
            />
          )}
        </Loaded>
      </Stack>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={text.restoreTitle(version)}
        confirm={text.restore}
        danger={false}
        busy={restore.isPending}
        error={restore.error}
        onConfirm={() => restore.mutate()}
      >
        {text.restoreText}
      </ConfirmDialog>
    </Card>
  );
}
