import { expect, test } from 'vitest';
import { startTestApp } from '../../test/app.ts';
import { createTestDatabase } from '../../test/database.ts';
import { query } from './sql.ts';

test('on a database that a newer release has used the service runs, and its log says so', async () => {
  const database = await createTestDatabase();
  await query(database.pool, `insert into migrations (name) values ('9999_of_tomorrow.sql')`);
  const lines: string[] = [];
  const app = await startTestApp({
    database,
    settings: { LOG_LEVEL: 'warn' },
    logTo: { write: (line) => lines.push(line) },
  });
  expect((await app.request('GET', '/v1/me')).status).toBe(200);
  await app.stop();
  await database.drop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ migrations: ['9999_of_tomorrow.sql'] }]);
});
