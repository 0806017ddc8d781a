import type { parseArgs } from 'node:util';
import type { Client } from '@carillon/sdk';
import type { Io } from './io.ts';
import type { Style } from './style.ts';

interface Option {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  description: string;
  /** What the value is called in the help, and the values to choose from if they are few. */
  value?: string;
  choices?: readonly string[];
}
export type Options = Record<string, Option>;

type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>['values'];

interface Example {
  command: string;
  says: string;
}

/** What a command is given besides its arguments. */
export interface Context {
  io: Io;
  style: Style;
  /** The result is wanted as JSON. */
  json: boolean;
  /** Created without a request; throws when there is no key. */
  client(): Client;
  /** The address that `client` speaks to. */
  url(): string;
  /** The name of the profile, null when it comes from the environment. */
  profile(): string | null;
}

interface Shape<O extends Options> {
  /** `keys create`: one or two words. */
  name: string;
  summary: string;
  /** The positional arguments as the help shows them. */
  arguments?: string;
  /** Minimum and maximum number of positional arguments; defaults to none. */
  takes?: [number, number];
  details?: string;
  options: O;
  examples: Example[];
}

export interface Command extends Shape<Options> {
  /** Everything after the name goes to another program as it is. */
  passesOn?: true;
  /** A number is the exit code; with anything else, all is well. */
  run(context: Context, values: Record<string, unknown>, positionals: string[]): Promise<unknown>;
}

/**
 * Keeps the types of the options together with the function that reads them. A list of commands knows them no more, so they are
 * given up here: `run` is called with what was parsed by these very options.
 */
export function command<const O extends Options>(
  shape: Shape<O> & {
    run(context: Context, values: Values<O>, positionals: string[]): Promise<unknown>;
    passesOn?: true;
  },
): Command {
  return shape as unknown as Command;
}

/** Every command has these. */
export const commonOptions = {
  url: { type: 'string', value: 'url', description: 'Service URL. Default: CARILLON_URL, then the profile' },
  profile: { type: 'string', short: 'p', value: 'name', description: 'Profile from `carillon login`' },
  json: { type: 'boolean', description: 'Print JSON' },
  help: { type: 'boolean', short: 'h', description: 'Show help' },
} as const satisfies Options;
