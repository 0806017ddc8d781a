import type { Category } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList, useWrite } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { common } from '../../strings/common.ts';
import { categories as text } from '../../strings/preferences.ts';
import {
  Badge,
  Button,
  Card,
  CodeBlock,
  type Column,
  ConfirmDialog,
  EmptyState,
  ListCard,
  menuColumn,
  Notice,
  Row,
  Stack,
  Switch,
} from '../../ui/index.ts';
import { BrandCard } from './brand-card.tsx';
import { CategoryDialog } from './category-dialog.tsx';
import { PreferencesLayout } from './layout.tsx';
import styles from './preferences.module.css';

export default function CategoriesPage() {
  const mayWrite = useCan('preferences:write');
  const [edited, setEdited] = useState<Category | 'new' | null>(null);
  return (
    <PreferencesLayout
      title={text.title}
      description={text.description}
      actions={
        mayWrite && (
          <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
            {text.create}
          </Button>
        )
      }
    >
      {!mayWrite && <Notice>{common.viewerOnly}</Notice>}
      <CategoryList mayWrite={mayWrite} onEdit={setEdited} onCreate={() => setEdited('new')} />
      <BrandCard mayWrite={mayWrite} />
      <Card title={text.howTitle}>
        <ul className={styles.points}>
          {text.how.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </Card>
      {edited && (
        <CategoryDialog category={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </PreferencesLayout>
  );
}

function CategoryList(props: { mayWrite: boolean; onEdit(category: Category): void; onCreate(): void }) {
  const { mayWrite, onEdit, onCreate } = props;
  const { kind } = useEnvironment();
  const { values, set } = useFilters('archived');
  const withArchived = values.archived !== '';
  const [leaving, setLeaving] = useState<Category | null>(null);
  const query = useList(
    ['categories', 'pages', withArchived],
    (api, cursor, signal) =>
      api.categories.list({ limit: 100, cursor, include_archived: withArchived }, { signal }).page(),
    { keep: true },
  );
  const archive = useWrite((api, { key }: Category) => api.categories.archive(key), {
    changes: [['categories'], ['preferences']],
    done: text.archiveDone,
    onDone: () => setLeaving(null),
  });
  const restore = useWrite(
    (api, { key, name, description, default_channels, default_opt_in }: Category) =>
      api.categories.replace(key, {
        name,
        description,
        default_channels,
        default_opt_in,
        is_archived: false,
      }),
    { changes: [['categories'], ['preferences']], done: text.restored },
  );

  const columns: Column<Category>[] = [
    {
      header: text.columns.name,
      cell: (category) => (
        <span className={styles.who}>
          <Row>
            <bdi className={styles.strong}>{category.name}</bdi>
            {category.is_archived && <Badge shape="square">{text.archived}</Badge>}
          </Row>
          <code className={styles.small}>{category.key}</code>
          {category.description && <bdi className={styles.small}>{category.description}</bdi>}
        </span>
      ),
    },
    {
      header: text.columns.kind,
      cell: ({ is_critical }) =>
        is_critical ? (
          <Badge tone="violet" icon="lock">
            {text.critical}
          </Badge>
        ) : (
          <span className={styles.muted}>{text.optional}</span>
        ),
    },
    {
      header: text.columns.defaults,
      cell: ({ default_channels }) => (
        <span className={styles.channels}>
          {default_channels.length === 0
            ? text.nowhere
            : default_channels.map((channel) => <Badge key={channel}>{common.channel(channel)}</Badge>)}
        </span>
      ),
    },
    {
      header: text.columns.optIn,
      cell: ({ is_critical, default_opt_in }) =>
        is_critical ? text.always : default_opt_in ? text.on : text.off,
    },
  ];
  if (mayWrite) {
    columns.push(
      menuColumn(
        (category) => text.actions(category.name),
        (category) => [
          { label: text.edit, icon: 'edit', onSelect: () => onEdit(category) },
          category.is_archived
            ? { label: text.restore, icon: 'retry', onSelect: () => restore.mutate(category) }
            : { label: text.archive, icon: 'trash', danger: true, onSelect: () => setLeaving(category) },
        ],
      ),
    );
  }
  return (
    <>
      <ListCard
        bar={
          <Switch
            label={text.showArchived}
            checked={withArchived}
            onChange={(event) => set({ archived: event.target.checked ? 'yes' : '' })}
          />
        }
        query={query}
        label={text.table}
        rowKey={({ id }) => id}
        columns={columns}
        empty={<Empty onCreate={mayWrite ? onCreate : null} />}
      />
      <ConfirmDialog
        open={leaving !== null}
        onClose={() => setLeaving(null)}
        title={text.archiveTitle(leaving?.name ?? '')}
        confirm={text.archiveConfirm}
        onConfirm={() => leaving && archive.mutate(leaving)}
        busy={archive.isPending}
        {...(kind === 'live' && leaving ? { word: leaving.key } : {})}
      >
        <Stack>
          {text.archiveText.map((each) => (
            <p key={each}>{each}</p>
          ))}
        </Stack>
      </ConfirmDialog>
    </>
  );
}

const example = JSON.stringify(
  {
    channel: 'email',
    recipient: { external_user_id: 'user_42' },
    template_key: 'newsletter',
    category: 'product_news',
  },
  null,
  2,
);

function Empty({ onCreate }: { onCreate: (() => void) | null }) {
  return (
    <EmptyState
      title={text.empty}
      icon="preferences"
      action={
        onCreate && (
          <Button icon="plus" onClick={onCreate}>
            {text.create}
          </Button>
        )
      }
    >
      <Stack>
        <p>{text.emptyText}</p>
        <div className={styles.code}>
          <CodeBlock label={text.emptyCode} code={example} />
        </div>
      </Stack>
    </EmptyState>
  );
}
