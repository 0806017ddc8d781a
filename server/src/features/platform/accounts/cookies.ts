import type { Deps } from '../../../deps.ts';
import { clearedSessionCookie, sessionCookie } from '../../../http/session-cookie.ts';
import type { Devices } from './devices.ts';
import { sessionSeconds } from './sessions-service.ts';

/** The headers that begin and end a session in a browser, which becomes a known device of the person. */
export function createCookies({ publicUrl }: Pick<Deps, 'publicUrl'>, devices: Devices) {
  return {
    start: ({ token, email }: { token: string; email: string }) => ({
      'set-cookie': [
        sessionCookie(token, { publicUrl: publicUrl(), maxAgeSeconds: sessionSeconds }),
        devices.remember(email),
      ],
    }),
    end: () => ({ 'set-cookie': clearedSessionCookie(publicUrl()) }),
  };
}
