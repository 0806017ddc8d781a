import type { Deps } from '../../../deps.ts';
import { cookieName, readCookie, sessionCookie, writeCookie } from '../../../http/session-cookie.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { newId } from '../../../kernel/ids.ts';
import { sessionSeconds } from './sessions-service.ts';

const validSeconds = 180 * 24 * 3600;

/**
 * Browsers in which an account has signed in before. Each gets a cookie, sealed for that one account, which separates its next
 * sign-in from those of unknown devices: guesses by others then do not make it wait. The cookie opens nothing without the
 * password.
 */
export function createDevices({ keyring, publicUrl, clock }: Pick<Deps, 'keyring' | 'publicUrl' | 'clock'>) {
  return {
    /** The id of the device; null when the request does not come from a known one of this account. */
    find(cookieHeader: string | undefined, email: string): string | null {
      const sealed = readCookie(cookieHeader, cookieName(nameFor(email), publicUrl()));
      if (!sealed) return null;
      try {
        const [id = '', madeAt] = keyring.open(sealed, contextOf(email)).split(' ');
        return clock() - Number(madeAt) < validSeconds * 1000 ? id : null;
      } catch {
        return null; // sealed for another account, with a key that is gone, or forged
      }
    },
    /** Returns the headers that begin a session in a browser, which is a known device of the account from now on. */
    begin({ token, email }: { token: string; email: string }) {
      const sealed = keyring.seal(`${newId()} ${clock()}`, contextOf(email));
      return {
        'set-cookie': [
          sessionCookie(token, { publicUrl: publicUrl(), maxAgeSeconds: sessionSeconds }),
          writeCookie(nameFor(email), sealed, {
            publicUrl: publicUrl(),
            maxAgeSeconds: validSeconds,
            sameSite: 'Strict',
          }),
        ],
      };
    },
  };
}

export type Devices = ReturnType<typeof createDevices>;

/** Each account has its own cookie, so that several people can share a browser. */
function nameFor(email: string): string {
  return `carillon_device_${sha256(email).toString('hex').slice(0, 8)}`;
}

function contextOf(email: string): string {
  return `device:${email}`;
}
