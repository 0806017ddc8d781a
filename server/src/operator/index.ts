import { createOrganizationCommand, resetPasswordCommand } from './accounts.ts';
import { backupCommand, databaseUrlCommand, restoreCommand } from './bundled-database.ts';
import type { OperatorCommand } from './command.ts';
import { compactCommand } from './compact.ts';
import { acceptLostKeyCommand, rotateSecretsCommand } from './encryption-keys.ts';
import { openIncidentCommand, resolveIncidentCommand, updateIncidentCommand } from './incidents.ts';
import { organizationCommand } from './move/command.ts';

/** Table: the commands that `npm start -- …` runs instead of starting the service. */
export const operatorCommands: Record<string, { usage: string; does: string; run: OperatorCommand }> = {
  '--reset-password': {
    usage: '--reset-password EMAIL',
    does: 'resets the password of a user; without an email it lists all users (docs/guides/team.md)',
    run: resetPasswordCommand,
  },
  '--create-organization': {
    usage: '--create-organization EMAIL NAME',
    does: 'creates an organization for an existing user (docs/guides/team.md)',
    run: createOrganizationCommand,
  },
  '--organization': {
    usage: '--organization export|import|handover|activate|release|delete',
    does: 'moves an organization to another installation (docs/guides/growing.md)',
    run: organizationCommand,
  },
  '--backup': {
    usage: '--backup DIR [--without-key]',
    does: 'copies the bundled database, also while the service runs (docs/guides/backup.md)',
    run: backupCommand,
  },
  '--restore': {
    usage: '--restore DIR [--force]',
    does: 'restores such a backup while the service is stopped (docs/guides/backup.md)',
    run: restoreCommand,
  },
  '--database-url': {
    usage: '--database-url',
    does: 'prints the address of the bundled database while the service runs, for psql (docs/guides/running.md)',
    run: databaseUrlCommand,
  },
  '--compact': {
    usage: '--compact',
    does: 'rewrites notifications of earlier releases in less space, also while the service runs (docs/guides/growing.md)',
    run: compactCommand,
  },
  '--rotate-secrets': {
    usage: '--rotate-secrets',
    does: 're-encrypts every stored secret with the first encryption key (docs/guides/secrets.md)',
    run: rotateSecretsCommand,
  },
  '--accept-lost-key': {
    usage: '--accept-lost-key ID',
    does: 'continues without a lost encryption key (docs/guides/secrets.md)',
    run: acceptLostKeyCommand,
  },
  '--open-incident': {
    usage: '--open-incident TITLE [MESSAGE]',
    does: 'shows an incident on the public status page (docs/guides/running.md)',
    run: openIncidentCommand,
  },
  '--update-incident': {
    usage: '--update-incident ID MESSAGE',
    does: 'adds an update to an incident; without an id it lists the active ones',
    run: updateIncidentCommand,
  },
  '--resolve-incident': {
    usage: '--resolve-incident ID [MESSAGE]',
    does: 'ends it',
    run: resolveIncidentCommand,
  },
};

/** Returns the command of the command line with its arguments; null when the service itself should start. */
export function findOperatorCommand(
  argv: readonly string[],
): { run: OperatorCommand; args: readonly string[] } | null {
  const at = argv.findIndex((word) => Object.hasOwn(operatorCommands, word));
  const command = operatorCommands[argv[at] ?? ''];
  return command ? { run: command.run, args: argv.slice(at + 1) } : null;
}
