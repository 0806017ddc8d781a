import type { WorkflowRun } from '@carillon/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useCan, useEnvironment } from '../../../api/environment.tsx';
import { useRead, useWrite } from '../../../api/queries.ts';
import { workflows } from '../../../strings/workflows.ts';
import {
  Button,
  Card,
  ConfirmDialog,
  Copyable,
  duration,
  EmptyState,
  ExactTime,
  JsonBlock,
  Notice,
  Page,
  Pairs,
  Skeleton,
  StatusBadge,
  Time,
} from '../../../ui/index.ts';
import { parseText } from '../build/json-text.ts';
import { type Body, indexOfStep, readBody, textOf } from '../definition.ts';
import { Graph } from '../graph/graph.tsx';
import { WorkflowWaiting } from '../layout.tsx';
import { hasEnded, useVersion } from '../queries.ts';
import bench from '../workbench.module.css';
import { Entries } from './entries.tsx';
import { EventDialog } from './event-dialog.tsx';
import { progressOf } from './timeline.ts';

const { run: text, actions, list, runs } = workflows;
const watchMs = 5000;

export default function RunPage() {
  const { runId = '' } = useParams({ strict: false });
  const query = useRead(['runs', 'one', runId], (api) => api.runs.get(runId), {
    everyMs: (last) => last !== undefined && !hasEnded(last.status) && watchMs,
  });
  if (!query.data) return <WorkflowWaiting name={text.title(runId.slice(-8))} query={query} />;
  return <Run key={query.data.id} run={query.data} />;
}

function Run({ run }: { run: WorkflowRun }) {
  const { kind } = useEnvironment();
  const version = useVersion(run.workflow_key, run.version);
  const body = useMemo(() => bodyOf(version.data?.body_json), [version.data]);
  const [open, setOpen] = useState<string | null>(null);
  const [unreached, setUnreached] = useState<string | null>(null);
  const progress = useMemo(() => progressOf(run.steps), [run.steps]);
  const openStep = run.steps.find(({ attempt_id }) => attempt_id === open)?.step_id ?? unreached;
  const base = `/${kind}/workflows/${encodeURIComponent(run.workflow_key)}`;
  const choose = (id: string | null) => {
    const attempt = run.steps.findLast(({ step_id }) => step_id === id)?.attempt_id ?? null;
    setOpen(attempt);
    setUnreached(attempt === null ? id : null);
  };

  return (
    <Page
      full
      title={text.title(run.id.slice(-8))}
      aside={<StatusBadge status={run.status} />}
      trail={[
        { label: list.title, to: `/${kind}/workflows` },
        { label: run.workflow_key, to: base },
        { label: runs.title, to: `${base}/runs` },
      ]}
      actions={<RunActions run={run} currentStepId={progress.currentStepId} />}
    >
      <RunNotice run={run} body={body} currentStepId={progress.currentStepId} />
      <div className={bench.split}>
        <div className={bench.graph}>
          {body ? (
            <Graph
              body={body}
              progress={progress}
              selected={openStep === null ? null : indexOfStep(body.steps, openStep)}
              onSelect={(index) => choose(index === null ? null : (body.steps[index]?.id ?? null))}
            />
          ) : version.isPending ? (
            <Skeleton />
          ) : (
            <EmptyState title={text.graphMissing} />
          )}
        </div>
        <div className={bench.side}>
          <Facts run={run} base={base} />
          <Card title={text.timeline} flush>
            {unreached !== null && (
              <EmptyState title={text.selected(unreached)}>{text.notReached}</EmptyState>
            )}
            {run.steps.length === 0 ? (
              <EmptyState title={text.noSteps} icon="clock" />
            ) : (
              <Entries
                entries={run.steps}
                steps={body?.steps ?? []}
                open={open}
                onOpen={(attempt) => {
                  setOpen(attempt);
                  setUnreached(null);
                }}
                isReal
              />
            )}
          </Card>
          <Card title={text.triggerData}>
            <JsonBlock label={text.triggerData} value={run.trigger_data} />
          </Card>
        </div>
      </div>
    </Page>
  );
}

