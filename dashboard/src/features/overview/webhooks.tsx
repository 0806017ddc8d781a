import type { Overview } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { overview as text } from '../../strings/overview.ts';
import {
  Card,
  classes,
  EmptyState,
  formatCount,
  formatShare,
  LinkButton,
  StatusBadge,
} from '../../ui/index.ts';
import styles from './overview.module.css';

/** The endpoints with the most failures come first; the others are on the webhooks page. */
const maxShown = 10;

export function Webhooks({ webhooks }: { webhooks: Overview['webhooks'] }) {
  const { kind } = useEnvironment();
  const all = `/${kind}/webhooks`;
  return (
    <Card
      title={text.webhooks.title}
      flush
      actions={webhooks.length > 0 && <Link to={all}>{text.webhooks.all}</Link>}
    >
      {webhooks.length === 0 ? (
        <EmptyState
          title={text.webhooks.empty}
          icon="webhooks"
          action={<LinkButton to={all}>{text.webhooks.toWebhooks}</LinkButton>}
        >
          {text.webhooks.emptyHint}
        </EmptyState>
      ) : (
        <ul className={styles.rows} aria-label={text.webhooks.label}>
          {webhooks
            .slice(0, maxShown)
            .map(({ endpoint_id, url, description, status, succeeded, failed, success_rate }) => (
              <li key={endpoint_id}>
                <Link to={`${all}/${endpoint_id}`} className={styles.row}>
                  <span className={styles.main}>
                    <bdi className={styles.name}>{description || url}</bdi>
                    <span className={styles.small}>
                      <span>{text.webhooks.calls(formatCount(succeeded + failed))}</span>
                      {failed > 0 && (
                        <span className={styles.bad}>{text.webhooks.failed(formatCount(failed))}</span>
                      )}
                      {status !== 'active' && <StatusBadge status={status} />}
                    </span>
                  </span>
                  <strong className={classes(success_rate === 0 && styles.bad)}>
                    {formatShare(success_rate)}
                  </strong>
                </Link>
              </li>
            ))}
        </ul>
      )}
    </Card>
  );
}
