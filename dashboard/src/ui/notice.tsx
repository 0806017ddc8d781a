import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './page.module.css';

/** Explains an empty page and the way to fill it. */
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
