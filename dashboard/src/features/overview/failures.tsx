import type { Overview, OverviewFailure } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { common } from '../../strings/common.ts';
import { overview as text } from '../../strings/overview.ts';
import {
  Card,
  ChannelLabel,
  type Column,
  EmptyState,
  formatCount,
  StatusBadge,
  Table,
  Time,
} from '../../ui/index.ts';
import { ListLink } from './list-link.tsx';
import styles from './overview.module.css';

export function Failures({ data }: { data: Overview }) {
  const { kind } = useEnvironment();
  const columns: Column<OverviewFailure>[] = [
    { header: text.failures.reason, cell: ({ reason }) => <bdi>{inWords(reason)}</bdi> },
    { header: text.failures.status, cell: ({ status }) => <StatusBadge status={status} /> },
    { header: text.failures.channel, cell: ({ channel }) => <ChannelLabel channel={channel} /> },
    {
      header: text.failures.count,
      end: true,
      cell: ({ status, channel, count }) => (
        <ListLink filters={{ status, channel, created_after: data.from }}>{formatCount(count)}</ListLink>
      ),
    },
    {
      header: text.failures.last,
      end: true,
      cell: ({ reason, last_at, sample_notification_id }) => (
        <Link to={`/${kind}/notifications/${sample_notification_id}`}>
          <Time at={last_at} />
          <span className="visually-hidden"> {text.failures.openSample(inWords(reason))}</span>
        </Link>
      ),
    },
  ];
  return (
    <Card title={text.failures.title} flush>
      <div>
        <Table
          label={text.failures.label}
          columns={columns}
          rows={data.failures}
          rowKey={({ reason, status, channel }) => [status, channel, reason].join()}
          empty={<NoReasons totals={data.totals} />}
        />
        {data.failures.length > 0 && <p className={styles.footnote}>{text.failures.capped}</p>}
      </div>
    </Card>
  );
}

/** The totals count events of the period; the reasons cover notifications accepted in it. */
function NoReasons({ totals }: { totals: Overview['totals'] }) {
  const { failed, bounced, suppressed } = totals;
  return failed + bounced + suppressed > 0 ? (
    <EmptyState title={text.failures.older} icon="warning">
      {text.failures.olderHint}
    </EmptyState>
  ) : (
    <EmptyState title={text.failures.empty} icon="check">
      {text.failures.emptyHint}
    </EmptyState>
  );
}

/** Turns a code into words; a sentence stays as it is. */
function inWords(reason: string): string {
  if (reason === '' || reason === 'unknown') return text.failures.unknown;
  return /^[a-z0-9_]+$/.test(reason) ? common.sentence(reason) : common.withVendors(reason);
}
