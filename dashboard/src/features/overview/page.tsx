import type { Overview } from '@carillon/sdk';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { overview as text } from '../../strings/overview.ts';
import { Button, Card, EmptyState, LinkButton, Loaded, Notice, Page, Segments } from '../../ui/index.ts';
import { ActivityChart, type ChartProps } from './activity-chart.tsx';
import { Channels } from './channels.tsx';
import { Failures } from './failures.tsx';
import { Gauges } from './gauges.tsx';
import styles from './overview.module.css';
import { Providers } from './providers.tsx';
import { Tiles } from './tiles.tsx';
import { Webhooks } from './webhooks.tsx';

type Window = Overview['window'];
const windows = Object.keys(text.windows) as Window[];
const options = windows.map((value) => ({ value, label: text.windows[value] }));

export default function OverviewPage() {
  const { values, set } = useFilters('window', 'by');
  const window = windows.find((each) => each === values.window) ?? '1h';
  const query = useRead(['overview', window], (api, signal) => api.overview.get({ window }, { signal }), {
    everyMs: 10_000,
    keep: true,
  });
  return (
    <Page
      title={text.title}
      description={text.description}
      actions={
        <Segments
          label={text.window}
          options={options}
          value={window}
          onChange={(next) => set({ window: next })}
        />
      }
    >
      <Loaded query={query} lines={10}>
        {(data) => (
          <Figures
            data={data}
            by={values.by === 'channel' ? 'channel' : 'status'}
            onBy={(by) => set({ by })}
            onWiden={() => set({ window: '7d' })}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ data, by, onBy, onWiden }: ChartProps & { onWiden(): void }) {
  const isQuiet = isNothing(data);
  // A quiet period and an environment that never sent look alike; only then a second request finds out.
  const first = useRead(
    ['notifications', 'first'],
    (api, signal) => api.notifications.list({ limit: 1 }, { signal }).page(),
    { enabled: isQuiet },
  );
  if (isQuiet && first.data?.data.length === 0) return <NothingYet />;
  return (
    <div className={styles.all}>
      {isQuiet && (
        <Notice
          action={
            data.window !== '7d' && (
              <Button size="small" onClick={onWiden}>
                {text.windows['7d']}
              </Button>
            )
          }
        >
          {text.chart.quiet}
        </Notice>
      )}
      <Tiles data={data} />
      <ActivityChart data={data} by={by} onBy={onBy} />
      <Gauges data={data} />
      <Failures data={data} />
      <Channels data={data} />
      <div className={styles.pair}>
        <Providers providers={data.providers} />
        <Webhooks webhooks={data.webhooks} />
      </div>
    </div>
  );
}

function isNothing({ totals }: Overview): boolean {
  const { by_channel: _, ...counts } = totals;
  return Object.values(counts).every((count) => count === 0);
}

function NothingYet() {
  const { kind } = useEnvironment();
  return (
    <Card>
      <EmptyState
        title={text.empty.title}
        icon="start"
        action={
          <LinkButton variant="primary" to={`/${kind}/start`}>
            {text.empty.action}
          </LinkButton>
        }
      >
        {text.empty.text}
      </EmptyState>
    </Card>
  );
}
