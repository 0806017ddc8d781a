import type { App } from '../app.ts';
import { describeSettings } from '../config.ts';
import { type Credentials, credentialsPath, readCredentials } from '../features/platform/accounts/index.ts';
import { operatorCommands } from '../operator/index.ts';
import { commandLine } from './invocation.ts';

/**
 * The text of a start: the URL of the service, its keys, and a command to paste. Only the start that made the secrets prints
 * them, and the Live key and the login only to a terminal: redirected output is often kept and read by others.
 */
export function banner(app: App, { isTerminal }: { isTerminal: boolean }): string {
  const { config } = app.deps;
  if (!config.CARILLON_ROLES.includes('api'))
    return `Carillon worker is running (health at ${app.url}/healthz).`;
  const path = credentialsPath(config);
  return [
    '',
    `Carillon is running at ${app.url}   (dashboard; API reference: ${app.url}/docs)`,
    '',
    ...(app.credentials
      ? newCredentials(app, app.credentials, path, isTerminal)
      : [
          readCredentials(config)
            ? `  Keys and login: ${path}`
            : '  Keys and login were created by an earlier start, elsewhere.',
        ]),
    '',
    ...firstSend(app, path, isTerminal),
  ].join('\n');
}

/** A Test key that the operator set has full access, also to what reaches Live; one that was generated has not. */
const isShown = ({ deps: { config } }: App, isTerminal: boolean): boolean =>
  isTerminal || config.CARILLON_BOOTSTRAP_TEST_KEY === null;

function newCredentials(app: App, made: Credentials, path: string, isTerminal: boolean): string[] {
  const testKey = `  Test key    ${isShown(app, isTerminal) ? made.test_key : 'that of CARILLON_BOOTSTRAP_TEST_KEY'}`;
  if (!isTerminal) return [testKey, `  Live key and dashboard login: ${path} (printed to a terminal only)`];
  return [
    testKey,
    `  Live key    ${made.live_key}`,
    `  Dashboard   ${made.admin_email}  ${made.admin_password}`,
    `  (shown only once; stored in ${path})`,
  ];
}

function firstSend(app: App, path: string, isTerminal: boolean): string[] {
  const { url, credentials } = app;
  const lead = 'Send a notification (Test sends end in the sandbox and never leave this machine):';
  const curl = (authorization: string) => [
    `curl -s ${url}/v1/notifications \\`,
    `  -H ${authorization} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"channel":"email","recipient":{"address":"delivered@sandbox.test"},"subject":"Hello","text_body":"Hello from Carillon."}'`,
    '',
  ];
  if (credentials && isShown(app, isTerminal))
    return [lead, '', ...curl(`'Authorization: Bearer ${credentials.test_key}'`)];
  if (!readCredentials(app.deps.config)) return [];
  return [
    lead,
    '',
    `export CARILLON_API_KEY="$(node -p 'require(process.argv[1]).test_key' ${shellQuote(path)})"`,
    ...curl('"Authorization: Bearer $CARILLON_API_KEY"'),
  ];
}

function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function helpText(): string {
  const rows = describeSettings();
  return [
    'carillon: notification delivery over one HTTP API.',
    '',
    ...[
      ['', 'runs the service'],
      ...Object.values(operatorCommands).map(({ usage, does }) => [usage, does]),
      ['--version', 'prints the version'],
    ].map(([options, does]) => `${commandLine(options).padEnd(48)}  ${does}`),
    '',
    'Settings are environment variables, or fields of carillon.config.json in the working directory:',
    '',
    ...rows.map(({ name, fallback, meaning }) => `  ${name}\n      ${meaning}\n      default: ${fallback}`),
    '',
  ].join('\n');
}
