import { parseArgs } from 'node:util';
import { type Client, createClient, version } from '@carillon/sdk';
import { type Command, type Context, commonOptions } from './command.ts';
import { commands } from './commands.ts';
import { CliError, exitCodes, explain, usageError } from './errors.ts';
import { commandHelp, nearest, overview } from './help.ts';
import type { Io } from './io.ts';
import { type Access, accessOf } from './profiles.ts';
import { createStyle } from './style.ts';

/** From the words on the command line to the exit code. */
export async function run(args: string[], io: Io): Promise<number> {
  const style = createStyle(io.color);
  let url: string | null = null;
  try {
    const [first] = args;
    if (first === undefined || first === '--help' || first === '-h' || first === 'help')
      return help(args.slice(1), io);
    if (first === '--version' || first === '-v' || first === 'version') {
      io.out(version);
      return exitCodes.ok;
    }
    const { command, rest } = find(args);
    if (rest[0] === '--help' || rest[0] === '-h') return help(command.name.split(' '), io);
    if (command.passesOn) return codeOf(await command.run(bareContext(io), {}, rest));
    const { values, positionals } = parseArgs({
      args: rest,
      options: { ...command.options, ...commonOptions },
      allowPositionals: true,
    });
    if (values.help) return help(command.name.split(' '), io);
    checkPositionals(command, positionals);
    const context = createContext(io, values as Flags, (known) => {
      url = known;
    });
    return codeOf(await command.run(context, values, positionals));
  } catch (error) {
    const known = explain(error, url);
    if (!known) throw error;
    io.err(`${style('red', 'error')} ${known.message}`);
    if (known.hint) io.err(`      ${style('dim', known.hint)}`);
    return known.exitCode;
  }
}

const codeOf = (result: unknown): number => (typeof result === 'number' ? result : exitCodes.ok);

function help(words: string[], io: Io): number {
  const style = createStyle(io.color);
  if (words.length === 0) io.out(overview(commands, version, style));
  else io.out(commandHelp(find(words).command, style));
  return exitCodes.ok;
}

/** `keys create` before `keys`: the longest name that fits. */
function find(args: string[]): { command: Command; rest: string[] } {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ');
    const command = commands.find((each) => each.name === name);
    if (command) return { command, rest: args.slice(words) };
  }
  const [first = '', second] = args;
  const family = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (family.length > 0) {
    const meant = second && nearest(`${first} ${second}`, family);
    const hint = meant ? `Did you mean \`carillon ${meant}\`?` : `Available: ${family.join(', ')}.`;
    const wrong =
      second && !second.startsWith('-')
        ? `Unknown command: ${first} ${second}.`
        : `${first} needs a subcommand.`;
    throw usageError(wrong, hint);
  }
  const meant = nearest(first, [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]);
  throw usageError(
    `Unknown command: ${first}.`,
    meant ? `Did you mean \`carillon ${meant}\`?` : '`carillon --help` lists all commands.',
  );
}

function checkPositionals(
  { name, takes: [least, most] = [0, 0], arguments: shown }: Command,
  given: string[],
) {
  if (given.length >= least && given.length <= most) return;
  const usage = `Usage: carillon ${[name, shown].filter(Boolean).join(' ')}`;
  throw usageError(
    given.length < least ? 'Missing argument.' : `Unexpected argument “${given[most]}”.`,
    `${usage}. See --help.`,
  );
}

interface Flags {
  url?: string;
  profile?: string;
  json?: boolean;
}

function createContext(io: Io, flags: Flags, tellUrl: (url: string) => void): Context {
  let access: Access | null = null;
  let client: Client | null = null;
  const resolve = (): Access => {
    access ??= accessOf(io, flags);
    tellUrl(access.url);
    return access;
  };
  return {
    io,
    style: createStyle(io.color),
    json: flags.json ?? false,
    url: () => resolve().url,
    profile: () => resolve().profile,
    client() {
      const { url, apiKey } = resolve();
      if (apiKey === null)
        throw new CliError(`No API key for ${url}.`, {
          hint: 'Set CARILLON_API_KEY, or run `carillon login`.',
          exitCode: exitCodes.usage,
        });
      client ??= createClient({
        base_url: url,
        api_key: apiKey,
        user_agent: `carillon-cli/${version}`,
        max_retries: 2,
      });
      return client;
    },
  };
}

/** For commands that speak to no service. */
function bareContext(io: Io): Context {
  return createContext(io, {}, () => {});
}
