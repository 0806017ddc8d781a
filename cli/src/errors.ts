import {
  AuthenticationError,
  CarillonError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  TimeoutError,
} from '@carillon/sdk';

/** Documented in docs/guides/cli.md: scripts decide by these. */
export const exitCodes = { ok: 0, failure: 1, usage: 2, notFound: 3, interrupted: 130 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What went wrong in a sentence, and what to do about it. */
export class CliError extends Error {
  readonly hint: string | null;
  readonly exitCode: ExitCode;

  constructor(message: string, { hint = null, exitCode = exitCodes.failure }: Partial<Explanation> = {}) {
    super(message);
    this.name = 'CliError';
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

interface Explanation {
  message: string;
  hint: string | null;
  exitCode: ExitCode;
}

export function usageError(message: string, hint: string | null = null): CliError {
  return new CliError(message, { hint, exitCode: exitCodes.usage });
}

/** Formats a thrown value for people. Returns null for a bug, which is shown with its stack. */
export function explain(error: unknown, url: string | null): Explanation | null {
  if (error instanceof CliError) return error;
  if (isParseArgsError(error)) {
    return { message: sentence(error.message), hint: null, exitCode: exitCodes.usage };
  }
  if (isSystemError(error)) return { message: error.message, hint: null, exitCode: exitCodes.failure };
  if (!(error instanceof CarillonError)) return null;
  const where = url ?? 'the service';
  const base = { message: error.message, hint: requestHint(error), exitCode: exitCodes.failure };
  if (error instanceof ConnectionError)
    return {
      ...base,
      hint: `Is Carillon running at ${where}? Start it with \`carillon start\`, or set --url or CARILLON_URL.`,
    };
  if (error instanceof TimeoutError)
    return { ...base, hint: `${where} is slow or not responding. Run \`carillon doctor\` to check it.` };
  if (error instanceof AuthenticationError)
    return {
      ...base,
      hint: 'Set CARILLON_API_KEY, or run `carillon login` with a valid key.',
    };
  if (error instanceof PermissionError)
    return { ...base, hint: 'Use a key that has this scope; `carillon keys list` shows the scopes of each.' };
  if (error instanceof NotFoundError) return { ...base, exitCode: exitCodes.notFound };
  if (error.code === 'unexpected_response')
    return {
      ...base,
      hint: 'The response is not from Carillon: it may be a proxy or login page. Check --url or CARILLON_URL.',
    };
  return base;
}

function requestHint({ param, request_id, code }: CarillonError): string | null {
  const facts = [`code ${code}`, param && `field ${param}`, request_id && `request ${request_id}`];
  return request_id ? facts.filter(Boolean).join(', ') : null;
}

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

/** A folder that may not be written, a full disk: the message says it all. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && typeof (error as { syscall?: unknown }).syscall === 'string';
}

/** Node says: `Unknown option '--x'. To specify a positional argument …`: the first sentence is what people need. */
function sentence(message: string): string {
  return `${message.split('. ')[0]?.replace(/\.$/, '')}.`;
}
