import { HeavyWork } from '../threads/effort.ts';
import { BudgetExceeded } from './budget.ts';
import { TimeLimitExceeded } from './watchdog.ts';

/** A mistake in a template, described for its author. */
interface Fault {
  message: string;
  line: number | null;
  column: number | null;
  /** The partial or layout that contains the mistake; absent or null for the template itself. */
  source?: string | null;
  /** Present when the only fault is that these variables are missing. */
  undefinedVariables?: string[];
}

export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(describeFault(fault));
    this.fault = fault;
  }
}

export function describeFault({ message, line, column, source }: Fault): string {
  const location = [
    ...(source ? [source] : []),
    ...(line === null ? [] : [`line ${line}`, `column ${column}`]),
  ];
  return location.length === 0 ? message : `${message} (${location.join(', ')})`;
}

/** The parts of a liquidjs error that are read here. */
interface LiquidFailure extends Error {
  token?: { getPosition(): [number, number]; file?: string };
  originalError?: Error & { variableName?: string };
  errors?: LiquidFailure[];
}

/**
 * liquidjs reports mistakes of the template, exceeded limits and JavaScript errors alike; all of them are faults of the
 * template.
 */
function faultOf(error: unknown): Fault {
  const failure = error as LiquidFailure;
  const failures = flat(failure);
  const names = failures.map((each) => each.originalError?.variableName);
  const first = failures[names.indexOf(undefined)] ?? failure;
  const cause = first.originalError ?? first;
  const [line, column] = first.token?.getPosition() ?? [null, null];
  return {
    message: sentence(cause),
    line,
    column,
    source: first.token?.file ?? null,
    ...(names.every((name) => name !== undefined) ? { undefinedVariables: [...new Set(names)] } : {}),
  };
}

/** The failure of parsing or rendering a template: its fault, or too much work for the calling thread. */
export function failureOf(error: unknown): TemplateFault | HeavyWork {
  if (error instanceof TemplateFault) return error;
  const causes = flat(error as LiquidFailure).map((each) => each.originalError ?? each);
  return causes.find((cause) => cause instanceof HeavyWork) ?? new TemplateFault(faultOf(error));
}

function flat(failure: LiquidFailure): LiquidFailure[] {
  return failure.errors ? failure.errors.flatMap(flat) : [failure];
}

function sentence(cause: Error): string {
  if (cause instanceof BudgetExceeded || cause instanceof TimeLimitExceeded) return cause.message;
  if (cause instanceof RangeError && /call stack/i.test(cause.message)) return 'it is nested too deeply';
  return cause.message.replace(/(?:, file:[^,]*)?, line:\d+, col:\d+$/, '');
}
