import type { Workflow, WorkflowPromotion } from '@carillon/sdk';
import { useMemo, useState } from 'react';
import { createApi } from '../../../api/client.ts';
import { useEnvironment } from '../../../api/environment.tsx';
import { useRead, useWrite } from '../../../api/queries.ts';
import { DiffView } from '../../../editor/index.ts';
import { workflows } from '../../../strings/workflows.ts';
import { Badge, Checkbox, FormDialog, Notice, Skeleton, type Tone } from '../../../ui/index.ts';
import { isObject, textOf } from '../definition.ts';
import styles from '../workbench.module.css';

const { promote } = workflows;

/** Shows what a promotion would change in Live, then promotes. */
export function PromoteDialog(props: { workflow: Workflow; onOpenChange(open: boolean): void }) {
  const { workflow, onOpenChange } = props;
  const [withTemplates, setWithTemplates] = useState(true);
  const input = { include_templates: withTemplates };
  const preview = useRead(['promotion', workflow.key, withTemplates], (api) =>
    api.workflows.promote(workflow.key, { ...input, dry_run: true }),
  );
  const apply = useWrite((api) => api.workflows.promote(workflow.key, input), {
    changes: [['promotion'], ['workflows']],
    quiet: true,
    done: ({ target_version }) => promote.done(target_version),
    onDone: () => onOpenChange(false),
  });
  const plan = preview.data;
  const bodies = useBothBodies(workflow, plan?.status ?? 'identical');
  return (
    <FormDialog
      wide
      onClose={() => onOpenChange(false)}
      title={promote.title}
      description={promote.description}
      onSubmit={() => apply.mutate()}
      submit={promote.confirm}
      busy={apply.isPending}
      disabled={!plan || plan.status === 'identical'}
      error={preview.error ?? apply.error}
    >
      <Checkbox
        label={promote.includeTemplates}
        checked={withTemplates}
        onChange={(event) => setWithTemplates(event.target.checked)}
      />
      {!preview.error && (plan ? <Plan plan={plan} /> : <Skeleton lines={3} />)}
      {bodies.data && plan && plan.status !== 'identical' && (
        <DiffView
          language="json"
          label={promote.diff}
          before={bodies.data.live}
          after={bodies.data.test}
          names={{ before: promote.liveSide, after: promote.testSide }}
        />
      )}
    </FormDialog>
  );
}

function Plan({ plan }: { plan: WorkflowPromotion }) {
  const { steps, templates } = plan.workflow_diff;
  return (
    <>
      <Notice tone={plan.status === 'identical' ? 'green' : 'blue'}>
        {promote.statuses[plan.status]}
        {plan.status !== 'identical' && <div>{promote.becomes(plan.target_version)}</div>}
      </Notice>
      {plan.status !== 'identical' && (
        <Changes title={promote.steps} items={steps.map(({ id, status }) => [id, status])} />
      )}
      {templates.length > 0 && (
        <Changes
          title={promote.templates}
          items={templates.filter(isObject).map((each) => [textOf(each.key), textOf(each.status)])}
        />
      )}
    </>
  );
}

const tones: Record<string, Tone> = { added: 'green', removed: 'red', modified: 'amber', unchanged: 'grey' };

function Changes({ title, items }: { title: string; items: [name: string, change: string][] }) {
  const names: Record<string, string> = promote.changes;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className={styles.changes}>
        {items.map(([name, change]) => (
          <li key={name}>
            <code>{name}</code>
            <Badge tone={tones[change] ?? 'grey'}>{names[change] ?? change}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The active bodies of both environments; empty where Live has none. */
function useBothBodies(workflow: Workflow, status: WorkflowPromotion['status']) {
  const { organization } = useEnvironment();
  const liveId = organization.environments.find(({ kind }) => kind === 'live')?.id ?? null;
  const live = useMemo(() => createApi(liveId), [liveId]);
  return useRead(
    ['promotion', workflow.key, 'bodies', status],
    async (api) => {
      const ours = await api.workflows.getVersion(workflow.key, workflow.active_version ?? 0);
      return { test: tidy(ours.body_json), live: status === 'new' ? '' : await readLive() };
    },
    { enabled: status !== 'identical' },
  );

  async function readLive(): Promise<string> {
    const { active_version } = await live.workflows.get(workflow.key);
    if (active_version === null) return '';
    return tidy((await live.workflows.getVersion(workflow.key, active_version)).body_json);
  }
}

/** Formats JSON, so that only meaningful differences show. */
export function tidy(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
