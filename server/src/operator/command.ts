import type { Config } from '../config.ts';

/** A command that an operator runs on the machine instead of starting the service. Returns the exit code. */
export type OperatorCommand = (
  config: Config,
  print: (line: string) => void,
  args: readonly string[],
) => Promise<number>;