function bodyOf(bodyText: string | undefined): Body | null {
  const parsed = bodyText === undefined ? null : parseText(bodyText);
  return parsed?.ok ? readBody(parsed.value) : null;
}

/** Explains why the run failed, or what it waits for. */
function RunNotice(props: { run: WorkflowRun; body: Body | null; currentStepId: string | null }) {
  const { run, body, currentStepId } = props;
  if (run.failure_reason !== null) {
    const failed = run.steps.findLast(({ status }) => status === 'failed')?.step_id;
    return (
      <Notice tone="red">
        <strong>{failed === undefined ? text.failedPlain : text.failed(failed)}</strong>{' '}
        <span>{run.failure_reason}</span> <span>{text.failedHint}</span>
      </Notice>
    );
  }
  if (run.status !== 'waiting') return null;
  const waiting = run.steps.findLast(({ status }) => status === 'waiting');
  const step = body?.steps.find(({ id }) => id === currentStepId);
  const event = step?.kind === 'wait_for_event' ? textOf(step.event) : '';
  return (
    <Notice>
      {event === '' ? text.waitingAt(currentStepId ?? '') : text.waitingFor(event)}{' '}
      {waiting?.next_scheduled_at && (
        <span>
          {text.waitingUntil} <ExactTime at={waiting.next_scheduled_at} />{' '}
          <Time at={waiting.next_scheduled_at} />
        </span>
      )}
    </Notice>
  );
}

function Facts({ run, base }: { run: WorkflowRun; base: string }) {
  const { kind } = useEnvironment();
  const { external_user_id: user, completed_at: completedAt } = run;
  return (
    <Card>
      <Pairs
        pairs={[
          [runs.run, <Copyable key="id" text={run.id} />],
          [
            text.workflow,
            <Link key="workflow" to={base}>
              {text.workflowVersion(run.workflow_key, run.version)}
            </Link>,
          ],
          user !== null && [
            text.user,
            <Link key="user" to={`/${kind}/preferences/users/${encodeURIComponent(user)}`}>
              <bdi>{user}</bdi>
            </Link>,
          ],
          run.current_step_id !== null &&
            !hasEnded(run.status) && [text.currentStep, <code key="step">{run.current_step_id}</code>],
          [text.started, <ExactTime key="started" at={run.created_at} />],
          completedAt !== null && [text.ended, <ExactTime key="ended" at={completedAt} />],
          completedAt !== null && [text.took, duration(Date.parse(completedAt) - Date.parse(run.created_at))],
        ]}
      />
    </Card>
  );
}

function RunActions({ run, currentStepId }: { run: WorkflowRun; currentStepId: string | null }) {
  const canTrigger = useCan('workflows:trigger');
  const [open, setOpen] = useState<'cancel' | 'event' | null>(null);
  const cancel = useWrite((api) => api.runs.cancel(run.id), {
    changes: [['runs']],
    done: text.cancelled,
    onDone: () => setOpen(null),
  });
  const { id, version, trigger_data, workflow_key: key } = run;
  return (
    <>
      {canTrigger && !hasEnded(run.status) && (
        <>
          <Button icon="notifications" onClick={() => setOpen('event')}>
            {actions.event}
          </Button>
          <Button
            variant="danger"
            icon="stop"
            disabled={run.status === 'cancelling'}
            onClick={() => setOpen('cancel')}
          >
            {text.cancel}
          </Button>
        </>
      )}
      {open === 'event' && (
        <EventDialog
          workflow={{ key, active_version: version }}
          run={{ id, version, trigger_data, currentStepId }}
          onOpenChange={() => setOpen(null)}
        />
      )}
      <ConfirmDialog
        open={open === 'cancel'}
        onClose={() => setOpen(null)}
        title={text.cancelTitle}
        confirm={text.cancel}
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      >
        {text.cancelText}
      </ConfirmDialog>
    </>
  );
}
