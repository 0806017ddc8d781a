import { useEffect, useState } from 'react';
import { sessionStore } from '../../../shell/session-store.ts';

interface EditedText {
  text: string;
  set(text: string): void;
  /** Restores the saved text. */
  discard(): void;
  /** Marks the text as saved in this version. */
  rebase(version: number): void;
  isTouched: boolean;
  /** True when the changes were made before the page was loaded. */
  isRestored: boolean;
  /** True when another person has saved a version since the changes began. */
  isBehind: boolean;
}

interface Stored {
  text: string;
  base: number | null;
}

/**
 * Starts with the latest saved text, and follows it while there are no changes. Changes are stored in the session of
 * the browser under `name`, so that a reload loses nothing. `version` is the version of `loaded`.
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
