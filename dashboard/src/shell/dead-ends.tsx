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

/** For a person who is in no organization any more: sign out, or sign in as another person. */
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

/** An exception while rendering a page; the navigation around it still works. */
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
