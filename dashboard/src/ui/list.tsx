import type { ComponentProps, ReactNode } from 'react';
import { common } from '../strings/common.ts';
import { Card } from './blocks.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Select } from './field.tsx';
import type { IconName } from './icons.tsx';
import styles from './list.module.css';
import { Loaded } from './loaded.tsx';
import { EmptyState } from './notice.tsx';
import { Table, type TableProps } from './table.tsx';

/** The part of `useList` that a list shows. */
interface ListQuery<Item> {
  items: Item[];
  data: unknown;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
  refetch(): unknown;
}

/** The part of `useFilters` that clears the filters. */
interface ListFilters {
  isFiltered: boolean;
  clear(): void;
}

interface ListProps<Item> {
  query: ListQuery<Item>;
  empty?: ReactNode;
  /**
   * With `noMatch`, the empty state while a filter is set; its `action` replaces the button that clears the filters.
   */
  filters?: ListFilters;
  noMatch?: ComponentProps<typeof EmptyState>;
  /** The number of skeleton lines. */
  lines?: number;
}

/** The states of a list around its items: loading, failed, empty, no match, more. */
export function List<Item>(props: ListProps<Item> & { children: ReactNode }) {
  const { query, empty, filters, noMatch, lines = 6, children } = props;
  const emptyState =
    filters?.isFiltered && noMatch ? (
      <EmptyState action={<Button onClick={filters.clear}>{common.clearFilters}</Button>} {...noMatch} />
    ) : (
      (empty ?? <EmptyState title={common.noRows} />)
    );
  return (
    <Loaded query={query} lines={lines}>
      {() => (
        <>
          {query.items.length === 0 ? emptyState : children}
          <LoadMore query={query} />
        </>
      )}
    </Loaded>
  );
}

export function LoadMore(props: {
  query: Pick<ListQuery<unknown>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  className?: string;
}) {
  const { query, className = styles.more } = props;
  if (!query.hasNextPage) return null;
  return (
    <div className={className}>
      <Button size="small" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        {common.loadMore}
      </Button>
    </div>
  );
}

/** A list as a table in a card, below the `bar` of its filters. */
export function ListCard<Row>(
  props: ListProps<Row> &
    Omit<TableProps<Row>, 'rows' | 'empty'> & {
      title?: string;
      actions?: ReactNode;
      bar?: ReactNode;
      children?: ReactNode;
    },
) {
  const { query, empty, filters, noMatch, lines, title, actions, bar, children, ...table } = props;
  const list = (
    <List {...{ query, empty, filters, noMatch, lines }}>
      <Table {...table} rows={query.items} />
    </List>
  );
  return (
    <Card title={title} actions={actions} flush>
      {children}
      {bar ? (
        <div>
          <div className={styles.bar}>{bar}</div>
          {list}
        </div>
      ) : (
        list
      )}
    </Card>
  );
}

/** A filter with fixed values; `any` is the label of no filter. */
export function SelectFilter<Value extends string>(props: {
  label: string;
  any: string;
  options: Iterable<Value>;
  nameOf(value: Value): string;
  value: string;
  onChange(value: string): void;
  className?: string;
}) {
  const { label, any, options, nameOf, value, onChange, className } = props;
  return (
    <Select
      aria-label={label}
      className={classes(styles.filter, className)}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{any}</option>
      {[...options].map((each) => (
        <option key={each} value={each}>
          {nameOf(each)}
        </option>
      ))}
    </Select>
  );
}

export function ClearFilters({ filters, icon }: { filters: ListFilters; icon?: IconName }) {
  if (!filters.isFiltered) return null;
  return (
    <Button variant="ghost" icon={icon} onClick={filters.clear}>
      {common.clearFilters}
    </Button>
  );
}
