import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Those of `npm start` in package.json. */
export const nodeFlags = ['--max-semi-space-size=64', '--no-allocation-site-pretenuring'];

export const testKey = 'crl_test_benchbenchbenchbenchbench';

/** What the tests of every benchmark are made with; loopback, a free port, and no logs unless something is wrong. */
const settings = {
  HOST: '127.0.0.1',
  PORT: '0',
  CARILLON_BOOTSTRAP_TEST_KEY: testKey,
  LOG_LEVEL: 'warn',
  CARILLON_BRAKE_RECIPIENT_LIMIT: '0', // they send to few recipients
};

export interface Service {
  url: string;
  process: ChildProcess;
  /** What its process says next. */
  said<Message>(): Promise<Message>;
  stop(): Promise<void>;
}

/** Starts a program below bench/harness that calls `serve`, in a process of its own. */
export async function startService(
  program: string,
  database: { url: string; dataDir: string },
  env: Record<string, string>,
): Promise<Service> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [], {
    execArgv: [...nodeFlags, ...process.execArgv],
    env: {
      ...process.env,
      ...settings,
      DATABASE_URL: database.url,
      CARILLON_DATA_DIR: database.dataDir,
      ...env,
    },
  });
  const gone = once(child, 'exit').then(() => {
    throw new Error(`${program} ended too early`);
  });
  gone.catch(() => {});

  async function said<Message>(): Promise<Message> {
    const [message] = await Promise.race([once(child, 'message'), gone]);
    return message as Message;
  }

  return {
    url: await said<string>(),
    process: child,
    said,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await gone.catch(() => {});
    },
  };
}
