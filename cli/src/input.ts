import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { explained, isServiceOf, serviceName } from './channels.ts';
import { usageError } from './errors.ts';
import type { Io } from './io.ts';

/** A file that a flag names; the message says which flag. */
export function readFileOf(io: Io, path: string, flag: string): Buffer {
  try {
    return readFileSync(resolve(io.cwd, path));
  } catch (error) {
    throw usageError(`${flag}: ${path} cannot be read (${(error as { code?: string }).code ?? 'unknown'}).`);
  }
}

/** JSON that stands on the command line, in a file (`@path`) or on the standard input (`-`). */
export async function jsonOf(io: Io, given: string, flag: string): Promise<Record<string, unknown>> {
  const text = await textOf(io, given, flag);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${flag} is not valid JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw usageError(`${flag} must be a JSON object.`);
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function textOf(io: Io, given: string, flag: string): Promise<string> {
  if (given === '-') return io.readInput();
  return given.startsWith('@') ? readFileOf(io, given.slice(1), flag).toString('utf8') : given;
}

/** A value of a short list. */
export function choiceOf<const T extends string>(
  given: string | undefined,
  choices: readonly T[],
  flag: string,
): T | undefined {
  if (given === undefined) return undefined;
  const found = choices.find((choice) => choice === given);
  if (!found) {
    const meant = choices.find((choice) => isServiceOf(given, choice));
    throw usageError(
      `${flag} must be one of ${choices.map(explained).join(', ')}.`,
      ...(meant ? [`For ${serviceName(meant)}, use ${meant}.`] : []),
    );
  }
  return found;
}

export function numberOf(given: string | undefined, flag: string, least: number, most: number) {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (given.trim() === '' || !Number.isInteger(value) || value < least || value > most)
    throw usageError(`${flag} must be a whole number from ${least} to ${most}.`);
  return value;
}

/** Asks on a terminal; elsewhere only `--yes` will do. Resolves to whether to go on. */
export async function confirmed(io: Io, question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true;
  if (!io.interactive) throw usageError('Cancelled: no terminal to confirm.', 'Pass --yes to confirm.');
  return /^y(?:es)?$/i.test((await io.ask(`${question} [y/N] `)).trim());
}
