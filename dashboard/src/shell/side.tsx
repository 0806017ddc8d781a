import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEnvironment } from '../api/environment.tsx';
import { common } from '../strings/common.ts';
import { shell } from '../strings/shell.ts';
import { Icon, Kbd, Menu } from '../ui/index.ts';
import { groups } from './areas.ts';
import styles from './layout.module.css';
import { chooseOrganization } from './organization.ts';
import { setTheme, type Theme, useTheme } from './theme.ts';

export interface SideProps {
  onFind(): void;
  onShortcuts(): void;
  onSignOut(): void;
}

export function Side({ onFind, onShortcuts, onSignOut }: SideProps) {
  const { kind } = useEnvironment();
  return (
    <div className={styles.side}>
      <OrganizationMenu />
      <KindSwitch />
      <button type="button" className={styles.find} onClick={onFind}>
        <Icon name="search" />
        <span>{shell.palette.open}</span>
        <Kbd>Ctrl K</Kbd>
      </button>
      <nav className={styles.nav} aria-label={shell.nav}>
        {groups.map((group) => (
          <div key={group.name ?? ''}>
            {group.name !== null && <div className={styles.group}>{group.name}</div>}
            {group.areas.map((area) => (
              <Link key={area.path} to={`/${kind}${area.path}`} className={styles.item}>
                <Icon name={area.icon} />
                {area.name}
              </Link>
            ))}
          </div>
        ))}
        <a className={styles.item} href="/docs" target="_blank" rel="noreferrer">
          <Icon name="book" />
          {shell.apiReference}
        </a>
      </nav>
      <PersonMenu onShortcuts={onShortcuts} onSignOut={onSignOut} />
    </div>
  );
}

function OrganizationMenu() {
  const { person, organization, kind } = useEnvironment();
  const navigate = useNavigate();
  const go = (id: string) => {
    chooseOrganization(id);
    void navigate({ to: `/${kind}/overview` });
  };
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className={styles.brand}
          aria-label={`${organization.name}: ${shell.switchOrganization}`}
        >
          <img src="/favicon.svg" alt="" width={24} height={24} />
          <span>{organization.name}</span>
          <Icon name="down" size={14} />
        </button>
      }
      items={[
        shell.organization,
        ...person.organizations.map((each) => ({
          label: each.name,
          checked: each.id === organization.id,
          onSelect: () => go(each.id),
        })),
        person.may_create_organizations && null,
        person.may_create_organizations && {
          label: shell.newOrganization,
          icon: 'plus' as const,
          onSelect: () => void navigate({ to: `/${kind}/settings/organization`, search: { new: 'yes' } }),
        },
      ]}
    />
  );
}

/** Links to the same area in the other environment: the ids of this one do not exist there. */
function KindSwitch() {
  const { kind } = useEnvironment();
  const { pathname } = useLocation();
  const area = pathname.split('/')[2] ?? 'overview';
  return (
    <nav className={styles.kinds} aria-label={shell.environment}>
      {(['test', 'live'] as const).map((each) => (
        <Link
          key={each}
          to={`/${each}/${area}`}
          className={styles.kind}
          data-kind={each}
          data-current={each === kind}
        >
          {common[each]}
        </Link>
      ))}
    </nav>
  );
}

function PersonMenu({ onShortcuts, onSignOut }: Pick<SideProps, 'onShortcuts' | 'onSignOut'>) {
  const { person, kind } = useEnvironment();
  const navigate = useNavigate();
  const theme = useTheme();
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className={styles.person}
          aria-label={`${person.name || person.email}: ${shell.account}`}
        >
          <Icon name="person" />
          <span>{person.name || person.email}</span>
          <Icon name="up" size={14} />
        </button>
      }
      items={[
        person.email,
        {
          label: shell.profile,
          icon: 'person',
          onSelect: () => void navigate({ to: `/${kind}/settings/profile` }),
        },
        { label: shell.shortcuts, icon: 'info', onSelect: onShortcuts },
        null,
        shell.theme,
        ...(['light', 'dark', 'system'] as Theme[]).map((each) => ({
          label: shell.themes[each],
          icon: ({ light: 'sun', dark: 'moon', system: 'device' } as const)[each],
          checked: theme === each,
          onSelect: () => setTheme(each),
        })),
        null,
        { label: shell.signOut, icon: 'leave', onSelect: onSignOut },
      ]}
    />
  );
}
