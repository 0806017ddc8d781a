import { useEnvironment } from '../../api/environment.tsx';
import { settings, team } from '../../strings/settings.ts';
import { EmptyState } from '../../ui/index.ts';
import { nameOf, usePeople } from './members.ts';

/** Replaces a page that the role may not see with the reason and whom to ask. */
export function AdminsOnly({ title, children }: { title: string; children: string }) {
  const { organization } = useEnvironment();
  const { people } = usePeople();
  const askable = people.filter(({ role }) => role === 'owner' || role === 'admin').slice(0, 3);
  return (
    <EmptyState title={title} icon="lock">
      <p>{children}</p>
      <p>
        {settings.yourRole(team.roles[organization.role])}{' '}
        {askable.length > 0 &&
          settings.askFor(new Intl.ListFormat('en', { type: 'disjunction' }).format(askable.map(nameOf)))}
      </p>
    </EmptyState>
  );
}
