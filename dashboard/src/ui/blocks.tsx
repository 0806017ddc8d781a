import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './page.module.css';

export function Card(props: {
  title?: ReactNode;
  actions?: ReactNode;
  /** Removes the padding, for tables. */
  flush?: boolean;
  children: ReactNode;
  className?: string;
}) {
  const { title, actions, flush, children, className } = props;
  return (
    <section className={classes(styles.card, className)}>
      {(title !== undefined || actions) && (
        <div className={styles.cardHead}>
          {typeof title === 'string' ? <h2>{title}</h2> : title}
          {actions && <div className={styles.row}>{actions}</div>}
        </div>
      )}
      <div className={classes(styles.cardBody, flush && styles.flush)}>{children}</div>
    </section>
  );
}

export function Row({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes(styles.row, className)}>{children}</div>;
}

export function Stack({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes(styles.stack, className)}>{children}</div>;
}

/** As many columns as fit. */
export function Columns({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes(styles.columns, className)}>{children}</div>;
}

/** A list of names and values. */
export function Pairs({ pairs }: { pairs: (readonly [ReactNode, ReactNode] | false | null)[] }) {
  return (
    <dl className={styles.pairs}>
      {pairs.map((pair, index) =>
        pair ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: names can be any node, and the order is fixed
          <div key={index} style={{ display: 'contents' }}>
            <dt>{pair[0]}</dt>
            <dd>{pair[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}
