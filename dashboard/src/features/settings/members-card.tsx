import type { Member } from '@carillon/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useList, useWrite } from '../../api/queries.ts';
import { chooseOrganization } from '../../shell/organization.ts';
import { common } from '../../strings/common.ts';
import { team } from '../../strings/settings.ts';
import {
  Badge,
  type Column,
  ConfirmDialog,
  FormDialog,
  ListCard,
  menuColumn,
  Time,
  useToast,
} from '../../ui/index.ts';
import { grantable, membersKey, nameOf, type Role } from './members.ts';
import { RoleChoice } from './role-choice.tsx';
import styles from './settings.module.css';

export function MembersCard() {
  const { organization, person } = useEnvironment();
  const [changing, setChanging] = useState<Member | null>(null);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const query = useList([...membersKey, 'pages'], (api, cursor, signal) =>
    api.team.listMembers(organization.id, { limit: 50, cursor }, { signal }).page(),
  );
  const isSelf = (member: Member) => member.user_id === person.user_id;
  const mayTouch = (member: Member) => grantable[organization.role].includes(member.role);
  const columns: Column<Member>[] = [
    {
      header: team.member,
      cell: (member) => (
        <span className={styles.who}>
          <span className={styles.names}>
            <bdi className={styles.strong}>{nameOf(member)}</bdi>
            {isSelf(member) && <Badge tone="blue">{team.you}</Badge>}
          </span>
          {member.name !== '' && <span className={styles.small}>{member.email}</span>}
        </span>
      ),
    },
    { header: team.role, cell: (member) => team.roles[member.role] },
    { header: team.joined, cell: (member) => <Time at={member.joined_at} /> },
    { header: team.lastSeen, cell: (member) => <Time at={member.last_seen_at} /> },
    menuColumn(
      (member) => team.actions(nameOf(member)),
      (member) =>
        (isSelf(member) || mayTouch(member)) && [
          mayTouch(member) && {
            label: team.changeRole,
            icon: 'edit',
            onSelect: () => setChanging(member),
          },
          {
            label: isSelf(member) ? team.leave : team.remove,
            icon: isSelf(member) ? 'leave' : 'trash',
            danger: true,
            onSelect: () => setLeaving(member),
          },
        ],
    ),
  ];
  return (
    <ListCard
      title={team.members}
      query={query}
      label={team.members}
      rowKey={(member) => member.user_id}
      columns={columns}
    >
      {changing && <RoleDialog member={changing} onClose={() => setChanging(null)} />}
      {leaving && <RemoveDialog member={leaving} isSelf={isSelf(leaving)} onClose={() => setLeaving(null)} />}
    </ListCard>
  );
}

function RoleDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const { organization, person } = useEnvironment();
  const queries = useQueryClient();
  const [role, setRole] = useState<Role>(member.role);
  const change = useWrite((api) => api.team.updateMember(organization.id, member.user_id, { role }), {
    changes: [membersKey, ['invitations'], ['audit']],
    done: team.changed,
    quiet: true,
    onDone: () => {
      onClose();
      // A change of the own role changes what every page allows.
      if (member.user_id === person.user_id) void queries.invalidateQueries();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={team.changeTitle(nameOf(member))}
      description={team.changeHint}
      onSubmit={() => change.mutate()}
      submit={common.save}
      busy={change.isPending}
      disabled={role === member.role}
      error={change.error}
    >
      <RoleChoice roles={grantable[organization.role]} value={role} onChange={setRole} />
    </FormDialog>
  );
}

function RemoveDialog({ member, isSelf, onClose }: { member: Member; isSelf: boolean; onClose(): void }) {
  const { organization } = useEnvironment();
  const goElsewhere = useGoElsewhere();
  const remove = useWrite((api) => api.team.removeMember(organization.id, member.user_id), {
    changes: isSelf ? [] : [membersKey, ['invitations'], ['audit']],
    quiet: true,
    ...(isSelf ? {} : { done: team.removed }),
    onDone: isSelf ? goElsewhere : onClose,
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={isSelf ? team.leaveTitle(organization.name) : team.removeTitle(nameOf(member))}
      confirm={isSelf ? team.leaveConfirm : common.remove}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    >
      {isSelf ? team.leaveText : team.removeText}
    </ConfirmDialog>
  );
}

function useGoElsewhere(): () => void {
  const { organization } = useEnvironment();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  return () => {
    toast.say(team.left(organization.name));
    chooseOrganization(null);
    void navigate({ to: '/' });
    void queries.resetQueries();
  };
}
