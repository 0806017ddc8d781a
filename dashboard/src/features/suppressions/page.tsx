import type { Suppression } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { SearchFilter } from '../../shell/search-filter.tsx';
import { common } from '../../strings/common.ts';
import { suppressions as text } from '../../strings/suppressions.ts';
import {
  Button,
  ClearFilters,
  type Column,
  CopyButton,
  EmptyState,
  ListCard,
  menuColumn,
  Notice,
  Page,
  SelectFilter,
  Time,
} from '../../ui/index.ts';
import { AddDialog } from './add-dialog.tsx';
import { listAsCurl } from './curl.ts';
import { DetailsDialog } from './details-dialog.tsx';
import { ReasonBadge, reasons } from './reason.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import styles from './suppressions.module.css';

export default function SuppressionsPage() {
  const mayWrite = useCan('suppressions:write');
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<Suppression | null>(null);
  const [leaving, setLeaving] = useState<Suppression | null>(null);
  return (
    <Page
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
      <SuppressionList onShow={setShown} onRemove={mayWrite ? setLeaving : null} />
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {shown && (
        <DetailsDialog
          suppression={shown}
          onClose={() => setShown(null)}
          onRemove={
            mayWrite
              ? () => {
                  setLeaving(shown);
                  setShown(null);
                }
              : null
          }
        />
      )}
      {leaving && <RemoveDialog suppression={leaving} onClose={() => setLeaving(null)} />}
    </Page>
  );
}

function SuppressionList(props: {
  onShow(each: Suppression): void;
  onRemove: ((each: Suppression) => void) | null;
}) {
  const { onShow, onRemove } = props;
  const filters = useFilters('search', 'reason');
  const { search, reason } = filters.values;
  const filter = { search, reason: reasons.find((each) => each === reason) ?? '' };
  const query = useList(
    ['suppressions', filter],
    (api, cursor, signal) =>
      api.suppressions.list({ ...given(filter), limit: 50, cursor } as ListParams, { signal }).page(),
    { keep: true },
  );
  return (
    <ListCard
      bar={
        <>
          <SearchFilter label={text.search} {...filters.bind('search')} />
          <SelectFilter
            label={text.reason}
            any={text.anyReason}
            options={reasons}
            nameOf={(each) => text.reasons[each] ?? each}
            {...filters.bind('reason')}
            value={filter.reason}
            className={styles.reason}
          />
          <ClearFilters filters={filters} />
          <div className={styles.end}>
            <CopyButton text={listAsCurl(given(filter))} label={text.curl} />
          </div>
        </>
      }
      query={query}
      label={text.table}
      rowKey={({ id }) => id}
      columns={columnsFor(onShow, onRemove)}
      filters={filters}
      noMatch={{ title: text.noMatch, icon: 'search' }}
      empty={
        <EmptyState title={text.empty} icon="check">
          {text.emptyText}
        </EmptyState>
      }
    />
  );
}

type ListParams = { reason?: Suppression['reason']; search?: string; limit: number; cursor?: string };

function columnsFor(
  onShow: (each: Suppression) => void,
  onRemove: ((each: Suppression) => void) | null,
): Column<Suppression>[] {
  return [
    {
      header: text.columns.address,
      cell: (each) => (
        <button
          type="button"
          className={styles.address}
          aria-label={text.detailsOf(each.address)}
          onClick={() => onShow(each)}
        >
          <bdi>{each.address}</bdi>
        </button>
      ),
    },
    { header: text.columns.reason, cell: ({ reason }) => <ReasonBadge reason={reason} /> },
    { header: text.columns.source, cell: ({ source }) => text.sources[source] ?? source },
    { header: text.columns.since, cell: ({ suppressed_at }) => <Time at={suppressed_at} /> },
    menuColumn(
      (each) => text.actions(each.address),
      (each) => [
        { label: text.details, icon: 'eye', onSelect: () => onShow(each) },
        onRemove !== null && {
          label: text.remove,
          icon: 'trash',
          danger: true,
          onSelect: () => onRemove(each),
        },
      ],
    ),
  ];
}
