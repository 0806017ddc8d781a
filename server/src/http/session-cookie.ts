const name = 'carillon_session';

/** The session token of a Cookie header, if there is one that could be ours. */
export function sessionTokenOf(cookieHeader: string | undefined): string | null {
  for (const pair of cookieHeader?.split(';') ?? []) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name && /^[\w-]{20,200}$/.test(value)) return value;
  }
  return null;
}

/** SameSite=Lax keeps other sites' writes out, HttpOnly keeps scripts out; Secure only where the service is on https. */
export function sessionCookie(token: string, options: { secure: boolean; maxAgeSeconds: number }): string {
  return `${name}=${token}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}`;
}

export function clearedSessionCookie(options: { secure: boolean }): string {
  return sessionCookie('', { ...options, maxAgeSeconds: 0 });
}
