import type { Config } from '../config.ts';

/** Something that an operator does on the machine, in place of starting the service. Returns the exit code. */
export type OperatorCommand = (
  config: Config,
  print: (line: string) => void,
  args: readonly string[],
) => Promise<number>;
