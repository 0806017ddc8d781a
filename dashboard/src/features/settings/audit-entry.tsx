import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { audit } from '../../strings/settings.ts';
import { Badge, Button, Copyable, ExactTime, Icon, LinkButton, Time } from '../../ui/index.ts';
import styles from './audit.module.css';
import { type AuditEntry, actionName, pageOf } from './audit-words.ts';
import { type Change, changesBetween } from './changes.ts';

/** One line that expands to the changes. */
export function AuditEntryRow(props: {
  entry: AuditEntry;
  actorName: string;
  targetName: string;
  onFilter(filter: { target?: string; actor?: string }): void;
}) {
  const { entry, actorName, targetName, onFilter } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={styles.entry}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className={styles.summary}>
          <Icon name={isOpen ? 'down' : 'chevron'} size={14} />
          <span className={styles.action}>{actionName(entry.action)}</span>
          <span className={styles.what}>
            <bdi>{targetName}</bdi>
          </span>
          <span className={styles.actor}>
            <Icon
              name={entry.actor.kind === 'key' ? 'key' : entry.actor.kind === 'user' ? 'person' : 'settings'}
              size={14}
            />
            <bdi>{actorName}</bdi>
          </span>
          <Time at={entry.created_at} />
        </summary>
        {isOpen && <Details entry={entry} onFilter={onFilter} />}
      </details>
    </li>
  );
}

function Details({ entry, onFilter }: Pick<Parameters<typeof AuditEntryRow>[0], 'entry' | 'onFilter'>) {
  const { kind } = useEnvironment();
  const page = pageOf(entry);
  const { id: actor } = entry.actor;
  return (
    <div className={styles.details}>
      <Changes changes={changesBetween(entry.before, entry.after)} />
      <div className={styles.facts}>
        <ExactTime at={entry.created_at} />
        <Copyable text={entry.target} />
        {entry.request_id && (
          <span>
            {audit.request} <Copyable text={entry.request_id} />
          </span>
        )}
        {entry.ip_address && (
          <span>
            {audit.ipAddress} <Copyable text={entry.ip_address} />
          </span>
        )}
        {entry.user_agent && <span>{entry.user_agent}</span>}
        {entry.environment_id === null && <Badge>{audit.organizationWide}</Badge>}
      </div>
      <div className={styles.facts}>
        <Button size="small" icon="filter" onClick={() => onFilter({ target: entry.target })}>
          {audit.onlyTarget}
        </Button>
        {actor && (
          <Button size="small" icon="filter" onClick={() => onFilter({ actor })}>
            {audit.onlyActor}
          </Button>
        )}
        {page !== null && (
          <LinkButton size="small" to={`/${kind}${page}`}>
            {audit.open}
          </LinkButton>
        )}
      </div>
    </div>
  );
}

function Changes({ changes }: { changes: Change[] }) {
  if (changes.length === 0) return <p className={styles.none}>{audit.noFields}</p>;
  const hasBefore = changes.some(({ before }) => before !== null);
  const hasAfter = changes.some(({ after }) => after !== null);
  return (
    <div className={styles.scroll}>
      <table className={styles.changes}>
        <thead>
          <tr>
            <th scope="col">{audit.field}</th>
            {hasBefore && <th scope="col">{audit.before}</th>}
            {hasAfter && <th scope="col">{audit.after}</th>}
          </tr>
        </thead>
        <tbody>
          {changes.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">
                <code>{field}</code>
              </th>
              {hasBefore && <td>{before !== null && <del>{before}</del>}</td>}
              {hasAfter && <td>{after !== null && <ins>{after}</ins>}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
