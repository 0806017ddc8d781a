import type { QueryClient } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Broken, NotFound } from './shell/dead-ends.tsx';
import { Layout } from './shell/layout.tsx';
import { lazyPage } from './shell/lazy-page.tsx';
import { localStore } from './shell/local-store.ts';
import { Root } from './shell/root.tsx';
import { SignInPage } from './shell/sign-in.tsx';
import { Skeleton } from './ui/index.ts';

type Search = Record<string, string | undefined>;
type Pages = Record<string, () => Promise<{ default: ComponentType }>>;

/** Table: every page below `/test` and `/live`, and its component, loaded when first opened. */
const pages: Pages = {
  start: async () => import('./features/start/page.tsx'),
  overview: async () => import('./features/overview/page.tsx'),
  notifications: async () => import('./features/notifications/list-page.tsx'),
  'notifications/$id': async () => import('./features/notifications/page.tsx'),
  templates: async () => import('./features/templates/list-page.tsx'),
  'templates/$key': async () => import('./features/templates/page.tsx'),
  layouts: async () => import('./features/templates/parts/layouts-page.tsx'),
  'layouts/$key': async () => import('./features/templates/parts/layout-page.tsx'),
  partials: async () => import('./features/templates/parts/partials-page.tsx'),
  'partials/$key': async () => import('./features/templates/parts/partial-page.tsx'),
  translations: async () => import('./features/templates/parts/translations-page.tsx'),
  'translations/$key': async () => import('./features/templates/parts/translation-page.tsx'),
  workflows: async () => import('./features/workflows/list-page.tsx'),
  'workflows/$key': async () => import('./features/workflows/page.tsx'),
  'workflows/$key/runs': async () => import('./features/workflows/run/runs-page.tsx'),
  schedules: async () => import('./features/schedules/list-page.tsx'),
  'runs/$runId': async () => import('./features/workflows/run/run-page.tsx'),
  broadcasts: async () => import('./features/broadcasts/list-page.tsx'),
  'broadcasts/$id': async () => import('./features/broadcasts/page.tsx'),
  audiences: async () => import('./features/audiences/page.tsx'),
  'audiences/$key': async () => import('./features/audiences/topic-page.tsx'),
  preferences: async () => import('./features/preferences/categories-page.tsx'),
  'preferences/users': async () => import('./features/preferences/users-page.tsx'),
  'preferences/users/$userId': async () => import('./features/preferences/user-page.tsx'),
  suppressions: async () => import('./features/suppressions/page.tsx'),
  brake: async () => import('./features/brake/page.tsx'),
  webhooks: async () => import('./features/webhooks/list-page.tsx'),
  'webhooks/$id': async () => import('./features/webhooks/page.tsx'),
  'webhooks/$id/deliveries/$deliveryId': async () => import('./features/webhooks/delivery-page.tsx'),
  connections: async () => import('./features/connections/email-page.tsx'),
  'connections/sms': async () => import('./features/connections/sms-page.tsx'),
  'connections/push': async () => import('./features/connections/push-page.tsx'),
  'connections/chatone': async () => import('./features/connections/chatone-page.tsx'),
  'connections/chattwo': async () => import('./features/connections/chattwo-page.tsx'),
  'connections/chatthree': async () => import('./features/connections/chatthree-page.tsx'),
  sandbox: async () => import('./features/sandbox/page.tsx'),
  settings: async () => import('./features/settings/keys-page.tsx'),
  'settings/team': async () => import('./features/settings/team-page.tsx'),
  'settings/audit-log': async () => import('./features/settings/audit-page.tsx'),
  'settings/usage': async () => import('./features/settings/usage-page.tsx'),
  'settings/organization': async () => import('./features/settings/organization-page.tsx'),
  'settings/profile': async () => import('./features/settings/profile-page.tsx'),
};

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  validateSearch: (search: Search) => search,
});

const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignInPage });

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyPage(async () => import('./features/settings/invitation-page.tsx')),
});

const frame = createRoute({
  getParentRoute: () => root,
  path: '/$kind',
  beforeLoad: ({ params, location }) => {
    // A URL without an environment.
    if (params.kind !== 'test' && params.kind !== 'live') {
      throw redirect({ href: `/${lastKind()}${location.href}`, replace: true });
    }
  },
  component: Layout,
  notFoundComponent: NotFound,
});

/** The return URL of the chatone installation: the service does not know which environment the person had open. */
const chatoneReturn = createRoute({
  getParentRoute: () => root,
  path: '/connections/chatone',
  beforeLoad: ({ location }) => {
    throw redirect({ to: `/${lastKind()}${location.pathname}`, search: location.search, replace: true });
  },
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: `/${lastKind()}/overview`, replace: true });
  },
});

const environmentHome = createRoute({
  getParentRoute: () => frame,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: `/${params.kind}/overview`, replace: true });
  },
});

function lastKind(): string {
  return localStore.get('kind') === 'live' ? 'live' : 'test';
}

const below = Object.entries(pages).map(([path, load]) =>
  createRoute({ getParentRoute: () => frame, path, component: lazyPage(load) }),
);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      home,
      signIn,
      invitation,
      chatoneReturn,
      frame.addChildren([environmentHome, ...below]),
    ]),
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Skeleton />,
    defaultPendingMs: 150,
    defaultErrorComponent: Broken,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
    // Plain query parameters as in the API, `?status=failed&recipient=%2B1500…`, without JSON inside.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const entries = Object.entries(search as Search).filter((entry): entry is [string, string] =>
        Boolean(entry[1]),
      );
      const text = new URLSearchParams(entries).toString();
      return text === '' ? '' : `?${text}`;
    },
  });
}
