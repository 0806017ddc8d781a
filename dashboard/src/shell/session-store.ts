/** Drafts in sessionStorage: a reload keeps them, while other tabs and later users of the browser cannot see them. */
export const sessionStore = {
  get(name: string): unknown {
    try {
      return JSON.parse(sessionStorage.getItem(key(name)) ?? 'null');
    } catch {
      return null;
    }
  },
  /** Null removes the draft. */
  set(name: string, value: unknown): void {
    try {
      if (value === null) sessionStorage.removeItem(key(name));
      else sessionStorage.setItem(key(name), JSON.stringify(value));
    } catch {
      // Storage is full or disabled; the page still holds the draft.
    }
  },
  /** Removes all drafts on sign-out. */
  clear(): void {
    try {
      for (const name of Object.keys(sessionStorage)) {
        if (name.startsWith(key(''))) sessionStorage.removeItem(name);
      }
    } catch {
      // Storage is disabled, so there are no drafts.
    }
  },
};

const key = (name: string) => `carillon.draft.${name}`;
