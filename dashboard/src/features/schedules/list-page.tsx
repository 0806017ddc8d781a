import type { Schedule, ScheduleDetail } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList, useWrite } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { common } from '../../strings/common.ts';
import { schedules as text } from '../../strings/schedules.ts';
import {
  Button,
  ClearFilters,
  ConfirmDialog,
  EmptyState,
  ListCard,
  menuColumn,
  Notice,
  Page,
  SelectFilter,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import { DetailsDialog } from './details-dialog.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import styles from './schedules.module.css';

const statuses = ['active', 'paused', 'ended'] as const;

type Open =
  | { kind: 'form'; schedule: ScheduleDetail | null }
  | { kind: 'details' | 'run' | 'remove'; schedule: Schedule };

export default function SchedulesPage() {
  const mayWrite = useCan('schedules:write');
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const create = mayWrite && (
    <Button variant="primary" icon="plus" onClick={() => setOpen({ kind: 'form', schedule: null })}>
      {text.create}
    </Button>
  );
  return (
    <Page title={text.title} description={text.description} actions={create}>
      {!mayWrite && <Notice>{common.viewerOnly}</Notice>}
      <ScheduleList mayWrite={mayWrite} onOpen={setOpen} create={create} />
      {open?.kind === 'form' && <ScheduleDialog schedule={open.schedule} onClose={close} />}
      {open?.kind === 'details' && <DetailsDialog schedule={open.schedule} onClose={close} />}
      {open?.kind === 'run' && <RunDialog schedule={open.schedule} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog schedule={open.schedule} onClose={close} />}
    </Page>
  );
}

function ScheduleList(props: { mayWrite: boolean; onOpen(open: Open): void; create: React.ReactNode }) {
  const { mayWrite, onOpen, create } = props;
  const { kind } = useEnvironment();
  const filters = useFilters('status');
  const query = useList(
    ['schedules', 'list', filters.values],
    (api, cursor, signal) =>
      api.schedules
        .list(
          {
            limit: 50,
            ...(given(filters.values) as { status?: Schedule['status'] }),
            ...(cursor ? { cursor } : {}),
          },
          { signal },
        )
        .page(),
    { keep: true, everyMs: 15_000 },
  );
  const changes = [['schedules']];
  const pause = useWrite((api, { key }: Schedule) => api.schedules.pause(key), {
    changes,
    done: ({ name }) => text.paused(name),
  });
  const resume = useWrite((api, { key }: Schedule) => api.schedules.resume(key), {
    changes,
    done: ({ name }) => text.resumed(name),
  });
  const edit = useWrite((api, { key }: Schedule) => api.schedules.get(key), {
    onDone: (schedule) => onOpen({ kind: 'form', schedule }),
  });
  return (
    <ListCard<Schedule>
      bar={
        <>
          <SelectFilter
            label={text.status}
            any={text.anyStatus}
            options={statuses}
            nameOf={(each) => text.statuses[each] ?? each}
            {...filters.bind('status')}
          />
          <ClearFilters filters={filters} />
        </>
      }
      query={query}
      label={text.title}
      rowKey={({ id }) => id}
      filters={filters}
      noMatch={{ title: text.noMatch, icon: 'search' }}
      empty={
        <EmptyState title={text.empty} icon="clock" action={create || undefined}>
          {text.emptyText}
        </EmptyState>
      }
      columns={[
        {
          header: text.columns.name,
          cell: (each) => (
            <button
              type="button"
              className={styles.name}
              aria-label={text.detailsOf(each.name)}
              onClick={() => onOpen({ kind: 'details', schedule: each })}
            >
              <bdi>{each.name}</bdi>
            </button>
          ),
        },
        {
          header: text.columns.target,
          cell: ({ target: { workflow_key, broadcast } }) =>
            workflow_key ? (
              <a href={`/${kind}/workflows/${encodeURIComponent(workflow_key)}`}>{workflow_key}</a>
            ) : (
              <bdi>{text.broadcastNamed(broadcast?.name ?? '')}</bdi>
            ),
        },
        {
          header: text.columns.times,
          cell: ({ cron, timezone }) => (
            <span>
              <code>{cron}</code> {timezone}
            </span>
          ),
        },
        { header: text.columns.status, cell: ({ status }) => <StatusBadge status={status} /> },
        {
          header: text.columns.next,
          cell: ({ next_run_at }) => (next_run_at ? <Time at={next_run_at} /> : text.none),
        },
        {
          header: text.columns.last,
          cell: ({ last_run }) => (last_run ? <StatusBadge status={last_run.status} /> : text.none),
        },
        menuColumn(
          (each) => text.actions(each.name),
          (each) => [
            { label: text.details, icon: 'eye', onSelect: () => onOpen({ kind: 'details', schedule: each }) },
            mayWrite && { label: text.edit, icon: 'edit', onSelect: () => edit.mutate(each) },
            mayWrite &&
              each.status === 'active' && {
                label: text.pause,
                icon: 'pause',
                onSelect: () => pause.mutate(each),
              },
            mayWrite &&
              each.status === 'paused' && {
                label: text.resume,
                icon: 'play',
                onSelect: () => resume.mutate(each),
              },
            mayWrite && {
              label: text.runNow,
              icon: 'send',
              onSelect: () => onOpen({ kind: 'run', schedule: each }),
            },
            mayWrite && {
              label: text.remove,
              icon: 'trash',
              danger: true,
              onSelect: () => onOpen({ kind: 'remove', schedule: each }),
            },
          ],
        ),
      ]}
    />
  );
}

function RunDialog({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const { key, name } = schedule;
  // The key keeps a second click, or a lost answer, from starting a second run.
  const [attempt] = useState(() => crypto.randomUUID());
  const run = useWrite((api) => api.schedules.run(key, { idempotency_key: `dashboard-${attempt}` }), {
    changes: [['schedules']],
    done: text.started(name),
    quiet: true,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={text.runTitle(name)}
      confirm={text.runConfirm}
      onConfirm={() => run.mutate()}
      busy={run.isPending}
      error={run.error}
      danger={false}
    >
      {text.runText}
    </ConfirmDialog>
  );
}

function RemoveDialog({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const { key, name } = schedule;
  const remove = useWrite((api) => api.schedules.delete(key), {
    changes: [['schedules']],
    done: text.removed(name),
    quiet: true,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={text.removeTitle(name)}
      confirm={text.removeConfirm}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    >
      {text.removeText}
    </ConfirmDialog>
  );
}
