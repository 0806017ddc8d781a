import type { Overview } from '@carillon/sdk';
import { type Channel, channelNames, common } from '../../strings/common.ts';
import { overview as text } from '../../strings/overview.ts';
import { Card, duration, Segments, type Series, StackedBars, type Tone } from '../../ui/index.ts';
import styles from './overview.module.css';
import { awaitingReport } from './sent.ts';

type Point = Overview['series'][number];
type By = 'status' | 'channel';

export interface ChartProps {
  data: Overview;
  by: By;
  onBy(by: By): void;
}

export function ActivityChart({ data, by, onBy }: ChartProps) {
  const when = text.inWindow[data.window];
  const options = (['status', 'channel'] as const).map((value) => ({ value, label: text.chart[value] }));
  return (
    <Card
      title={text.chart.title}
      actions={<Segments label={text.chart.by} options={options} value={by} onChange={onBy} />}
    >
      <StackedBars
        label={by === 'status' ? text.chart.statusLabel(when) : text.chart.channelLabel(when)}
        times={data.series.map(({ at }) => at)}
        series={by === 'status' ? byStatus(data) : byChannel(data)}
        height={180}
      />
      <p className={styles.hint}>{text.chart.bar(duration(data.step_seconds * 1000))}</p>
    </Card>
  );
}

function byStatus({ series }: Overview): Series[] {
  const stack: [keyof typeof text.outcomes, Tone, (point: Point) => number][] = [
    ['delivered', 'green', ({ delivered }) => delivered],
    // Most delivered notifications were sent in the same interval and must not count twice.
    ['sent', 'blue', awaitingReport],
    ['suppressed', 'amber', ({ suppressed }) => suppressed],
    ['bounced', 'violet', ({ bounced }) => bounced],
    ['failed', 'red', ({ failed }) => failed],
  ];
  return stack.map(([outcome, tone, figureOf]) => ({
    name: text.outcomes[outcome],
    tone,
    values: series.map(figureOf),
  }));
}

const channelTones: Record<Channel, Tone> = {
  email: 'blue',
  in_app: 'violet',
  webhook: 'grey',
  sms: 'green',
  chatone: 'amber',
  chattwo: 'live',
  chatthree: 'red',
};

function byChannel({ series, totals }: Overview): Series[] {
  const used = channelNames.filter((channel) => totals.by_channel[channel]?.accepted);
  return used.map((channel) => ({
    name: common.channel(channel),
    tone: channelTones[channel],
    values: series.map((point) => point.by_channel[channel] ?? 0),
  }));
}
