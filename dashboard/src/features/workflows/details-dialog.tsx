import type { Workflow } from '@carillon/sdk';
import { useState } from 'react';
import { errorOf, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { workflows } from '../../strings/workflows.ts';
import { Button, Dialog, Field, FormError, Input, Textarea } from '../../ui/index.ts';

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
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={actions.renameTitle}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={() => onOpenChange(false)}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      <Field label={common.name} error={errorOf(save.error, 'name')}>
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={actions.description} error={errorOf(save.error, 'description')}>
        <Textarea value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
      <FormError error={save.error} besides={['name', 'description']} />
    </Dialog>
  );
}
