import { Problem } from '../kernel/errors.ts';

/** An input whose output the transaction needs and does not have yet. */
class Wanted<Input> {
  readonly input: Input;
  constructor(input: Input) {
    this.input = input;
  }
}

/** A transaction restarts more than once only if others change the rows that it reads meanwhile. */
const maxRestarts = 5;

/**
 * Runs a transaction that needs a computation on the rows that it reads. The computation may wait for a thread, and a
 * transaction that waits keeps its connection: the large requests of one tenant would soon hold all of them. So the transaction
 * is rolled back when it needs an unknown output, and restarts once that was computed. `nameOf` is equal for inputs with equal
 * outputs.
 */
export async function computeOutsideTransaction<Input, Output, Result>(
  { compute, nameOf }: { compute(input: Input): Promise<Output>; nameOf(input: Input): string },
  transact: (outputOf: (input: Input) => Output) => Promise<Result>,
): Promise<Result> {
  const outputs = new Map<string, Output>();
  const outputOf = (input: Input): Output => {
    const name = nameOf(input);
    if (!outputs.has(name)) throw new Wanted(input);
    return outputs.get(name) as Output;
  };
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await transact(outputOf);
    } catch (error) {
      if (!(error instanceof Wanted)) throw error;
      if (restarts >= maxRestarts) throw keepsChanging();
      outputs.set(nameOf(error.input), await compute(error.input));
    }
  }
}

const keepsChanging = () =>
  new Problem('temporarily_unavailable', 'The data of this request keeps changing. Try again.', {
    headers: { 'retry-after': '1' },
  });
