import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRoutes } from '../src/routes.ts';
import { startTestApp, type TestApp } from './app.ts';
import { createOrganization, type TestPerson } from './people.ts';

let app: TestApp;
let person: TestPerson;
let organizationId: string;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  ({ owner: person, organizationId } = await createOrganization(app));
});
afterAll(() => app.stop());

const values: unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202eabc\r\nX: y',
  '%00',
  "'; drop table users; --",
  '__proto__',
  'x'.repeat(100_000),
  [],
  [null],
  {},
  { __proto__: null, constructor: { prototype: {} } },
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59+23:59',
];

test('whatever is put into whatever field, no operation answers that something went wrong on our side', async () => {
  const broken: unknown[] = [];
  let asked = 0;
  const ask = async (route: ReturnType<typeof allRoutes>[number], query: string, body: unknown) => {
    const path = route.path
      .replace(':organizationId', organizationId)
      .replace(/:\w+/g, '01890000-0000-7000-8000-000000000000');
    const isSession = route.access === 'session';
    const { status } = await app.request(route.method, path + query, {
      key: isSession ? null : app.testKey,
      ...(isSession ? { headers: { cookie: person.cookie, 'x-carillon-csrf': '1' } } : {}),
      ...(body === undefined ? {} : { body }),
    });
    asked += 1;
    if (status >= 500)
      broken.push([route.operation, status, query.slice(0, 80), JSON.stringify(body)?.slice(0, 120)]);
  };
  for (const route of allRoutes(app.deps)) {
    if (/^(logout|login|stream)/.test(route.operation) || route.rawBody) continue;
    const queries = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {});
    for (const name of queries)
      for (const value of values) {
        const text = typeof value === 'string' ? value.slice(0, 5000).toWellFormed() : JSON.stringify(value);
        await ask(route, `?${name}=${encodeURIComponent(text)}`, undefined);
      }
    const fields = Object.keys((route.body as { properties?: object } | undefined)?.properties ?? {});
    for (const name of fields) for (const value of values) await ask(route, '', { [name]: value });
  }
  console.log(asked);
  expect(broken).toEqual([]);
}, 300_000);
