/** The error for people when the bundled database cannot run: the cause, and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** The error of starting a program as another user without CAP_SETUID, or in a user namespace that maps no other user. */
export const MAY_NOT_SWITCH_USER = /\bspawn .*\b(EPERM|EINVAL)\b/;

const WAY_OUT = 'or set DATABASE_URL to use your own PostgreSQL';

/** Turns a failed file-system call into a sentence; any other error is a bug and passes through unchanged. */
export function explainSystemError(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) return error;
  const { code, path = dataDir } = error as NodeJS.ErrnoException;
  const because = (sentence: string) => new EmbeddedPostgresError(sentence, { cause: error });
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return because(
        `Carillon cannot write to ${path} (${code}). Give this user write access to the data directory ${dataDir}, choose another one, ${WAY_OUT}.`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(dataDir, error);
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ELOOP':
      return because(
        `The data directory ${dataDir} cannot be used: ${path} is not a directory. Choose another one, ${WAY_OUT}.`,
      );
    default:
      return code === undefined
        ? error
        : because(
            `The data directory ${dataDir} cannot be used (${error.message}). Choose another one, ${WAY_OUT}.`,
          );
  }
}

/** Turns the last output of initdb or postgres into a sentence. */
export function explainOutput(
  doing: string,
  output: string,
  dataDir: string,
  logFile?: string,
): EmbeddedPostgresError {
  // A disk that fills up first cuts a write short, before the first "no space".
  if (/No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/i.test(output))
    return diskFull(dataDir, output);
  if (/could not look up effective user ID|user does not exist/i.test(output)) {
    return new EmbeddedPostgresError(
      `The bundled PostgreSQL cannot run as user id ${process.getuid?.()}, because that id has no name in /etc/passwd. Add one, run Carillon as a named user, ${WAY_OUT}.`,
      { cause: output },
    );
  }
  if (/Cannot allocate memory|could not map anonymous shared memory/i.test(output)) {
    return new EmbeddedPostgresError(
      `There is not enough memory ${doing}. Free some (about 200 MB), ${WAY_OUT}.`,
      { cause: output },
    );
  }
  if (MAY_NOT_SWITCH_USER.test(output) && process.getuid?.() === 0) {
    return new EmbeddedPostgresError(
      `PostgreSQL must not run as root, and this root cannot switch to another user (a container that forbids it?). Run Carillon as an ordinary user, ${WAY_OUT}.`,
      { cause: output },
    );
  }
  const where = logFile === undefined ? '' : ` See ${logFile} for details.`;
  return new EmbeddedPostgresError(`PostgreSQL failed ${doing}: ${mostTelling(output)}.${where}`, {
    cause: output,
  });
}

export function diskFull(dataDir: string, cause: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The disk that holds the database of ${dataDir} is full. Free some space and start Carillon again; no stored data is lost.`,
    { cause },
  );
}

/** The first line marked as an error has the cause; the lines after it only list consequences. */
function mostTelling(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line = lines.find((each) => /\b(FATAL|PANIC|error):/.test(each)) ?? lines.at(-1) ?? 'no output';
  return line.replace(/^.*?\b(FATAL|PANIC|error):\s*/, '').replace(/\.$/, '');
}
