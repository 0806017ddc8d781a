import { oneOf, setting, url } from './setting.ts';

/** Logs and traces. */
export const observabilitySettings = {
  LOG_LEVEL: setting({
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info' as const,
    meaning: 'Log level. Logs are JSON lines on standard output.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting<string | null>({
    read: url('http:', 'https:'),
    fallback: null,
    shown: '–',
    meaning:
      'OpenTelemetry collector (OTLP over HTTP), for example http://localhost:4318. If unset, no traces are exported.',
    secret: true, // may contain a password
  }),
} as const;
