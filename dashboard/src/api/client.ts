import { type Client, createClient } from '@carillon/sdk';
import { checkConnection, noteAnswer } from './connection.ts';

/**
 * The API as the person who is signed in: the session cookie says who, `environmentId` where. When the session has ended in
 * the middle of something, the request waits until the person has signed in again and is then made once more, so that
 * nothing of what they were doing is lost.
 */
export function createApi(environmentId: string | null): Client {
  return createClient({
    base_url: location.origin,
    max_retries: 1,
    timeout_ms: 20_000,
    headers: environmentId === null ? {} : { 'x-environment-id': environmentId },
    fetch: callAsPerson,
  });
}

let signInAgain: (() => Promise<void>) | null = null;

/** Who asks the person to sign in again; null while nobody can. */
export function onSessionEnded(ask: (() => Promise<void>) | null): void {
  signInAgain = ask;
}

async function callAsPerson(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('user-agent'); // browsers send their own
  if (init.method !== undefined && init.method !== 'GET') headers.set('x-carillon-csrf', '1');
  const request = { ...init, headers, credentials: 'same-origin' as const };
  const response = await call(input, request);
  if (response.status !== 401 || isSigningInOrOut(input) || !signInAgain) return response;
  await signInAgain();
  // The first attempt's own time limit may have passed while the person was signing in.
  const { signal: _spent, ...again } = request;
  return call(input, again);
}

async function call(input: RequestInfo | URL, request: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, request);
    noteAnswer(response.status);
    return response;
  } catch (error) {
    if (!request.signal?.aborted) void checkConnection();
    throw error;
  }
}

/** Where 401 means a wrong password, or nothing that matters any more. */
function isSigningInOrOut(input: RequestInfo | URL): boolean {
  return /^\/auth\/(login|logout|invitations\/)/.test(new URL(String(input), location.origin).pathname);
}
