import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { reloadWhenReachable } from '../api/connection.ts';
import { shell } from '../strings/shell.ts';
import { Button, EmptyState, Page } from '../ui/index.ts';

export function NotFound() {
  return (
    <Page title={shell.pageNotFound}>
      <EmptyState
        title={shell.pageNotFoundHint}
        icon="info"
        action={<Link to="/">{shell.toOverview}</Link>}
      />
    </Page>
  );
}

/** Somebody who was removed everywhere: they can still go, or come back as another. */
export function NoOrganization({ onSignOut }: { onSignOut(): void }) {
  return (
    <main>
      <Page title={shell.signIn.noOrganization}>
        <EmptyState
          title={shell.signIn.noOrganizationHint}
          icon="team"
          action={<Button onClick={onSignOut}>{shell.signOut}</Button>}
        />
      </Page>
    </main>
  );
}

/** A mistake of ours while drawing a page; the navigation around it still works. */
export function Broken({ error }: ErrorComponentProps) {
  useEffect(() => console.error(error), [error]);
  return (
    <div role="alert">
      <EmptyState
        title={shell.crashed}
        icon="warning"
        action={<Button onClick={() => void reloadWhenReachable()}>{shell.reload}</Button>}
      >
        {shell.crashedHint}
      </EmptyState>
    </div>
  );
}
