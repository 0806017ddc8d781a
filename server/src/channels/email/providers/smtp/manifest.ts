import { isIP } from 'node:net';
import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';

export const manifest = {
  kind: 'smtp',
  channel: 'email',
  title: 'SMTP server',
  fields: [
    {
      name: 'host',
      type: 'text',
      meaning: 'Name or address of the server.',
      required: true,
      receives: ['password'],
      min: 1,
      max: 253,
    },
    {
      name: 'port',
      type: 'integer',
      meaning: '587 by default; 465 when secure.',
      required: false,
      receives: ['password'],
      min: 1,
      max: 65_535,
    },
    {
      name: 'secure',
      type: 'boolean',
      meaning:
        'TLS from the first byte (default on port 465). Otherwise STARTTLS is used when the server offers it.',
      required: false,
    },
    {
      name: 'require_tls',
      type: 'boolean',
      meaning: 'Send nothing to a server without TLS. The certificate is always verified.',
      required: false,
    },
    {
      name: 'username',
      type: 'text',
      meaning: 'For servers that require authentication.',
      required: false,
      max: 320,
    },
    {
      name: 'password',
      type: 'text',
      meaning: 'The password of the username. Sent to a public address only over TLS.',
      required: false,
      secret: true,
      max: 2000,
    },
  ],
} as const satisfies Manifest;

export interface SmtpConfig {
  host: string;
  port: number;
  secure: boolean;
  requireTls: boolean;
  auth: { username: string; password: string } | null;
}

export function completeConfig(config: ProviderConfig): CompletedConfig {
  const { host, port, secure, require_tls: requireTls, username, password } = config;
  const name = withoutBrackets(String(host));
  if (!isIP(name) && !/^[\p{L}\p{N}._-]+$/u.test(name)) {
    return { field: 'host', problem: 'must be a host name or an IP address, without a port' };
  }
  if (username && !password) return { field: 'password', problem: 'is required with a username' };
  if (password && !username) return { field: 'username', problem: 'is required with a password' };
  const isSecure = typeof secure === 'boolean' ? secure : port === 465;
  return {
    config: {
      ...config,
      secure: isSecure,
      require_tls: requireTls === true,
      port: port ?? (isSecure ? 465 : 587),
    },
  };
}

/** Expects a complete config. */
export function smtpConfig(config: ProviderConfig): SmtpConfig {
  const { host, port, secure, require_tls: requireTls, username, password } = config;
  return {
    host: withoutBrackets(String(host)),
    port: Number(port),
    secure: secure === true,
    requireTls: requireTls === true,
    auth: username && password ? { username: String(username), password: String(password) } : null,
  };
}

/** IPv6 addresses arrive as `::1` and, from URLs, as `[::1]`. */
function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Parses `smtp://user:password@host:port` or `smtps://…`, the form of the operator's settings, with an optional
 * `?require_tls=true`.
 */
export function smtpConfigOfUrl(text: string): SmtpConfig {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  return smtpConfig({
    host: url.hostname,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    require_tls: url.searchParams.get('require_tls') === 'true',
    username: decodeURIComponent(url.username) || null,
    password: decodeURIComponent(url.password) || null,
  });
}
