import type { Template, TemplateVersion } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../api/environment.tsx';
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
import { contentOf } from './content.ts';
import { ContentDiff } from './content-diff.tsx';
import styles from './templates.module.css';
import type { Draft } from './use-draft.ts';

const text = templates.versions;

/** Every version and its difference from the current one. */
export function Versions({ template, draft }: { template: Template; draft: Draft }) {
  const filters = useFilters('version');
  const chosen = Number(filters.values.version) || null;
  const query = useList(['template-versions', template.key, template.version], (api, cursor, signal) =>
    api.templates.listVersions(template.key, { limit: 50, cursor }, { signal }).page(),
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
                isCurrent={version.version === template.version}
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
        <Comparison key={chosen} template={template} version={chosen} draft={draft} />
      ) : (
        <EmptyState title={query.items.length > 1 ? text.select : text.onlyOne} icon="clock" />
      )}
    </div>
  );
}

function VersionButton(props: {
  version: TemplateVersion;
  isCurrent: boolean;
  isChosen: boolean;
  onChoose(): void;
}) {
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

function Comparison({ template, version, draft }: { template: Template; version: number; draft: Draft }) {
  const canWrite = useCan('templates:write');
  const filters = useFilters('version');
  const [isAsking, setAsking] = useState(false);
  const former = useRead(['template-versions', template.key, 'content', version], (api, signal) =>
    api.templates.getVersion(template.key, version, { signal }),
  );
  const restore = useWrite(
    (api) => api.templates.restoreVersion(template.key, version, { if_match: template.version }),
    {
      changes: [['templates'], ['template', template.key], ['template-versions', template.key]],
      done: (restored) => text.restored(version, restored.version),
      onDone: (restored) => {
        setAsking(false);
        draft.rebase(restored);
        filters.set({ version: '' });
      },
    },
  );
  if (version === template.version) return <EmptyState title={text.isCurrent} icon="check" />;
  return (
    <Card
      title={text.heading(version, template.version)}
      actions={
        canWrite && (
          <Button icon="retry" size="small" disabled={draft.isDirty} onClick={() => setAsking(true)}>
            {text.restore}
          </Button>
        )
      }
    >
      <Stack>
        {draft.isDirty && canWrite && <Notice>{text.dirty}</Notice>}
        <Loaded query={former}>
          {(content) => (
            <ContentDiff
              before={contentOf(content)}
              after={contentOf(template)}
              names={{ before: text.former(version), after: text.now(template.version) }}
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
        onConfirm={() => restore.mutate()}
      >
        {text.restoreText}
      </ConfirmDialog>
    </Card>
  );
}
