import './ui/tokens.css';
import { AuthenticationError, CarillonError } from '@carillon/sdk';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchConnection } from './api/connection.ts';
import { createAppRouter } from './router.tsx';
import { applyTheme } from './shell/theme.ts';
import { isUnreached } from './ui/error.ts';
import { ToastProvider } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

applyTheme();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      refetchIntervalInBackground: false,
      // A rejected request would be rejected again. One that did not reach the service is retried three times, then by
      // `ErrorState`.
      retry: (count, error) => (error instanceof CarillonError && !isUnreached(error) ? false : count < 3),
      throwOnError: false,
      // By default requests wait while the browser is offline; a service on this machine needs no network.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
const router = createAppRouter(queries);

// A session that expired before the page was opened: nothing can be lost, so the page redirects to the sign-in.
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return;
  if (event.query.queryKey[0] === 'person' && event.action.error instanceof AuthenticationError) {
    const to = location.pathname + location.search;
    void router.navigate({ to: '/sign-in', search: { to }, replace: true });
  }
});

watchConnection(() => void queries.refetchQueries({ type: 'active' }));

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the dashboard.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <TooltipProvider delayDuration={300}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
);
