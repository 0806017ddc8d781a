/** The source of tokens: a function of the page, a URL of its server, or a fixed token. */
export interface TokenSettings {
  tokenProvider: (() => Promise<string> | string) | null;
  tokenUrl: string | null;
  token: string | null;
}

export interface Tokens {
  /** Returns a new token: called at the start, and each time the service rejects the last one. */
  get(): Promise<string>;
  /** Returns the current token. */
  peek(): Promise<string>;
  /** Changes the settings; pending requests continue with the new ones. */
  use(settings: TokenSettings): void;
  /** True when the last token was rejected and only the page can set another. */
  readonly isStuck: boolean;
  /** Resolves at the next `use`. */
  changed(): Promise<void>;
}

export function createTokens(initial: TokenSettings, onExpired: () => void): Tokens {
  let settings = initial;
  let unused = initial.token;
  let inUse: string | null = null;
  let asking: Promise<string> | null = null;
  let isStuck = false;
  const waiting: (() => void)[] = [];

  async function ask(): Promise<string> {
    const { tokenProvider, tokenUrl } = settings;
    const fresh = tokenProvider ? await tokenProvider() : tokenUrl ? await askServer(tokenUrl) : null;
    if (typeof fresh === 'string' && fresh !== '') return fresh;
    if (tokenProvider || tokenUrl) throw new Error('the page gave no token');
    isStuck = true;
    onExpired();
    throw new Error('the token was refused, and there is no other');
  }

  /** Concurrent callers share one token. */
  function askOnce(): Promise<string> {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  }

  async function get(): Promise<string> {
    const token = unused ?? (await askOnce());
    inUse = token;
    unused = null;
    return token;
  }

  return {
    get,
    async peek() {
      if (inUse ?? unused) return inUse ?? unused ?? '';
      const token = await askOnce();
      if (inUse !== token) unused = token;
      return token;
    },
    use(next) {
      if (next.token !== settings.token) {
        unused = next.token;
        isStuck = false;
      }
      settings = next;
      if (isStuck && !next.tokenProvider && !next.tokenUrl) return;
      isStuck = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
    get isStuck() {
      return isStuck;
    },
    changed: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

async function askServer(url: string): Promise<unknown> {
  const response = await fetch(url, {
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`${url} answered with ${response.status}`);
  return ((await response.json()) as { token?: unknown }).token;
}

/** Returns the user of a token, or null when it cannot be read. Unverified: only to distinguish users. */
export function subjectOf(token: string): string | null {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as { iss?: unknown; sub?: unknown };
    return typeof claims.sub === 'string' ? `${claims.iss} ${claims.sub}` : null;
  } catch {
    return null;
  }
}
