import type { Invitation } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { errorOf, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { team } from '../../strings/settings.ts';
import { Button, CodeBlock, Dialog, Field, Input, Notice } from '../../ui/index.ts';
import { DialogError } from './dialog-error.tsx';
import { grantable, type Role } from './members.ts';
import { RoleChoice } from './role-choice.tsx';

/** Makes a link and shows it; with `former`, a new one in place of that. */
export function InviteDialog({ former, onClose }: { former?: Invitation; onClose(): void }) {
  const { organization } = useEnvironment();
  const [email, setEmail] = useState(former?.email ?? '');
  const [role, setRole] = useState<Role>(former?.role ?? 'developer');
  const [wasTried, setTried] = useState(false);
  const invite = useWrite(
    (api) => api.team.createInvitation(organization.id, { email: email.trim(), role }),
    { changes: [['invitations'], ['audit']], quiet: true },
  );
  const isMissing = email.trim() === '';
  const submit = () => {
    setTried(true);
    if (!isMissing) invite.mutate();
  };
  if (invite.data) {
    return (
      <Dialog
        open
        firm
        onOpenChange={onClose}
        title={team.linkReady(invite.data.email)}
        description={team.linkHint}
        foot={
          <Button variant="primary" onClick={onClose}>
            {common.done}
          </Button>
        }
      >
        <Notice tone="amber">{team.linkOnce}</Notice>
        <CodeBlock code={invite.data.accept_url} label={team.linkReady(invite.data.email)} wrap />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={team.inviteTitle(organization.name)}
      description={team.inviteHint}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={invite.isPending}>
            {team.makeLink}
          </Button>
        </>
      }
    >
      <DialogError error={invite.error} besides={['email']} />
      <Field
        label={team.email}
        error={errorOf(invite.error, 'email') ?? (wasTried && isMissing ? team.emailNeeded : null)}
      >
        <Input
          type="email"
          value={email}
          maxLength={320}
          onChange={(event) => setEmail(event.target.value)}
          disabled={former !== undefined}
          required
        />
      </Field>
      <RoleChoice roles={grantable[organization.role]} value={role} onChange={setRole} />
    </Dialog>
  );
}
