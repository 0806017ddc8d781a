import { integer, oneOf, setting, text, type ValuesOf } from './setting.ts';

/** SMTP in: mail software sends through our port. */
export const smtpInSettings = {
  CARILLON_SMTP_PORT: setting<number | null>({
    read: integer(0, 65_535),
    fallback: null,
    shown: 'off',
    meaning:
      'Port for SMTP in: mail software signs in with an API key as the password, and its messages become email notifications. Usually 587 or 2525; 0 picks a free port.',
  }),
  CARILLON_SMTP_TLS_CERT: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning:
      'File with the certificate (and its chain, PEM) for STARTTLS on CARILLON_SMTP_PORT. A replaced file is used within a minute. Requires CARILLON_SMTP_TLS_KEY.',
  }),
  CARILLON_SMTP_TLS_KEY: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'File with the private key (PEM) of CARILLON_SMTP_TLS_CERT.',
  }),
  CARILLON_SMTP_PLAINTEXT: setting({
    read: oneOf('loopback', 'all'),
    fallback: 'loopback' as const,
    meaning:
      'From where API keys are accepted without TLS on CARILLON_SMTP_PORT: from this machine (loopback), or from everywhere (all; for private networks and behind a proxy that terminates TLS).',
  }),
  CARILLON_SMTP_CONNECTIONS_PER_ADDRESS: setting({
    read: integer(1, 1_000),
    fallback: 100,
    meaning:
      'Open SMTP connections from one address, per process; a process has at most 1,000. Clients behind a proxy share its address.',
  }),
  CARILLON_SMTP_CONNECTIONS_PER_KEY: setting({
    read: integer(1, 1_000),
    fallback: 100,
    meaning:
      'Open SMTP connections that are signed in with one API key, per process; all keys of an organization have at most 250.',
  }),
} as const;

/** With one of the files, the operator expects TLS that there would not be. */
export function smtpTlsProblem(config: ValuesOf<typeof smtpInSettings>): string | null {
  const { CARILLON_SMTP_TLS_CERT: cert, CARILLON_SMTP_TLS_KEY: key } = config;
  if ((cert === null) === (key === null)) return null;
  return `${cert === null ? 'CARILLON_SMTP_TLS_CERT' : 'CARILLON_SMTP_TLS_KEY'} must also be set: STARTTLS needs the certificate and its key`;
}
