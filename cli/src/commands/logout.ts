import { command } from '../command.ts';
import { CliError, exitCodes } from '../errors.ts';
import { readProfiles, writeProfiles } from '../profiles.ts';

export const logout = command({
  name: 'logout',
  summary: 'Delete a profile and its key from this machine',
  arguments: '[name]',
  takes: [0, 1],
  details: 'Defaults to the current profile. The key stays valid: revoke it with `carillon keys revoke`.',
  options: {},
  examples: [{ command: 'carillon logout live', says: 'delete the profile live' }],
  async run({ io }, _values, [given]) {
    const { current, profiles } = readProfiles(io);
    const name = given ?? current;
    if (name === null || !Object.hasOwn(profiles, name))
      throw new CliError(name === null ? 'Not logged in.' : `Profile ${name} not found.`, {
        exitCode: exitCodes.notFound,
      });
    const { [name]: _forgotten, ...rest } = profiles;
    writeProfiles(io, { current: current === name ? null : current, profiles: rest });
    io.out(`Forgot ${name}.`);
  },
});
