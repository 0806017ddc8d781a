import type { Broadcast } from '@carillon/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { broadcasts as text } from '../../strings/broadcasts.ts';
import { common } from '../../strings/common.ts';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  Copyable,
  ExactTime,
  formatCount,
  JsonBlock,
  Loaded,
  Notice,
  Page,
  Pairs,
  Row,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import styles from './broadcasts.module.css';
import { BroadcastProgress, hasEnded, watchMs } from './progress.tsx';

export default function BroadcastPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { kind } = useEnvironment();
  const mayWrite = useCan('broadcasts:write');
  const query = useRead(['broadcasts', 'one', id], (api, signal) => api.broadcasts.get(id, { signal }), {
    everyMs: (last) => (last !== undefined && hasEnded(last) ? 10_000 : watchMs),
  });
  const broadcast = query.data;
  return (
    <Page
      title={broadcast?.name ?? text.title}
      trail={[{ label: text.title, to: `/${kind}/broadcasts` }]}
      aside={broadcast && <StatusBadge status={broadcast.status} />}
      actions={mayWrite && broadcast && !hasEnded(broadcast) && <Actions broadcast={broadcast} />}
    >
      <Loaded query={query} lines={8}>
        {(data) => (
          <>
            {data.pause_reason && (
              <Notice tone="amber">
                {text.page.pausedByService} {data.pause_reason}
              </Notice>
            )}
            <Card>
              <BroadcastProgress broadcast={data} isLarge />
            </Card>
            <div className={styles.columns}>
              <Counts broadcast={data} />
              <Facts broadcast={data} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ broadcast }: { broadcast: Broadcast }) {
  const [isLeaving, setLeaving] = useState(false);
  const changes = [['broadcasts']];
  const pause = useWrite((api) => api.broadcasts.pause(broadcast.id), { changes, done: text.paused });
  const resume = useWrite((api) => api.broadcasts.resume(broadcast.id), { changes, done: text.resumed });
  const cancel = useWrite((api) => api.broadcasts.cancel(broadcast.id), {
    changes,
    done: text.cancelled,
    onDone: () => setLeaving(false),
  });
  return (
    <>
      {broadcast.status === 'paused' ? (
        <Button icon="play" variant="primary" busy={resume.isPending} onClick={() => resume.mutate()}>
          {text.resume}
        </Button>
      ) : (
        <Button icon="pause" busy={pause.isPending} onClick={() => pause.mutate()}>
          {text.pause}
        </Button>
      )}
      <Button icon="stop" variant="danger" onClick={() => setLeaving(true)}>
        {text.cancel}
      </Button>
      <ConfirmDialog
        open={isLeaving}
        onClose={() => setLeaving(false)}
        title={text.cancelTitle(broadcast.name)}
        confirm={text.cancelConfirm}
        onConfirm={() => cancel.mutate()}
        busy={cancel.isPending}
      >
        <p>{text.cancelText}</p>
      </ConfirmDialog>
    </>
  );
}

function Counts({ broadcast }: { broadcast: Broadcast }) {
  const { kind } = useEnvironment();
  const { counts, skipped } = broadcast.progress;
  const entries = Object.entries(counts);
  return (
    <Card
      title={text.page.counts}
      actions={
        <Link to={`/${kind}/notifications`} search={{ broadcast_id: broadcast.id }}>
          {text.page.notifications}
        </Link>
      }
    >
      {entries.length === 0 && skipped === 0 ? (
        <p>{text.page.none}</p>
      ) : (
        <Pairs
          pairs={[
            ...entries.map(
              ([status, count]) =>
                [<StatusBadge key={status} status={status} />, formatCount(count)] as const,
            ),
            skipped > 0 && [<Badge key="skipped">{text.page.skipped}</Badge>, formatCount(skipped)],
          ]}
        />
      )}
    </Card>
  );
}

function Facts({ broadcast }: { broadcast: Broadcast }) {
  const { audience, channels, template_key, category, send_at, send_at_local, timezone, progress } =
    broadcast;
  const filter = audience.filter;
  return (
    <Card title={text.page.facts}>
      <Pairs
        pairs={[
          [
            text.page.audience,
            audience.topic ? (
              text.audiences.topic(audience.topic)
            ) : filter ? (
              <JsonBlock key="filter" label={text.audiences.filter} value={filter} />
            ) : (
              text.audiences.all
            ),
          ],
          [
            text.page.channels,
            <Row key="channels">
              {channels.map((channel) => (
                <Badge key={channel}>{common.channel(channel)}</Badge>
              ))}
            </Row>,
          ],
          template_key !== null && [text.page.template, <code key="template">{template_key}</code>],
          category !== null && [text.page.category, <code key="category">{category}</code>],
          send_at !== null && [text.page.sendAt, <ExactTime key="send_at" at={send_at} />],
          send_at_local !== null && [text.page.local, text.page.localTime(send_at_local, timezone)],
          broadcast.rate_per_second !== null && [
            text.page.rate,
            text.page.perSecond(broadcast.rate_per_second),
          ],
          [text.page.created, <Time key="created" at={broadcast.created_at} />],
          progress.started_at !== null && [
            text.page.started,
            <ExactTime key="started" at={progress.started_at} />,
          ],
          progress.completed_at !== null && [
            text.page.completed,
            <ExactTime key="completed" at={progress.completed_at} />,
          ],
          [text.page.id, <Copyable key="id" text={broadcast.id} />],
        ]}
      />
    </Card>
  );
}
