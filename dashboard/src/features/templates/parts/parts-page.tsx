import type { Client } from '@carillon/sdk';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import type { Page } from '../../../api/pages.ts';
import { useList } from '../../../api/queries.ts';
import { given, useFilters } from '../../../shell/filters.ts';
import { SearchFilter } from '../../../shell/search-filter.tsx';
import { parts } from '../../../strings/parts.ts';
import { Badge, type Column, EmptyState, ListCard, Time } from '../../../ui/index.ts';
import { PartsLayout } from './sections.tsx';

export const defaultColumn: Column<{ is_default: boolean }> = {
  header: parts.columns.isDefault,
  cell: ({ is_default }) => is_default && <Badge>{parts.default}</Badge>,
};
export const versionColumns: Column<{ version: number; updated_at: string }>[] = [
  { header: parts.columns.version, cell: ({ version }) => version, end: true },
  { header: parts.columns.updated, cell: ({ updated_at }) => <Time at={updated_at} />, end: true },
];

interface Part {
  id: string;
  key: string;
  version: number;
  updated_at: string;
}
interface ListParams {
  search?: string;
  limit: number;
  cursor: string | undefined;
}

/** The list of layouts or of partials. */
export function PartsPage<Item extends Part>(props: {
  path: 'layouts' | 'partials';
  list(
    api: Client,
  ): (params: ListParams, options: { signal: AbortSignal }) => { page(): Promise<Page<Item>> };
  /** The columns between the key and the version. */
  columns?: Column<Item>[];
  /** The button that creates one. */
  create: ReactNode;
}) {
  const { path, list, columns = [], create } = props;
  const text = parts[path];
  const { kind } = useEnvironment();
  const filters = useFilters('search');
  const query = useList(
    [path, 'list', filters.values.search],
    (api, cursor, signal) => list(api)({ ...given(filters.values), limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  return (
    <PartsLayout title={text.title} description={text.description} actions={create}>
      <ListCard<Item>
        bar={<SearchFilter label={text.search} maxLength={100} {...filters.bind('search')} />}
        query={query}
        label={text.title}
        columns={[
          { header: parts.columns.key, cell: ({ key }) => <code>{key}</code>, clip: true },
          ...columns,
          ...versionColumns,
        ]}
        rowKey={({ id }) => id}
        rowTo={({ key }) => `/${kind}/${path}/${encodeURIComponent(key)}`}
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
