import type { Invitation } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useList, useWrite } from '../../api/queries.ts';
import { team } from '../../strings/settings.ts';
import { type Column, ConfirmDialog, EmptyState, ListCard, menuColumn, Time } from '../../ui/index.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { grantable, usePeople } from './members.ts';
import styles from './settings.module.css';

export function InvitationsCard() {
  const { organization } = useEnvironment();
  const { nameOf } = usePeople();
  const [again, setAgain] = useState<Invitation | null>(null);
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  const query = useList(['invitations'], (api, cursor, signal) =>
    api.team.listInvitations(organization.id, { limit: 50, cursor }, { signal }).page(),
  );
  const withdraw = useWrite((api, { id }: Invitation) => api.team.withdrawInvitation(organization.id, id), {
    changes: [['invitations'], ['audit']],
    done: team.withdrawn,
    onDone: () => setWithdrawing(null),
  });
  const columns: Column<Invitation>[] = [
    { header: team.email, cell: ({ email }) => <span className={styles.strong}>{email}</span> },
    { header: team.role, cell: ({ role }) => team.roles[role] },
    { header: team.invitedBy, cell: (each) => <bdi>{nameOf(each.invited_by_user_id)}</bdi> },
    { header: team.invited, cell: (each) => <Time at={each.created_at} /> },
    { header: team.expires, cell: (each) => <Time at={each.expires_at} /> },
    menuColumn(
      (each) => team.actions(each.email),
      (each) =>
        grantable[organization.role].includes(each.role) && [
          { label: team.newLink, icon: 'retry', onSelect: () => setAgain(each) },
          { label: team.withdraw, icon: 'trash', danger: true, onSelect: () => setWithdrawing(each) },
        ],
    ),
  ];
  return (
    <ListCard
      title={team.invitations}
      query={query}
      label={team.invitations}
      rowKey={({ id }) => id}
      columns={columns}
      empty={<EmptyState title={team.noInvitations}>{team.inviteHint}</EmptyState>}
    >
      {again && <InviteDialog former={again} onClose={() => setAgain(null)} />}
      <ConfirmDialog
        open={withdrawing !== null}
        onClose={() => setWithdrawing(null)}
        title={team.withdrawTitle(withdrawing?.email ?? '')}
        confirm={team.withdrawConfirm}
        onConfirm={() => withdrawing && withdraw.mutate(withdrawing)}
        busy={withdraw.isPending}
      >
        {team.withdrawText}
      </ConfirmDialog>
    </ListCard>
  );
}
