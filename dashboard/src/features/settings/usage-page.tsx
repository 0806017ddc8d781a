import type { Usage } from '@carillon/sdk';
import { useRead } from '../../api/queries.ts';
import { channelNames } from '../../strings/common.ts';
import { settings, usage as text } from '../../strings/settings.ts';
import { Card, ChannelLabel, EmptyState, formatMoney, Loaded, Notice, Pairs, Table } from '../../ui/index.ts';
import { SettingsLayout } from './layout.tsx';
import styles from './usage.module.css';

const number = new Intl.NumberFormat('en');

export default function UsagePage() {
  const query = useRead(['usage'], (api, signal) => api.usage.get({ signal }), { everyMs: 60_000 });
  return (
    <SettingsLayout title={settings.tabs.usage} description={text.description}>
      <Notice>{text.liveOnly}</Notice>
      <Loaded query={query}>
        {(usage) => (
          <>
            <PlanCard usage={usage} />
            <ChannelsCard usage={usage} />
          </>
        )}
      </Loaded>
    </SettingsLayout>
  );
}

function PlanCard({ usage }: { usage: Usage }) {
  const { included_sends: included, used_sends: used, used_by_other_organizations: elsewhere } = usage;
  return (
    <Card title={text.period}>
      <p className={styles.figure}>
        <strong>{number.format(used)}</strong>{' '}
        {included === null ? text.sent : text.ofIncluded(number.format(included))}
      </p>
      {included !== null && <Meter used={used + elsewhere} included={included} />}
      {included !== null && used + elsewhere >= included && <Notice tone="red">{text.gone}</Notice>}
      {included !== null && used + elsewhere < included && used + elsewhere > included * 0.8 && (
        <Notice tone="amber">{text.almost}</Notice>
      )}
      <Pairs
        pairs={[
          [text.plan, text.plans[usage.plan]],
          [text.days, text.until(day(usage.period_start), day(usage.period_end, -1))],
          [text.included, included === null ? text.unlimited : number.format(included)],
          elsewhere > 0 && [text.elsewhere, number.format(elsewhere)],
          usage.remaining_sends !== null && [text.remaining, number.format(usage.remaining_sends)],
          usage.estimated_cost !== null && [
            text.cost,
            formatMoney(usage.estimated_cost.amount_micros, usage.estimated_cost.currency),
          ],
        ]}
      />
      <p className={styles.small}>
        {text.counting} {included !== null && (usage.hard_limit ? text.hard : text.soft)}
      </p>
    </Card>
  );
}

function Meter({ used, included }: { used: number; included: number }) {
  const percent = included === 0 ? 100 : Math.min(100, (used / included) * 100);
  return (
    // Decorative: the figures are in the text above.
    <div
      className={styles.meter}
      aria-hidden="true"
      data-level={percent >= 100 ? 'full' : percent > 80 ? 'high' : 'low'}
    >
      {used > 0 && <div style={{ width: `${percent}%` }} />}
    </div>
  );
}

function ChannelsCard({ usage }: { usage: Usage }) {
  const rows = channelNames
    .map((channel) => ({ channel, sends: usage.by_channel[channel] ?? 0 }))
    .filter(({ sends }) => sends > 0)
    .sort((a, b) => b.sends - a.sends);
  const shareOf = (sends: number) => (sends / usage.used_sends) * 100;
  const inWords = (percent: number) =>
    percent < 0.5 ? text.underOnePercent : text.percent(Math.round(percent));
  return (
    <Card title={text.byChannel} flush>
      <Table
        label={text.byChannel}
        rows={rows}
        rowKey={({ channel }) => channel}
        columns={[
          { header: text.channel, width: '180px', cell: ({ channel }) => <ChannelLabel channel={channel} /> },
          { header: text.sends, end: true, width: '120px', cell: ({ sends }) => number.format(sends) },
          {
            header: text.share,
            cell: ({ sends }) => (
              <span className={styles.share}>
                <span className={styles.bar}>
                  <span style={{ width: `${shareOf(sends)}%` }} />
                </span>
                <span className={styles.percent}>{inWords(shareOf(sends))}</span>
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState title={text.none} icon="usage">
            {text.noneText}
          </EmptyState>
        }
      />
    </Card>
  );
}

/** Usage periods are in UTC, and so are the days shown. */
function day(at: string, plusMs = 0): string {
  return new Date(Date.parse(at) + plusMs).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
}
