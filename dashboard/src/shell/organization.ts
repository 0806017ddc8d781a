import { useSyncExternalStore } from 'react';
import { localStore } from './local-store.ts';

const listeners = new Set<() => void>();

/** Selects the organization to work in; null selects the first. */
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
