import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { common } from '../strings/common.ts';
import { classes } from './classes.ts';
import { Icon } from './icons.tsx';
import styles from './page.module.css';

interface Crumb {
  label: string;
  /** A path of the dashboard, environment included. */
  to: string;
}

export function Page(props: {
  title: string;
  /** Content beside the title, such as a status. */
  aside?: ReactNode;
  description?: ReactNode;
  trail?: Crumb[];
  actions?: ReactNode;
  /** Uses the full width of the window, for graphs and editors. */
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
