import { command } from '../command.ts';
import { CliError, exitCodes } from '../errors.ts';
import { readProfiles, writeProfiles } from '../profiles.ts';

export const logout = command({
  name: 'logout',
  summary: 'Forget a profile and its key',
  arguments: '[name]',
  takes: [0, 1],
  details: 'The current profile unless named. The key goes on working: `carillon keys revoke` ends it.',
  options: {},
  examples: [{ command: 'carillon logout live', says: 'this machine no longer knows the key' }],
  async run({ io }, _values, [given]) {
    const { current, profiles } = readProfiles(io);
    const name = given ?? current;
    if (name === null || !Object.hasOwn(profiles, name))
      throw new CliError(name === null ? 'Nobody is logged in.' : `There is no profile ${name}.`, {
        exitCode: exitCodes.notFound,
      });
    const { [name]: _forgotten, ...rest } = profiles;
    writeProfiles(io, { current: current === name ? null : current, profiles: rest });
    io.out(`Forgot ${name}.`);
  },
});
