import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const commands =
  /curl -X (\w+) http:\/\/127\.0\.0\.1:8400(\S+)[^']*'Content-Type: application\/json' -d '([^']*)'/g;

test.each(['chatone', 'chattwo', 'chatthree'])(
  'the commands of the guide to %s work as they stand',
  async (channel) => {
    const guide = readFileSync(new URL(`../../../../../docs/guides/${channel}.md`, import.meta.url), 'utf8');
    const found = [...guide.matchAll(commands)];
    expect(found).toHaveLength(3);
    for (const [, method = '', path = '', body = ''] of found) {
      const answer = await app.request(method, path, { body });
      expect([path, answer.status, answer.body.error]).toEqual([
        path,
        expect.toBeOneOf([201, 202]),
        undefined,
      ]);
      if (path !== '/v1/notifications') continue;
      const done = await app.waitFor(answer.body.id, ({ status }) => !['queued', 'sending'].includes(status));
      expect(done.status).toBe('delivered');
    }
  },
);
