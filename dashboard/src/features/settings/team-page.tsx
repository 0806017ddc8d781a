import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { settings, team } from '../../strings/settings.ts';
import { Button, Notice } from '../../ui/index.ts';
import { InvitationsCard } from './invitations-card.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { SettingsLayout } from './layout.tsx';
import { grantable } from './members.ts';
import { MembersCard } from './members-card.tsx';
import { RolesCard } from './roles-card.tsx';

export default function TeamPage() {
  const { organization } = useEnvironment();
  const mayManage = grantable[organization.role].length > 0;
  const [isInviting, setInviting] = useState(false);
  return (
    <SettingsLayout
      title={settings.tabs.team}
      description={team.description}
      actions={
        mayManage && (
          <Button variant="primary" icon="plus" onClick={() => setInviting(true)}>
            {team.invite}
          </Button>
        )
      }
    >
      {!mayManage && (
        <Notice>
          {settings.yourRole(team.roles[organization.role])} {team.cannot}
        </Notice>
      )}
      <MembersCard />
      {mayManage && <InvitationsCard />}
      <RolesCard />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </SettingsLayout>
  );
}
