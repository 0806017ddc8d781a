import type { ScheduleDetail } from '@carillon/sdk';
import { useState } from 'react';
import { useRead, useWrite } from '../../api/queries.ts';
import { schedules } from '../../strings/schedules.ts';
import {
  Checkbox,
  Field,
  FormDialog,
  Input,
  localZone,
  Select,
  Textarea,
  ZoneInput,
} from '../../ui/index.ts';
import {
  dataOf,
  draftOf,
  type Every,
  everyOptions,
  newDraft,
  requestOf,
  type ScheduleDraft,
  timesOf,
  weekdays,
} from './draft.ts';
import { NextRuns } from './next-runs.tsx';
import styles from './schedules.module.css';

const { form: text } = schedules;

/** Creates a schedule, or edits one. */
export function ScheduleDialog({ schedule, onClose }: { schedule: ScheduleDetail | null; onClose(): void }) {
  const [draft, setDraft] = useState(() => (schedule ? draftOf(schedule) : newDraft(localZone)));
  const set = (change: Partial<ScheduleDraft>) => setDraft((former) => ({ ...former, ...change }));
  const workflows = useRead(['workflows', 'names'], async (api, signal) => {
    const { data } = await api.workflows.list({ limit: 100 }, { signal }).page();
    return data.map(({ key }) => key);
  });
  const times = timesOf(draft);
  const preview = useRead(
    ['schedules', 'preview', times],
    (api, signal) => api.schedules.preview(times, { signal }),
    { keep: true },
  );
  const save = useWrite(
    (api) => {
      const { key, ...definition } = requestOf(draft, schedule);
      return schedule ? api.schedules.replace(key, definition) : api.schedules.create({ key, ...definition });
    },
    {
      changes: [['schedules']],
      done: ({ name }) => schedules.saved(name),
      quiet: true,
      onDone: onClose,
    },
  );
  const problems = {
    name: draft.name.trim() === '' && text.nameNeeded,
    workflow: draft.workflow === '' && text.workflowNeeded,
    data: dataOf(draft) === null && text.dataWrong,
  };
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={schedule ? text.editTitle : text.createTitle}
      invalid={Object.values(problems).some(Boolean)}
      onSubmit={() => save.mutate()}
      submit={schedule ? text.save : text.create}
      busy={save.isPending}
      error={save.error}
    >
      <Field label={text.name} name="name" problem={problems.name}>
        <Input
          value={draft.name}
          maxLength={200}
          onChange={(event) => {
            const name = event.target.value;
            set({ name, ...(schedule ? {} : { key: keyFrom(name) }) });
          }}
        />
      </Field>
      {!schedule && (
        <Field label={text.key} hint={text.keyHint} name="key">
          <Input mono value={draft.key} onChange={(event) => set({ key: event.target.value })} />
        </Field>
      )}
      <Field label={text.workflow} name="target.workflow_key" problem={problems.workflow}>
        <Select value={draft.workflow} onChange={(event) => set({ workflow: event.target.value })}>
          <option value="">{text.chooseWorkflow}</option>
          {[...new Set([...(workflows.data ?? []), draft.workflow])]
            .filter((key) => key !== '')
            .map((key) => (
              <option key={key} value={key}>
                {key}
              </option>
            ))}
        </Select>
      </Field>
      <TimeFields draft={draft} set={set} />
      <Field label={text.timezone} name="timezone">
        <ZoneInput value={draft.timezone} onChange={(timezone) => set({ timezone })} />
      </Field>
      <NextRuns runs={preview.data?.next_runs.slice(0, 3)} error={preview.error} />
      <Field label={text.audience} hint={text.audienceHint} name="target.audience.users">
        <Textarea rows={2} value={draft.users} onChange={(event) => set({ users: event.target.value })} />
      </Field>
      {draft.users.trim() !== '' && (
        <Checkbox
          label={text.perRecipient}
          checked={draft.isPerRecipient}
          onChange={(event) => set({ isPerRecipient: event.target.checked })}
        />
      )}
      <Field label={text.data} name="target.trigger_data" problem={problems.data}>
        <Textarea mono rows={3} value={draft.data} onChange={(event) => set({ data: event.target.value })} />
      </Field>
      <Checkbox
        label={text.runOnce}
        checked={draft.runsOnce}
        onChange={(event) => set({ runsOnce: event.target.checked })}
      />
    </FormDialog>
  );
}

function TimeFields({ draft, set }: { draft: ScheduleDraft; set(change: Partial<ScheduleDraft>): void }) {
  const { every, at, on, day, cron } = draft;
  return (
    <>
      <div className={styles.pair}>
        <Field label={text.times}>
          <Select value={every} onChange={(event) => set({ every: event.target.value as Every })}>
            {everyOptions.map((each) => (
              <option key={each} value={each}>
                {text.every[each]}
              </option>
            ))}
          </Select>
        </Field>
        {every === 'cron' ? (
          <Field label={text.cron} hint={text.cronHint} name="cron">
            <Input
              mono
              value={cron}
              maxLength={100}
              onChange={(event) => set({ cron: event.target.value })}
            />
          </Field>
        ) : (
          <Field label={text.at} name={['rule.at', 'cron']}>
            <Input type="time" value={at} onChange={(event) => set({ at: event.target.value })} />
          </Field>
        )}
      </div>
      {every === 'week' && (
        <fieldset className={styles.days}>
          <legend>{text.on}</legend>
          {weekdays.map((each) => (
            <Checkbox
              key={each}
              label={text.weekdays[each]}
              checked={on.includes(each)}
              onChange={(event) =>
                set({
                  on: weekdays.filter((one) => (one === each ? event.target.checked : on.includes(one))),
                })
              }
            />
          ))}
        </fieldset>
      )}
      {every === 'month' && (
        <Field label={text.day} hint={text.dayHint} name="rule.day">
          <Input
            type="number"
            min={1}
            max={31}
            value={day}
            onChange={(event) => set({ day: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}

/** `Weekly report` → `weekly_report`. */
function keyFrom(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 100);
}
