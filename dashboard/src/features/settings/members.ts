import type { Member } from '@carillon/sdk';
import { type Organization, useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';

export type Role = Organization['role'];
export const roles: Role[] = ['owner', 'admin', 'developer', 'viewer'];

/**
 * The roles that each role may grant, change and remove. The service enforces it; the dashboard only hides what would
 * be rejected.
 */
export const grantable: Record<Role, Role[]> = {
  owner: roles,
  admin: ['admin', 'developer', 'viewer'],
  developer: [],
  viewer: [],
};

export const membersKey = ['members'];

/** Reads the names behind user ids: the first hundred members, which is nearly always all of them. */
export function usePeople() {
  const { organization } = useEnvironment();
  const query = useRead(membersKey, (api, signal) =>
    api.team.listMembers(organization.id, { limit: 100 }, { signal }).page(),
  );
  const people: Member[] = query.data?.data ?? [];
  return {
    ...query,
    people,
    /** Returns null for an unknown id. */
    nameOf: (id: string): string | null => {
      const found = people.find((each) => each.user_id === id);
      return found ? nameOf(found) : null;
    },
  };
}

export function nameOf(person: { name: string; email: string }): string {
  return person.name || person.email;
}
