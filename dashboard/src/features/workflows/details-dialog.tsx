import type { Workflow } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { workflows } from '../../strings/workflows.ts';
import { Field, FormDialog, Input, Textarea } from '../../ui/index.ts';

const { actions } = workflows;

export function DetailsDialog(props: { workflow: Workflow; onOpenChange(open: boolean): void }) {
  const { workflow, onOpenChange } = props;
  const [name, setName] = useState(workflow.name);
  const [description, setDescription] = useState(workflow.description ?? '');
  const save = useWrite((api) => api.workflows.update(workflow.key, { name, description }), {
    changes: [['workflows']],
    quiet: true,
    done: common.saved,
    onDone: () => onOpenChange(false),
  });
  return (
    <FormDialog
      onClose={() => onOpenChange(false)}
      title={actions.renameTitle}
      onSubmit={() => save.mutate()}
      submit={common.save}
      busy={save.isPending}
      error={save.error}
    >
      <Field label={common.name} name="name">
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={actions.description} name="description">
        <Textarea value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
