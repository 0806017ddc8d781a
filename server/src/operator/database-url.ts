import { findRunningPostgres } from '../db/embedded/index.ts';
import { commandLine } from '../processes/invocation.ts';
import type { OperatorCommand } from './command.ts';

/**
 * `npm start -- --database-url`: prints the address of the bundled database, for psql. It contains the password, which whoever can
 * run this can read in the data directory. A DATABASE_URL is not repeated: the operator has it, and its password may be for others.
 */
export const databaseUrlCommand: OperatorCommand = async (config, print) => {
  if (config.DATABASE_URL !== null) {
    print('The service uses the database of your DATABASE_URL: psql "$DATABASE_URL"');
    return 1;
  }
  const url = await runningDatabase(config.CARILLON_DATA_DIR);
  if (url !== null) {
    print(url);
    return 0;
  }
  print(
    `No bundled database runs on ${config.CARILLON_DATA_DIR}, or this user cannot read its password. Start the service, and run ${commandLine('--database-url')} with its settings, as its user.`,
  );
  return 1;
};

async function runningDatabase(dataDir: string): Promise<string | null> {
  try {
    return await findRunningPostgres(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw error;
  }
}
