import { existsSync } from 'node:fs';
import { packageName } from './version.ts';

/** Sources and bundle are both two folders below the root of a checkout. */
const isCheckout = existsSync(new URL('../../scripts/start.mjs', import.meta.url));
export const isNpx = process.env.npm_command === 'exec';

/** The command that started this program, with other options: for texts that tell what to run. */
export function commandLine(options = ''): string {
  if (isCheckout) return options === '' ? 'npm start' : `npm start -- ${options}`;
  return `${isNpx ? `npx ${packageName}` : 'carillon-server'} ${options}`.trimEnd();
}
