import { useSyncExternalStore } from 'react';
import { localStore } from './local-store.ts';

const listeners = new Set<() => void>();

/** The one that the person works in, of several; null leaves it to the first. */
export function chooseOrganization(id: string | null): void {
  localStore.set('organization', id);
  for (const each of listeners) each();
}

export function useChosenOrganization(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => localStore.get('organization'),
  );
}
