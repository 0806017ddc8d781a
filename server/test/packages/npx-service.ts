import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Without what npm and Vitest hand to the programs that they run, and without settings of the service. */
export function cleanEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const handedOn = /^(npm_|NODE_OPTIONS|NODE_ENV|VITE|CARILLON_|INIT_CWD|DATABASE_URL|PORT$)/i;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !handedOn.test(name))),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    ...more,
  };
}

/** Of the first start. */
export interface PrintedCredentials {
  test_key: string;
  admin_email: string;
  admin_password: string;
}

/** The service as somebody starts it who has nothing but npm. `spec` is what npx is told to run. */
export function launchService(
  folder: string,
  spec: string,
  { env = {}, account = {} }: { env?: Record<string, string>; account?: { uid?: number; gid?: number } } = {},
) {
  const child = spawn('npx', ['--yes', spec], {
    cwd: folder,
    env: cleanEnvironment({ HOME: folder, PORT: '0', LOG_LEVEL: 'warn', ...env }),
    detached: true,
    shell: process.platform === 'win32',
    ...account,
  });
  let output = '';
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const ready = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        const found = /Carillon is running at (\S+)[\s\S]*"\}'$/m.exec(output); // up to the end of the command to paste
        if (found?.[1]) resolve(found[1]);
      });
    }
    void ended.then(() => reject(new Error(output)));
  });
  return {
    /** Resolves to the URL. */
    ready,
    output: () => output,
    /** The command that the banner shows, to paste. */
    printedCommand: () => /^curl [\s\S]*\}'$/m.exec(output)?.[0] ?? '',
    credentials: (): PrintedCredentials =>
      JSON.parse(readFileSync(join(folder, '.carillon/credentials.json'), 'utf8')),
    /** Ctrl-C: the signal reaches npx and everything below it. Resolves when all have ended. */
    interrupt() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGINT');
      return ended;
    },
    terminateNpx() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

export async function signIn(page: Page, { admin_email, admin_password }: PrintedCredentials): Promise<void> {
  await page.getByLabel('Email').fill(admin_email);
  await page.getByLabel('Password').fill(admin_password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}
