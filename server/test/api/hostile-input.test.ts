import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { allRoutes } from '../../src/routes.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { createOrganization } from '../harness/people.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const texts = [
  '',
  'a\u0000b',
  '\u202eabc\r\nX: y',
  '%00',
  "'; drop table users; --",
  '__proto__',
  'x'.repeat(5_000),
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59+23:59',
];
const values = [
  ...texts,
  '\ud800',
  'x'.repeat(100_000),
  null,
  true,
  -1,
  1e308,
  [],
  [null],
  {},
  { constructor: { prototype: {} } },
];
const someId = '01890000-0000-7000-8000-000000000000';
const namesIn = (schema: Route['body']): string[] =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

/** Every way to put one of the values into one place of a request. */
function* requestsTo(route: Route, organizationId: string): Generator<{ path: string; body?: object }> {
  const fill = (text: string) => text.replace(':organizationId', organizationId).replace(/:\w+/g, someId);
  for (const [place] of route.path.matchAll(/:\w+/g))
    for (const text of texts)
      yield { path: fill(route.path.replace(place, encodeURIComponent(text.slice(0, 1_000)))) };
  const path = fill(route.path);
  for (const name of namesIn(route.query))
    for (const text of texts) yield { path: `${path}?${name}=${encodeURIComponent(text)}` };
  for (const name of namesIn(route.body)) for (const value of values) yield { path, body: { [name]: value } };
}

test('whatever is put in whatever place, no operation answers that something went wrong on our side', async () => {
  const { owner, organizationId } = await createOrganization(app);
  const broken: unknown[] = [];
  // Streams have no end to wait for, and whoever signs out can ask nothing more.
  const asked = allRoutes(app.services).filter(
    ({ operation, rawBody }) => !rawBody && !/stream|logout/i.test(operation),
  );
  expect(asked.length).toBeGreaterThan(100);
  for (const route of asked) {
    for (const { path, body } of requestsTo(route, organizationId)) {
      const { status } =
        route.access === 'session'
          ? await owner.request(route.method, path, body)
          : await app.request(route.method, path, body ? { body } : {});
      if (status >= 500) broken.push({ operation: route.operation, status, path: path.slice(0, 120), body });
    }
  }
  expect(broken).toEqual([]);
}, 300_000);
