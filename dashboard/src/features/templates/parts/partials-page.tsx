import type { TemplatePartial } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useEnvironment } from '../../../api/environment.tsx';
import { useList, useWrite } from '../../../api/queries.ts';
import { given, useFilters } from '../../../shell/filters.ts';
import { SearchFilter } from '../../../shell/search-filter.tsx';
import { parts } from '../../../strings/parts.ts';
import { type Column, EmptyState, ListCard, Time } from '../../../ui/index.ts';
import { CreatePart } from './create-part.tsx';
import { PartsLayout } from './sections.tsx';

const text = parts.partials;

const columns: Column<TemplatePartial>[] = [
  { header: parts.columns.key, cell: ({ key }) => <code>{key}</code>, clip: true },
  { header: parts.columns.version, cell: ({ version }) => version, end: true },
  { header: parts.columns.updated, cell: ({ updated_at }) => <Time at={updated_at} />, end: true },
];

export default function PartialsPage() {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const filters = useFilters('search');
  const query = useList(
    ['partials', filters.values.search],
    (api, cursor, signal) =>
      api.partials.list({ ...given(filters.values), limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  const create = useWrite((api, key: string) => api.partials.put(key, { template: text.starter }), {
    changes: [['partials']],
    quiet: true,
    onDone: ({ key }) => void navigate({ to: `/${kind}/partials/${encodeURIComponent(key)}` }),
  });
  return (
    <PartsLayout
      title={text.title}
      description={text.description}
      actions={
        <CreatePart
          label={text.create}
          error={create.error}
          isPending={create.isPending}
          onCreate={(key) => create.mutate(key)}
        />
      }
    >
      <ListCard
        bar={<SearchFilter label={text.search} maxLength={100} {...filters.bind('search')} />}
        query={query}
        label={text.title}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ key }) => `/${kind}/partials/${encodeURIComponent(key)}`}
        filters={filters}
        noMatch={{ title: text.noneFound, icon: 'search' }}
        empty={
          <EmptyState title={text.empty} icon="templates">
            {text.emptyHint}
          </EmptyState>
        }
      />
    </PartsLayout>
  );
}
