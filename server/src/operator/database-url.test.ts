import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { databaseUrlCommand } from './bundled-database.ts';

async function run(settings: Record<string, string>): Promise<{ code: number; printed: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-url-'));
  try {
    const lines: string[] = [];
    const config = loadConfig({ CARILLON_DATA_DIR: folder, ...settings }, folder);
    const code = await databaseUrlCommand(config, (line) => lines.push(line), []);
    return { code, printed: lines.join('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('an address that the operator has set is not repeated', async () => {
  expect(await run({ DATABASE_URL: 'postgresql://carillon:hidden@db.internal/carillon' })).toEqual({
    code: 1,
    printed: expect.not.stringMatching(/hidden|db\.internal/),
  });
});

test('without a running database it says what to do', async () => {
  expect(await run({})).toEqual({ code: 1, printed: expect.stringContaining('Start the service') });
});
