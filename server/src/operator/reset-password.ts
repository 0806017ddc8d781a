import { listPeople, resetPassword } from '../features/platform/accounts/index.ts';
import type { OperatorCommand } from './command.ts';
import { withDatabase } from './database.ts';

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
