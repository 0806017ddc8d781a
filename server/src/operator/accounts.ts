import { createOrganizationFor, listPeople, resetPassword } from '../features/platform/accounts/index.ts';
import { commandLine } from '../processes/invocation.ts';
import { type OperatorCommand, withDatabase } from './command.ts';

/**
 * `npm start -- --reset-password EMAIL`: restores access after a forgotten password. Mail is not guaranteed to work, and an
 * operator with access to the machine has the database anyway. Without an email the command lists the accounts.
 */
export const resetPasswordCommand: OperatorCommand = (config, print, [email]) =>
  withDatabase(config, print, async (pool) => {
    const password = email ? await resetPassword(pool, email.toLowerCase()) : null;
    if (password !== null) {
      print(`New password of ${email}: ${password} (shown only once). All sessions of the user have ended.`);
      return 0;
    }
    print(
      email
        ? `No user has the email ${email}. These users can sign in:`
        : 'Pass the email of a user. These users can sign in:',
    );
    for (const person of await listPeople(pool))
      print(`  ${person.email}  ${person.name}, ${person.memberships.join(', ') || 'in no organization'}`);
    return 1;
  });

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
