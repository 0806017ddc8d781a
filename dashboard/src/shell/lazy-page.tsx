import { type ComponentType, createElement, useEffect } from 'react';
import { checkConnection, reloadWhenReachable, useConnectionLost } from '../api/connection.ts';
import { shell } from '../strings/shell.ts';
import { Button, EmptyState, Page } from '../ui/index.ts';
import { sessionStore } from './session-store.ts';

/** The page that was reloaded because it could not be loaded. */
const reloadedPath = 'reloaded';

/**
 * A page whose program is fetched when it is first opened. `lazyRouteComponent` of the router reloads the document when that
 * fails, which without a connection ends on an error page of the browser.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>) {
  let page: ComponentType | null = null;
  function LazyPage() {
    return page ? createElement(page) : <NotLoaded />;
  }
  /** Called by the router before it shows the page, and when the pointer rests on a link to it. */
  LazyPage.preload = async () => {
    try {
      page ??= (await load()).default;
      sessionStore.set(reloadedPath, null);
    } catch {
      // LazyPage shows it.
    }
  };
  return LazyPage;
}

/**
 * The file of a page is missing: the connection is lost, or a new release has replaced it. Importing it again is no way out
 * (browsers and Vite remember what failed, styles included), so the document is loaded again as soon as the service answers:
 * once without asking, then when the person wants it.
 */
function NotLoaded() {
  const isLost = useConnectionLost();
  useEffect(() => {
    if (!isLost) void reloadOnce();
  }, [isLost]);
  return (
    <Page title={shell.notLoaded}>
      <EmptyState
        title={isLost ? shell.opensWhenBack : shell.notLoadedHint}
        icon="warning"
        action={<Button onClick={() => void reloadWhenReachable()}>{shell.reload}</Button>}
      />
    </Page>
  );
}

async function reloadOnce(): Promise<void> {
  if (sessionStore.get(reloadedPath) === location.pathname || !(await checkConnection())) return;
  sessionStore.set(reloadedPath, location.pathname);
  // A browser that keeps nothing would reload again and again.
  if (sessionStore.get(reloadedPath) === location.pathname) location.reload();
}
