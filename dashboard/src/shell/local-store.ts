/** Settings in localStorage. A browser that disables storage only loses them. */
export const localStore = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(`carillon.${name}`);
    } catch {
      return null;
    }
  },
  set(name: string, value: string | null): void {
    try {
      if (value === null) localStorage.removeItem(`carillon.${name}`);
      else localStorage.setItem(`carillon.${name}`, value);
    } catch {
      // Some browsers disable storage in private windows.
    }
  },
  /** Removes all settings whose names start with the prefix. */
  removeByPrefix(prefix: string): void {
    try {
      for (const name of Object.keys(localStorage)) {
        if (name.startsWith(`carillon.${prefix}`)) localStorage.removeItem(name);
      }
    } catch {
      // Storage is disabled, so there are no settings.
    }
  },
};
