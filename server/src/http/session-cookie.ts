const sessionName = 'carillon_session';

/**
 * On https a cookie is named `__Host-…`: browsers accept that prefix only over https, from this exact host and for all its
 * paths, so neither another subdomain nor a page on plain http can plant it. The plain name is then not read at all.
 */
export function cookieName(name: string, publicUrl: string): string {
  return isHttps(publicUrl) ? `__Host-${name}` : name;
}

export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/** Returns the value of a cookie, null when the header has none of that name. */
export function readCookie(cookieHeader: string | undefined, name: string): string | null {
  for (const pair of cookieHeader?.split(';') ?? []) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return null;
}

/** SameSite keeps other sites' writes out, HttpOnly keeps scripts out; Secure only where the service is on https. */
export function writeCookie(
  name: string,
  value: string,
  options: { publicUrl: string; maxAgeSeconds: number; sameSite: 'Lax' | 'Strict' },
): string {
  const { publicUrl, maxAgeSeconds, sameSite } = options;
  const secure = isHttps(publicUrl) ? '; Secure' : '';
  return `${cookieName(name, publicUrl)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Returns the session token of a Cookie header, if there is a plausible one. */
export function sessionTokenOf(cookieHeader: string | undefined, publicUrl: string): string | null {
  const value = readCookie(cookieHeader, cookieName(sessionName, publicUrl));
  return value !== null && /^[\w-]{20,200}$/.test(value) ? value : null;
}

export function sessionCookie(token: string, options: { publicUrl: string; maxAgeSeconds: number }): string {
  return writeCookie(sessionName, token, { ...options, sameSite: 'Lax' });
}

export function clearedSessionCookie(publicUrl: string): string {
  return sessionCookie('', { publicUrl, maxAgeSeconds: 0 });
}
