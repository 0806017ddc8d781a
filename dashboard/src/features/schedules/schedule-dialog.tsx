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
  type AudienceKind,
  audienceKinds,
  draftOf,
  type Every,
  everyOptions,
  hasAudience,
  newDraft,
  objectOf,
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
  const times = timesOf(draft, schedule);
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
    ...targetProblems(draft),
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
      <Field label={text.kind}>
        <Select
          value={draft.kind}
          onChange={(event) => set({ kind: event.target.value as ScheduleDraft['kind'] })}
        >
          <option value="workflow">{text.kinds.workflow}</option>
          <option value="broadcast">{text.kinds.broadcast}</option>
        </Select>
      </Field>
      {draft.kind === 'workflow' ? (
        <WorkflowFields draft={draft} set={set} />
      ) : (
        <Field
          label={text.broadcast}
          hint={text.broadcastHint}
          name="target.broadcast"
          problem={targetProblems(draft).broadcast}
        >
          <Textarea
            mono
            rows={8}
            value={draft.broadcast}
            onChange={(event) => set({ broadcast: event.target.value })}
          />
        </Field>
      )}
      <TimeFields draft={draft} set={set} />
      <Field label={text.timezone} name="timezone">
        <ZoneInput value={draft.timezone} onChange={(timezone) => set({ timezone })} />
      </Field>
      <NextRuns runs={preview.data?.next_runs.slice(0, 3)} error={preview.error} />
      {hasAudience(draft) && (
        <Checkbox
          label={text.perRecipient}
          checked={draft.isPerRecipient}
          onChange={(event) => set({ isPerRecipient: event.target.checked })}
        />
      )}
      <div className={styles.pair}>
        <Field label={text.startsAt} hint={text.periodHint(localZone)} name="starts_at">
          <Input
            type="datetime-local"
            value={draft.startsAt}
            onChange={(event) => set({ startsAt: event.target.value })}
          />
        </Field>
        <Field label={text.endsAt} hint={text.periodHint(localZone)} name="ends_at">
          <Input
            type="datetime-local"
            value={draft.endsAt}
            onChange={(event) => set({ endsAt: event.target.value })}
          />
        </Field>
      </div>
      <Checkbox
        label={text.runOnce}
        checked={draft.runsOnce}
        onChange={(event) => set({ runsOnce: event.target.checked })}
      />
    </FormDialog>
  );
}

interface FieldsProps {
  draft: ScheduleDraft;
  set(change: Partial<ScheduleDraft>): void;
}

/** The problem of each field of the target; false when there is none. */
function targetProblems({ kind, workflow, data, audience, users, topic, filter, broadcast }: ScheduleDraft) {
  const isWorkflow = kind === 'workflow';
  return {
    workflow: isWorkflow && workflow === '' && text.workflowNeeded,
    data: isWorkflow && objectOf(data) === null && text.jsonWrong,
    users: isWorkflow && audience === 'users' && users.trim() === '' && text.usersNeeded,
    topic: isWorkflow && audience === 'topic' && topic === '' && text.topicNeeded,
    filter: isWorkflow && audience === 'filter' && objectOf(filter) === null && text.jsonWrong,
    broadcast: !isWorkflow && objectOf(broadcast) === null && text.jsonWrong,
  };
}

function WorkflowFields({ draft, set }: FieldsProps) {
  const problems = targetProblems(draft);
  const workflows = useRead(['workflows', 'choices'], (api, signal) =>
    api.workflows.list({ limit: 100 }, { signal }).page(),
  );
  return (
    <>
      <Field label={text.workflow} name="target.workflow_key" problem={problems.workflow}>
        <KeySelect
          value={draft.workflow}
          none={text.chooseWorkflow}
          keys={(workflows.data?.data ?? []).map(({ key }) => key)}
          onChange={(workflow) => set({ workflow })}
        />
      </Field>
      <AudienceFields draft={draft} set={set} />
      <Field label={text.data} name="target.trigger_data" problem={problems.data}>
        <Textarea mono rows={3} value={draft.data} onChange={(event) => set({ data: event.target.value })} />
      </Field>
    </>
  );
}

function AudienceFields({ draft, set }: FieldsProps) {
  const { audience } = draft;
  const problems = targetProblems(draft);
  const topics = useRead(['topics', 'choices'], (api) => api.topics.list({ limit: 100 }).page());
  return (
    <>
      <Field label={text.audience} name={['target.audience', 'target.audience.confirm']}>
        <Select value={audience} onChange={(event) => set({ audience: event.target.value as AudienceKind })}>
          {audienceKinds.map((each) => (
            <option key={each} value={each}>
              {text.audiences[each]}
            </option>
          ))}
        </Select>
      </Field>
      {audience === 'users' && (
        <Field label={text.users} hint={text.usersHint} name="target.audience.users" problem={problems.users}>
          <Textarea rows={2} value={draft.users} onChange={(event) => set({ users: event.target.value })} />
        </Field>
      )}
      {audience === 'topic' && (
        <Field label={text.topic} problem={problems.topic}>
          <KeySelect
            value={draft.topic}
            none={text.chooseTopic}
            keys={(topics.data?.data ?? []).map(({ key }) => key)}
            onChange={(topic) => set({ topic })}
          />
        </Field>
      )}
      {audience === 'filter' && (
        <Field
          label={text.filter}
          hint={text.filterHint}
          name="target.audience.filter"
          problem={problems.filter}
        >
          <Textarea
            mono
            rows={3}
            value={draft.filter}
            onChange={(event) => set({ filter: event.target.value })}
          />
        </Field>
      )}
      {(audience === 'filter' || audience === 'all') && (
        <Checkbox
          label={text.confirm}
          checked={draft.isConfirmed}
          onChange={(event) => set({ isConfirmed: event.target.checked })}
        />
      )}
    </>
  );
}

/** The keys that exist; the chosen one is offered even if it is not on the first page. */
function KeySelect(props: { value: string; none: string; keys: string[]; onChange(key: string): void }) {
  const { value, none, keys, onChange } = props;
  return (
    <Select value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{none}</option>
      {[...new Set([...keys, value])]
        .filter((key) => key !== '')
        .map((key) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
    </Select>
  );
}

function TimeFields({ draft, set }: FieldsProps) {
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
