import type { WebhookEndpointHealth } from '@carillon/sdk';
import { useRead } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import {
  Card,
  classes,
  duration,
  formatCount,
  formatShare,
  Loaded,
  Segments,
  type Series,
  StackedBars,
} from '../../ui/index.ts';
import styles from './webhooks.module.css';

type Window = WebhookEndpointHealth['window'];
const windows = Object.keys(text.health.windows) as Window[];
const options = windows.map((value) => ({ value, label: text.health.windows[value] }));

/** The badge beside the title uses it too: both share one request. */
export function useHealth(endpointId: string, window: Window) {
  return useRead(
    ['webhooks', endpointId, 'health', window],
    (api, signal) => api.webhookEndpoints.getHealth(endpointId, { window }, { signal }),
    { everyMs: 15_000, keep: true },
  );
}

export function HealthCard({ endpointId }: { endpointId: string }) {
  const { values, set } = useFilters('window');
  const window = windows.find((each) => each === values.window) ?? '24h';
  const query = useHealth(endpointId, window);
  return (
    <Card
      title={text.health.title}
      actions={
        <Segments
          label={text.health.window}
          options={options}
          value={window}
          onChange={(next) => set({ window: next })}
        />
      }
    >
      <Loaded query={query}>{(health) => <Health health={health} />}</Loaded>
    </Card>
  );
}

function Health({ health }: { health: WebhookEndpointHealth }) {
  const { succeeded, failed, success_rate, latency } = health;
  const series: Series[] = [
    { name: text.health.succeeded, tone: 'green', values: health.series.map((point) => point.succeeded) },
    { name: text.health.failed, tone: 'red', values: health.series.map((point) => point.failed) },
  ];
  return (
    <>
      <dl className={styles.figures}>
        <Figure
          name={text.health.rate}
          value={success_rate === null ? '–' : formatShare(success_rate)}
          isBad={success_rate === 0}
        />
        <Figure name={text.health.calls} value={formatCount(succeeded + failed)} />
        <Figure name={text.health.p50} value={latency ? duration(latency.p50_ms) : '–'} />
        <Figure name={text.health.p95} value={latency ? duration(latency.p95_ms) : '–'} />
      </dl>
      <StackedBars
        label={text.health.label(text.health.windows[health.window])}
        times={health.series.map(({ at }) => at)}
        series={series}
        height={120}
      />
    </>
  );
}

function Figure({ name, value, isBad = false }: { name: string; value: string; isBad?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={classes(isBad && styles.bad)}>{value}</dd>
    </div>
  );
}
