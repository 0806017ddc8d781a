import type { Workflow } from '@carillon/sdk';
import { useId, useState } from 'react';
import { useWrite } from '../../../api/queries.ts';
import { common } from '../../../strings/common.ts';
import { workflows } from '../../../strings/workflows.ts';
import { Field, FormDialog, Input, Notice } from '../../../ui/index.ts';
import { JsonField, pretty, readObject } from '../build/json-field.tsx';
import { parseText } from '../build/json-text.ts';
import { readBody, type Step } from '../definition.ts';
import { useVersion } from '../queries.ts';
import { sampleEvent } from '../simulate/sample.ts';

const { actions } = workflows;

interface EventTarget {
  workflow: Pick<Workflow, 'key' | 'active_version'>;
  /** The only run to wake; every matching run when absent. */
  run?: { id: string; version: number; trigger_data: Record<string, unknown>; currentStepId: string | null };
}

/** Posts an event; starts with the one that the run waits for. */
export function EventDialog({
  workflow,
  run,
  onOpenChange,
}: EventTarget & { onOpenChange(open: boolean): void }) {
  const version = useVersion(workflow.key, run?.version ?? workflow.active_version);
  const waits = waitsIn(version.data?.body_json ?? '');
  const first = waits.find(({ id }) => id === run?.currentStepId) ?? waits[0];
  const [typed, setTyped] = useState<{ name?: string; data?: string }>({});
  const sample = first ? sampleEvent(first, run?.trigger_data ?? {}) : { event_name: '', event_data: {} };
  const name = typed.name ?? sample.event_name;
  const text = typed.data ?? pretty(sample.event_data);
  const { value, error } = readObject(text);
  const listId = useId();
  const post = useWrite(
    (api) => {
      const event = { event_name: name, event_data: value };
      return run ? api.runs.postEvent(run.id, event) : api.workflows.postEvent(workflow.key, event);
    },
    { changes: [['runs']], quiet: true },
  );
  return (
    <FormDialog
      onClose={() => onOpenChange(false)}
      title={actions.eventTitle}
      description={run ? actions.eventRunDescription : actions.eventDescription}
      onSubmit={() => post.mutate()}
      submit={actions.post}
      cancel={post.data ? common.close : common.cancel}
      busy={post.isPending}
      disabled={error !== null}
      error={post.error}
    >
      <Field label={actions.eventName} name="event_name">
        <Input
          value={name}
          list={listId}
          onChange={(event) => setTyped({ ...typed, name: event.target.value })}
        />
      </Field>
      <datalist id={listId}>
        {[...new Set(waits.map((step) => String(step.event)))].map((event) => (
          <option key={event} value={event} />
        ))}
      </datalist>
      <JsonField
        label={actions.eventData}
        text={text}
        name="event_data"
        onChange={(data) => setTyped({ ...typed, data })}
      />

      {post.data && (
        <div role="status">
          <Notice tone={post.data.awoken_run_count === 0 ? 'amber' : 'green'}>
            {actions.awoken(post.data.awoken_run_count)}
          </Notice>
        </div>
      )}
    </FormDialog>
  );
}

function waitsIn(bodyText: string): Step[] {
  const parsed = parseText(bodyText);
  const body = parsed.ok ? readBody(parsed.value) : null;
  return (body?.steps ?? []).filter(({ kind }) => kind === 'wait_for_event');
}
