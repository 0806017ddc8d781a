import { existsSync } from 'node:fs';
import type { Client } from '@carillon/sdk';
import type { Context } from '../command.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { Files, FolderProblem, Kind } from './kind.ts';
import type { Sides } from './plan.ts';
import { readState, type State } from './state.ts';

/** What is to be compared. */
export interface Scope {
  context: Context;
  kinds: readonly Kind[];
  /** Only these; all when empty. */
  keys: readonly string[];
  folder: string;
}

export interface Flags {
  dryRun: boolean;
  prune: boolean;
  force: boolean;
  yes: boolean;
}

export interface Compared {
  client: Client;
  environment: { id: string; kind: 'test' | 'live' };
  sides: Sides[];
  /** Kinds that the folder has no folder for. */
  missing: Kind[];
  problems: FolderProblem[];
  state: State;
}

/** Reads the folder first: what is wrong in it is said without a call. `strict`: then it ends there. */
export async function sidesOf(scope: Scope, { strict }: { strict: boolean }): Promise<Compared> {
  const { context, kinds, keys, folder } = scope;
  const { io } = context;
  if (strict && !existsSync(folder))
    throw new CliError(`Folder ${folder} not found.`, {
      hint: 'Run `carillon pull` to create it, or pass --dir.',
    });
  const contents = kinds.map((kind) => ({ kind, content: kind.read(folder) }));
  const problems = contents.flatMap(({ content }) => content.problems);
  if (strict && problems.length > 0) throw folderError(context, problems);
  const client = context.client();
  const me = await client.me();
  const state = readState(folder, me.environment_id);
  const sides: Sides[] = [];
  for (const { kind, content } of contents) {
    const remote = new Map<string, Files>();
    for await (const [key, files] of kind.list(client)) {
      remote.set(key, files);
      io.progress(`reading ${kind.name}… ${remote.size}`);
    }
    sides.push({ kind, local: content.resources, remote, base: state.baseOf(kind.name), keys });
  }
  for (const key of keys) {
    if (sides.some(({ local, remote }) => local.has(key) || remote.has(key))) continue;
    throw new CliError(`${key} not found in ${folder} or on the server.`, {
      exitCode: exitCodes.notFound,
    });
  }
  return {
    client,
    environment: { id: me.environment_id, kind: me.environment_kind },
    sides,
    missing: contents.flatMap(({ kind, content }) => (content.exists ? [] : [kind])),
    problems,
    state,
  };
}

/** Reports all problems together, so that one edit can fix them. */
export function folderError({ io, style }: Context, problems: FolderProblem[]): CliError {
  for (const { path, message } of problems)
    io.err(`${style('red', '✗')} ${path}${message.startsWith(':') ? '' : ' '}${message}`);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return new CliError(`${count} in the folder. Nothing was changed.`);
}
