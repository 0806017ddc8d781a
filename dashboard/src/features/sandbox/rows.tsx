import type { SandboxMessage } from '@carillon/sdk';
import type { KeyboardEvent } from 'react';
import { common } from '../../strings/common.ts';
import { sandbox } from '../../strings/sandbox.ts';
import { Icon, LoadMore, Time } from '../../ui/index.ts';
import styles from './outbox.module.css';
import { snippetOf } from './payload.ts';

interface List {
  items: SandboxMessage[];
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** The arrow keys move between messages and open each. */
export function Rows(props: { list: List; shown: string | null; onChoose(id: string): void }) {
  const { list, shown, onChoose } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = list.items.findIndex(({ id }) => id === shown);
    const next = list.items[at + step];
    if (!next) return;
    onChoose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-id="${next.id}"]`)?.focus();
  };
  return (
    <>
      <ul aria-label={sandbox.list} onKeyDown={onKeyDown}>
        {list.items.map((message) => (
          <li key={message.id}>
            <button
              type="button"
              className={styles.row}
              data-id={message.id}
              aria-current={message.id === shown}
              onClick={() => onChoose(message.id)}
            >
              <Icon name={message.channel} />
              <span className="visually-hidden">{common.channel(message.channel)}</span>
              <bdi className={styles.to}>{message.to}</bdi>
              <span className={styles.time}>
                <Time at={message.created_at} />
              </span>
              <bdi className={styles.snippet}>{snippetOf(message)}</bdi>
            </button>
          </li>
        ))}
      </ul>
      <LoadMore query={list} className={styles.foot} />
    </>
  );
}
