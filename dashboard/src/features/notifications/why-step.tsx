import type { ReactNode } from 'react';
import { ExactTime, Icon, type IconName } from '../../ui/index.ts';
import styles from './why.module.css';

/** One step: a mark, a text and a time. */
export function WhyStep(props: {
  icon: IconName;
  tone: string;
  at: string | undefined;
  children: ReactNode;
}) {
  return (
    <li className={styles.step} data-tone={props.tone}>
      <span className={styles.mark} data-tone={props.tone}>
        <Icon name={props.icon} size={13} />
      </span>
      <div className={styles.body}>
        {props.children}
        {props.at && (
          <div className={styles.at}>
            <ExactTime at={props.at} />
          </div>
        )}
      </div>
    </li>
  );
}
