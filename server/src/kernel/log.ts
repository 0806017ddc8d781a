import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

const warnLevel = 40; // pino's number

/**
 * Logs contain ids, never personal data: no addresses, bodies, tokens or query strings. The redaction below is the safety net,
 * not the rule; the rule is to log ids.
 */
export function createLog(level: string, destination: DestinationStream = pino.destination(1)): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        '*.password',
        '*.authorization',
        '*.cookie',
        '*.token',
        '*.secret',
        '*.api_key',
        '*.address',
        '*.email',
      ],
      censor: '[redacted]',
    },
  };
  return pino(options, destination);
}

/**
 * Buffers lines until `release`, so that the banner of a start is not among them. A warning writes the lines so far at once: it
 * may be the reason why a start takes long.
 */
export function createStartOutput(destination: DestinationStream = pino.destination(1)) {
  let lines: string | null = '';
  const flush = (): void => {
    if (lines) destination.write(lines);
    if (lines !== null) lines = '';
  };
  return {
    [pino.symbols.needsMetadataGsym]: true as const, // pino sets lastLevel
    lastLevel: 0,
    write(line: string): void {
      if (lines === null) {
        destination.write(line);
        return;
      }
      lines += line;
      if (this.lastLevel >= warnLevel) flush();
    },
    release(): void {
      flush();
      lines = null;
    },
  };
}
