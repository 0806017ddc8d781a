import type { BrakeStatus, Freeze, Hold, HoldRelease } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { brake as text } from '../../strings/brake.ts';
import { common } from '../../strings/common.ts';
import {
  Button,
  Card,
  EmptyState,
  Loaded,
  menuColumn,
  Notice,
  Page,
  ProgressBar,
  Table,
  Time,
} from '../../ui/index.ts';
import { FreezeDialog, UnfreezeDialog } from './freeze-dialogs.tsx';
import { frozenName, holdName } from './names.ts';
import { ReleaseDialog } from './release-dialog.tsx';
import { RulesCard } from './rules-card.tsx';

const everyMs = 2_000;

export default function BrakePage() {
  const mayWrite = useCan('brake:write');
  const [isFreezing, setFreezing] = useState(false);
  const status = useRead(['brake', 'status'], (api, signal) => api.brake.get({ signal }), { everyMs });
  return (
    <Page
      title={text.title}
      description={text.description}
      actions={
        mayWrite && (
          <Button variant="danger" icon="stop" onClick={() => setFreezing(true)}>
            {text.freeze}
          </Button>
        )
      }
    >
      {!mayWrite && <Notice>{common.viewerOnly}</Notice>}
      <Loaded query={status}>{(brake) => <StatusNotices brake={brake} mayWrite={mayWrite} />}</Loaded>
      <HoldsCard mayWrite={mayWrite} />
      <RulesCard mayWrite={mayWrite} />
      {isFreezing && <FreezeDialog onClose={() => setFreezing(false)} />}
    </Page>
  );
}

function StatusNotices({ brake, mayWrite }: { brake: BrakeStatus; mayWrite: boolean }) {
  const [unfreezing, setUnfreezing] = useState<Freeze | null>(null);
  const heldBy = (hold: string) => brake.held.find((each) => each.hold === hold)?.count ?? 0;
  return (
    <>
      {brake.freezes.map((freeze) => (
        <Notice
          key={freeze.hold}
          tone="red"
          action={mayWrite && <Button onClick={() => setUnfreezing(freeze)}>{text.unfreeze}</Button>}
        >
          <strong>{text.isFrozen(frozenName(freeze.channel))}</strong> <Time at={freeze.frozen_at} />
          {freeze.reason && ` · ${freeze.reason}`}
        </Notice>
      ))}
      {brake.engaged.map(({ rule, detail }) => (
        <Notice key={rule} tone="amber">
          <strong>{text.engaged(rule)}</strong> {detail}
        </Notice>
      ))}
      {brake.releases.map((release) => (
        <ReleaseProgress key={release.id} release={release} mayWrite={mayWrite} />
      ))}
      {unfreezing && (
        <UnfreezeDialog
          freeze={unfreezing}
          held={heldBy(unfreezing.hold)}
          onClose={() => setUnfreezing(null)}
        />
      )}
    </>
  );
}

function ReleaseProgress({ release, mayWrite }: { release: HoldRelease; mayWrite: boolean }) {
  const { id, hold, action, done, total } = release;
  const stop = useWrite((api) => api.brake.stopRelease(id), { changes: [['brake']], done: text.stopped });
  const label = (action === 'release' ? text.progress : text.cancelling)(holdName(hold));
  return (
    <Notice
      action={
        mayWrite && (
          <Button size="small" busy={stop.isPending} onClick={() => stop.mutate()}>
            {text.stop}
          </Button>
        )
      }
    >
      {label} <ProgressBar {...{ label, done, total }} /> {text.progressOf(done, total)}
    </Notice>
  );
}

function HoldsCard({ mayWrite }: { mayWrite: boolean }) {
  const [decision, setDecision] = useState<{ hold: Hold; action: 'release' | 'cancel' } | null>(null);
  const query = useRead(
    ['brake', 'holds'],
    async (api, signal) => (await api.brake.listHolds({ signal }).page()).data,
    { everyMs },
  );
  return (
    <Card title={text.holds} flush>
      <Loaded query={query}>
        {(holds) => (
          <Table
            label={text.holds}
            rows={holds}
            rowKey={({ hold }) => hold}
            columns={[
              { header: text.columns.hold, cell: ({ hold, rule_name }) => rule_name ?? holdName(hold) },
              {
                header: text.columns.count,
                end: true,
                cell: ({ count, is_capped }) => text.counted(count, is_capped),
              },
              { header: text.columns.since, cell: ({ oldest_held_at }) => <Time at={oldest_held_at} /> },
              menuColumn<Hold>(
                ({ hold }) => text.holdActions(holdName(hold)),
                (hold) =>
                  mayWrite && [
                    !hold.hold.startsWith('freeze:') && {
                      label: text.release,
                      icon: 'send',
                      onSelect: () => setDecision({ hold, action: 'release' }),
                    },
                    {
                      label: text.cancel,
                      icon: 'trash',
                      danger: true,
                      onSelect: () => setDecision({ hold, action: 'cancel' }),
                    },
                  ],
              ),
            ]}
            empty={
              <EmptyState title={text.nothingHeld} icon="check">
                {text.nothingHeldText}
              </EmptyState>
            }
          />
        )}
      </Loaded>
      {decision && <ReleaseDialog {...decision} onClose={() => setDecision(null)} />}
    </Card>
  );
}
