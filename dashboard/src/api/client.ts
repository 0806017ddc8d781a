import { type Client, createClient } from '@carillon/sdk';
import { checkConnection, noteAnswer } from './connection.ts';

/**
 * Calls the API with the session cookie of the signed-in person, in the environment `environmentId`. When the session
 * expires, the request waits for the person to sign in again and is then repeated, so that no work is lost.
 */
export function createApi(environmentId: string | null): Client {
  return createClient({
    base_url: location.origin,
    api_key: null,
    max_retries: 1,
    timeout_ms: 20_000,
    headers: environmentId === null ? {} : { 'x-environment-id': environmentId },
    fetch: callAsPerson,
  });
}

let signInAgain: (() => Promise<void>) | null = null;

/** Registers the sign-in dialog; null while it is not mounted. */
export function onSessionEnded(ask: (() => Promise<void>) | null): void {
  signInAgain = ask;
}

async function callAsPerson(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('user-agent'); // Browsers set their own.
  if (init.method !== undefined && init.method !== 'GET') headers.set('x-carillon-csrf', '1');
  const request = { ...init, headers, credentials: 'same-origin' as const };
  const response = await call(input, request);
  if (response.status !== 401 || isSigningInOrOut(input) || !signInAgain) return response;
  await signInAgain();
  // The timeout of the first attempt may have passed during the sign-in.
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

/** On these routes 401 means a wrong password, or does not matter. */
function isSigningInOrOut(input: RequestInfo | URL): boolean {
  return /^\/auth\/(login|logout|invitations\/)/.test(new URL(String(input), location.origin).pathname);
}
