import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BenchDatabase } from './database.ts';

export const testKey = 'crl_test_benchbenchbenchbenchbench';

export interface Service {
  url: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a program below bench/harness that calls `serve`, in a process of its own. */
export async function startService(
  database: BenchDatabase,
  program: string,
  settings: Record<string, string>,
): Promise<Service> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: database.url,
      CARILLON_DATA_DIR: database.dataDir,
      CARILLON_BOOTSTRAP_TEST_KEY: testKey,
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  const url = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    once(child, 'exit').then(() => {
      throw new Error(`${program} ended before it listened`);
    }),
  ]);
  return {
    url,
    process: child,
    async stop() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
