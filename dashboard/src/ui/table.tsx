import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { common } from '../strings/common.ts';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { Menu, type MenuItems } from './menu.tsx';
import { EmptyState } from './notice.tsx';
import styles from './table.module.css';

export interface Column<Row> {
  header: string;
  cell(row: Row): ReactNode;
  /** Right-aligned, for figures and buttons. */
  end?: boolean;
  /** One line, truncated. */
  clip?: boolean;
  width?: string;
  /** Hides the heading visually; screen readers read it. */
  hideHeader?: boolean;
}

export interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey(row: Row): string;
  /** The path of the page of a row, environment included; the whole row links there, through its first cell. */
  rowTo?(row: Row): string;
  empty?: ReactNode;
}

/** A table; on a phone each row becomes a small card. */
export function Table<Row>({ label, columns, rows, rowKey, rowTo, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty ?? <EmptyState title={common.noRows} />;
  return (
    <div className={styles.wrap}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.header}
                scope="col"
                className={classes(column.end && styles.end)}
                style={column.width === undefined ? undefined : { width: column.width }}
              >
                {column.hideHeader ? <span className="visually-hidden">{column.header}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className={classes(rowTo && styles.link)} data-row>
              {columns.map((column, index) => {
                const content = column.cell(row);
                return (
                  <td
                    key={column.header}
                    data-label={column.hideHeader ? '' : column.header}
                    className={classes(column.end && styles.end)}
                  >
                    {index === 0 && rowTo ? (
                      <Link to={rowTo(row)} className={classes(column.clip && styles.clip)}>
                        {content}
                      </Link>
                    ) : column.clip ? (
                      <span className={styles.clip}>{content}</span>
                    ) : (
                      content
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The last column of a table: the menu of a row. A row whose `items` are false has none. */
export function menuColumn<Row>(
  label: (row: Row) => string,
  items: (row: Row) => MenuItems | false,
): Column<Row> {
  return {
    header: common.actions,
    hideHeader: true,
    end: true,
    cell: (row) => {
      const entries = items(row);
      if (!entries) return null;
      return <Menu trigger={<IconButton label={label(row)} icon="more" size="small" />} items={entries} />;
    },
  };
}
