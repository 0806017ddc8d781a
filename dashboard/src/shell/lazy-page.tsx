import { type ComponentType, createElement, useEffect } from 'react';
import { checkConnection, reloadWhenReachable, useConnectionLost } from '../api/connection.ts';
import { shell } from '../strings/shell.ts';
import { Button, EmptyState, Page } from '../ui/index.ts';
import { sessionStore } from './session-store.ts';

/** The path of the last automatic reload. */
const reloadedPath = 'reloaded';

/**
 * A page whose code is loaded when it is first opened. `lazyRouteComponent` of the router reloads the document when
 * loading fails, which without a connection ends on an error page of the browser.
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
      // LazyPage shows the error.
    }
  };
  return LazyPage;
}

/**
 * The file of a page is missing: the connection is lost, or a new release replaced it. Importing it again does not help
 * (browsers and Vite cache the failure, styles included), so the document reloads as soon as the service responds: once
 * automatically, then on request.
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
  // Without storage the page would reload forever.
  if (sessionStore.get(reloadedPath) === location.pathname) location.reload();
}
