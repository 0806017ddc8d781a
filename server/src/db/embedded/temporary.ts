import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts';

/** A server for tests, benchmarks and checks, in a directory of its own that is removed with it. */
export async function startTemporaryPostgres(
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-temporary-'));
  // mkdtemp makes it 0700; the account that root runs the server under must be able to pass through.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {}, settings });
  return {
    url: postgres.url,
    get pid() {
      return postgres.pid;
    },
    async stop() {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
