import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

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
