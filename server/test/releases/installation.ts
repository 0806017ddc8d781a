import { waitUntil } from '../harness/app.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer of another release, read as it is
export type Answer = any;

/** The settings that a release and its successor share, as an operator would keep them. They are part of the fixture. */
export const sharedSettings = {
  PUBLIC_URL: 'http://localhost:8400', // links and callback addresses contain it
  CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 'a release').toString('base64'),
  CARILLON_BOOTSTRAP_TEST_KEY: 'crl_test_releasereleasereleaserelease',
  CARILLON_BOOTSTRAP_LIVE_KEY: 'crl_live_releasereleasereleaserelease',
  CARILLON_ADMIN_EMAIL: 'owner@example.com',
  CARILLON_ADMIN_PASSWORD: 'correct horse battery',
};

export type EnvironmentKind = 'test' | 'live';

export interface Caller {
  /** With the key of the environment. Throws unless the call succeeds. */
  call(environment: EnvironmentKind, method: string, path: string, body?: object): Promise<Answer>;
  /** With any other credentials. */
  send(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Response>;
}

/** Speaks to a running service of any release, over the public API alone. */
export function callerOf(url: string): Caller {
  const keys = {
    test: sharedSettings.CARILLON_BOOTSTRAP_TEST_KEY,
    live: sharedSettings.CARILLON_BOOTSTRAP_LIVE_KEY,
  };
  async function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Response> {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return response;
  }
  return {
    send,
    async call(environment, method, path, body) {
      const response = await send(method, path, { authorization: `Bearer ${keys[environment]}` }, body);
      const text = await response.text();
      return text === '' ? null : JSON.parse(text);
    },
  };
}

/** Signs the owner in; returns the headers of a page of the dashboard. */
export async function signIn({ send }: Caller): Promise<Record<string, string>> {
  const { CARILLON_ADMIN_EMAIL: email, CARILLON_ADMIN_PASSWORD: password } = sharedSettings;
  const response = await send('POST', '/auth/login', {}, { email, password });
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return { cookie, 'x-carillon-csrf': '1' };
}

/** Waits until what the path shows satisfies the condition. */
export function reaches(
  { call }: Caller,
  environment: EnvironmentKind,
  path: string,
  condition: (answer: Answer) => boolean,
): Promise<Answer> {
  return waitUntil(async () => {
    const answer = await call(environment, 'GET', path);
    return condition(answer) ? answer : new Error(`${path} is still ${JSON.stringify(answer)}`);
  }, 10_000);
}
