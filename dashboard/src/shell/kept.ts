/**
 * What somebody is writing, kept for as long as the tab is open: a reload loses nothing, and other tabs and people who use
 * the browser later do not see it.
 */
export const kept = {
  get(name: string): unknown {
    try {
      return JSON.parse(sessionStorage.getItem(key(name)) ?? 'null');
    } catch {
      return null;
    }
  },
  /** Null forgets it. */
  set(name: string, value: unknown): void {
    try {
      if (value === null) sessionStorage.removeItem(key(name));
      else sessionStorage.setItem(key(name), JSON.stringify(value));
    } catch {
      // full, or refused: the page itself still has it
    }
  },
  /** All of them: the person has signed out. */
  clear(): void {
    try {
      for (const name of Object.keys(sessionStorage)) {
        if (name.startsWith(key(''))) sessionStorage.removeItem(name);
      }
    } catch {
      // refused: then nothing was kept
    }
  },
};

const key = (name: string) => `carillon.draft.${name}`;
