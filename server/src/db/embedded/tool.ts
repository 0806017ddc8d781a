import { spawn } from 'node:child_process';
import type { Account } from './account.ts';

interface ToolResult {
  ok: boolean;
  output: string;
}

/**
 * The environment and directory of PostgreSQL's programs. Not our own environment: it contains secrets, which /proc would show
 * to the account, and PG* variables for other clients. Not our own directory: the account may be unable to enter it.
 */
export function surroundings(account: Account | undefined) {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of ['PATH', 'TZ', 'SystemRoot', 'TEMP', 'TMP']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  return { env, cwd: process.platform === 'win32' ? undefined : '/', windowsHide: true, ...account };
}

/** Runs a program to its end. Never rejects: a failed start is returned as output. */
export function runTool(
  file: string,
  args: string[],
  account: Account | undefined,
  input = '',
): Promise<ToolResult> {
  return new Promise((resolve) => {
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    try {
      const child = spawn(file, args, { ...surroundings(account), stdio: 'pipe' });
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      child.on('error', (error) => resolve({ ok: false, output: error.message }));
      child.on('close', (code) => resolve({ ok: code === 0, output }));
      child.stdin.on('error', () => {}); // the program ended without reading all of its input; its exit code has the reason
      child.stdin.end(input);
    } catch (error) {
      // Node throws some start failures (EACCES among them on certain versions) and emits others.
      resolve({ ok: false, output: String(error) });
    }
  });
}
