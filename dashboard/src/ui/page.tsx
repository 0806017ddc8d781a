import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { common } from '../strings/common.ts';
import type { Tone } from './badge.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { describeError, isUnreached } from './error.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './page.module.css';

export interface Crumb {
  label: string;
  /** An address of the dashboard, environment included. */
  to: string;
}

export function Page(props: {
  title: string;
  /** Beside the title: a status, for example. */
  aside?: ReactNode;
  description?: ReactNode;
  trail?: Crumb[];
  actions?: ReactNode;
  /** As wide as the window: for graphs and editors. */
  full?: boolean;
  children?: ReactNode;
}) {
  const { title, aside, description, trail, actions, full, children } = props;
  useEffect(() => {
    document.title = `${title} · ${common.product}`;
  }, [title]);
  return (
    <div className={classes(styles.page, full && styles.full)}>
      <header className={styles.head}>
        <div className={styles.titles}>
          {trail && (
            <nav className={styles.trail} aria-label={common.back}>
              {trail.map((crumb) => (
                <span key={crumb.to} className={styles.row}>
                  <Link to={crumb.to}>{crumb.label}</Link>
                  <Icon name="chevron" size={12} />
                </span>
              ))}
            </nav>
          )}
          <div className={styles.title}>
            <h1>{title}</h1>
            {aside}
          </div>
          {description !== undefined && <div className={styles.description}>{description}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Card(props: {
  title?: ReactNode;
  actions?: ReactNode;
  /** No room around the content: for tables. */
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

/** As many columns as there is room for. */
export function Columns({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes(styles.columns, className)}>{children}</div>;
}

/** Names and values. */
export function Pairs({ pairs }: { pairs: (readonly [ReactNode, ReactNode] | false | null)[] }) {
  return (
    <dl className={styles.pairs}>
      {pairs.map((pair, index) =>
        pair ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the names may be anything, and their order is fixed
          <div key={index} style={{ display: 'contents' }}>
            <dt>{pair[0]}</dt>
            <dd>{pair[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

/** What will be here, and how to get there. */
export function EmptyState(props: {
  title: string;
  icon?: IconName;
  children?: ReactNode;
  action?: ReactNode;
}) {
  const { title, icon, children, action } = props;
  return (
    <div className={styles.empty}>
      {icon && <Icon name={icon} size={28} />}
      <p className={styles.emptyTitle}>{title}</p>
      {children !== undefined && <div className={styles.emptyText}>{children}</div>}
      {action}
    </div>
  );
}

const noticeIcons = { blue: 'info', amber: 'warning', red: 'warning', green: 'check' } as const;

export function Notice(props: {
  tone?: Extract<Tone, 'blue' | 'amber' | 'red' | 'green'>;
  children: ReactNode;
  action?: ReactNode;
}) {
  const { tone = 'blue', children, action } = props;
  return (
    <div className={classes(styles.notice, styles[tone])} role={tone === 'red' ? 'alert' : undefined}>
      <Icon name={noticeIcons[tone]} />
      <div>{children}</div>
      {action}
    </div>
  );
}

const againMs = 5000;

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { text, detail } = describeError(error);
  const again = isUnreached(error) ? onRetry : undefined;
  useEffect(() => {
    if (!again) return;
    const timer = setInterval(again, againMs);
    return () => clearInterval(timer);
  }, [again]);
  return (
    <div role="alert">
      <EmptyState
        title={text}
        icon="warning"
        action={
          onRetry && (
            <Button icon="retry" onClick={onRetry}>
              {common.retry}
            </Button>
          )
        }
      >
        {detail}
        {again && ` ${common.triesAgain}`}
      </EmptyState>
    </div>
  );
}

export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div className={styles.cardBody} role="status" aria-label={common.loading}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={index} className={styles.skeleton} style={{ width: `${92 - ((index * 23) % 50)}%` }} />
      ))}
    </div>
  );
}

/** Waiting, failed, or there: what a page shows of something it reads. */
export function Loaded<T>(props: {
  query: { data: T | undefined; error: unknown; refetch(): unknown };
  lines?: number;
  children(data: T): ReactNode;
}) {
  const { query, lines, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return <Skeleton lines={lines} />;
}
