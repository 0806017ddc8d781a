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
  Card,
  type Column,
  CopyButton,
  EmptyState,
  IconButton,
  ListTable,
  Menu,
  Notice,
  Page,
  Select,
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
      <List onShow={setShown} onRemove={mayWrite ? setLeaving : null} />
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

function List(props: { onShow(each: Suppression): void; onRemove: ((each: Suppression) => void) | null }) {
  const { onShow, onRemove } = props;
  const { values, isFiltered, set, clear } = useFilters('search', 'reason');
  const filter = { search: values.search, reason: reasons.find((each) => each === values.reason) ?? '' };
  const query = useList(
    ['suppressions', filter],
    (api, cursor, signal) =>
      api.suppressions.list({ ...given(filter), limit: 50, cursor } as ListParams, { signal }).page(),
    { keep: true },
  );
  return (
    <Card flush>
      <div>
        <div className={styles.bar}>
          <div className={styles.search}>
            <SearchFilter label={text.search} value={values.search} onChange={(search) => set({ search })} />
          </div>
          <div className={styles.reason}>
            <Select
              aria-label={text.reason}
              value={filter.reason}
              onChange={(event) => set({ reason: event.target.value })}
            >
              <option value="">{text.anyReason}</option>
              {reasons.map((reason) => (
                <option key={reason} value={reason}>
                  {text.reasons[reason]}
                </option>
              ))}
            </Select>
          </div>
          {isFiltered && (
            <Button variant="ghost" onClick={clear}>
              {common.clearFilters}
            </Button>
          )}
          <div className={styles.end}>
            <CopyButton text={listAsCurl(given(filter))} label={text.curl} />
          </div>
        </div>
        <ListTable
          query={query}
          label={text.table}
          rowKey={({ id }) => id}
          columns={columnsFor(onShow, onRemove)}
          empty={
            isFiltered ? (
              <EmptyState
                title={text.noMatch}
                icon="search"
                action={<Button onClick={clear}>{common.clearFilters}</Button>}
              />
            ) : (
              <EmptyState title={text.empty} icon="check">
                {text.emptyText}
              </EmptyState>
            )
          }
        />
      </div>
    </Card>
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
    {
      header: common.actions,
      hideHeader: true,
      end: true,
      cell: (each) => (
        <Menu
          trigger={<IconButton label={text.actions(each.address)} icon="more" size="small" />}
          items={[
            { label: text.details, icon: 'eye', onSelect: () => onShow(each) },
            onRemove !== null && {
              label: text.remove,
              icon: 'trash',
              danger: true,
              onSelect: () => onRemove(each),
            },
          ]}
        />
      ),
    },
  ];
}
