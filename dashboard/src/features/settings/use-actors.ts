import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { audit } from '../../strings/settings.ts';
import type { AuditEntry } from './audit-words.ts';
import { nameOf, usePeople } from './members.ts';

/** Names for the ids in the log: of members, and of keys that are not revoked. */
export function useActors() {
  const { organization } = useEnvironment();
  const { people } = usePeople();
  const { data } = useRead(['keys', 'names'], (api, signal) =>
    api.apiKeys.list({ limit: 100 }, { signal }).page(),
  );
  const named = {
    people: people.map((each) => ({ id: each.user_id, name: nameOf(each) })),
    keys: (data?.data ?? []).map(({ id, name }) => ({ id, name })),
  };
  const known = [...named.people, ...named.keys, ...organization.environments];
  return {
    ...named,
    nameOf({ kind, id }: AuditEntry['actor']): string {
      if (kind === 'system' || id === null) return audit.system;
      const name = known.find((each) => each.id === id)?.name;
      return name ?? (kind === 'key' ? audit.unknownKey(id) : audit.unknownPerson);
    },
    /** The name of the changed object: an id says little. */
    targetName({ before, after, target }: AuditEntry): string {
      const values = after ?? before ?? {};
      const named = ['name', 'email', 'address'].map((field) => values[field]);
      const id = target.slice(target.indexOf(':') + 1);
      const name = named.find((value) => typeof value === 'string' && value !== '');
      return typeof name === 'string' ? name : (known.find((each) => each.id === id)?.name ?? id);
    },
  };
}
