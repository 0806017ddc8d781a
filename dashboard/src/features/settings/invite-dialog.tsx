import type { Invitation } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { team } from '../../strings/settings.ts';
import { Button, CodeBlock, Dialog, Field, FormDialog, Input, Notice } from '../../ui/index.ts';
import { grantable, type Role } from './members.ts';
import { RoleChoice } from './role-choice.tsx';

/** Creates an invitation and shows its link; `former` is the invitation that it replaces. */
export function InviteDialog({ former, onClose }: { former?: Invitation; onClose(): void }) {
  const { organization } = useEnvironment();
  const [email, setEmail] = useState(former?.email ?? '');
  const [role, setRole] = useState<Role>(former?.role ?? 'developer');
  const invite = useWrite(
    (api) => api.team.createInvitation(organization.id, { email: email.trim(), role }),
    { changes: [['invitations'], ['audit']], quiet: true },
  );
  const isMissing = email.trim() === '';
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
    <FormDialog
      onClose={onClose}
      title={team.inviteTitle(organization.name)}
      description={team.inviteHint}
      invalid={isMissing}
      onSubmit={() => invite.mutate()}
      submit={team.makeLink}
      busy={invite.isPending}
      error={invite.error}
    >
      <Field label={team.email} name="email" problem={isMissing && team.emailNeeded}>
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
    </FormDialog>
  );
}
