/** What this browser remembers between visits; a browser that refuses to remember is no reason to fail. */
export const remembered = {
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
      // private windows of some browsers
    }
  },
  /** Whose beginning is this. */
  forget(beginning: string): void {
    try {
      for (const name of Object.keys(localStorage)) {
        if (name.startsWith(`carillon.${beginning}`)) localStorage.removeItem(name);
      }
    } catch {
      // then there is nothing either
    }
  },
};
