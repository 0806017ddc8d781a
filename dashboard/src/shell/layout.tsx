import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { Dialog as Primitive } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { createApi } from '../api/client.ts';
import { EnvironmentProvider, useEnvironment } from '../api/environment.tsx';
import { common } from '../strings/common.ts';
import { shell } from '../strings/shell.ts';
import { Badge, ErrorState, IconButton, Skeleton, useFocusReturn } from '../ui/index.ts';
import { NoOrganization } from './dead-ends.tsx';
import styles from './layout.module.css';
import { localStore } from './local-store.ts';
import { useChosenOrganization } from './organization.ts';
import { Palette } from './palette.tsx';
import { sessionStore } from './session-store.ts';
import { Shortcuts } from './shortcuts.tsx';
import { Side, type SideProps } from './side.tsx';
import { SignInAgain } from './sign-in.tsx';

const api = createApi(null);

function usePerson() {
  return useQuery({ queryKey: ['person'], queryFn: () => api.sessions.get(), staleTime: 60_000, retry: 1 });
}

/** Loads the session, then renders the layout of every page: navigation, command palette, session renewal. */
export function Layout() {
  const { kind } = useParams({ strict: false }) as { kind: 'test' | 'live' };
  const person = usePerson();
  const organizations = person.data?.organizations ?? [];
  const signOut = useSignOut();
  const chosen = useChosenOrganization();
  const organization = organizations.find((each) => each.id === chosen) ?? organizations[0];
  const environment = organization?.environments.find((each) => each.kind === kind);
  const scopes = useQuery({
    queryKey: [environment?.id, 'me'],
    queryFn: () => createApi(environment?.id ?? null).me(),
    enabled: environment !== undefined,
    staleTime: 60_000,
  });
  useEffect(() => localStore.set('kind', kind), [kind]);

  // Loaded data stays when a refetch fails: the page may have unsaved changes.
  if (person.error && !person.data) {
    return <ErrorState error={person.error} onRetry={() => person.refetch()} />;
  }
  if (person.data && !environment) return <NoOrganization onSignOut={signOut} />;
  if (scopes.error && !scopes.data) {
    return <ErrorState error={scopes.error} onRetry={() => scopes.refetch()} />;
  }
  if (!person.data || !organization || !environment || !scopes.data) return <Skeleton />;
  return (
    <EnvironmentProvider
      person={person.data}
      organization={organization}
      environment={environment}
      scopes={scopes.data.scopes}
    >
      <Shell />
      <SignInAgain />
    </EnvironmentProvider>
  );
}

function Shell() {
  const { kind } = useEnvironment();
  const [isFinding, setFinding] = useState(false);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [areShortcutsOpen, setShortcutsOpen] = useState(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const signOut = useSignOut();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the drawer
  useEffect(() => setDrawerOpen(false), [pathname]);
  useArrivalFocus(main);
  const drawerFocus = useFocusReturn();
  const side: SideProps = {
    onFind: () => setFinding(true),
    onShortcuts: () => setShortcutsOpen(true),
    onSignOut: signOut,
  };
  return (
    <div className={`${styles.frame} ${kind === 'live' ? styles.isLive : ''}`}>
      <a className={styles.skip} href="#content">
        {common.skipToContent}
      </a>
      {kind === 'live' && (
        <div className={styles.liveBar} role="note">
          {shell.liveBanner}
        </div>
      )}
      <Side {...side} />
      <header className={styles.top}>
        <IconButton label={shell.openMenu} icon="menu" onClick={() => setDrawerOpen(true)} />
        <strong>{common.product}</strong>
        <Badge tone={kind === 'live' ? 'live' : 'grey'}>{common[kind]}</Badge>
        <IconButton label={shell.palette.title} icon="search" onClick={() => setFinding(true)} />
      </header>
      <Primitive.Root open={isDrawerOpen} onOpenChange={setDrawerOpen}>
        <Primitive.Portal>
          <Primitive.Overlay className={styles.veil} />
          <Primitive.Content className={styles.drawer} aria-describedby={undefined} {...drawerFocus}>
            <Primitive.Title className="visually-hidden">{shell.nav}</Primitive.Title>
            <Side {...side} />
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
      <main id="content" className={styles.main} ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <Palette open={isFinding} onOpenChange={setFinding} onSignOut={signOut} />
      <Shortcuts open={areShortcutsOpen} onOpenChange={setShortcutsOpen} onFind={() => setFinding(true)} />
    </div>
  );
}

function useSignOut(): () => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return () => {
    void api.sessions.logout().finally(() => {
      queries.clear();
      // Drafts, sample data and addresses may be personal, and the next person on this browser may be another.
      sessionStore.clear();
      localStore.removeByPrefix('sample.');
      localStore.removeByPrefix('to.');
      void navigate({ to: '/sign-in' });
    });
  };
}

/** Moves the focus to the start of a new page for screen readers. The browser does so on the first page. */
function useArrivalFocus(main: React.RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname, main]);
}
