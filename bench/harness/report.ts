import { cpus } from 'node:os';
import { quantile } from './load.ts';

export const median = (values: readonly number[]): number => quantile(values, 0.5);

interface Goal {
  op: '>=' | '<=' | '=';
  figure: number;
}

const decimals = (figure: number): string =>
  Math.abs(figure) >= 100 ? figure.toFixed(0) : figure.toFixed(2);

function isMet(figure: number, { op, figure: wanted }: Goal): boolean {
  switch (op) {
    case '>=':
      return figure >= wanted;
    case '<=':
      return figure <= wanted;
    case '=':
      return figure === wanted;
  }
}

/** Prints what was measured on what; a missed goal makes the process fail. */
export function createReport(name: string) {
  const processor = cpus();
  console.log(
    `${name}: ${processor.length} × ${processor[0]?.model.trim()}, Node ${process.version}, PostgreSQL with fsync and synchronous_commit on\n`,
  );

  function verdict(what: string, figure: number, goal: Goal): string {
    const met = isMet(figure, goal);
    if (!met) process.exitCode = 1;
    return `${what}: ${goal.op === '=' ? figure : decimals(figure)} (goal ${goal.op} ${goal.figure})${met ? '' : '  MISSED'}`;
  }

  return {
    line(text: string): void {
      console.log(text);
    },
    /** The figures of the rounds, in order, and their median. */
    rounds(what: string, figures: readonly number[], unit: string): number {
      const middle = median(figures);
      console.log(
        `${what.padEnd(34)} ${figures.map(decimals).join('  ')}  median ${decimals(middle)} ${unit}`,
      );
      return middle;
    },
    /** Where there are too many rounds to show them all. */
    quartiles(what: string, figures: readonly number[], unit = ''): void {
      const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => decimals(quantile(figures, share)));
      console.log(`${what.padEnd(34)} median ${middle} ${unit} (half of them within ${low} to ${high})`);
    },
    goal(what: string, figure: number, goal: Goal): void {
      console.log(verdict(what, figure, goal));
    },
    /** The last line: the one figure that stands for the benchmark. */
    close(figure: number, goal: Goal): void {
      console.log(`\n${verdict(name, figure, goal)}`);
    },
  };
}
