import { join } from 'node:path';
import type { Config } from '../config.ts';
import { diskFull, passwordName } from '../db/embedded/index.ts';
import { isDatabaseUnavailable, isDiskFull } from '../db/sql.ts';
import { exitCodes } from './exit-codes.ts';

type Settings = Pick<Config, 'HOST' | 'PORT' | 'DATABASE_URL' | 'CARILLON_DATA_DIR'>;

/** The last line of a process whose database stays silent. */
export function databaseLost(silentMs: number): string {
  const seconds = Math.round(silentMs / 1000);
  return `The database has not answered for ${seconds} s. Exiting with code ${exitCodes.databaseLost}, so that a supervisor starts a new process.`;
}

/** A sentence for the person at the terminal; the stack is shown only for unexpected errors. */
export function startFailure(error: unknown, config: Settings): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'EADDRINUSE')
    return `Port ${config.PORT} on ${config.HOST} is in use. Set PORT to another port (PORT=0 picks a free one).`;
  if (code === 'EACCES' && syscall === 'listen')
    return `This user cannot listen on port ${config.PORT}. Set PORT to 1024 or higher (PORT=0 picks a free one).`;
  if (
    (code === 'EADDRNOTAVAIL' && syscall === 'listen') ||
    (code === 'ENOTFOUND' && hostname === config.HOST)
  )
    return `${config.HOST} is not an address of this machine. Set HOST to an address of this machine (127.0.0.1, or 0.0.0.0 for all of them).`;
  if (code === '28P01' && !config.DATABASE_URL)
    return `The bundled database refuses the password in ${join(config.CARILLON_DATA_DIR, passwordName)}. Put the right file back, or delete it and start again: the service then sets a new password, and the data stays.`;
  if (code === 'EACCES') return `Not allowed: ${error.message}.`;
  if (isDiskFull(error) && !config.DATABASE_URL) return diskFull(config.CARILLON_DATA_DIR, error).message;
  if (config.DATABASE_URL && /unsupported startup parameter/.test(error.message))
    return `DATABASE_URL leads to a connection pooler, which says: ${error.message}. Also set CARILLON_DATABASE_DIRECT_URL to a URL that leads to the database itself (docs/guides/high-availability.md).`;
  // 28: wrong password or no access; 3D: no such database.
  if (
    config.DATABASE_URL &&
    (code === 'ENOTFOUND' || /^(28|3D)/.test(code ?? '') || isDatabaseUnavailable(error))
  )
    return `The database in DATABASE_URL cannot be used: ${error.message}`;
  return code === undefined || code.length === 5 ? error.message : (error.stack ?? error.message);
}
