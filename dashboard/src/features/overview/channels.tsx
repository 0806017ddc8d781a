import type { Overview } from '@carillon/sdk';
import { type Channel, channelNames } from '../../strings/common.ts';
import { overview as text } from '../../strings/overview.ts';
import { Card, ChannelLabel, type Column, EmptyState, formatCount, Table } from '../../ui/index.ts';
import { ListLink } from './list-link.tsx';
import styles from './overview.module.css';
import { awaitingReport } from './sent.ts';

const outcomes = ['accepted', 'sent', 'delivered', 'failed', 'bounced', 'suppressed'] as const;

export function Channels({ data }: { data: Overview }) {
  const used = channelNames.filter((channel) => data.totals.by_channel[channel]);
  const columns: Column<Channel>[] = [
    { header: text.channels.channel, cell: (channel) => <ChannelLabel channel={channel} /> },
    ...outcomes.map((outcome) => ({
      header: text.outcomes[outcome],
      end: true,
      cell: (channel: Channel) => {
        const counts = data.totals.by_channel[channel];
        const count = counts ? (outcome === 'sent' ? awaitingReport(counts) : counts[outcome]) : 0;
        if (count === 0) return <span className={styles.zero}>{count}</span>;
        const status = outcome === 'accepted' ? {} : { status: outcome };
        return (
          <ListLink filters={{ channel, created_after: data.from, ...status }}>{formatCount(count)}</ListLink>
        );
      },
    })),
  ];
  return (
    <Card title={text.channels.title} flush>
      <Table
        label={text.channels.label}
        columns={columns}
        rows={used}
        rowKey={(channel) => channel}
        empty={<EmptyState title={text.channels.empty} />}
      />
    </Card>
  );
}
