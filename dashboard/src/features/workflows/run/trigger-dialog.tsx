import type { Workflow } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { curlPost } from '../../../api/curl.ts';
import { useEnvironment } from '../../../api/environment.tsx';
import { useWrite } from '../../../api/queries.ts';
import { workflows } from '../../../strings/workflows.ts';
import { CodeBlock, Dialog, FormDialog, Loaded, Notice } from '../../../ui/index.ts';
import { JsonField, pretty, readObject } from '../build/json-field.tsx';
import { parseText } from '../build/json-text.ts';
import { readBody } from '../definition.ts';
import { useVersion } from '../queries.ts';
import { sampleData } from '../simulate/sample.ts';

const { actions, simulation } = workflows;

interface Props {
  workflow: Workflow;
  onOpenChange(open: boolean): void;
}

export function TriggerDialog({ workflow, onOpenChange }: Props) {
  const version = useVersion(workflow.key, workflow.active_version);
  if (version.data === undefined) {
    return (
      <Dialog open onOpenChange={onOpenChange} title={actions.triggerTitle}>
        <Loaded query={version}>{() => null}</Loaded>
      </Dialog>
    );
  }
  return <TriggerForm workflow={workflow} onOpenChange={onOpenChange} bodyText={version.data.body_json} />;
}

function TriggerForm({ workflow, onOpenChange, bodyText }: Props & { bodyText: string }) {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const [text, setText] = useState(() => pretty(sampleOfText(bodyText)));
  const { value, error } = readObject(text);
  const trigger = useWrite((api) => api.workflows.trigger(workflow.key, { trigger_data: value }), {
    changes: [['runs', workflow.key]],
    quiet: true,
    done: actions.started,
    onDone: ({ run_id }) => {
      onOpenChange(false);
      void navigate({ to: `/${kind}/runs/${run_id}` });
    },
  });
  return (
    <FormDialog
      onClose={() => onOpenChange(false)}
      title={actions.triggerTitle}
      description={actions.triggerDescription(workflow.active_version ?? 0)}
      onSubmit={() => trigger.mutate()}
      submit={actions.start}
      busy={trigger.isPending}
      disabled={error !== null}
      error={trigger.error}
    >
      {kind === 'live' && <Notice tone="amber">{actions.triggerLive}</Notice>}
      <JsonField label={simulation.data} text={text} onChange={setText} rows={8} />

      <CodeBlock label={actions.curl} code={triggerCurl(workflow.key, value)} />
    </FormDialog>
  );
}

export function sampleOfText(bodyText: string): Record<string, unknown> {
  const parsed = parseText(bodyText);
  const body = parsed.ok ? readBody(parsed.value) : null;
  return body ? sampleData(body) : {};
}

export function triggerCurl(key: string, data: Record<string, unknown>): string {
  return curlPost(`/v1/workflows/${encodeURIComponent(key)}/trigger`, { trigger_data: data });
}
