import { useEffect, useState } from 'react';
import { sessionStore } from '../../../shell/session-store.ts';

export interface EditedText {
  text: string;
  set(text: string): void;
  /** Back to what the service has. */
  discard(): void;
  /** The text was saved as this version. */
  rebase(version: number): void;
  isTouched: boolean;
  /** The changes are from before the page was loaded. */
  isRestored: boolean;
  /** Somebody else saved a version since the changes were begun. */
  isBehind: boolean;
}

interface Stored {
  text: string;
  base: number | null;
}

/**
 * Begins with the newest saved text, and again when another one is loaded while nothing was changed here. Changes are kept in
 * the session of the browser under `name`, so that a reload loses nothing. `version` is the one that `loaded` is of.
 */
export function useText(name: string, loaded: string, version: number | null): EditedText {
  const [state, setState] = useState(() => {
    const stored = storedIn(sessionStore.get(name));
    const isRestored = stored !== null && stored.text !== loaded;
    return isRestored
      ? { ...stored, loaded, isRestored }
      : { text: loaded, base: version, loaded, isRestored };
  });
  if (state.loaded !== loaded) {
    const isUntouched = state.text === state.loaded || state.text === loaded;
    setState(isUntouched ? { text: loaded, base: version, loaded, isRestored: false } : { ...state, loaded });
  }
  const { text, base } = state;
  const isTouched = text !== loaded;
  useEffect(() => sessionStore.set(name, isTouched ? { text, base } : null), [name, isTouched, text, base]);
  return {
    text,
    set: (next) => setState((former) => ({ ...former, text: next })),
    discard: () => setState({ text: loaded, base: version, loaded, isRestored: false }),
    rebase: (saved) => setState((former) => ({ ...former, base: saved, isRestored: false })),
    isTouched,
    isRestored: isTouched && state.isRestored,
    isBehind: isTouched && (version ?? 0) > (base ?? 0),
  };
}

function storedIn(value: unknown): Stored | null {
  const { text, base } = (value ?? {}) as Partial<Stored>;
  return typeof text === 'string' ? { text, base: typeof base === 'number' ? base : null } : null;
}
