import type { ReactNode } from 'react';
import { start as text } from '../../strings/start.ts';
import { classes, Icon } from '../../ui/index.ts';
import styles from './start.module.css';

export function Step(props: { number: number; title: string; isDone: boolean; children: ReactNode }) {
  const { number, title, isDone, children } = props;
  return (
    <li className={styles.step} data-done={isDone}>
      <span className={classes(styles.mark, isDone && styles.done)} aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div className={styles.content}>
        <h2>
          {title}
          <span className="visually-hidden">{` (${isDone ? text.done : text.open})`}</span>
        </h2>
        {children}
      </div>
    </li>
  );
}
