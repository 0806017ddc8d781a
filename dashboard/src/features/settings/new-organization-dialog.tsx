import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { chooseOrganization } from '../../shell/organization.ts';
import { organization as text } from '../../strings/settings.ts';
import { Field, FormDialog, Input } from '../../ui/index.ts';

/** Creates an organization and switches to it. */
export function NewOrganizationDialog({ onClose }: { onClose(): void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const create = useWrite((api) => api.team.createOrganization({ name: name.trim() }), {
    done: (made) => text.madeOne(made.name),
    quiet: true,
    onDone: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['person'] });
      chooseOrganization(id);
      void navigate({ to: '/test/start' });
    },
  });
  const isMissing = name.trim() === '';
  return (
    <FormDialog
      onClose={onClose}
      title={text.create}
      description={text.createHint}
      invalid={isMissing}
      onSubmit={() => create.mutate()}
      submit={text.createConfirm}
      busy={create.isPending}
      error={create.error}
    >
      <Field label={text.createName} name="name" problem={isMissing && text.nameNeeded}>
        <Input dir="auto" value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
