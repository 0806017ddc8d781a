import type { Overview } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { overview as text } from '../../strings/overview.ts';
import { Card, duration, formatCount, formatMoney, formatShare } from '../../ui/index.ts';
import { ListLink } from './list-link.tsx';
import styles from './overview.module.css';

export function Gauges({ data }: { data: Overview }) {
  return (
    <div className={styles.gauges}>
      <RateGauge data={data} />
      <LatencyGauge data={data} />
      <QueueGauge queue={data.queue} />
      <CostGauge />
    </div>
  );
}

function Gauge({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <Card title={title}>
      <div className={styles.gauge}>
        {children}
        <p className={styles.hint}>{hint}</p>
      </div>
    </Card>
  );
}

function RateGauge({ data: { delivery_rate, totals, from } }: { data: Overview }) {
  const missed = totals.failed + totals.bounced;
  return (
    <Gauge title={text.rate.title} hint={text.rate.hint}>
      {delivery_rate === null ? (
        <p className={styles.nothing}>{text.rate.none}</p>
      ) : (
        <div className={styles.figures}>
          <ListLink className={styles.figure} filters={{ created_after: from }}>
            {formatShare(delivery_rate)}
          </ListLink>
          {missed > 0 && (
            <ListLink
              filters={{
                created_after: from,
                status: totals.failed >= totals.bounced ? 'failed' : 'bounced',
              }}
            >
              {text.rate.missed(formatCount(missed))}
            </ListLink>
          )}
        </div>
      )}
    </Gauge>
  );
}

function LatencyGauge({ data: { latency, from } }: { data: Overview }) {
  return (
    <Gauge title={text.latency.title} hint={text.latency.hint}>
      {latency ? (
        <Parts
          parts={(['p50', 'p95', 'p99'] as const).map((name) => ({
            name: text.latency[name],
            value: duration(latency[`${name}_ms`] ?? 0),
            filters: { created_after: from },
          }))}
        />
      ) : (
        <p className={styles.nothing}>{text.latency.none}</p>
      )}
    </Gauge>
  );
}

function QueueGauge({ queue }: { queue: Overview['queue'] }) {
  const count = (value: number) =>
    queue.waiting_is_capped ? text.queue.atLeast(formatCount(value)) : formatCount(value);
  const filters = { status: 'queued' } as const;
  const oldest = queue.oldest_due_seconds;
  return (
    <Gauge title={text.queue.title} hint={text.queue.hint}>
      <Parts
        parts={[
          { name: text.queue.waiting, value: count(queue.waiting), filters },
          { name: text.queue.oldest, value: oldest === null ? '–' : duration(oldest * 1000), filters },
          { name: text.queue.scheduled, value: count(queue.scheduled), filters },
        ]}
      />
    </Gauge>
  );
}

/** Shown once there are prices. */
function CostGauge() {
  const { kind } = useEnvironment();
  const usage = useRead(['usage'], (api, signal) => api.usage.get({ signal }), { everyMs: 60_000 });
  const cost = usage.data?.estimated_cost;
  if (!cost) return null;
  return (
    <Gauge title={text.cost.title} hint={text.cost.hint}>
      <div className={styles.figures}>
        <Link to={`/${kind}/settings/usage`} className={styles.figure}>
          {formatMoney(cost.amount_micros, cost.currency)}
        </Link>
      </div>
    </Gauge>
  );
}

interface Part {
  name: string;
  value: string;
  filters: Parameters<typeof ListLink>[0]['filters'];
}

function Parts({ parts }: { parts: Part[] }) {
  return (
    <dl className={styles.parts}>
      {parts.map(({ name, value, filters }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <ListLink className={styles.figure} filters={filters}>
              {value}
            </ListLink>
          </dd>
        </div>
      ))}
    </dl>
  );
}
