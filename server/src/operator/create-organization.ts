import { createOrganizationFor } from '../features/platform/accounts/index.ts';
import { commandLine } from '../processes/invocation.ts';
import type { OperatorCommand } from './command.ts';
import { withDatabase } from './database.ts';

/** `npm start -- --create-organization EMAIL NAME`: for services on which people cannot create organizations themselves. */
export const createOrganizationCommand: OperatorCommand = (config, print, [email = '', ...words]) =>
  withDatabase(config, print, async (pool) => {
    const name = words.join(' ').trim();
    const owner = email.toLowerCase();
    if (name !== '' && (await createOrganizationFor(pool, config, owner, name.slice(0, 100)))) {
      print(`${owner} owns the organization ${name}.`);
      return 0;
    }
    print(
      `Usage: ${commandLine('--create-organization EMAIL NAME')}. EMAIL must belong to an existing user (${commandLine('--reset-password')} lists all users).`,
    );
    return 1;
  });
