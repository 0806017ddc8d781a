import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { errorOf, useWrite } from '../../api/queries.ts';
import { chooseOrganization } from '../../shell/organization.ts';
import { common } from '../../strings/common.ts';
import { organization as text } from '../../strings/settings.ts';
import { Button, Dialog, Field, Input } from '../../ui/index.ts';
import { DialogError } from './dialog-error.tsx';

/** Makes one and goes there. */
export function NewOrganizationDialog({ onClose }: { onClose(): void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [wasTried, setTried] = useState(false);
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
  const submit = () => {
    setTried(true);
    if (!isMissing) create.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text.create}
      description={text.createHint}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            {text.createConfirm}
          </Button>
        </>
      }
    >
      <DialogError error={create.error} besides={['name']} />
      <Field
        label={text.createName}
        error={errorOf(create.error, 'name') ?? (wasTried && isMissing ? text.nameNeeded : null)}
      >
        <Input dir="auto" value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  );
}
