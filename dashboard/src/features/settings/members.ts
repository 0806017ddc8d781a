import type { Member } from '@carillon/sdk';
import { type Organization, useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';

export type Role = Organization['role'];
export const roles: Role[] = ['owner', 'admin', 'developer', 'viewer'];

/** Whom each role may make, change and remove. The service decides; this only spares refusals. */
export const grantable: Record<Role, Role[]> = {
  owner: roles,
  admin: ['admin', 'developer', 'viewer'],
  developer: [],
  viewer: [],
};

export const membersKey = ['members'];

/** For the names behind ids: the first hundred people, which is everybody in nearly every organization. */
export function usePeople() {
  const { organization } = useEnvironment();
  const query = useRead(membersKey, (api, signal) =>
    api.team.listMembers(organization.id, { limit: 100 }, { signal }).page(),
  );
  const people: Member[] = query.data?.data ?? [];
  return {
    ...query,
    people,
    /** Null while nobody of that id is known. */
    nameOf: (id: string): string | null => {
      const found = people.find((each) => each.user_id === id);
      return found ? nameOf(found) : null;
    },
  };
}

export function nameOf(person: { name: string; email: string }): string {
  return person.name || person.email;
}
