import type { Deps } from '../../deps.ts';
import { clearedSessionCookie, sessionCookie } from '../../http/session-cookie.ts';
import { sessionSeconds } from './sessions-service.ts';

/** The headers that begin and end a session in a browser. */
export function createCookies({ publicUrl }: Pick<Deps, 'publicUrl'>) {
  const secure = () => publicUrl().startsWith('https:');
  return {
    start: (token: string) => ({
      'set-cookie': sessionCookie(token, { secure: secure(), maxAgeSeconds: sessionSeconds }),
    }),
    end: () => ({ 'set-cookie': clearedSessionCookie({ secure: secure() }) }),
  };
}
