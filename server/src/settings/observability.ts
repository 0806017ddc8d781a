import { BadValue, oneOf, setting, text, url } from './setting.ts';

/** `name=value` pairs with percent-encoded values, as OpenTelemetry specifies. */
const headers = (value: string): Record<string, string> => {
  try {
    const pairs = value.split(',').map((pair) => {
      const [, name = '', content = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
      return [name, decodeURIComponent(content.trim())];
    });
    return Object.fromEntries(new Headers(Object.fromEntries(pairs)));
  } catch {
    throw new BadValue('must be headers as name=value, comma-separated, with percent-encoded values');
  }
};

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
  OTEL_EXPORTER_OTLP_HEADERS: setting<Record<string, string>>({
    read: headers,
    fallback: {},
    shown: '–',
    meaning:
      'Headers for the collector, for example `authorization=Bearer%20TOKEN`: name=value, comma-separated, with percent-encoded values.',
    secret: true,
  }),
  OTEL_SERVICE_NAME: setting({
    read: text,
    fallback: 'carillon',
    meaning: 'The `service.name` of traces.',
  }),
} as const;
