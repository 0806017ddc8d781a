import type { Device } from '@carillon/sdk';
import { useState } from 'react';
import { useList, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { push, devices as text } from '../../strings/push.ts';
import {
  type Column,
  ConfirmDialog,
  EmptyState,
  ListCard,
  menuColumn,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import styles from './preferences.module.css';

/** The devices of a user that push rings, and how their last push fared. */
export function DevicesCard({ id, mayWrite }: { id: string; mayWrite: boolean }) {
  const key = ['users', 'devices', id];
  const [leaving, setLeaving] = useState<Device | null>(null);
  const query = useList(key, (api, _cursor, signal) => api.users.listDevices(id, { signal }).page());
  const remove = useWrite((api, device: Device) => api.users.deleteDevice(id, device.id), {
    changes: [key],
    done: text.removed,
    quiet: true,
    onDone: () => setLeaving(null),
  });
  const ask = (device: Device) => {
    remove.reset();
    setLeaving(device);
  };
  const menu = menuColumn<Device>(
    (device) => text.actions(nameOf(device)),
    (device) => [{ label: text.remove, icon: 'trash', danger: true, onSelect: () => ask(device) }],
  );
  return (
    <>
      <ListCard
        title={text.title}
        query={query}
        lines={3}
        label={text.table}
        rowKey={(device) => device.id}
        columns={mayWrite ? [...columns, menu] : columns}
        empty={<EmptyState title={text.none}>{text.noneText}</EmptyState>}
      />
      {leaving && (
        <ConfirmDialog
          onClose={() => setLeaving(null)}
          title={text.removeTitle(nameOf(leaving))}
          confirm={common.remove}
          onConfirm={() => remove.mutate(leaving)}
          busy={remove.isPending}
          error={remove.error}
        >
          <p>{text.removeText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const nameOf = ({ label, kind }: Device) => label ?? push.names[kind];

const columns: Column<Device>[] = [
  { header: text.columns.device, clip: true, cell: ({ label }) => <bdi>{label ?? text.unnamed}</bdi> },
  {
    header: text.columns.service,
    cell: ({ kind, service }) => (
      <div className={styles.lines}>
        <span>{push.names[kind]}</span>
        <code className={styles.small}>{service}</code>
      </div>
    ),
  },
  { header: text.columns.seen, cell: (device) => <Time at={device.last_seen_at} /> },
  { header: text.columns.outcome, cell: (device) => <LastPush device={device} /> },
];

function LastPush({ device }: { device: Device }) {
  const { last_outcome: outcome, last_outcome_detail: detail, last_outcome_at: at } = device;
  if (outcome === null) return text.notRung;
  return (
    <div className={styles.lines}>
      <span className={styles.channels}>
        <StatusBadge status={outcome} />
        {at && <Time at={at} />}
      </span>
      {detail && outcome !== 'accepted' && <span className={styles.small}>{detail}</span>}
    </div>
  );
}
