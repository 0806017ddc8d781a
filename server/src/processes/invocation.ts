import { existsSync } from 'node:fs';
import { packageName } from '../kernel/version.ts';

/** The bundle in server/dist is two folders below the root of a checkout, this file three. */
const isCheckout = ['../../scripts/start.mjs', '../../../scripts/start.mjs'].some((path) =>
  existsSync(new URL(path, import.meta.url)),
);
export const isNpx = process.env.npm_command === 'exec';

/** The command that started this program, with other options: for texts that tell what to run. */
export function commandLine(options = ''): string {
  if (isCheckout) return options === '' ? 'npm start' : `npm start -- ${options}`;
  return `${isNpx ? `npx ${packageName}` : 'carillon-server'} ${options}`.trimEnd();
}

/** 75 is EX_TEMPFAIL of sysexits.h: the same command may work later. */
export const exitCodes = { failure: 1, badSettings: 2, databaseLost: 75 } as const;
